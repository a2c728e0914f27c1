// SPDX-License-Identifier: Apache-2.0
// prover daemon: puts the parts together, and takes them down in the order that loses nothing.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include "prover/base/text.hpp"
#include "prover/cli/daemon_commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/signals.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/daemon/charges.hpp"
#include "prover/daemon/config.hpp"
#include "prover/daemon/duration.hpp"
#include "prover/daemon/http_server.hpp"
#include "prover/daemon/registry.hpp"
#include "prover/daemon/service.hpp"
#include "prover/daemon/status.hpp"
#include "prover/rpc/server.hpp"

namespace prover::cli {
namespace {

// Tells systemd (Type=notify), when it started us.
void notify(std::string_view text) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) return;
  std::strcpy(address.sun_path, path);
  const socklen_t size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  if (path[0] == '@') address.sun_path[0] = '\0';
  const int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return;
  sendto(file, text.data(), text.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address), size);
  close(file);
}

daemon::HttpAnswer answer_http(daemon::Service& service, const std::string& path) {
  if (path == "/status")
    return {.type = "application/json",
            .body = daemon::status_json(service.status(), service.jobs())};
  if (path == "/metrics")
    return {.type = "text/plain; version=0.0.4", .body = daemon::metrics_text(service.status())};
  if (path == "/healthz")
    return service.status().draining ? daemon::HttpAnswer{.status = 503, .body = "stopping\n"}
                                     : daemon::HttpAnswer{.body = "ok\n"};
  return {.status = 404, .body = "there is /status, /metrics and /healthz\n"};
}

Result<daemon::Config> config_of(const Arguments& arguments) {
  if (const auto path = arguments.value("config")) return daemon::read_config(*path);
  return fail(ErrorKind::usage, "--config is missing", "prover daemon",
              "'prover config --example' prints a complete file to begin with");
}

// The daemon's parts, in the order of their making; they end in the opposite one.
class Daemon {
 public:
  Result<void> start(const daemon::Config& config) {
    auto registry = daemon::Registry::open(config.circuits);
    if (!registry) return fail(registry.error());
    registry_ = std::move(*registry);
    auto journal = daemon::Journal::open(config.journal);
    if (!journal) return fail(journal.error());
    journal_ = std::move(*journal);
    auto work = work::Groth16Work::create(config.engine.work);
    if (!work) return fail(work.error());
    work_ = std::move(*work);
    Options options = config.engine.engine;
    fixed_ = daemon::fixed_charges(config, memory_);
    if (auto fits = daemon::check_memory(options.memory_budget, fixed_, *work_, *registry_); !fits)
      return fail(fits.error());
    options.resident_bytes += fixed_.total();
    auto engine = Engine::start(options, *work_, *work_, timeline_, memory_);
    if (!engine) return fail(engine.error());
    engine_ = std::move(*engine);
    auto service = daemon::Service::start(
        {.engine = *engine_,
         .circuits = *registry_,
         .journal = *journal_,
         .work = *work_,
         .memory = memory_,
         .limits = config.limits,
         .options = options,
         .fixed = fixed_,
         .log = [](const std::string& line) { tell("prover-daemon: {}\n", line); }});
    if (!service) return fail(service.error());
    service_ = std::move(*service);
    return listen(config);
  }

  daemon::Service& service() { return *service_; }
  const daemon::FixedCharges& fixed() const { return fixed_; }

 private:
  Result<void> listen(const daemon::Config& config) {
    rpc::ServerSettings settings{.socket = config.listen.socket,
                                 .socket_mode = config.listen.socket_mode,
                                 .address = config.listen.address,
                                 .message_bytes = config.limits.message_bytes};
    if (!config.listen.token_file.empty()) {
      auto tokens = daemon::Tokens::read(config.listen.token_file);
      if (!tokens) return fail(tokens.error());
      settings.tokens = std::move(*tokens);
    }
    auto server = rpc::Server::start(*service_, std::move(settings));
    if (!server) return fail(server.error());
    server_ = std::move(*server);
    if (config.listen.http.empty()) return {};
    auto http = daemon::HttpServer::start(config.listen.http, [this](const std::string& path) {
      return answer_http(*service_, path);
    });
    if (!http) return fail(http.error());
    http_ = std::move(*http);
    return {};
  }

  Timeline timeline_;
  ResidentMemory memory_;
  daemon::FixedCharges fixed_;
  std::unique_ptr<daemon::Registry> registry_;
  std::unique_ptr<daemon::Journal> journal_;
  std::unique_ptr<work::Groth16Work> work_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<daemon::Service> service_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<daemon::HttpServer> http_;
};

