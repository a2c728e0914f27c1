// SPDX-License-Identifier: Apache-2.0
#include "report/bisect_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.hpp"
#include "report/plain.hpp"
#include "report/reproduce.hpp"
#include "report/row.hpp"
#include "report/samples.hpp"
#include "report/sentence.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kShortCommit = 10;
constexpr std::size_t kSubjectWidth = 60;
constexpr std::size_t kNear = 3;        // rows shown on either side of a suspect
constexpr std::size_t kMostInText = 8;  // commits of a set that a sentence lists
constexpr double kShownProbability = 0.001;
constexpr std::size_t kMostBars = 12;
constexpr double kRemainder = 0.2;  // of the difference between the ends: worth a sentence

// Everything that the parts of the view are made from.
class Maker {
 public:
  Maker(const Record& record, const Conclusion& conclusion)
      : record_(record),
        plan_(record.plan),
        conclusion_(conclusion),
        found_(*conclusion.bisect),
        commits_(record.plan.design->commits),
        metric_(deciding(record.plan)) {}

  void fill(BisectView& view) {
    view.ends = ratio_of(found_.anchors);
    view.reproduced = found_.reproduced == Reproduced::yes;
    for (const Culprit& culprit : found_.culprits) view.culprits.push_back(view_of(culprit));
    answer(view);
    rows(view);
    broken(view);
    open(view);
    plots(view);
  }

 private:
  static const Metric& deciding(const Plan& plan) {
    for (const Metric& metric : plan.metrics)
      if (metric.gating) return metric;
    return plan.metrics.front();
  }

  bool more_is_better() const { return metric_.better == Better::higher; }

  RatioText ratio_of(const Estimate& estimate) const {
    RatioText text;
    const double sign = more_is_better() ? -1 : 1;
    text.ratio = std::exp(sign * estimate.value);
    text.change = format_change(*text.ratio);
    if (!estimate.lo || !estimate.hi) return text;
    text.lo = std::exp(sign * (more_is_better() ? *estimate.hi : *estimate.lo));
    text.hi = std::exp(sign * (more_is_better() ? *estimate.lo : *estimate.hi));
    text.interval = bracket(*text.lo, *text.hi);
    return text;
  }

  std::string name_of(std::uint32_t commit) const {
    return plain(commits_[commit].id.substr(0, kShortCommit));
  }
  std::string subject_of(std::uint32_t commit) const {
    return fit(plain(commits_[commit].subject), kSubjectWidth);
  }
  // "3fa1c2d4e5 'presize the pool'".
  std::string called(std::uint32_t commit) const {
    const std::string subject = subject_of(commit);
    return subject.empty() ? name_of(commit) : fmt::format("{} '{}'", name_of(commit), subject);
  }

  // "made it 6.1 % slower in CPU time [+5.2, +7.0]", "made peak memory 6.1 % higher [..]".
  std::string made(const RatioText& effect) const {
    const bool up = *effect.ratio >= 1;
    const Family family = family_of(metric_);
    std::string text;
    if (family == Family::amount || family == Family::rate)
      text = fmt::format("made {} {} {}", noun_of(metric_), size_of_change(*effect.ratio),
                         up ? "higher" : "lower");
    else
      text = fmt::format("made it {} {}{}", size_of_change(*effect.ratio), up ? "slower" : "faster",
                         family == Family::wall ? "" : " in " + noun_of(metric_));
    return effect.interval.empty() ? text : text + " " + effect.interval;
  }

  const MetricFinding* finding_at(const std::optional<std::uint32_t>& index) const {
    return index && *index < conclusion_.findings.size() ? &conclusion_.findings[*index] : nullptr;
  }

  // "SLOWER (+6.0 % [+5.1, +6.9], 12 + 12 runs)".
  static std::string measured(const Row& row) {
    std::string text = row.change;
    if (!row.interval.empty()) text += " " + row.interval;
    return fmt::format("{} ({}{}{})", row.word, text, text.empty() ? "" : ", ", row.runs_words);
  }

  const BrokenArm* broken_arm(std::uint32_t arm) const {
    const auto at = std::ranges::find(conclusion_.broken, arm, &BrokenArm::arm);
    return at == conclusion_.broken.end() ? nullptr : &*at;
  }

  void confirmation(CulpritView& view) const {
    const MetricFinding* finding = finding_at(view.culprit.finding);
    const bool worse = view.culprit.effect.value > 0;
    if (finding == nullptr) {
      if (view.culprit.set.size() == 1)
        view.sentences.push_back("It was not compared with its parent: " +
                                 std::string(conclusion_.ended_by == EndedBy::interrupted
                                                 ? "the search was interrupted."
                                                 : "there was no budget left for it."));
      return;
    }
    const Row row = make_row(plan_, *finding, false);
    view.confirmed = finding->verdict == (worse ? Verdict::slower : Verdict::faster);
    const char* whom =
        view.culprit.set.size() == 1 ? "its parent" : "the last commit in front of them";
    view.sentences.push_back(
        *view.confirmed ? fmt::format("Confirmed: {} against {}.", measured(row), whom)
                        : fmt::format("Not confirmed: against {} it is {}.", whom, measured(row)));
  }

