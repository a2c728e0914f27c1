// SPDX-License-Identifier: Apache-2.0
#include "report/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "report/reproduce.hpp"
#include "report/samples.hpp"
#include "report/sentence.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kLongLabel = 32;  // columns; a longer label does not stand in a sentence
constexpr std::size_t kLastLines = 10;
constexpr std::size_t kShortCommit = 10;

// What a terminal would show of one line of output: the part behind the last carriage return.
std::string shown_line(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  const std::size_t back = line.rfind('\r');
  return plain(back == std::string_view::npos ? line : line.substr(back + 1));
}

std::vector<Histogram> histograms_of(const Record& record, const Side& baseline,
                                     const Side& candidate) {
  std::vector<Histogram> histograms;
  const std::array<std::string, 2> labels = {baseline.letter, candidate.letter};
  for (std::uint32_t m = 0; m < record.plan.metrics.size(); ++m) {
    const Metric& metric = record.plan.metrics[m];
    if (!metric.gating) continue;
    const std::array<std::vector<double>, 2> samples = {values_of(record, baseline.arm, m),
                                                        values_of(record, candidate.arm, m)};
    if (auto histogram = make_histogram(title_of(metric), metric.unit, samples, labels))
      histograms.push_back(std::move(*histogram));
  }
  return histograms;
}

// Whether the gates are those of a plan that does not name any.
bool has_default_gates(const Plan& plan) {
  std::vector<std::string_view> gates;
  for (const Metric& metric : plan.metrics)
    if (metric.gating) gates.push_back(metric.name);
  return gates == std::vector<std::string_view>{"wall", "cpu"};
}

// A word that could be taken for the overall verdict, and is not part of it, says so.
void mark_gates(const Plan& plan, Verdict overall, std::vector<Row>& rows) {
  const bool chosen = !has_default_gates(plan);
  for (Row& row : rows) {
    if (!row.judged || row.metric.gating) continue;
    const bool surprises = row.verdict != overall && row.verdict != Verdict::equivalent;
    if (chosen || surprises) row.notes.push_back("does not gate");
  }
}

// One line for a control without a difference; empty when its table must be shown.
std::string agreement_of(const std::vector<Row>& rows) {
  bool open = false;
  for (const Row& row : rows) {
    if (!row.judged || row.verdict == Verdict::equivalent) continue;
    if (row.verdict != Verdict::undecided) return {};
    open = open || row.metric.gating;
  }
  return open ? "control: no difference of the copy of the baseline is proven"
              : "control: the copy of the baseline does not differ";
}

