// SPDX-License-Identifier: Apache-2.0
// One list of words an enum, in the order of its values; a word never changes its meaning.
#include "model/words.hpp"

#include <cstddef>
#include <iterator>

#include "base/check.hpp"

namespace assay {
namespace {

// The words of E; the static_assert behind each list names the last value, so that a new one cannot
// be forgotten.
template <class E>
struct Words;

template <class E, std::size_t N>
constexpr bool covers(const std::string_view (&)[N], E last) {
  return N == static_cast<std::size_t>(last) + 1;
}

template <>
struct Words<Verdict> {
  static constexpr std::string_view kList[] = {"EQUIVALENT", "FASTER",  "UNDECIDED",
                                               "SLOWER",     "INVALID", "FAILED"};
  static_assert(covers(kList, Verdict::failed));
};

template <>
struct Words<Sign> {
  static constexpr std::string_view kList[] = {"none", "slower", "faster"};
  static_assert(covers(kList, Sign::faster));
};

template <>
struct Words<Reason> {
  static constexpr std::string_view kList[] = {"decided",
                                               "exact",
                                               "borderline",
                                               "noisy",
                                               "too-few",
                                               "noise-floor",
                                               "non-positive",
                                               "missing-metric",
                                               "unreplicated-baseline",
                                               "run-failed",
                                               "timed-out",
                                               "control-moved",
                                               "sampled-too-little",
                                               "workload-differs"};
  static_assert(covers(kList, Reason::workload_differs));
};

template <>
struct Words<WarningKind> {
  static constexpr std::string_view kList[] = {"drift",
                                               "position",
                                               "bimodal",
                                               "outliers",
                                               "contention",
                                               "outputs-differ",
                                               "tails",
                                               "short-runs",
                                               "torn-log",
                                               "control",
                                               "left-behind",
                                               "reruns",
                                               "few-memory-samples",
                                               "budget",
                                               "spread",
                                               "not-isolated",
                                               "host",
                                               "exit-codes",
                                               "noise-floor",
                                               "interrupted",
                                               "counters",
                                               "events",
                                               "suite"};
  static_assert(covers(kList, WarningKind::suite));
};

template <>
struct Words<EndedBy> {
  static constexpr std::string_view kList[] = {"decided",     "max-runs", "time-budget", "futility",
                                               "interrupted", "failure",  "runs-done"};
  static_assert(covers(kList, EndedBy::runs_done));
};

template <>
struct Words<PlanKind> {
  static constexpr std::string_view kList[] = {
      "compare", "measure",  "calibrate", "sessions",      "sweep",       "ablate",
      "bisect",  "timeline", "suite-run", "suite-compare", "suite-audit", "imported"};
  static_assert(covers(kList, PlanKind::imported));
};

template <>
struct Words<Better> {
  static constexpr std::string_view kList[] = {"lower", "higher"};
  static_assert(covers(kList, Better::higher));
};

template <>
struct Words<MetricOrigin> {
  static constexpr std::string_view kList[] = {"builtin", "output"};
  static_assert(covers(kList, MetricOrigin::output));
};

template <>
struct Words<Ending> {
  static constexpr std::string_view kList[] = {"exited", "signalled", "timed-out", "not-started"};
  static_assert(covers(kList, Ending::not_started));
};

template <>
struct Words<Isolation> {
  static constexpr std::string_view kList[] = {"unit", "suite"};
  static_assert(covers(kList, Isolation::suite));
};

template <>
struct Words<MeasurementStatus> {
  static constexpr std::string_view kList[] = {"ok", "failed", "missing", "skipped"};
  static_assert(covers(kList, MeasurementStatus::skipped));
};

template <>
struct Words<Presence> {
  static constexpr std::string_view kList[] = {"both", "only-baseline", "only-candidate",
                                               "neither"};
  static_assert(covers(kList, Presence::neither));
};

template <>
struct Words<DoubtKind> {
  static constexpr std::string_view kList[] = {
      "single", "over-budget", "first-sample", "skewed", "missing", "facts", "setup", "too-fast"};
  static_assert(covers(kList, DoubtKind::too_fast));
};

template <>
struct Words<AuditOrder> {
  static constexpr std::string_view kList[] = {"suite", "reversed", "random", "twice"};
  static_assert(covers(kList, AuditOrder::twice));
};

template <>
struct Words<Mechanism> {
  static constexpr std::string_view kList[] = {"not-shown",       "workload", "setup-in-timing",
                                               "setup-in-budget", "garbage",  "cache"};
  static_assert(covers(kList, Mechanism::cache));
};

template <>
struct Words<MovedBy> {
  static constexpr std::string_view kList[] = {"nothing", "code", "suite", "workload", "coverage"};
  static_assert(covers(kList, MovedBy::coverage));
};

template <>
struct Words<StopReason> {
  static constexpr std::string_view kList[] = {"interrupted", "disk-full"};
  static_assert(covers(kList, StopReason::disk_full));
};

template <>
struct Words<TreeStepKind> {
  static constexpr std::string_view kList[] = {"patch", "pick", "revert"};
  static_assert(covers(kList, TreeStepKind::revert));
};

template <>
struct Words<ChangeKind> {
  static constexpr std::string_view kList[] = {"environment", "flag",  "value",
                                               "definition",  "patch", "commit"};
  static_assert(covers(kList, ChangeKind::commit));
};

template <>
struct Words<Shape> {
  static constexpr std::string_view kList[] = {"FLAT", "TREND", "STEP", "UNDECIDED"};
  static_assert(covers(kList, Shape::undecided));
};

template <>
struct Words<Reproduced> {
  static constexpr std::string_view kList[] = {"yes", "no", "better", "unknown"};
  static_assert(covers(kList, Reproduced::unknown));
};

template <class E>
std::string_view word_of(E value) {
  const auto index = static_cast<std::size_t>(value);
  ASSAY_CHECK(index < std::size(Words<E>::kList), "an enum holds one of its values");
  return Words<E>::kList[index];
}

}  // namespace

std::string_view to_word(Verdict value) { return word_of(value); }
std::string_view to_word(Sign value) { return word_of(value); }
std::string_view to_word(Reason value) { return word_of(value); }
std::string_view to_word(WarningKind value) { return word_of(value); }
std::string_view to_word(EndedBy value) { return word_of(value); }
std::string_view to_word(PlanKind value) { return word_of(value); }
std::string_view to_word(Better value) { return word_of(value); }
std::string_view to_word(MetricOrigin value) { return word_of(value); }
std::string_view to_word(Ending value) { return word_of(value); }
std::string_view to_word(StopReason value) { return word_of(value); }
std::string_view to_word(TreeStepKind value) { return word_of(value); }
std::string_view to_word(ChangeKind value) { return word_of(value); }
std::string_view to_word(Shape value) { return word_of(value); }
std::string_view to_word(Reproduced value) { return word_of(value); }
std::string_view to_word(Isolation value) { return word_of(value); }
std::string_view to_word(MeasurementStatus value) { return word_of(value); }
std::string_view to_word(DoubtKind value) { return word_of(value); }
std::string_view to_word(AuditOrder value) { return word_of(value); }
std::string_view to_word(Mechanism value) { return word_of(value); }
std::string_view to_word(MovedBy value) { return word_of(value); }
std::string_view to_word(Presence value) { return word_of(value); }

template <class E>
std::optional<E> from_word(std::string_view word) {
  for (std::size_t i = 0; i < std::size(Words<E>::kList); ++i)
    if (Words<E>::kList[i] == word) return static_cast<E>(i);
  return std::nullopt;
}

template std::optional<Verdict> from_word(std::string_view);
template std::optional<Sign> from_word(std::string_view);
template std::optional<Reason> from_word(std::string_view);
template std::optional<WarningKind> from_word(std::string_view);
template std::optional<EndedBy> from_word(std::string_view);
template std::optional<PlanKind> from_word(std::string_view);
template std::optional<Better> from_word(std::string_view);
template std::optional<MetricOrigin> from_word(std::string_view);
template std::optional<Ending> from_word(std::string_view);
template std::optional<StopReason> from_word(std::string_view);
template std::optional<TreeStepKind> from_word(std::string_view);
template std::optional<ChangeKind> from_word(std::string_view);
template std::optional<Shape> from_word(std::string_view);
template std::optional<Reproduced> from_word(std::string_view);
template std::optional<Isolation> from_word(std::string_view);
template std::optional<MeasurementStatus> from_word(std::string_view);
template std::optional<DoubtKind> from_word(std::string_view);
template std::optional<AuditOrder> from_word(std::string_view);
template std::optional<Mechanism> from_word(std::string_view);
template std::optional<MovedBy> from_word(std::string_view);
template std::optional<Presence> from_word(std::string_view);

}  // namespace assay
