// SPDX-License-Identifier: Apache-2.0
#include "cli/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/check.hpp"
#include "base/text.hpp"

namespace assay::cli {
namespace {

// `result` (of base/text) with the option in front: "--timeout: 'x' is not a duration".
template <class T>
Result<std::optional<T>> named(std::string_view option, const Result<T>& result) {
  if (!result) return fail(result.error().within(fmt::format("--{}", option)));
  return std::optional<T>(*result);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

const CommandSpec& spec_to_explain(const CommandSpec& spec, std::span<const std::string> words) {
  const CommandSpec* verb =
      spec.of_verb != nullptr && !words.empty() ? spec.of_verb(words.front()) : nullptr;
  return verb != nullptr ? *verb : spec;
}

std::span<const Flag> global_flags() {
  static const std::vector<Flag> kFlags = {
      {.name = "store",
       .value = "PATH",
       .help = "the store file to use",
       .details =
           "Without it: $ASSAY_STORE, the nearest .assay/lab.db in this folder or above, else "
           "a new one at the git root or here.",
       .group = "Everywhere",
       .complete = Complete::file},
      {.name = "colour",
       .alias = "color",
       .value = "WHEN",
       .help = "colour the output: auto, always or never",
       .details = "auto colours a terminal unless $NO_COLOR is set or $TERM is 'dumb'.",
       .fallback = "auto",
       .group = "Everywhere",
       .choices = {"auto", "always", "never"}},
      {.name = "quiet",
       .short_name = 'q',
       .help = "no progress and no notes; results, warnings and errors stay",
       .group = "Everywhere"},
      {.name = "help",
       .short_name = 'h',
       .help = "-h: one screen; --help: everything, with examples",
       .group = "Everywhere"},
      {.name = "version", .help = "print the version", .group = "Everywhere"},
  };
  return kFlags;
}

const Flag* find_flag(const CommandSpec& spec, std::string_view name) {
  const auto is_it = [name](const Flag& flag) {
    return flag.name == name || (!flag.alias.empty() && flag.alias == name);
  };
  if (const auto it = std::ranges::find_if(spec.flags, is_it); it != spec.flags.end()) return &*it;
  const auto globals = global_flags();
  const auto it = std::ranges::find_if(globals, is_it);
  return it == globals.end() ? nullptr : &*it;
}

const Flag& Arguments::row(std::string_view name) const {
  const Flag* flag = find_flag(*spec_, name);
  ASSAY_CHECK(flag != nullptr && flag->name == name, "the command declares the option it reads");
  return *flag;
}

void Arguments::add(std::string_view name, std::string value) {
  given_[std::string(row(name).name)].push_back(std::move(value));
}

bool Arguments::has(std::string_view name) const { return given_.contains(row(name).name); }

std::vector<std::string> Arguments::values(std::string_view name) const {
  const Flag& flag = row(name);
  if (const auto it = given_.find(flag.name); it != given_.end()) return it->second;
  if (flag.fallback.empty()) return {};
  return {std::string(flag.fallback)};
}

std::optional<std::string> Arguments::value(std::string_view name) const {
  std::vector<std::string> all = values(name);
  if (all.empty()) return std::nullopt;
  return std::move(all.back());
}

std::vector<std::string> Arguments::list(std::string_view name) const {
  std::vector<std::string> items;
  for (const std::string& value : values(name)) {
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view item = trimmed(rest.substr(0, comma));
      if (!item.empty()) items.emplace_back(item);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return items;
}

Result<std::vector<double>> Arguments::numbers(std::string_view name) const {
  std::vector<double> numbers;
  for (const std::string& item : list(name)) {
    const auto number = parse_number(item);
    if (!number)
      return fail(fmt::format("--{}: '{}' is not a number", name, printable(item)), {},
                  fmt::format("write numbers with commas between: --{} 1,1.02,1.05", name));
    numbers.push_back(*number);
  }
  return numbers;
}

Result<std::optional<double>> Arguments::duration(std::string_view name) const {
  const auto text = value(name);
  if (!text) return std::optional<double>();
  return named(name, parse_duration(*text));
}

Result<std::optional<double>> Arguments::fraction(std::string_view name) const {
  const auto text = value(name);
  if (!text) return std::optional<double>();
  return named(name, parse_fraction(*text));
}

Result<std::optional<double>> Arguments::bytes(std::string_view name) const {
  const auto text = value(name);
  if (!text) return std::optional<double>();
  return named(name, parse_bytes(*text));
}

Result<std::optional<std::uint64_t>> Arguments::uint(std::string_view name, std::uint64_t lowest,
                                                     std::uint64_t highest) const {
  const auto text = value(name);
  if (!text) return std::optional<std::uint64_t>();
  std::uint64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, status] = std::from_chars(text->data(), end, number);
  if (status != std::errc() || stop != end || number < lowest || number > highest) {
    const std::string range = highest == UINT64_MAX ? fmt::format("from {} on", lowest)
                                                    : fmt::format("from {} to {}", lowest, highest);
    return fail(fmt::format("--{}: '{}' is not a whole number {}", name, printable(*text), range));
  }
  return std::optional<std::uint64_t>(number);
}

Result<std::vector<std::pair<std::string, std::string>>> Arguments::assignments(
    std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : values(name)) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
      return fail(fmt::format("--{}: '{}' is not NAME=VALUE", name, printable(text)), {},
                  fmt::format("write --{} NAME=VALUE; 'NAME=' sets it to nothing", name));
    pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return pairs;
}

}  // namespace assay::cli
