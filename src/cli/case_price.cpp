// SPDX-License-Identifier: Apache-2.0
#include "cli/case_price.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"

namespace assay::cli {
namespace {

// A terminal whose results are kept in memory, and whose messages are dropped.
class Listener {
 public:
  Listener() : fd_(::memfd_create("assay", MFD_CLOEXEC)), terminal_(fd_, -1, Colour::never, true) {}
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() {
    if (fd_ >= 0) ::close(fd_);
  }

  Terminal& terminal() { return terminal_; }
  std::string heard() const {
    std::string text;
    char buffer[4096];
    off_t at = 0;
    for (ssize_t n; (n = ::pread(fd_, buffer, sizeof buffer, at)) > 0; at += n)
      text.append(buffer, static_cast<std::size_t>(n));
    return text;
  }

 private:
  int fd_;
  Terminal terminal_;
};

// What stands behind `head` on the line that begins with it.
std::string line_behind(const std::string& text, std::string_view head) {
  for (const std::string_view line : split_lines(text))
    if (line.starts_with(head)) return std::string(line.substr(head.size()));
  return {};
}

// "about 26, at most 396" -> "about 26 runs, at most 396".
std::string with_noun(const std::string& amount, std::string_view noun) {
  const std::size_t comma = amount.find(',');
  return fmt::format("{} {}{}", amount.substr(0, comma), noun,
                     comma == std::string::npos ? "" : amount.substr(comma));
}

std::optional<double> first_number(const std::string& text) {
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = text.find_first_not_of("0123456789", begin);
  return parse_number(
      std::string_view(text).substr(begin, end == std::string::npos ? end : end - begin));
}

}  // namespace

Result<std::optional<Price>> price_of(const std::string& test, const Arguments& globals) {
  auto words = split_command(test);
  if (!words) return fail(words.error());
  if (words->size() < 2 || !(words->front() == "assay" || words->front().ends_with("/assay")))
    return std::optional<Price>();
  const CommandSpec* spec = find_spec((*words)[1]);
  if (spec == nullptr) return fail(unknown_command((*words)[1]));
  words->erase(words->begin(), words->begin() + 2);
  auto arguments = parse(*spec, *words);
  if (!arguments) return fail(arguments.error());
  if (find_flag(*spec, "dry-run") == nullptr || spec->name == "gc" || spec->name == "cache" ||
      arguments->help != Help::none)
    return std::optional<Price>();
  if (!arguments->has("dry-run")) arguments->add("dry-run", "");
  if (globals.has("store") && !arguments->has("store"))
    arguments->add("store", globals.value("store").value_or(""));
  Listener listener;
  const auto done = function_of(*spec)(*arguments, listener.terminal());
  if (!done) return fail(done.error());
  const std::string heard = listener.heard();
  const std::string runs = line_behind(heard, "runs: ");
  const std::string builds = line_behind(heard, "builds: ");
  if (runs.empty()) return std::optional<Price>();
  Price price{.text = with_noun(runs, "runs"), .runs = first_number(runs)};
  if (!builds.empty()) price.text += "; " + with_noun(builds, "builds");
  return std::optional(std::move(price));
}

}  // namespace assay::cli