std::string budget_text(std::optional<std::uint64_t> budget, const daemon::FixedCharges& fixed) {
  if (!budget) return "none";
  return fmt::format("{} ({} for the program, {} for witnesses)", show_bytes(*budget),
                     show_bytes(fixed.program), show_bytes(fixed.witnesses));
}

void warn_of_circuits(const daemon::Config& config) {
  if (config.circuits.empty())
    warn("the configuration names no [[circuit]]: every job will be refused");
}

void tell_start(const daemon::Config& config, const daemon::DaemonStatus& status,
                const daemon::FixedCharges& fixed) {
  tell("prover-daemon: listens on {}{}{}\n", config.listen.socket,
       config.listen.address.empty() ? "" : " and " + config.listen.address,
       config.listen.http.empty() ? "" : ", HTTP on " + config.listen.http);
  tell("prover-daemon: {} circuits; budget {}; {} jobs in the journal to prove\n",
       status.circuits.size(), budget_text(status.budget, fixed), status.pending);
  warn_of_circuits(config);
  for (const daemon::CircuitStatus& circuit : status.circuits)
    if (circuit.insecure) warn(fmt::format("the key of '{}' is INSECURE", circuit.name));
}

}  // namespace

Result<int> run_daemon(const Arguments& arguments) {
  const auto config = config_of(arguments);
  if (!config) return fail(config.error());
  umask(0077);  // journal and sockets are of this user alone
  std::signal(SIGPIPE, SIG_IGN);
  std::atomic<int> asked{0};
  const SignalWatch watch(
      [&](int number) {
        if (asked.exchange(number) != 0) ::_exit(kSignalled + number);
      },
      {SIGINT, SIGTERM, SIGHUP});
  Daemon daemon;
  if (auto started = daemon.start(*config); !started) return fail(started.error());
  tell_start(*config, daemon.service().status(), daemon.fixed());
  notify("READY=1");

  std::optional<Error> trouble;
  while (asked == 0 && !trouble)
    trouble = daemon.service().wait_for_trouble(std::chrono::milliseconds(100));
  notify("STOPPING=1");
  if (!trouble)
    tell("prover-daemon: stops; what is in flight may take {} (a second signal ends it at once)\n",
         daemon::show_duration_exactly(config->limits.drain));
  const daemon::Drained drained =
      daemon.service().drain(trouble ? std::chrono::milliseconds(0) : config->limits.drain);
  tell("prover-daemon: {} jobs are not done{}\n", drained.handed_back,
       config->journal == "memory" ? "" : ", and stay in the journal");
  if (!trouble) return kFine;
  Error error = *trouble;
  error.hint =
      "raise the machine's memory or lower [engine] partition-workers, lookahead and "
      "prove-workers; the jobs are in the journal";
  return fail(std::move(error));
}

Result<int> run_config(const Arguments& arguments) {
  const auto path = arguments.value("check");
  if (path && arguments.has("example"))
    return fail(ErrorKind::usage, "--check and --example are both given", "prover config",
                "one checks a file, the other prints one");
  if (arguments.has("example")) {
    if (auto printed = print(daemon::example_config()); !printed) return fail(printed.error());
    return kFine;
  }
  if (!path)
    return fail(ErrorKind::usage, "neither --check nor --example is given", "prover config",
                "'prover config --check FILE' checks a file");
  const auto config = daemon::read_config(*path);
  if (!config) return fail(config.error());
  const auto registry = daemon::Registry::open(config->circuits);
  if (!registry) return fail(registry.error());
  if (!config->listen.token_file.empty())
    if (const auto tokens = daemon::Tokens::read(config->listen.token_file); !tokens)
      return fail(tokens.error());
  const auto work = work::Groth16Work::create(config->engine.work);
  if (!work) return fail(work.error());
  ResidentMemory memory;
  const auto budget = config->engine.engine.memory_budget;
  daemon::FixedCharges fixed = daemon::fixed_charges(*config, memory);
  // The daemon has its journal open when it measures: what is fine here must start there.
  fixed.program += std::uint64_t{1} << 20;
  if (auto fits = daemon::check_memory(budget, fixed, **work, **registry); !fits)
    return fail(fits.error());
  warn_of_circuits(*config);
  std::string text = fmt::format("{} is fine\n", printable(*path));
  if (budget) text += fmt::format("  budget {}\n", budget_text(budget, fixed));
  for (const daemon::CircuitStatus& circuit : (*registry)->list())
    text += fmt::format("  circuit {}: {}, domain {}, key {}{}\n", circuit.name, circuit.curve,
                        circuit.domain, show_bytes(circuit.key_bytes),
                        circuit.insecure ? ", INSECURE" : "");
  if (auto printed = print(text); !printed) return fail(printed.error());
  return kFine;
}

}  // namespace prover::cli
