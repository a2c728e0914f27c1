// SPDX-License-Identifier: Apache-2.0
// What `bisect` makes of a line that has been searched, and what it concludes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "experiment/bisect.hpp"
#include "experiment/order.hpp"
#include "experiment/warnings.hpp"

namespace assay::experiment {
namespace {

constexpr double kSuspectT = 2.5;   // of runs that were made already: enough to look closer
constexpr double kLeastPart = 0.2;  // of the effect between the ends
constexpr std::size_t kMostCulprits = 4;
constexpr std::size_t kShortCommit = 10;
constexpr double kDriftT = 3.5;

}  // namespace

Estimate estimate_of(const verdict::EndsTest& test) {
  Estimate estimate{.value = test.effect, .lo = {}, .hi = {}};
  if (const auto interval = verdict::interval_of(test)) {
    estimate.lo = interval->lo;
    estimate.hi = interval->hi;
  }
  return estimate;
}

// --- culprits

Culprit Bisect::culprit_of(const Line& line, const CommitGroup& group) {
  const auto& path = line.search.path().commits;
  Culprit culprit{.commit = path[group.last], .probability = group.probability};
  culprit.effect = estimate_of(line.search.sides_of(group.last, runs_));
  std::size_t likeliest = group.last;
  for (std::size_t p = group.first; p <= group.last; ++p) {
    culprit.set.push_back(path[p]);
    if (line.search.posterior().probability[p] > line.search.posterior().probability[likeliest])
      likeliest = p;
  }
  culprit.commit = path[likeliest];
  if (group.first != group.last)
    culprit.probability = line.search.posterior().probability[likeliest];
  if (const Pair* pair = line.pair_of(path[group.last])) {
    culprit.finding = add_finding(*pair);
    const Reading& reading = findings_[*culprit.finding].reading;
    if (reading.estimate) culprit.effect = {*reading.estimate, reading.lo99, reading.hi99};
  }
  culprit.named = group.first == group.last && supports(line, line.pair_of(path[group.last]));
  return culprit;
}

// A comparison that came to its end without even a sign, at 95 %, does not support what the search
// says. One that was cut, or not made, says nothing.
bool Bisect::supports(const Line& line, const Pair* pair) const {
  if (pair == nullptr || pair->test->runs() == 0) return true;
  const Reading& reading = pair->test->reading();
  const auto& edge = line.effect > 0 ? reading.lo95 : reading.hi95;
  if (edge && (*edge > 0) == (line.effect > 0) && *edge != 0) return true;
  return pair->test->is_open() && pair->test->runs() < kMostPair &&
         !pair->test->is_futile(kMostPair);
}

Culprit Bisect::open_culprit(const Line& line) const {
  const auto& posterior = line.search.posterior();
  const auto& path = line.search.path().commits;
  const std::size_t at = posterior.likeliest;
  Culprit culprit{.commit = path[at], .probability = posterior.probability[at]};
  culprit.effect = estimate_of(line.search.sides_of(at, runs_));
  for (const std::size_t p : line.search.smallest_set()) culprit.set.push_back(path[p]);
  return culprit;
}

void Bisect::accept(const CommitGroup& group) {
  Culprit culprit = culprit_of(*line_, group);
  const std::uint32_t parent = line_->search.path().commits[group.first - 1];
  if (!line_->inside) {
    found_.culprits.push_back(culprit);
    suspect_rest(group);
    if (group.first == group.last) look_inside(found_.culprits.size() - 1, parent);
  } else {  // the merge is told apart from what it brought
    Culprit& merge = found_.culprits[*line_->inside];
    culprit.probability *= merge.probability;
    if (!culprit.finding) culprit.finding = merge.finding;
    culprit.named = culprit.named && merge.named;
    merge = std::move(culprit);
  }
  line_->closed = true;
  close_line();
}

// What is left between the ends when the culprit is taken out: the same test again, on fresh runs.
void Bisect::suspect_rest(const CommitGroup& group) {
  if (found_.culprits.size() >= kMostCulprits) return;
  const CommitPath& path = line_->search.path();
  const std::pair<std::size_t, std::size_t> parts[] = {{0, group.first - 1},
                                                       {group.last, path.commits.size() - 1}};
  for (const auto& [from, to] : parts) {
    if (from == to) continue;
    const auto test =
        verdict::test_ends(runs_.logs(path.commits[from]), runs_.logs(path.commits[to]));
    if (std::fabs(test.t) >= kSuspectT &&
        std::fabs(test.effect) >= kLeastPart * std::fabs(found_.anchors.value))
      open_lines_.push_back({.search = LineSearch(part_of(path, from, to)), .part = true});
  }
}

void Bisect::look_inside(std::size_t culprit, std::uint32_t parent) {
  const std::uint32_t commit = found_.culprits[culprit].commit;
  if (plan_.design->commits[commit].parents.size() < 2) return;
  CommitPath inside = path_inside(plan_.design->commits, commit, parent);
  if (inside.commits.size() < 3) return;
  open_lines_.push_back({.search = LineSearch(std::move(inside)), .inside = culprit});
}

void Bisect::close_line() {
  Line line = std::move(*line_);
  line_.reset();
  if (!line.closed && line.searched) {
    const bool is_nothing = line.search.posterior().none >= kNamed;
    if (is_nothing && line.is_whole()) found_.reproduced = Reproduced::no;
    if (!is_nothing) {
      Culprit open = open_culprit(line);
      found_.more_runs = line.search.runs_to_name();
      if (!line.inside) {
        found_.culprits.push_back(std::move(open));
      } else {
        Culprit& merge = found_.culprits[*line.inside];
        open.probability *= merge.probability;
        open.finding = merge.finding;
        merge = std::move(open);
      }
    }
  }
  if (line.searched) closed_lines_.push_back(std::move(line));
  if (open_lines_.empty()) {
    for (std::size_t i = 0; i < found_.culprits.size(); ++i) to_give_back_.push_back(i);
    return begin_give_back();
  }
  line_.emplace(std::move(open_lines_.back()));
  open_lines_.pop_back();
  begin_line();
}

// The bad end without a culprit, against the bad end.
void Bisect::begin_give_back() {
  while (!to_give_back_.empty()) {
    const std::size_t index = to_give_back_.front();
    to_give_back_.erase(to_give_back_.begin());
    const Culprit& culprit = found_.culprits[index];
    const std::uint32_t bad = commits_ - 1, without = commits_ + culprit.commit;
    const bool is_named = culprit.named && culprit.commit != bad;
    if (!is_named || runs_.is_broken(bad) || runs_.is_broken(without)) continue;
    Pair pair{.a = bad, .b = without, .effect = culprit.effect.value, .culprit = index};
    if (!can_afford(std::vector{pair.a, pair.b}, kRunsPerArm)) continue;
    return begin_pair(Phase::give_back, std::move(pair));
  }
  end();
}

// --- the conclusion

std::string Bisect::name_of(std::uint32_t commit) const {
  return plan_.design->commits[commit].id.substr(0, kShortCommit);
}

std::vector<CommitFinding> Bisect::commits_of_lines() const {
  std::map<std::uint32_t, CommitFinding> found;
  const auto add = [&](const Line& line) {
    const auto& path = line.search.path().commits;
    const auto& probability = line.search.posterior().probability;
    double share = 1;
    if (line.inside) share = found[path.back()].probability;
    for (std::size_t p = 0; p < path.size(); ++p) {
      const auto runs = static_cast<std::uint32_t>(runs_.count(path[p]));
      auto [at, fresh] =
          found.try_emplace(path[p], CommitFinding{path[p], runs, runs_.median(path[p]), 0});
      const double here = p < probability.size() ? share * probability[p] : 0;
      const bool replaces = line.inside && p > 0;
      at->second.probability = replaces ? here : std::max(at->second.probability, here);
    }
  };
  for (const Line& line : closed_lines_) add(line);
  if (line_) add(*line_);
  std::vector<CommitFinding> commits;
  commits.reserve(found.size());
  for (const auto& [commit, finding] : found) commits.push_back(finding);
  return commits;
}

// As it stands, also in the middle of a line.
BisectFinding Bisect::finding_now() const {
  BisectFinding found = found_;
  if (line_ && line_->searched && line_->is_whole()) {
    found.culprits.push_back(open_culprit(*line_));
    found.more_runs = line_->search.runs_to_name();
  }
  std::ranges::stable_sort(found.culprits, [](const Culprit& a, const Culprit& b) {
    return std::fabs(a.effect.value) > std::fabs(b.effect.value);
  });
  found.commits = commits_of_lines();
  return found;
}

std::string Bisect::answer_of(const BisectFinding& found) const {
  if (found.reproduced == Reproduced::no) return "does not reproduce";
  if (found.reproduced == Reproduced::better) return "the bad end is the better one";
  if (found.culprits.empty()) return {};
  std::string text;
  for (const Culprit& culprit : found.culprits) {
    if (!text.empty()) text += " and ";
    if (culprit.set.size() == 1 && !culprit.named)
      text += "perhaps " + name_of(culprit.commit);
    else if (culprit.named)
      text += culprit.probability >= 0.995 ? name_of(culprit.commit) + " (above 99 %)"
                                           : fmt::format("{} ({:.0f} %)", name_of(culprit.commit),
                                                         std::floor(100 * culprit.probability));
    else
      text += fmt::format("one of {} commits", culprit.set.size());
  }
  return text;
}

// Of the doubts about runs those that hold for many arms; and whether the ends stood still.
void Bisect::warn(std::span<const Entry> entries, Conclusion& conclusion) const {
  for (Warning& warning : warnings_of(plan_, entries, {})) {
    switch (warning.kind) {
      case WarningKind::short_runs:
      case WarningKind::contention:
      case WarningKind::torn_log:
      case WarningKind::left_behind:
      case WarningKind::exit_codes:
        conclusion.warnings.push_back(std::move(warning));
        break;
      default:
        break;
    }
  }
  for (const std::uint32_t end_arm : {0u, commits_ - 1}) {
    const auto values = runs_.logs(end_arm);
    if (values.size() < 12) continue;
    const auto half = values.size() / 2;
    const auto test = verdict::test_ends(values.first(half), values.subspan(half));
    if (std::fabs(test.t) < kDriftT) continue;
    conclusion.warnings.push_back(
        {WarningKind::drift,
         fmt::format("the {} end itself moved by {:+.1f} % while the search ran: the machine "
                     "changed; the comparisons of a commit with its parent hold nevertheless",
                     end_arm == 0 ? "good" : "bad", 100 * std::expm1(test.effect))});
  }
}

Conclusion Bisect::conclude(std::span<const Entry> entries, bool stopped) const {
  Conclusion conclusion = plain_conclusion(plan_, entries, blocks_, ended_by_);
  conclusion.broken = runs_.broken();
  if (blocks_.failure()) return conclusion;
  if (stopped && phase_ != Phase::over) conclusion.ended_by = EndedBy::interrupted;
  warn(entries, conclusion);
  if (!failure_.empty()) {
    conclusion.overall = Verdict::failed;
    conclusion.failure = failure_;
    return conclusion;
  }
  conclusion.findings = findings_;
  conclusion.bisect = finding_now();
  conclusion.answer = answer_of(*conclusion.bisect);
  const BisectFinding& found = *conclusion.bisect;
  const bool named =
      !found.culprits.empty() && std::ranges::all_of(found.culprits, &Culprit::named);
  const bool answered =
      found.reproduced == Reproduced::no || found.reproduced == Reproduced::better || named;
  conclusion.overall = answered ? Verdict::equivalent : Verdict::undecided;
  return conclusion;
}

Progress Bisect::progress() const {
  Progress progress{.blocks_done = blocks_.blocks_done(),
                    .runs_done = blocks_.runs_done(),
                    .seconds_used = blocks_.seconds_used(),
                    .seconds_left = {},
                    .block_seconds = blocks_.block_seconds(),
                    .findings = {}};
  switch (phase_) {
    case Phase::warm_up:
      break;
    case Phase::ends:
      progress.status = line_->is_whole() ? "the ends" : "a second change?";
      if (line_->effect != 0)
        progress.status += fmt::format(": {:+.1f} %", 100 * std::expm1(line_->effect));
      break;
    case Phase::search: {
      const auto& group = line_->search.likeliest();
      progress.status =
          fmt::format("likeliest: {} ({:.0f} %)", name_of(line_->search.path().commits[group.last]),
                      std::floor(100 * group.probability));
      progress.seconds_left = line_->search.runs_to_name() * price().run_s;
      break;
    }
    case Phase::confirm:
      progress.status = "confirming " + name_of(pair_->b);
      break;
    case Phase::give_back:
      progress.status = "the bad end without " + name_of(pair_->b - commits_);
      break;
    case Phase::over:
      break;
  }
  return progress;
}

}  // namespace assay::experiment