  void reverting(CulpritView& view) const {
    if (view.culprit.set.size() != 1) return;
    const auto arm = static_cast<std::uint32_t>(commits_.size() + view.culprit.commit);
    if (const MetricFinding* finding = finding_at(view.culprit.reverted)) {
      const Row row = make_row(plan_, *finding, false);
      const bool worse = view.culprit.effect.value > 0;
      view.given_back = finding->verdict == (worse ? Verdict::faster : Verdict::slower);
      view.sentences.push_back(
          *view.given_back
              ? fmt::format("Reverting it on top of the bad end gives it back: {}.", measured(row))
              : fmt::format("Reverting it on top of the bad end does not give it back: {}.",
                            measured(row)));
    } else if (const BrokenArm* broken = broken_arm(arm)) {
      view.sentences.push_back("The bad end without it could not be measured: it " +
                               plain(broken->why) + ".");
    }
  }

  CulpritView view_of(const Culprit& culprit) const {
    CulpritView view{.culprit = culprit,
                     .name = name_of(culprit.commit),
                     .subject = subject_of(culprit.commit),
                     .probability = culprit.probability,
                     .effect = ratio_of(culprit.effect),
                     .sentences = {}};
    if (culprit.set.size() == 1) {
      view.sentences.push_back(
          culprit.named
              ? fmt::format("{} {}, with {} probability.", called(culprit.commit),
                            made(view.effect), probability_text(culprit.probability))
              : fmt::format(
                    "The search suspects {} ({}), but nothing confirms it: no commit is named.",
                    called(culprit.commit), probability_text(culprit.probability)));
      if (const auto merge = merge_of(culprit.commit))
        view.sentences.push_back(fmt::format("It came in with {}.", called(*merge)));
    } else {
      std::string list;
      for (std::size_t i = 0; i < std::min(kMostInText, culprit.set.size()); ++i)
        list += (i == 0 ? "" : ", ") + name_of(culprit.set[i]);
      if (culprit.set.size() > kMostInText)
        list += fmt::format(" and {} more", culprit.set.size() - kMostInText);
      view.sentences.push_back(
          conclusion_.ended_by == EndedBy::max_runs && !culprit.finding
              ? fmt::format("No single commit is found. If one {}, it is one of {}: {}; or many "
                            "changed a little each.",
                            made(view.effect), culprit.set.size(), list)
              : fmt::format("One of {} commits {}: {}.", culprit.set.size(), made(view.effect),
                            list));
      view.probability = 0;
      for (const CommitFinding& commit : found_.commits)
        if (std::ranges::find(culprit.set, commit.commit) != culprit.set.end())
          view.probability += commit.probability;
      view.probability = std::min(1.0, view.probability);
      const auto unmeasured = std::ranges::count_if(
          culprit.set, [&](std::uint32_t commit) { return broken_arm(commit) != nullptr; });
      if (unmeasured > 0 && conclusion_.ended_by != EndedBy::interrupted)
        view.sentences.push_back(fmt::format(
            "{} of them cannot be measured, so that nothing tells them apart.", unmeasured));
    }
    confirmation(view);
    reverting(view);
    return view;
  }

  // The merge on the main line that brought `commit`; nothing when it lies on that line.
  std::optional<std::uint32_t> merge_of(std::uint32_t commit) const {
    std::vector<std::uint32_t> line = {static_cast<std::uint32_t>(commits_.size() - 1)};
    while (!commits_[line.back()].parents.empty()) line.push_back(commits_[line.back()].parents[0]);
    if (std::ranges::find(line, commit) != line.end()) return std::nullopt;
    std::vector<bool> contained(commits_.size(), false);  // in what has been walked, oldest first
    for (auto at = line.rbegin(); at != line.rend(); ++at) {
      std::vector<std::uint32_t> open = {*at};
      while (!open.empty()) {
        const std::uint32_t here = open.back();
        open.pop_back();
        if (contained[here]) continue;
        contained[here] = true;
        open.insert(open.end(), commits_[here].parents.begin(), commits_[here].parents.end());
      }
      if (contained[commit]) return *at;
    }
    return std::nullopt;
  }

