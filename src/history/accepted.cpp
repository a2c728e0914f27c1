// SPDX-License-Identifier: Apache-2.0
#include "history/accepted.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/digest.hpp"
#include "base/json.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace assay::history {
namespace {

constexpr std::size_t kMostReason = 4096;

Json to_json(const Accepted& one) {
  return Json::object()
      .set("record", one.record)
      .set("commit", one.commit)
      .set("benchmark", one.benchmark)
      .set("what", one.what)
      .set("metric", one.metric)
      .set("ratio", one.ratio)
      .set("memory_ratio", one.memory_ratio)
      .set("reason", one.reason)
      .set("at_ms", one.at_ms);
}

Result<Accepted> from_json(const Json& json, const std::string& where) {
  Accepted one;
  for (auto [key, member] : {std::pair{"record", &Accepted::record},
                             {"commit", &Accepted::commit},
                             {"benchmark", &Accepted::benchmark},
                             {"what", &Accepted::what},
                             {"metric", &Accepted::metric},
                             {"reason", &Accepted::reason}}) {
    const std::string* text = json[key].to_string();
    if (text == nullptr) return fail(fmt::format("no text '{}'", key), where);
    one.*member = *text;
  }
  const auto ratio = json["ratio"].to_double();
  if (!ratio || !std::isfinite(*ratio) || *ratio <= 0)
    return fail("'ratio' is no number above zero", where);
  one.ratio = *ratio;
  if (!json["memory_ratio"].is_null()) {
    one.memory_ratio = json["memory_ratio"].to_double();
    if (!one.memory_ratio || !std::isfinite(*one.memory_ratio) || *one.memory_ratio <= 0)
      return fail("'memory_ratio' is no number above zero", where);
  }
  one.at_ms = json["at_ms"].to_int().value_or(0);
  return one;
}

Error damaged(Error error) {
  error.hint = "mend or remove that line; the file is text, one JSON object a line";
  return error;
}

// The file held by one writer at a time, closed at the end.
class LockedFile {
 public:
  explicit LockedFile(const std::string& path)
      : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    if (fd_ >= 0 && ::flock(fd_, LOCK_EX) != 0) ::close(fd_), fd_ = -1;
  }
  ~LockedFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  bool is_open() const { return fd_ >= 0; }

  // Cuts a torn last line off and writes a whole one.
  bool append(std::size_t whole_bytes, const std::string& line) const {
    if (::ftruncate(fd_, static_cast<off_t>(whole_bytes)) != 0) return false;
    std::size_t done = 0;
    while (done < line.size()) {
      const ssize_t wrote = ::write(fd_, line.data() + done, line.size() - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) {
        const int why = errno;
        (void)!::ftruncate(fd_, static_cast<off_t>(whole_bytes));
        errno = why;
        return false;
      }
      done += static_cast<std::size_t>(wrote);
    }
    return ::fsync(fd_) == 0;
  }

 private:
  int fd_;
};

Result<std::string> read_text(const std::string& path) {
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) return std::string();
  return System::real().read_file(path);
}

std::size_t whole_bytes(const std::string& text) {
  const std::size_t end = text.rfind('\n');
  return end == std::string::npos ? 0 : end + 1;
}

Result<std::vector<Accepted>> parse(const std::string& text, const std::string& path) {
  std::vector<Accepted> all;
  std::size_t number = 0;
  for (const std::string_view line :
       split_lines(std::string_view(text).substr(0, whole_bytes(text)))) {
    const std::string where = fmt::format("{}:{}", path, ++number);
    if (line.empty()) continue;
    if (all.size() == kMostAccepted)
      return fail(fmt::format("more than {} accepted regressions", kMostAccepted), path);
    const auto json = parse_json(line, where);
    if (!json) return fail(damaged(json.error()));
    auto one = from_json(*json, where);
    if (!one) return fail(damaged(one.error()));
    all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace

std::string benchmark_key(const Plan& plan) {
  std::vector<std::string> commands;
  for (std::uint32_t i = 0; i < plan.arms.size(); ++i) {
    if (plan.control == i) continue;
    const Subject& arm = plan.arms[i];
    std::string text = join_command(arm.argv) + '\n' + arm.input;
    if (arm.build) text += '\n' + arm.build->repository;
    if (std::ranges::find(commands, text) == commands.end()) commands.push_back(std::move(text));
  }
  std::ranges::sort(commands);
  std::string all;
  for (const std::string& command : commands) all += command + '\0';
  return sha256(all);
}

std::string accepted_path(const std::string& store_path) {
  return (std::filesystem::path(store_path).parent_path() / "accepted.jsonl").string();
}

Result<std::vector<Accepted>> read_accepted(const std::string& store_path) {
  const std::string path = accepted_path(store_path);
  const auto text = read_text(path);
  if (!text) return fail(text.error());
  return parse(*text, path);
}

std::vector<Accepted> accepted_of(const std::vector<Accepted>& all, const std::string& benchmark) {
  std::vector<Accepted> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const Accepted& one) { return one.benchmark == benchmark; });
  return found;
}

Result<void> append_accepted(const std::string& store_path, const Accepted& accepted) {
  if (accepted.reason.find_first_not_of(" \t\n") == std::string::npos)
    return fail("no reason is given", {}, "say why, for those who read it later: --reason TEXT");
  if (accepted.reason.size() > kMostReason)
    return fail(fmt::format("the reason has {} bytes, at most {} are kept", accepted.reason.size(),
                            kMostReason));
  const std::string path = accepted_path(store_path);
  const LockedFile file(path);
  if (!file.is_open()) return fail(system_error("cannot write what is accepted", errno, path));
  const auto text = read_text(path);
  if (!text) return fail(text.error());
  const auto all = parse(*text, path);
  if (!all) return fail(all.error());
  for (const Accepted& one : *all)
    if (one.record == accepted.record && one.commit == accepted.commit)
      return fail(fmt::format("this is accepted already: {}", printable(one.reason)), path,
                  "'assay accept --list' shows all of them");
  if (!file.append(whole_bytes(*text), to_json(accepted).dump() + "\n"))
    return fail(system_error("cannot write what is accepted", errno, path));
  return {};
}

}  // namespace assay::history
