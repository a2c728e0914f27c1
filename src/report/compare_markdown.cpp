// SPDX-License-Identifier: Apache-2.0
// Commands are hostile text here: a pipe ends a table cell, a backtick ends code, "<" starts HTML,
// "@name" notifies a person. In prose and tables such characters become entities; in fenced blocks
// the fence is longer than any run of backticks inside.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/plain.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

// Printable text as Markdown prose that renders as itself, also inside a table cell.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("&<>|`*_~[]\\$").find(c) != std::string_view::npos)
      out += fmt::format("&#{};", static_cast<int>(c));
    else if (c == '@' || c == '#')
      out += fmt::format("{}<!-- -->", c);  // neither a mention nor a link to an issue
    else
      out += c;
  }
  return out;
}

std::string code(std::string_view text) { return "<code>" + escape(text) + "</code>"; }

std::string fenced(const std::string& text, const char* language) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fence + language + "\n" + text + "\n" + fence + "\n";
}

std::string table_row(const Row& row) {
  std::string runs = row.runs_words;
  for (const std::string& note : row.notes) runs += ", " + note;
  if (!row.outlook.empty()) runs += "; " + row.outlook;
  if (!row.since.empty()) runs += "; since then " + row.since;
  const char* strong = row.metric.gating ? "**" : "";
  return fmt::format("| {0}{1}{0} | {2} | {3} | {4} | {5} | {6}{7}{6} | {8} |\n", strong,
                     escape(row.title), escape(row.baseline_text), escape(row.candidate_text),
                     row.change,
                     row.lo99 && row.hi99 ? range(*row.lo99, *row.hi99) : escape(row.interval),
                     row.word.empty() ? "" : strong, row.word, escape(runs));
}

std::string block_text(const CompareView& view, const Block& block) {
  const Side& baseline = view.sides.front();
  if (!block.agreement.empty()) return block.agreement + "\n";
  std::string text =
      block.side.control
          ? fmt::format("Control: {} against its copy\n\n", code(baseline.label))
          : fmt::format("{} {} against {} {}\n\n", block.side.letter, code(block.side.label),
                        baseline.letter, code(baseline.label));
  text += "| metric | baseline | candidate | change | 99 % interval | verdict | runs |\n";
  text += "|---|--:|--:|--:|---|---|---|\n";
  for (const Row& row : block.rows) text += table_row(row);
  for (const Row& row : block.stages) text += table_row(row);
  if (!block.sentence.empty()) text += "\n" + escape(block.sentence) + "\n";
  return text;
}

std::string failure_text(const CompareView& view) {
  const Failure& failure = *view.failure;
  std::string text = escape(capitalised(failure.text)) + ", so nothing is concluded. " +
                     escape(failure.way_out) + "\n";
  if (!failure.command.empty())
    text += (failure.is_build ? "\nBuild command: " : "\n") + code(failure.command) + "\n";
  std::string lines;
  for (const std::string& line : failure.last_lines) lines += (lines.empty() ? "" : "\n") + line;
  if (!failure.last_lines.empty()) text += "\n" + fenced(lines, "text");
  return text;
}

std::string host_text(const Host& host) {
  std::vector<std::string> parts;
  for (const std::string* part : {&host.name, &host.cpu, &host.kernel, &host.governor})
    if (!part->empty()) parts.push_back(escape(plain(*part)));
  if (host.cores > 0) parts.push_back(fmt::format("{} cores", host.cores));
  if (host.memory_bytes > 0) parts.push_back(format_bytes(static_cast<double>(host.memory_bytes)));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string details_text(const CompareView& view) {
  std::string text = "<details><summary>Commands, seed and machine</summary>\n\n";
  for (const Side& side : view.sides) {
    if (side.control) continue;
    text += fmt::format("- {}: {}", side.letter, code(side.command));
    if (const auto& build = view.plan.arms[side.arm].build)
      text += fmt::format(" built from {} {}", code(plain(build->revision)),
                          code(plain(build->commit)));
    text += "\n";
  }
  text += fmt::format("- tolerance {}, seed {}, record {}\n", percent(view.plan.tolerance),
                      view.plan.seed, code(view.id));
  if (const std::string host = host_text(view.host); !host.empty())
    text += "- machine: " + host + "\n";
  text += "\nTo ask the same question again:\n\n";
  text += fenced(plain_lines(join_command(view.reproduce)), "sh");
  return text + "\n</details>\n";
}

}  // namespace

std::string compare_markdown(const CompareView& view) {
  std::string text = "### assay";
  if (!view.plan.name.empty()) text += " " + escape(plain(view.plan.name));
  text += fmt::format(": {}\n\n", view.withheld ? "WITHHELD" : std::string(to_word(view.overall)));
  if (view.failure) text += failure_text(view) + "\n";
  for (const Block& block : view.blocks)
    if (!view.no_look) text += block_text(view, block) + "\n";
  for (const std::string& remark : view.remarks) text += escape(remark) + "\n\n";
  for (const Warning& warning : view.warnings)
    text += fmt::format("- warning: {}\n", escape(warning.text));
  if (!view.warnings.empty()) text += "\n";
  return text + details_text(view);
}

std::string compare_markdown(const Record& record, const Conclusion& conclusion) {
  return compare_markdown(view_compare(record, conclusion));
}

}  // namespace assay::report