  // Why nothing was searched.
  std::vector<std::string> no_search(const RatioText& ends) const {
    const std::string measured =
        fmt::format("{} {} after {} runs of both", ends.change, ends.interval, found_.runs);
    const auto& expect = plan_.design->expect;
    if (found_.reproduced == Reproduced::better)
      return {fmt::format("The bad end is the better one: {} against the good one.", measured)};
    if (found_.reproduced == Reproduced::no && expect && are_apart())
      return {fmt::format("The reported {} does not reproduce: the bad end against the good one is "
                          "{}.",
                          format_change(*expect), measured),
              "Nothing was searched."};
    if (found_.reproduced == Reproduced::no)
      return {
          fmt::format("The difference does not reproduce: the bad end against the good one is "
                      "{}{}.",
                      measured, expect ? ", and " + format_change(*expect) + " was reported" : ""),
          "Nothing was searched: whoever looks for noise finds a commit."};
    if (found_.anchors.value == 0) return {"The ends have not been compared yet."};
    return {fmt::format("The ends do not differ beyond doubt yet: the bad one against the good one "
                        "is {}.",
                        measured),
            "Nothing was searched."};
  }

  bool are_apart() const {
    return found_.anchors.lo && (*found_.anchors.lo > 0 || *found_.anchors.hi < 0);
  }

  void answer(BisectView& view) const {
    if (found_.reproduced != Reproduced::yes) {
      view.paragraphs.push_back(no_search(view.ends));
      return;
    }
    for (const CulpritView& culprit : view.culprits) {
      view.paragraphs.push_back(culprit.sentences);
      if (&culprit != &view.culprits.front())
        view.paragraphs.back().front().insert(0, "Another change: ");
    }
    double explained = 0;
    for (const Culprit& culprit : found_.culprits) explained += culprit.effect.value;
    const double left = found_.anchors.value - explained;
    std::vector<std::string> ends = {
        fmt::format("Between the ends lie {} {}.", view.ends.change, view.ends.interval)};
    if (!found_.culprits.empty() && std::fabs(left) > kRemainder * std::fabs(found_.anchors.value))
      ends.push_back(fmt::format("{} of that remain without a culprit.",
                                 ratio_of({.value = left, .lo = {}, .hi = {}}).change));
    view.paragraphs.push_back(std::move(ends));
  }

