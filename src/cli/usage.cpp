// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "report/plain.hpp"

namespace assay::cli {
namespace {

using report::wrap;

constexpr std::size_t kWidth = 80;
constexpr std::size_t kPageWidth = 100;  // of the manual
// Named in the overview without a line of their own: the store's housekeeping, and assay itself.
constexpr std::string_view kSeldom[] = {"calibrate",  "simulate", "trace",  "rejudge", "export",
                                        "rm",         "gc",       "cache",  "accept",  "judge",
                                        "completion", "help",     "version"};

// `text` wrapped between columns `at` and kWidth; the first line is not indented.
std::string block(std::string_view text, std::size_t at, std::size_t hanging = 0) {
  const std::string wrapped = wrap(text, kWidth - at, hanging);
  std::string out;
  for (const std::string_view line : split_lines(wrapped)) {
    if (!out.empty()) out += std::string(at, ' ');
    out += fmt::format("{}\n", line);
  }
  return out;
}

// Paragraphs, one a line; lines that begin with a blank are a list and stay as they are. `margin`
// stands in front of those: four blanks make them code in Markdown.
std::string paragraphs(std::string_view text, std::size_t width, std::string_view margin) {
  std::string out;
  bool in_list = false;
  for (const std::string_view line : split_lines(text)) {
    const bool is_item = line.starts_with(' ');
    if (is_item != in_list && !margin.empty()) out += "\n";
    in_list = is_item;
    out += is_item ? fmt::format("{}{}\n", margin, line) : wrap(line, width);
  }
  return out;
}

// "-q, --quiet", "--store PATH", "--metric NAME=SOURCE ..."
std::string signature(const Flag& flag) {
  std::string text = flag.short_name != 0 ? fmt::format("-{}, --{}", flag.short_name, flag.name)
                                          : fmt::format("--{}", flag.name);
  if (flag.or_stdout)
    text += fmt::format("[={}]", flag.value);
  else if (!flag.value.empty())
    text += fmt::format(" {}", flag.value);
  if (flag.repeatable) text += " ...";
  return text;
}

std::string with_default(const Flag& flag) {
  if (flag.fallback.empty()) return std::string(flag.help);
  return fmt::format("{} (default {})", flag.help, flag.fallback);
}

std::string usage_lines(const CommandSpec& spec) {
  std::string text;
  for (const std::string_view line : spec.usage)
    text += (text.empty() ? "usage: " : "       ") + block(fmt::format("assay {}", line), 7, 2);
  return text;
}

// Two columns: `left` and, from column `at` on, `right`, wrapped.
std::string two_columns(const std::string& left, std::string_view right, std::size_t at) {
  std::string text = "  " + left;
  const std::size_t used = display_width(text);
  if (used + 2 > at)
    text += "\n" + std::string(at, ' ');
  else
    text += std::string(at - used, ' ');
  return text + block(right, at);
}

// The groups of the command's flags in order of first appearance, the global one last.
std::vector<std::string_view> groups_of(const CommandSpec& spec) {
  std::vector<std::string_view> groups;
  for (const Flag& flag : spec.flags)
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  return groups;
}

std::string positional_lines(const CommandSpec& spec, std::size_t at) {
  std::string text;
  for (const Positional& p : spec.positionals)
    if (!p.help.empty()) text += two_columns(std::string(p.name), p.help, at);
  return text;
}

std::string rows(std::span<const Flag> flags, std::string_view group, bool details,
                 std::size_t at) {
  std::string text;
  for (const Flag& flag : flags) {
    if (flag.group != group) continue;
    text += two_columns(signature(flag), with_default(flag), at);
    if (details && !flag.details.empty()) text += two_columns("", flag.details, at);
  }
  return text;
}

std::string flag_section(const Flag& flag) {
  std::string text = fmt::format("- `{}`", signature(flag));
  text += fmt::format(": {}.", flag.help);
  if (!flag.choices.empty()) text += fmt::format(" One of `{}`.", fmt::join(flag.choices, "`, `"));
  if (!flag.fallback.empty()) text += fmt::format(" Default: `{}`.", flag.fallback);
  if (flag.repeatable) text += " May be given several times.";
  if (!flag.alias.empty()) text += fmt::format(" Also spelt `--{}`.", flag.alias);
  if (!flag.details.empty()) text += fmt::format(" {}", flag.details);
  return wrap(text, kPageWidth, 2);
}

std::string as_sentence(std::string_view text) {
  return std::string(text) + (text.ends_with('?') ? "" : ".");
}

// What stands above an example: "Fifty runs:" or, for a question, "Would it?".
std::string sentence(std::string_view explanation) {
  return std::string(explanation) + (explanation.ends_with('?') ? "" : ":");
}

std::string reference_of(const CommandSpec& spec) {
  std::string text =
      fmt::format("## assay {}\n\n{}\n\n```text\n", spec.name, as_sentence(spec.summary));
  for (const std::string_view line : spec.usage) text += fmt::format("assay {}\n", line);
  text += "```\n\n";
  if (!spec.details.empty()) text += paragraphs(spec.details, kPageWidth, "    ") + "\n";
  for (const Positional& p : spec.positionals)
    if (!p.help.empty()) text += wrap(fmt::format("- `{}`: {}.", p.name, p.help), kPageWidth, 2);
  if (!spec.positionals.empty()) text += "\n";
  for (const std::string_view group : groups_of(spec)) {
    text += fmt::format("**{}**\n\n", group);
    for (const Flag& flag : spec.flags)
      if (flag.group == group) text += flag_section(flag);
    text += "\n";
  }
  for (const Example& example : spec.examples)
    text += fmt::format("{}\n\n```sh\n{}\n```\n\n", sentence(example.explanation), example.command);
  return text;
}

}  // namespace

std::string brief_help(const CommandSpec& spec) {
  std::string text = usage_lines(spec) + wrap(as_sentence(spec.summary), kWidth) + "\n";
  constexpr std::size_t kAt = 26;
  text += positional_lines(spec, kAt);
  std::string others;
  for (const Flag& flag : spec.flags) {
    if (flag.common)
      text += two_columns(signature(flag), with_default(flag), kAt);
    else
      others += fmt::format(" --{}", flag.name);
  }
  for (const Flag& flag : global_flags())
    if (flag.name != "help") others += fmt::format(" --{}", flag.name);
  text += "  " + block(fmt::format("also:{}", others), 2, 6) + "\n";
  return text +
         fmt::format("'assay {} --help' explains every option and has examples.\n", spec.name);
}

std::string full_help(const CommandSpec& spec) {
  std::string text = usage_lines(spec) + wrap(as_sentence(spec.summary), kWidth);
  if (!spec.details.empty()) text += "\n" + paragraphs(spec.details, kWidth, "");
  constexpr std::size_t kAt = 28;
  if (const std::string lines = positional_lines(spec, kAt); !lines.empty()) text += "\n" + lines;
  for (const std::string_view group : groups_of(spec))
    text += fmt::format("\n{}\n", group) + rows(spec.flags, group, true, kAt);
  text += "\nEverywhere\n" + rows(global_flags(), "Everywhere", true, kAt);
  if (!spec.examples.empty()) text += "\nExamples\n";
  for (const Example& example : spec.examples)
    text += fmt::format("  {}\n      {}\n", sentence(example.explanation), example.command);
  return text;
}

std::string overview(std::span<const CommandSpec* const> specs) {
  std::string text =
      "usage: assay COMMAND [options] ...\n"
      "Finds out whether a change of speed or memory is real, and how sure that is.\n\n";
  std::string seldom;
  for (const CommandSpec* spec : specs) {
    if (std::ranges::find(kSeldom, spec->name) != std::end(kSeldom))
      seldom += fmt::format(" {}", spec->name);
    else
      text += two_columns(std::string(spec->name), spec->summary, 14);
  }
  if (!seldom.empty()) text += block(fmt::format("  also:{}", seldom), 0, 8);
  text += "Everywhere:";
  for (const Flag& flag : global_flags())
    text += fmt::format(" --{}{}{}", flag.name, flag.value.empty() ? "" : " ", flag.value);
  text += "\n";
  return text + "'assay COMMAND -h' shows a command's options, '--help' explains all of them.\n";
}

std::string reference_page(std::span<const CommandSpec* const> specs) {
  std::string text =
      "# Reference\n\n"
      "<!-- Made by `assay help --markdown` from the option table; a test compares the two. -->\n\n"
      "Every command and every option. Exit codes: 0 fine, 1 a regression in a gating metric, 2 "
      "wrong\n"
      "usage or bad input, 3 could not measure, 4 undecided (with `--strict`), 130 interrupted.\n\n"
      "## Everywhere\n\n";
  for (const Flag& flag : global_flags()) text += flag_section(flag);
  text += "\n";
  for (const CommandSpec* spec : specs) text += reference_of(*spec);
  text.pop_back();
  return text;
}

}  // namespace assay::cli
