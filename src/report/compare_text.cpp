// SPDX-License-Identifier: Apache-2.0
// The table's columns are aligned over all blocks. A row that is too wide for the terminal goes on
// in the next line, indented; it breaks between cells, never inside one.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/plain.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kIndent = 4;  // of what did not fit into the line above

struct Widths {
  std::size_t title = 0, medians = 0, whole = 0, change = 0, interval = 0, word = 0;
};

// Columns before the decimal point of a change: "+6.9 %" -> 2, "+39 %" -> 3.
std::size_t whole_part(const std::string& change) {
  return std::min(change.find_first_of(". "), change.size());
}

// The rows that are printed: the metrics, then the stages.
std::vector<Row> printed_rows(const CompareView& view) {
  std::vector<Row> rows;
  for (const Block& block : view.blocks) {
    if (!block.agreement.empty()) continue;
    rows.insert(rows.end(), block.rows.begin(), block.rows.end());
    rows.insert(rows.end(), block.stages.begin(), block.stages.end());
  }
  return rows;
}

Widths widths_of(const CompareView& view) {
  Widths w;
  const std::vector<Row> rows = printed_rows(view);
  for (const Row& row : rows) {
    w.title = std::max(w.title, display_width(row.title));
    w.medians = std::max(w.medians, display_width(row.medians));
    w.whole = std::max(w.whole, whole_part(row.change));
    w.interval = std::max(w.interval, display_width(row.interval));
    w.word = std::max(w.word, display_width(row.word));
  }
  for (const Row& row : rows)
    w.change = std::max(w.change, w.whole - whole_part(row.change) + display_width(row.change));
  return w;
}

struct Cell {
  std::string text;
  std::size_t gap = 0;  // blanks behind
  Tone tone = Tone::neutral;
};

// The cells on one line behind `indent` blanks, or on several when `width` is too small; the last
// one is prose that wraps.
std::string lay_out(const std::vector<Cell>& cells, std::size_t width, bool colour,
                    std::size_t indent) {
  std::string out, line(indent, ' ');
  std::size_t used = indent;
  const auto trim = [](std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  };
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool last = i + 1 == cells.size();
    std::string bare = trim(cells[i].text);
    if (!last && width != 0) bare = fit(bare, width - kIndent);
    const bool fits = width == 0 || used + display_width(bare) <= width;
    if (!fits && used > kIndent) {
      out += trim(line) + "\n";
      line.assign(kIndent, ' ');
      used = kIndent;
    }
    if (last) {
      const bool whole = width == 0 || used + display_width(bare) <= width;
      if (whole) return out + trim(line + bare) + "\n";
      const std::string prose = wrap(bare, width - used);
      for (const std::string_view part : split_lines(prose)) {
        out += trim(line + std::string(part)) + "\n";
        line.assign(used, ' ');
      }
      return out;
    }
    const std::size_t padded = display_width(cells[i].text) + cells[i].gap;
    line += paint(bare, cells[i].tone, colour) + std::string(padded - display_width(bare), ' ');
    used += padded;
  }
  return out + trim(line) + "\n";
}

// What stands on a row's first line. In a narrow terminal the verdict keeps its place there, and
// the medians, then the interval, go to the second line.
enum class Layout { whole, no_medians, no_interval };

std::size_t cell_gap(std::size_t width) { return width == 0 || width > 80 ? 3 : 2; }

Layout layout_for(const Widths& w, std::size_t width) {
  const std::size_t least = w.title + 2 + w.change + 1 + w.word;
  const std::size_t with_interval = least + w.interval + cell_gap(width);
  if (width == 0 || with_interval + w.medians + 2 <= width) return Layout::whole;
  return with_interval <= width ? Layout::no_medians : Layout::no_interval;
}

// The runs, and behind them the notes, or the notes on a line of their own.
void add_runs(std::vector<Cell>& cells, const Row& row, std::size_t head, std::size_t width) {
  std::string notes;
  for (const std::string& note : row.notes) notes += ", " + note;
  if (!row.outlook.empty()) notes += "; " + row.outlook;
  const auto fits = [&](const std::string& last) {
    return width == 0 || head + display_width(last) <= width;
  };
  if (fits(row.runs_words + notes) || !fits(row.runs_words) || notes.empty()) {
    cells.push_back({row.runs_words + notes});
  } else {
    cells.push_back({row.runs_words, 2});
    cells.push_back({notes.substr(2)});
  }
}

std::size_t total_width(const std::vector<Cell>& cells) {
  std::size_t sum = 0;
  for (const Cell& cell : cells) sum += display_width(cell.text) + cell.gap;
  return sum;
}