  // What a reader looks at: the ends, the suspects and what was measured near them.
  void rows(BisectView& view) const {
    const auto& all = found_.commits;
    if (all.empty()) return;
    std::set<std::uint32_t> suspects;
    for (const Culprit& culprit : found_.culprits)
      if (culprit.set.size() <= 4 * kMostInText)
        suspects.insert(culprit.set.begin(), culprit.set.end());
      else
        suspects.insert(culprit.commit);
    std::set<std::size_t> shown = {0, all.size() - 1};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!suspects.contains(all[i].commit)) continue;
      shown.insert(i);
      std::size_t before = 0, after = 0;
      for (std::size_t j = i; j-- > 0 && before < kNear;)
        if (all[j].runs > 0) shown.insert(j), ++before;
      for (std::size_t j = i + 1; j < all.size() && after < kNear; ++j)
        if (all[j].runs > 0) shown.insert(j), ++after;
    }
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].probability >= 0.01 && shown.size() < 40) shown.insert(i);
    view.rows = rows_of(shown, suspects);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].runs > 0 || broken_arm(all[i].commit) != nullptr) shown.insert(i);
    view.all_rows = rows_of(shown, suspects);
  }

  // Of positions among the commits found, with the gaps between them.
  std::vector<CommitRow> rows_of(const std::set<std::size_t>& shown,
                                 const std::set<std::uint32_t>& suspects) const {
    std::vector<CommitRow> rows;
    std::size_t next = 0;
    for (const std::size_t i : shown) {
      const CommitFinding& found = found_.commits[i];
      rows.push_back(row_of(found, suspects.contains(found.commit)));
      rows.back().gap = i - next;
      next = i + 1;
    }
    return rows;
  }

  CommitRow row_of(const CommitFinding& found, bool suspect) const {
    CommitRow row{.commit = found.commit,
                  .name = name_of(found.commit),
                  .subject = subject_of(found.commit),
                  .runs = found.runs,
                  .median = {},
                  .change = {},
                  .probability = found.probability,
                  .state = {},
                  .suspect = suspect};
    const double good = found_.commits.front().median;
    if (found.runs > 0) {
      row.median = format_value(found.median, metric_.unit);
      if (found.commit != 0 && good > 0) row.change = format_change(found.median / good);
    }
    const auto state = [&](const std::string& text) {
      row.state += (row.state.empty() ? "" : ", ") + text;
    };
    if (found.commit == 0) state("good end");
    for (const Culprit& culprit : found_.culprits)
      if (culprit.set.size() == 1 && culprit.commit == found.commit) state("culprit");
    if (found.commit + 1 == commits_.size()) state("bad end");
    if (const BrokenArm* broken = broken_arm(found.commit)) state(plain(broken->why));
    return row;
  }

  void broken(BisectView& view) const {
    std::map<std::uint32_t, std::string> oldest_first;
    for (const BrokenArm& arm : conclusion_.broken)
      if (arm.arm < commits_.size()) oldest_first[arm.arm] = plain(arm.why);
    for (const auto& [commit, why] : oldest_first)
      view.broken.push_back(called(commit) + " " + why);
  }

  void open(BisectView& view) const {
    auto& say = view.next;
    if (found_.reproduced == Reproduced::better)
      say.push_back(fmt::format("Are the ends swapped? To search what made it faster: --expect={}%",
                                format_change_number(*view.ends.ratio)));
    if (found_.reproduced == Reproduced::no && are_apart())
      say.push_back(fmt::format("To search what is there: --expect={}%",
                                format_change_number(*view.ends.ratio)));
    else if (found_.reproduced == Reproduced::no)
      say.push_back(
          "Check that the command shows the difference at all (assay compare), that the "
          "build is the one that was reported, and that the machine is quiet (assay "
          "doctor); --gate cpu has less noise than wall.");
    const bool cut = conclusion_.ended_by == EndedBy::time_budget ||
                     conclusion_.ended_by == EndedBy::interrupted;
    if (found_.more_runs && cut)
      say.push_back(
          fmt::format("About {} more runs would name the commit, and what has to be built for "
                      "them.{}",
                      *found_.more_runs,
                      conclusion_.ended_by == EndedBy::time_budget
                          ? fmt::format(" The time budget of {} ended the search: "
                                        "--time-budget allows more; what was built is "
                                        "kept.",
                                        format_duration(plan_.time_budget_s))
                          : std::string()));
    else if (conclusion_.ended_by == EndedBy::time_budget)
      say.push_back(fmt::format("The time budget of {} ended it: --time-budget allows more.",
                                format_duration(plan_.time_budget_s)));
    if (conclusion_.ended_by == EndedBy::interrupted)
      say.push_back(fmt::format("Interrupted; 'assay resume {}' goes on.", plain(record_.id)));
    if (conclusion_.ended_by == EndedBy::max_runs)
      say.push_back(
          "The search ended at its limit of runs: the effect is small against the noise, or "
          "it changed more than once. A command that does more of the slow work, or "
          "--gate cpu, needs fewer.");
  }

  // Levels of what was measured, and what every commit's probability is.
  void plots(BisectView& view) const {
    if (found_.reproduced != Reproduced::yes || view.rows.empty()) return;
    IntervalPlot levels{.title = title_of(metric_) + " of what was run",
                        .axis = "against the good end, %"};
    BarPlot posterior{.title = "probability that the change came with the commit", .axis = {}};
    const double good = found_.commits.front().median;
    for (const CommitRow& row : view.rows) {
      const auto found = std::ranges::find(found_.commits, row.commit, &CommitFinding::commit);
      const Tone tone = row.suspect ? Tone::bad : Tone::neutral;
      if (row.runs > 0 && good > 0)
        levels.points.push_back(
            {.label = row.name,
             .value = 100 * (found->median / good - 1),
             .tone = tone,
             .note = fmt::format("{} {}", row.runs, row.runs == 1 ? "run" : "runs")});
      if (row.probability >= kShownProbability && posterior.bars.size() < kMostBars)
        posterior.bars.push_back({.label = row.name,
                                  .value = row.probability,
                                  .tone = tone,
                                  .note = probability_text(row.probability)});
    }
    levels.reference = 0;
    if (levels.points.size() > 2) view.levels = std::move(levels);
    if (posterior.bars.size() > 1) view.posterior = std::move(posterior);
  }

  const Record& record_;
  const Plan& plan_;
  const Conclusion& conclusion_;
  const BisectFinding& found_;
  const std::vector<Commit>& commits_;
  const Metric& metric_;
};

}  // namespace

std::string probability_text(double probability) {
  if (probability >= 0.9995) return "above 99.9 %";
  if (probability >= 0.995) return fmt::format("{:.1f} %", std::floor(1000 * probability) / 10);
  if (probability >= 0.1) return fmt::format("{:.0f} %", std::floor(100 * probability));
  return fmt::format("{:.1f} %", 100 * probability);
}

BisectView view_bisect(const Record& record, const Conclusion& conclusion) {
  BisectView view;
  view.id = plain(record.id);
  view.failure = failure_of(record, conclusion);
  view.warnings = printable_warnings(conclusion);
  view.reproduce = plain(join_command(reproduce_words(record.plan)));
  if (view.failure && conclusion.failure.find("command not found") != std::string::npos)
    view.failure->way_out =
        "It is looked for in the tree of the commit: commit it, or make it with --build.";
  if (!view.failure && conclusion.bisect && record.plan.design)
    Maker(record, conclusion).fill(view);
  return view;
}

}  // namespace assay::report
