// SPDX-License-Identifier: Apache-2.0
#include "trace/regex.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "base/text.hpp"

namespace assay::trace {
namespace {

constexpr std::int64_t kMostMemory = 8 << 20;
constexpr std::string_view kSpecial = "\\.[](){}*+?|^$";

// Behind the bracket expression that opens at `at`.
std::size_t skip_class(std::string_view pattern, std::size_t at) {
  ++at;
  if (at < pattern.size() && pattern[at] == '^') ++at;
  if (at < pattern.size() && pattern[at] == ']') ++at;
  while (at < pattern.size() && pattern[at] != ']') {
    if (pattern[at] == '\\') ++at;
    if (pattern.substr(at).starts_with("[:")) {
      const std::size_t close = pattern.find(":]", at);
      if (close == std::string_view::npos) return pattern.size();
      at = close + 1;
    }
    ++at;
  }
  return std::min(at + 1, pattern.size());
}

}  // namespace

// Only what is certain: runs of plain characters outside groups, none of them optional.
std::string required_literal(std::string_view pattern) {
  std::string best, run;
  const auto close_run = [&] {
    if (run.size() > best.size()) best = run;
    run.clear();
  };
  int depth = 0;
  for (std::size_t i = 0; i < pattern.size();) {
    const char c = pattern[i];
    if (c == '|' && depth == 0) return {};
    if (c == '(') {
      // Flags change what letters mean; (?P< and (?: do not.
      if (pattern.substr(i).starts_with("(?") && !pattern.substr(i).starts_with("(?P<") &&
          !pattern.substr(i).starts_with("(?:"))
        return {};
      ++depth;
      close_run();
      ++i;
      continue;
    }
    if (c == ')') --depth;
    if (c == '[') {
      close_run();
      i = skip_class(pattern, i);
      continue;
    }
    std::size_t length = 1;
    char plain = 0;
    if (c == '\\' && i + 1 < pattern.size()) {
      length = 2;
      if (pattern[i + 1] == 'Q') return {};  // quoting: not worth a reader
      if (kSpecial.find(pattern[i + 1]) != std::string_view::npos) plain = pattern[i + 1];
      if (pattern[i + 1] == 'p' || pattern[i + 1] == 'P' || pattern[i + 1] == 'x') return {};
    } else if (kSpecial.find(c) == std::string_view::npos) {
      plain = c;
    }
    const char next = i + length < pattern.size() ? pattern[i + length] : ' ';
    const bool optional = next == '*' || next == '?' || next == '{';
    if (plain == 0 || depth > 0 || optional || static_cast<unsigned char>(c) >= 0x80) {
      close_run();
    } else {
      run += plain;
      if (next == '+') close_run();
    }
    i += length;
    if (c == '{') i = std::min(pattern.find('}', i), pattern.size() - 1) + 1;  // {2,3}
  }
  close_run();
  return best.size() >= 2 ? best : std::string();
}

struct Regex::Engine {
  RE2 expression;
};

Regex::Regex() = default;
Regex::~Regex() = default;

tl::expected<std::shared_ptr<const Regex>, PatternFault> Regex::compile(std::string_view text) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  std::shared_ptr<Regex> made(new Regex());
  made->engine_.reset(new Engine{RE2(re2::StringPiece(text.data(), text.size()), options)});
  const RE2& expression = made->engine_->expression;
  if (!expression.ok()) {
    // RE2 names the faulty fragment, not its offset.
    const std::size_t at = text.rfind(expression.error_arg());
    return tl::unexpected<PatternFault>(
        {fmt::format("the regular expression does not compile: {}", printable(expression.error())),
         "expressions are those of RE2: no back references, no look-around",
         at == std::string_view::npos ? 0 : at});
  }
  for (const auto& [number, name] : expression.CapturingGroupNames()) {
    made->names_.push_back(name);
    made->numbers_.push_back(number);
  }
  made->literal_ = required_literal(text);
  return made;
}

bool Regex::match(std::string_view line, std::span<std::string_view> groups) const {
  static constexpr std::size_t kMostGroups = 64;
  re2::StringPiece found[kMostGroups];
  const int last = numbers_.empty() ? 0 : numbers_.back();
  const int count = std::min<int>(last + 1, kMostGroups);
  if (!engine_->expression.Match(re2::StringPiece(line.data(), line.size()), 0, line.size(),
                                 RE2::UNANCHORED, found, count))
    return false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const int number = numbers_[i];
    groups[i] = number < count ? std::string_view(found[number].data(), found[number].size())
                               : std::string_view();
  }
  return true;
}

}  // namespace assay::trace