// One row a stage, against a plan that has the stages as its metrics.
std::vector<Row> stage_rows(const Plan& plan, const Conclusion& conclusion, const Side& side,
                            std::optional<double> round) {
  Plan stages = plan;
  stages.metrics.clear();
  stages.floors.clear();
  std::vector<Row> rows;
  for (const StageFinding& stage : conclusion.stages) {
    if (stage.finding.arm != side.arm) continue;
    MetricFinding finding = stage.finding;
    finding.metric = static_cast<std::uint32_t>(stages.metrics.size());
    stages.metrics.push_back({.name = stage.stage, .unit = "s"});
    Row row = make_row(stages, finding, conclusion.withheld && !side.control, round);
    row.title = "  " + plain(stage.stage);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Block> blocks_of(const Record& record, const Conclusion& conclusion,
                             const std::vector<Side>& sides) {
  std::vector<Block> blocks, controls;
  const Plan& plan = record.plan;
  const auto round = round_seconds(record);
  const bool busy_warned =
      std::any_of(conclusion.warnings.begin(), conclusion.warnings.end(),
                  [](const Warning& w) { return w.kind == WarningKind::contention; });
  for (const Side& side : sides) {
    if (side.arm == 0) continue;
    Block block;
    block.side = side;
    for (const MetricFinding& finding : conclusion.findings)
      if (finding.arm == side.arm && finding.metric < plan.metrics.size())
        block.rows.push_back(make_row(plan, finding, conclusion.withheld && !side.control, round));
    if (block.rows.empty()) continue;
    block.stages = stage_rows(plan, conclusion, side, round);
    block.histograms = histograms_of(record, sides.front(), side);
    if (side.control)
      block.agreement = agreement_of(block.rows);
    else if (!conclusion.withheld)
      mark_gates(plan, conclusion.overall, block.rows);
    if (!side.control && !conclusion.withheld) {
      const std::array<std::uint32_t, 2> arms = {0, side.arm};
      const bool several = plan.arms.size() > (plan.control ? 3u : 2u);
      const Teller teller{.plan = plan,
                          .baseline = sides.front().name,
                          .candidate = side.name,
                          .several = several,
                          .ended_by = conclusion.ended_by,
                          .waiting = waiting_of(record, arms),
                          .round_seconds = round,
                          .busy_warned = busy_warned};
      block.sentence = sentence_of(teller, block.rows);
    }
    (side.control ? controls : blocks).push_back(std::move(block));
  }
  blocks.insert(blocks.end(), controls.begin(), controls.end());
  return blocks;
}

// Sessions say how many of them there are; of runs nothing is known before a block is complete.
bool has_no_look(const Plan& plan, const std::vector<Block>& blocks) {
  if (plan.kind != PlanKind::compare || blocks.empty()) return false;
  return std::all_of(blocks.begin(), blocks.end(), [](const Block& block) {
    return std::none_of(block.rows.begin(), block.rows.end(),
                        [](const Row& row) { return row.has_look(); });
  });
}

void append(std::string& text, const std::string& sentence) {
  if (sentence.empty()) return;
  if (!text.empty()) text += ' ';
  text += sentence;
}

// "main (eb8e20d783) does not build".
std::string build_failure(const Plan& plan, const Build& build) {
  const BuildSpec* spec = build.arm < plan.arms.size() && plan.arms[build.arm].build
                              ? &*plan.arms[build.arm].build
                              : nullptr;
  if (spec == nullptr) return "a build failed";
  const std::string& commit = build.commit.empty() ? spec->commit : build.commit;
  return commit.empty() ? plain(spec->revision) + " does not build"
                        : fmt::format("{} ({}) does not build", plain(spec->revision),
                                      plain(commit.substr(0, kShortCommit)));
}

void fill_sentences(CompareView& view, const Record& record, const Conclusion& conclusion) {
  if (view.failure) {
    view.sentence = fmt::format("{}, so nothing is concluded. {}", capitalised(view.failure->text),
                                view.failure->way_out);
    return;
  }
  if (view.no_look) {
    view.remarks.push_back("No block was completed: nothing can be said yet.");
    for (Block& block : view.blocks) block.sentence.clear();
  }
  if (view.withheld) {
    std::vector<Row> control;
    for (const Block& block : view.blocks)
      if (block.side.control) control = block.rows;
    view.remarks.push_back(withheld_sentence(control));
  }
  if (view.exploratory)
    view.remarks.push_back(fmt::format(
        "Exploratory: judged again with a tolerance of {} after the runs were known, so no error "
        "rate holds.",
        percent(view.plan.tolerance)));
  if (const std::string ending = ending_remark(record, conclusion); !ending.empty())
    view.remarks.push_back(ending);
  if (view.blocks.empty() && view.remarks.empty()) view.remarks.push_back("Nothing was measured.");
  for (const Block& block : view.blocks) append(view.sentence, block.sentence);
  for (const std::string& remark : view.remarks) append(view.sentence, remark);
}

}  // namespace

std::vector<Side> sides_of(const Plan& plan) {
  std::vector<Side> sides;
  for (std::uint32_t arm = 0; arm < plan.arms.size(); ++arm) {
    const Subject& subject = plan.arms[arm];
    Side side;
    side.arm = arm;
    side.control = plan.control == arm;
    side.command = plain(join_command(subject.argv));
    side.label = subject.label.empty() ? side.command : plain(subject.label);
    side.letter = side.control ? "A'"
                  : arm < 26   ? std::string(1, static_cast<char>('A' + arm))
                               : fmt::format("arm {}", arm + 1);
    sides.push_back(std::move(side));
  }
  const auto is_short = [](const Side& side) {
    return side.control || (!side.label.empty() && display_width(side.label) <= kLongLabel);
  };
  bool distinct = std::all_of(sides.begin(), sides.end(), is_short);
  for (const Side& a : sides)
    for (const Side& b : sides)
      if (!a.control && !b.control && a.arm < b.arm && a.label == b.label) distinct = false;
  for (Side& side : sides) side.name = distinct && !side.control ? side.label : side.letter;
  return sides;
}

std::vector<Warning> printable_warnings(const Conclusion& conclusion) {
  std::vector<Warning> warnings;
  for (const Warning& warning : conclusion.warnings) {
    const Warning clean{warning.kind, plain(warning.text)};
    if (std::find(warnings.begin(), warnings.end(), clean) == warnings.end())
      warnings.push_back(clean);
  }
  return warnings;
}

std::optional<Failure> failure_of(const Record& record, const Conclusion& conclusion) {
  if (conclusion.overall != Verdict::failed) return std::nullopt;
  Failure failure;
  failure.text = plain(conclusion.failure);
  const auto trials = trials_of(record);
  if (conclusion.failed_trial && *conclusion.failed_trial < trials.size()) {
    const Trial& trial = *trials[*conclusion.failed_trial];
    failure.exit = trial.exit;
    failure.way_out = way_out(trial.exit, record.plan.run);
    if (trial.arm < record.plan.arms.size()) failure.arm = trial.arm;
    if (failure.text.empty()) {
      const auto sides = sides_of(record.plan);
      failure.text = fmt::format("run {} ({}) {}", *conclusion.failed_trial + 1,
                                 failure.arm ? sides[trial.arm].letter : "?",
                                 ending_clause(trial.exit, record.plan.run));
    }
    for (const std::string_view line : split_lines(trial.output.stderr_tail))
      failure.last_lines.push_back(shown_line(line));
    if (failure.last_lines.size() > kLastLines)
      failure.last_lines.erase(failure.last_lines.begin(), failure.last_lines.end() - kLastLines);
  }
  for (const Entry& entry : record.entries) {
    const auto* build = std::get_if<Build>(&entry);
    if (build == nullptr || build->ok || failure.exit) continue;
    failure.arm = build->arm;
    failure.is_build = true;
    failure.last_lines.clear();
    for (const std::string_view line : split_lines(build->log_tail))
      failure.last_lines.push_back(shown_line(line));
    if (failure.text.empty()) failure.text = build_failure(record.plan, *build);
    failure.way_out = "Mend the build, or choose other revisions.";
  }
  if (failure.arm && *failure.arm < record.plan.arms.size()) {
    const Subject& subject = record.plan.arms[*failure.arm];
    failure.command = plain(!failure.is_build ? join_command(subject.argv)
                            : subject.build   ? subject.build->command
                                              : std::string());
  }
  if (failure.text.empty()) failure.text = "a run failed";
  if (failure.way_out.empty()) failure.way_out = "'assay show' lists every run.";
  return failure;
}

CompareView view_compare(const Record& record, const Conclusion& conclusion) {
  CompareView view;
  view.id = plain(record.id);
  view.plan = record.plan;
  view.host = record.host;
  view.withheld = conclusion.withheld;
  view.exploratory = conclusion.exploratory;
  view.overall = conclusion.overall;
  if (view.withheld && view.overall != Verdict::failed) view.overall = Verdict::invalid;
  view.ended_by = conclusion.ended_by;
  view.sides = sides_of(record.plan);
  for (const Side& side : view.sides)
    view.show_commands = view.show_commands || (!side.control && side.name != side.label);
  view.failure = failure_of(record, conclusion);
  if (!view.failure && !view.sides.empty()) view.blocks = blocks_of(record, conclusion, view.sides);
  view.no_look = !view.withheld && has_no_look(record.plan, view.blocks);
  view.warnings = printable_warnings(conclusion);
  view.reproduce = reproduce_words(record.plan);
  fill_sentences(view, record, conclusion);
  return view;
}

}  // namespace assay::report
