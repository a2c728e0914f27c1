// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include "base/text.hpp"

namespace assay::cli {
namespace {

Error bad(std::string_view name, const std::string& what, std::string hint = {}) {
  return {fmt::format("--param {}: {}", printable(name), what), {}, std::move(hint)};
}

bool is_name(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
         });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  constexpr std::int64_t kLargest = std::int64_t{1} << 52;
  return value >= -kLargest && value <= kLargest ? std::optional(value) : std::nullopt;
}

// "1..64*2": nothing when the text is no range at all.
std::optional<Result<std::vector<std::string>>> range_of(std::string_view name,
                                                         std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::size_t sign = text.find_first_of("*+", dots + 2);
  const auto first = whole(text.substr(0, dots));
  const auto last =
      whole(text.substr(dots + 2, sign == std::string_view::npos ? sign : sign - dots - 2));
  if (!first || !last) return std::nullopt;  // "../a" and "a..b" are levels like any other
  const bool times = sign != std::string_view::npos && text[sign] == '*';
  const auto step = sign == std::string_view::npos ? std::optional<std::int64_t>(1)
                                                   : whole(text.substr(sign + 1));
  const auto refuse = [&](const std::string& what) {
    return Result<std::vector<std::string>>(
        fail(bad(name, fmt::format("the range {} {}", printable(text), what),
                 "such as 1..8, 1..64*2 (doubling) or 0..100+25")));
  };
  if (!step || *step < (times ? 2 : 1)) return refuse("has no step that leads on");
  if (times && *first < 1) return refuse("starts below 1 and is multiplied");
  if (*last <= *first) return refuse("does not rise");
  std::vector<std::string> levels;
  for (std::int64_t at = *first; at <= *last; at = times ? at * *step : at + *step) {
    levels.push_back(fmt::format("{}", at));
    if (levels.size() > kMostCells)
      return refuse(fmt::format("has more than {} levels", kMostCells));
  }
  return levels;
}

}  // namespace

Result<Parameter> parse_parameter(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = trim(text.substr(0, equals));
  if (equals == std::string_view::npos || !is_name(name))
    return fail(bad(text, "is no parameter", "NAME=LEVEL,LEVEL,... such as cap=1,2,4"));
  Parameter parameter{.name = std::string(name)};
  std::set<std::string> seen;
  std::string_view rest = text.substr(equals + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = trim(rest.substr(0, comma));
    if (item.empty()) return fail(bad(name, "has an empty level", "such as cap=1,2,4"));
    std::vector<std::string> levels = {std::string(item)};
    if (auto range = range_of(name, item)) {
      if (!*range) return fail(range->error());
      levels = std::move(**range);
    }
    for (std::string& level : levels) {
      if (!seen.insert(level).second)
        return fail(bad(name, fmt::format("has the level {} twice", printable(level))));
      parameter.levels.push_back(std::move(level));
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (parameter.levels.size() < 2)
    return fail(
        bad(name, "has one level, and a sweep compares two at least",
            fmt::format("such as --param {}={},...", name, printable(parameter.levels[0]))));
  if (parameter.levels.size() > kMostCells)
    return fail(bad(name, fmt::format("has {} levels, at most {} can be told apart",
                                      parameter.levels.size(), kMostCells)));
  return parameter;
}

std::string fill_in(std::string_view text, const Values& values,
                    std::map<std::string, std::size_t>& used) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    const std::string_view name =
        close == std::string_view::npos ? std::string_view() : text.substr(1, close - 1);
    const auto value = std::ranges::find_if(values, [&](const auto& v) { return v.first == name; });
    if (close == std::string_view::npos || value == values.end()) {
      out += '{';
      text.remove_prefix(1);
      continue;
    }
    out += value->second;
    ++used[value->first];
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace assay::cli