std::string row_text(const Row& row, const Widths& w, std::size_t width, bool colour) {
  const Layout layout = layout_for(w, width);
  const std::size_t gap = cell_gap(width);
  std::vector<Cell> first = {{pad(row.title, w.title), 2}}, second;
  const Cell medians = {pad(row.medians, w.medians), 2};
  const Cell interval = {pad(row.interval, w.interval), gap};
  const std::string change =
      row.change.empty() ? "" : std::string(w.whole - whole_part(row.change), ' ') + row.change;
  (layout == Layout::whole ? first : second).push_back(medians);
  first.push_back({pad(change, w.change), layout == Layout::no_interval ? 2u : 1u});
  (layout == Layout::no_interval ? second : first).push_back(interval);
  first.push_back({pad(row.word, w.word), w.word > 0 ? gap : 0, tone_of(row.verdict)});
  std::string text;
  if (layout == Layout::whole) {
    add_runs(first, row, total_width(first), width);
    text = lay_out(first, width, colour, 0);
  } else {
    first.push_back({});
    add_runs(second, row, kIndent + total_width(second), width);
    text = lay_out(first, width, colour, 0) + lay_out(second, width, colour, kIndent);
  }
  if (!row.since.empty())
    text += wrap(std::string(w.title + 2, ' ') + "since then " + row.since, width, kIndent);
  return text;
}

// Whether the label is the very text that --shell gives to the shell.
bool is_shell_text(const Subject& subject) {
  const auto& argv = subject.argv;
  return argv.size() == 3 && (argv[0] == "/bin/sh" || argv[0] == "sh") && argv[1] == "-c" &&
         argv[2] == subject.label;
}

std::string commands_text(const CompareView& view, std::size_t width) {
  std::string text;
  for (const Side& side : view.sides) {
    if (side.control) continue;
    std::string line = side.letter + "  " + side.label;
    if (side.label != side.command && !is_shell_text(view.plan.arms[side.arm]))
      line += ": " + side.command;
    text += wrap(line, width, kIndent);
  }
  return text;
}

std::string block_heading(const CompareView& view, const Block& block) {
  if (block.side.control)
    return fmt::format("{} against {}: the control, a copy of the baseline", block.side.letter,
                       view.sides.front().name);
  return fmt::format("{} against {}", block.side.name, view.sides.front().name);
}

// The lead's histogram is enough: the first that a gating metric has.
std::string histogram_text(const Block& block, const TextOptions& options) {
  if (!options.histograms || block.histograms.empty()) return {};
  return draw(block.histograms.front(), options.unicode, columns(options));
}

}  // namespace

std::string failure_text(const Failure& failure, const TextOptions& options) {
  const std::size_t width = columns(options);
  const std::string word(to_word(Verdict::failed));
  std::string text = wrap(word + ": " + failure.text, width, kIndent);
  text.replace(0, word.size(), paint(word, tone_of(Verdict::failed), options.colour));
  const char* label = failure.is_build ? "  build command: " : "  command: ";
  if (!failure.command.empty()) text += wrap(label + failure.command, width, kIndent);
  if (!failure.last_lines.empty()) text += "  its last lines:\n";
  for (const std::string& line : failure.last_lines) text += fit("    | " + line, width) + "\n";
  return text + wrap("Nothing is concluded. " + failure.way_out, width);
}

std::string warning_lines(const std::vector<Warning>& warnings, const TextOptions& options) {
  std::string text;
  for (const Warning& warning : warnings)
    text += wrap("warning: " + warning.text, columns(options), 2);
  return text;
}

Text compare_text(const CompareView& view, const TextOptions& options) {
  const std::size_t width = columns(options);
  Text text;
  text.warnings = warning_lines(view.warnings, options);
  if (view.failure) {
    text.out = failure_text(*view.failure, options);
    return text;
  }
  if (view.show_commands) text.out += commands_text(view, width);
  const Widths widths = widths_of(view);
  const auto tables = std::count_if(view.blocks.begin(), view.blocks.end(),
                                    [](const Block& block) { return block.agreement.empty(); });
  const bool headings = tables > 1;
  for (const Block& block : view.blocks) {
    if (view.no_look) break;
    if (!block.agreement.empty()) {
      if (headings) text.out += "\n";
      text.out += wrap(block.agreement, width, 2);
      continue;
    }
    if (!text.out.empty()) text.out += "\n";
    if (headings) text.out += fit(block_heading(view, block), width) + "\n";
    for (const Row& row : block.rows) text.out += row_text(row, widths, width, options.colour);
    if (!block.stages.empty())
      text.out += wrap("stages, the mean service of a run each:", width, kIndent);
    for (const Row& row : block.stages) text.out += row_text(row, widths, width, options.colour);
    if (!block.sentence.empty()) text.out += wrap(block.sentence, width);
    if (!block.side.control) text.out += histogram_text(block, options);
  }
  if (headings && !view.remarks.empty()) text.out += "\n";
  for (const std::string& remark : view.remarks) text.out += wrap(remark, width);
  return text;
}

Text compare_text(const Record& record, const Conclusion& conclusion, const TextOptions& options) {
  return compare_text(view_compare(record, conclusion), options);
}

}  // namespace assay::report
