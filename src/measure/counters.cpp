// SPDX-License-Identifier: Apache-2.0
#include "measure/counters.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/process.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace assay::measure {
namespace {

constexpr std::string_view kCounts = "out.";
constexpr std::string_view kLog = "log.";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t blank = std::min(line.find_first_of(" \t\r"), line.size());
    if (blank > 0) words.push_back(line.substr(0, blank));
    line.remove_prefix(std::min(blank + 1, line.size()));
  }
  return words;
}

std::optional<double> count_of(std::string_view word) {
  std::uint64_t count = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (status != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return double(count);
}

std::vector<std::string> files_of(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> paths;
  const auto names = System::real().list_dir(folder);
  if (!names) return paths;
  for (const std::string& name : *names)
    if (name.starts_with(prefix)) paths.push_back(folder + "/" + name);
  return paths;
}

}  // namespace

Result<double> parse_callgrind(std::string_view text) {
  std::optional<std::size_t> column;
  std::optional<double> sum;
  std::size_t begin = 0, line_number = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    const bool is_torn = end == std::string_view::npos;
    const std::string_view line = text.substr(begin, is_torn ? text.npos : end - begin);
    begin = is_torn ? text.size() : end + 1;
    ++line_number;
    const auto wrong = [&](const char* what) {
      return fail(fmt::format("{}: '{}'", what, printable(line.substr(0, 80))),
                  fmt::format("line {}", line_number));
    };
    if (line.starts_with("events:")) {
      const auto events = words_of(line.substr(7));
      const auto found = std::find(events.begin(), events.end(), "Ir");
      if (found == events.end()) return wrong("callgrind did not count instructions (Ir)");
      column = std::size_t(found - events.begin());
    } else if (line.starts_with("totals:")) {
      if (is_torn) break;  // the number may be cut
      if (!column) return wrong("totals before events");
      const auto numbers = words_of(line.substr(7));
      // Zeros at the end of the line are left out.
      const auto count = *column < numbers.size() ? count_of(numbers[*column])
                         : numbers.empty()        ? std::nullopt
                                                  : std::optional<double>(0);
      if (!count) return wrong("these totals are no numbers");
      sum = sum.value_or(0) + *count;
    }
  }
  if (!sum) return fail("the callgrind output is torn: it has no totals");
  return *sum;
}

Result<ExactCounter> ExactCounter::make() {
  const char* const path = std::getenv("PATH");
  auto valgrind = find_program("valgrind", path == nullptr ? "/usr/bin:/bin" : path);
  if (!valgrind)
    return fail("valgrind is not installed, and exact counts need it", "",
                "install it (Debian, Ubuntu: sudo apt install valgrind), or leave --exact out");
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error).string();
  if (error) folder = "/tmp";
  folder += "/assay-exact-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr)
    return fail(system_error("cannot make a folder for counts", errno, folder,
                             "set TMPDIR to a folder that can be written"));
  return ExactCounter(std::move(*valgrind), std::move(folder));
}

ExactCounter::ExactCounter(std::string valgrind, std::string folder)
    : valgrind_(std::move(valgrind)), folder_(std::move(folder)) {}

ExactCounter::ExactCounter(ExactCounter&& other) noexcept
    : valgrind_(std::move(other.valgrind_)), folder_(std::exchange(other.folder_, {})) {}

ExactCounter& ExactCounter::operator=(ExactCounter&& other) noexcept {
  std::swap(valgrind_, other.valgrind_);
  std::swap(folder_, other.folder_);
  return *this;
}

