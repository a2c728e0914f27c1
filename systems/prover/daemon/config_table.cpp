// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "prover/base/text.hpp"
#include "prover/daemon/config.hpp"
#include "prover/daemon/duration.hpp"
#include "prover/settings/values.hpp"

namespace prover::daemon {
namespace {

using settings::read_count;
using settings::show_count;
using settings::Text;

constexpr std::size_t kLongestSocketPath = 107;                    // sockaddr_un
constexpr std::uint64_t kMostMessage = std::uint64_t{2047} << 20;  // protobuf's 2 GiB
constexpr std::uint64_t kMostJobs = 1u << 20;

Result<void> read_path(Text text, std::string& out) {
  if (text.empty() || text.find('\0') != std::string::npos)
    return fail(ErrorKind::usage, "no path");
  out = text;
  return {};
}

Result<void> read_socket(Text text, std::string& out) {
  if (text.size() > kLongestSocketPath)
    return fail(ErrorKind::usage, fmt::format("{} bytes: the path of a socket has at most {}",
                                              text.size(), kLongestSocketPath));
  return read_path(text, out);
}

Result<void> read_mode(Text text, std::uint32_t& out) {
  std::uint32_t mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error != std::errc() || end != text.data() + text.size() || mode > 0777 ||
      (mode & 0600) != 0600 || (mode & 0007) != 0)
    return fail(ErrorKind::usage,
                fmt::format("'{}' is no mode of a socket for its user and group", printable(text)),
                {}, "0600 for the user alone, 0660 for the group too");
  out = mode;
  return {};
}

Result<void> read_address(Text text, std::string& out) {
  if (const auto endpoint = parse_loopback(text); !endpoint) return fail(endpoint.error());
  out = text;
  return {};
}

Result<void> read_http(Text text, std::string& out) {
  if (!text.starts_with("unix:")) return read_address(text, out);
  std::string path;
  if (auto ok = read_socket(text.substr(5), path); !ok) return ok;
  out = text;
  return {};
}

Result<void> read_bytes(Text text, std::uint64_t low, std::uint64_t high, std::uint64_t& out) {
  const auto bytes = parse_bytes(text);
  if (!bytes) return fail(bytes.error());
  if (*bytes < low || *bytes > high)
    return fail(ErrorKind::usage, fmt::format("{} is not between {} and {}", printable(text),
                                              show_bytes(low), show_bytes(high)));
  out = *bytes;
  return {};
}

Result<void> read_duration(Text text, std::chrono::milliseconds& out) {
  const auto span = parse_duration(text);
  if (!span) return fail(span.error());
  out = *span;
  return {};
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = 1 << 20;
  return bytes % kMiB == 0 ? fmt::format("{}MiB", bytes / kMiB) : show_count(bytes);
}

using C = Config;

constexpr Key kKeys[] = {
    {"listen", "socket", "gRPC on a unix socket", "", false,
     [](C& c, Text t) { return read_socket(t, c.listen.socket); },
     [](const C& c) { return c.listen.socket; }},
    {"listen", "socket-mode", "who may connect to it: \"0600\" its user, \"0660\" the group too",
     "", false, [](C& c, Text t) { return read_mode(t, c.listen.socket_mode); },
     [](const C& c) { return fmt::format("{:04o}", c.listen.socket_mode); }},
    {"listen", "address", "gRPC on the loopback too; clients then need a token",
     "\"127.0.0.1:50061\"", false, [](C& c, Text t) { return read_address(t, c.listen.address); },
     [](const C& c) { return c.listen.address; }},
    {"listen", "token-file", "tokens for it, one a line: NAME TOKEN (mode 0600)",
     "\"/etc/prover/tokens\"", false,
     [](C& c, Text t) { return read_path(t, c.listen.token_file); },
     [](const C& c) { return c.listen.token_file; }},
    {"listen", "http", "/status, /metrics and /healthz: HOST:PORT of the loopback or unix:PATH",
     "\"127.0.0.1:9464\"", false, [](C& c, Text t) { return read_http(t, c.listen.http); },
     [](const C& c) { return c.listen.http; }},
    {"limits", "message-size", "of a request: all witnesses of a job", "", true,
     [](C& c, Text t) { return read_bytes(t, 64 << 10, kMostMessage, c.limits.message_bytes); },
     [](const C& c) { return bytes_text(c.limits.message_bytes); }},
    {"limits", "queue", "jobs that are not done yet, of all clients", "", true,
     [](C& c, Text t) { return read_count(t, 1, kMostJobs, c.limits.queue); },
     [](const C& c) { return show_count(c.limits.queue); }},
    {"limits", "jobs-per-client", "the same of one client", "", true,
     [](C& c, Text t) { return read_count(t, 1, kMostJobs, c.limits.jobs_per_client); },
     [](const C& c) { return show_count(c.limits.jobs_per_client); }},
    {"limits", "partitions-per-job", "partitions, each with its witness and its proof", "", true,
     [](C& c, Text t) { return read_count(t, 1, 65536, c.limits.partitions); },
     [](const C& c) { return show_count(c.limits.partitions); }},
    {"limits", "witness-memory",
     "witnesses of all jobs that are not done; reserved in memory-budget in full from the start",
     "", true,
     [](C& c, Text t) {
       return read_bytes(t, 64 << 10, std::uint64_t{1} << 42, c.limits.witness_bytes);
     },
     [](const C& c) { return bytes_text(c.limits.witness_bytes); }},
    {"limits", "deadline", "of jobs that bring none, e.g. \"10m\"; \"none\": no deadline", "",
     false,
     [](C& c, Text t) -> Result<void> {
       c.limits.deadline.reset();
       if (t == "none") return {};
       std::chrono::milliseconds span{};
       if (auto ok = read_duration(t, span); !ok) return ok;
       c.limits.deadline = span;
       return {};
     },
     [](const C& c) {
       return c.limits.deadline ? show_duration_exactly(*c.limits.deadline) : std::string("none");
     }},
    {"limits", "answers", "how many ended jobs are kept for await", "", true,
     [](C& c, Text t) { return read_count(t, 1, kMostJobs, c.limits.answers); },
     [](const C& c) { return show_count(c.limits.answers); }},
    {"limits", "answers-age", "and how long", "", false,
     [](C& c, Text t) { return read_duration(t, c.limits.answers_age); },
     [](const C& c) { return show_duration_exactly(c.limits.answers_age); }},
    {"limits", "drain",
     "after SIGTERM or SIGHUP: how long jobs that have begun may go on before they are handed back",
     "", false, [](C& c, Text t) { return read_duration(t, c.limits.drain); },
     [](const C& c) { return show_duration_exactly(c.limits.drain); }},
    {"journal", "path",
     "the jobs on disk (SQLite), so that they survive a restart; \"memory\": they do not", "",
     false, [](C& c, Text t) { return read_path(t, c.journal); },
     [](const C& c) { return c.journal; }},
};

std::string folder_of(const char* variable) {
  const char* folder = std::getenv(variable);
  return folder != nullptr && folder[0] == '/' ? folder : "";
}

}  // namespace

std::span<const Key> config_table() { return kKeys; }

std::string default_socket() {
  const std::string folder = folder_of("XDG_RUNTIME_DIR");
  return folder.empty() ? "/run/prover/prover.sock" : folder + "/prover.sock";
}

Config default_config() {
  Config config;
  config.listen.socket = default_socket();
  const std::string state = folder_of("XDG_STATE_HOME"), home = folder_of("HOME");
  config.journal = !state.empty()                    ? state + "/prover/journal.db"
                   : home.empty() || home == "/root" ? "/var/lib/prover/journal.db"
                                                     : home + "/.local/state/prover/journal.db";
  return config;
}

}  // namespace prover::daemon