ExactCounter::~ExactCounter() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::string> ExactCounter::wrap(std::span<const std::string> argv) const {
  // In a path for valgrind % begins a substitution and %% stands for itself.
  std::string folder;
  for (const char c : folder_) folder += c == '%' ? "%%" : std::string(1, c);
  std::vector<std::string> words = {valgrind_,
                                    "-q",
                                    "--tool=callgrind",
                                    "--trace-children=yes",
                                    fmt::format("--callgrind-out-file={}/{}%p", folder, kCounts),
                                    fmt::format("--log-file={}/{}%p", folder, kLog)};
  for (const char* name : {"fork", "__fork", "_Fork", "__libc_fork", "vfork", "__vfork"})
    words.push_back(fmt::format("--dump-before={}", name));
  words.push_back("--");
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

Result<double> ExactCounter::collect() {
  const std::vector<std::string> paths = files_of(folder_, kCounts);
  const std::string said = log();
  Result<double> sum = 0.0;
  if (said.find("(SIGILL)") != said.npos)
    sum = fail(
        "the program ended with SIGILL: valgrind may not know one of its instructions", "",
        "build it for an older CPU (-march=x86-64-v3 is without AVX-512), or leave --exact out");
  else if (paths.empty())
    sum =
        fail("valgrind left no instruction counts", "",
             said.empty() ? "the command was killed, or never started" : "valgrind says: " + said);
  for (const std::string& path : paths) {
    if (!sum) break;
    const auto text = System::real().read_file(path);
    const auto count = text ? parse_callgrind(*text) : Result<double>(fail(text.error()));
    if (count)
      *sum += *count;
    else
      sum = fail(count.error().within(path));
  }
  clear();
  return sum;
}

// The beginning of what valgrind said, for a person: without the process number before each line.
std::string ExactCounter::log() const {
  constexpr std::size_t kMost = 2000;
  std::string said;
  for (const std::string& path : files_of(folder_, kLog)) {
    const auto text = System::real().read_file(path);
    if (!text) continue;
    for (std::string_view line : split_lines(*text)) {
      const std::size_t mark = line.find("== ");
      if (mark != line.npos) line.remove_prefix(mark + 3);
      if (line.find_first_not_of(" =") == line.npos || said.size() > kMost) continue;
      said += (said.empty() ? "" : "\n") + printable(line);
    }
  }
  return said;
}

void ExactCounter::clear() const {
  for (const std::string_view prefix : {kCounts, kLog})
    for (const std::string& path : files_of(folder_, prefix)) ::unlink(path.c_str());
}

Result<InstructionCounter> InstructionCounter::attach(pid_t process) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const long file =
      ::syscall(SYS_perf_event_open, &attributes, process, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (file < 0) {
    const bool is_refused = errno == EACCES || errno == EPERM;
    return fail(system_error("this machine counts no instructions", errno, "perf_event_open",
                             is_refused ? "sudo sysctl kernel.perf_event_paranoid=2, or --exact"
                                        : "it has no PMU that we can see: use --exact"));
  }
  InstructionCounter counter{int(file)};
  if (::read(counter.file_, &counter.last_, sizeof counter.last_) != sizeof counter.last_)
    return fail(system_error("cannot read the instruction counter", errno));
  return counter;
}

InstructionCounter::InstructionCounter(InstructionCounter&& other) noexcept
    : file_(std::exchange(other.file_, -1)), last_(other.last_) {}

InstructionCounter& InstructionCounter::operator=(InstructionCounter&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(last_, other.last_);
  return *this;
}

InstructionCounter::~InstructionCounter() {
  if (file_ >= 0) ::close(file_);
}

std::optional<double> InstructionCounter::between(const Count& before, const Count& after) {
  if (after.instructions < before.instructions || after.enabled_ns < before.enabled_ns ||
      after.running_ns < before.running_ns)
    return std::nullopt;
  const std::uint64_t enabled = after.enabled_ns - before.enabled_ns;
  const std::uint64_t running = after.running_ns - before.running_ns;
  if (running == 0 || running < enabled) return std::nullopt;
  return double(after.instructions - before.instructions);
}

Result<double> InstructionCounter::take() {
  Count now;
  if (::read(file_, &now, sizeof now) != sizeof now)
    return fail(system_error("cannot read the instruction counter", errno));
  const auto count = between(last_, now);
  last_ = now;
  if (!count)
    return fail("the instruction counter did not run all the time", "",
                "another profiler uses it; stop that, or use --exact");
  return *count;
}

}  // namespace assay::measure
