// SPDX-License-Identifier: Apache-2.0
#include "report/sentence.hpp"

#include <gtest/gtest.h>

#include "report/compare.hpp"
#include "report/compare_cases.hpp"
#include "report/view.hpp"

namespace assay::report {
namespace {

std::string sentence(const CompareCase& c) { return view_compare(c.record, c.conclusion).sentence; }

support::FindingSpec spec(Verdict verdict, Reason reason, std::uint32_t runs, double ratio,
                          double lo, double hi) {
  return {0, verdict, reason, runs, ratio, lo, hi, 2, 2 * ratio};
}

TEST(Sentence, WeighsWallAgainstCpu) {
  const std::string b = "./encode -7 in.bin";
  const struct {
    Verdict overall;
    support::FindingSpec wall, cpu;
    std::string expected;
  } cases[] = {
      {Verdict::slower, slower_spec(), slower_spec(),
       b + " is slower by 7.0 % (99 % interval +5.0 to +9.0 %)."},
      {Verdict::slower, slower_spec(), equal_spec(),
       b + " is slower by 7.0 % (99 % interval +5.0 to +9.0 %). It uses the same CPU (within 2 %) "
           "and waits longer."},
      {Verdict::slower, slower_spec(), faster_spec(),
       b + " is slower by 7.0 % (99 % interval +5.0 to +9.0 %). It uses 7.0 % less CPU and waits "
           "longer."},
      {Verdict::slower, slower_spec(), open_spec(),
       b + " is slower by 7.0 % (99 % interval +5.0 to +9.0 %). At most 4.0 % more CPU (99 %). "
           "About 60 runs a side would decide."},
      {Verdict::slower, equal_spec(), slower_spec(),
       b + " uses 7.0 % more CPU (99 % interval +5.0 to +9.0 %). The wall time is the same (within "
           "2 %)."},
      {Verdict::slower, faster_spec(), slower_spec(),
       b + " uses 7.0 % more CPU (99 % interval +5.0 to +9.0 %). It finishes 7.0 % sooner."},
      {Verdict::slower, open_spec(), slower_spec(),
       b + " uses 7.0 % more CPU (99 % interval +5.0 to +9.0 %). No slowdown above 4.0 % (99 %). "
           "About 60 runs a side would decide."},
      {Verdict::faster, faster_spec(), faster_spec(),
       b + " is faster by 7.0 % (99 % interval -9.0 to -5.0 %)."},
      {Verdict::faster, faster_spec(), equal_spec(),
       b + " is faster by 7.0 % (99 % interval -9.0 to -5.0 %). It uses the same CPU (within 2 %) "
           "and waits less."},
      {Verdict::faster, equal_spec(), faster_spec(),
       b + " uses 7.0 % less CPU (99 % interval -9.0 to -5.0 %). The wall time is the same (within "
           "2 %)."},
      {Verdict::equivalent, equal_spec(), equal_spec(),
       b + " is equivalent to ./encode -6 in.bin: wall and CPU time agree within 2 %."},
      {Verdict::undecided, open_spec(), equal_spec(),
       "No slowdown above 4.0 % (99 %). ./encode -7 in.bin uses the same CPU (within 2 %). About "
       "60 runs a side "
       "would decide."},
      {Verdict::undecided, open_spec(), faster_spec(),
       "No slowdown above 4.0 % (99 %). ./encode -7 in.bin uses 7.0 % less CPU. About 60 runs a "
       "side would "
       "decide."},
      {Verdict::undecided, open_spec(), open_spec(),
       "No slowdown above 4.0 % (99 %). At most 4.0 % more CPU (99 %). About 60 runs a side would "
       "decide."},
      {Verdict::undecided, equal_spec(), open_spec(),
       "At most 4.0 % more CPU (99 %). The wall time is the same (within 2 %). About 60 runs a "
       "side "
       "would decide."}};
  for (const auto& c : cases) EXPECT_EQ(sentence(two("", c.overall, {c.wall, c.cpu})), c.expected);
}

TEST(Sentence, GivesTheReasonAndTheWayOut) {
  const auto open = [](Reason reason, std::uint32_t runs = 198) {
    return spec(Verdict::undecided, reason, runs, 1.01, .98, 1.04);
  };
  const auto invalid = [](Reason reason) {
    return spec(Verdict::invalid, reason, 6, 1.01, .98, 1.04);
  };
  const std::string same = " ./encode -7 in.bin uses the same CPU (within 2 %).";
  const std::string it = " It uses the same CPU (within 2 %).";
  const struct {
    support::FindingSpec wall;
    std::string expected;
  } cases[] = {
      {open(Reason::noisy), "No slowdown above 4.0 % (99 %)." + same +
                                " Not decidable here: lower the noise ('assay doctor' says how) or "
                                "change the tolerance."},
      {open(Reason::noise_floor),
       "No slowdown above 4.0 % (99 %)." + same +
           " Not decidable here: the noise floor of this machine is as large as the question, and "
           "more runs do not lower it."},
      {open(Reason::unreplicated_baseline), "No slowdown above 4.0 % (99 %)." + same +
                                                " A single stored session may have been lucky: "
                                                "measure the baseline again, interleaved."},
      {open(Reason::too_few, 6), "No slowdown above 4.0 % (99 %)." + same},
      {spec(Verdict::undecided, Reason::borderline, 198, 1.019, 1.004, 1.031),
       "./encode -7 in.bin is slower by at least 0.4 % and at most 3.1 % (99 %); whether beyond "
       "the "
       "tolerance of 2 % is open." +
           it +
           " Not decidable here: lower the noise ('assay doctor' says how) or change the "
           "tolerance."},
      {spec(Verdict::undecided, Reason::borderline, 198, .981, .969, .996),
       "./encode -7 in.bin is faster by at least 0.4 % and at most 3.1 % (99 %); whether beyond "
       "the "
       "tolerance of 2 % is open." +
           it +
           " Not decidable here: lower the noise ('assay doctor' says how) or change the "
           "tolerance."},
      {invalid(Reason::non_positive),
       "The wall time cannot be judged: a run gave zero or a negative value; a ratio needs values "
       "above 0." +
           same},
      {invalid(Reason::missing_metric),
       "The wall time cannot be judged: a run did not give it." + same},
      {invalid(Reason::sampled_too_little),
       "The wall time cannot be judged: fewer than 20 memory samples a run; --gate peak_mem does "
       "not depend on samples." +
           same}};
  for (const auto& c : cases)
    EXPECT_EQ(sentence(two("", c.wall.verdict, {c.wall, equal_spec()})), c.expected);
}

TEST(Sentence, SaysWhenThereIsNoBoundYet) {
  CompareCase c = two("", Verdict::undecided, {open_spec(), open_spec()});
  for (MetricFinding& finding : c.conclusion.findings) {
    finding.reason = Reason::too_few;
    finding.reading = {};
    finding.reading.runs = 4;
    finding.reading.more = 6;
  }
  EXPECT_EQ(sentence(c), "No block was completed: nothing can be said yet.");
  EXPECT_EQ(compare_text(c.record, c.conclusion, {}).out,
            "No block was completed: nothing can be said yet.\n");
  EXPECT_EQ(compare_markdown(c.record, c.conclusion).find("| metric |"), std::string::npos);
  c.record.plan.kind = PlanKind::sessions;
  EXPECT_EQ(
      sentence(c),
      "Too few runs to say anything about the wall time: 4 a side, the first look needs 6. Too "
      "few runs to say anything about CPU time: 4 a side, the first look needs 6. About 6 sessions "
      "a side would decide: --sessions 6.");
}

TEST(Sentence, NamesSmallChangesThatAreCertain) {
  const auto small = spec(Verdict::equivalent, Reason::decided, 18, 1.011, 1.003, 1.018);
  const struct {
    Verdict overall;
    support::FindingSpec wall, cpu;
    const char* expected;
  } cases[] = {
      {Verdict::undecided, open_spec(), small,
       "No slowdown above 4.0 % (99 %). ./encode -7 in.bin uses 1.1 % more CPU, within the "
       "tolerance. About 60 runs a side would decide."},
      {Verdict::slower, slower_spec(), small,
       "./encode -7 in.bin is slower by 7.0 % (99 % interval +5.0 to +9.0 %). It uses 1.1 % more "
       "CPU, within the tolerance, and waits longer."},
      {Verdict::slower, small, slower_spec(),
       "./encode -7 in.bin uses 7.0 % more CPU (99 % interval +5.0 to +9.0 %). It is slower by "
       "1.1 %, within the tolerance."},
      {Verdict::equivalent, small, equal_spec(),
       "./encode -7 in.bin is equivalent to ./encode -6 in.bin: wall and CPU time agree within 2 "
       "%. Measurably +1.1 % in the wall time, within tolerance."}};
  for (const auto& c : cases) {
    const CompareCase made = two("", c.overall, {c.wall, c.cpu});
    EXPECT_EQ(sentence(made), c.expected);
    EXPECT_NE(compare_text(made.record, made.conclusion, {})
                  .out.find("measurably +1.1 %, within tolerance"),
              std::string::npos);
  }
}

TEST(Sentence, GivesBothBoundsOfACertainSignAndNoneThatIsUseless) {
  const auto open = [](double ratio, double lo, double hi) {
    return spec(Verdict::undecided, Reason::noisy, 6, ratio, lo, hi);
  };
  const struct {
    support::FindingSpec wall, cpu;
    const char* expected;
  } cases[] = {
      {open(1.5, 0.4, 16.55), open(1.09, 1.065, 1.13),
       "Nothing useful is certain yet about the wall time. ./encode -7 in.bin uses at least 6.5 % "
       "and at most 13 % more CPU (99 %); not decided yet."},
      {open(1.5, 1.01, 16.55), open(0.5, 0.04, 2.2),
       "./encode -7 in.bin is slower by at least 1.0 % (99 %); whether beyond the tolerance of 2 % "
       "is open. Nothing useful is certain yet about CPU time."}};
  for (const auto& c : cases) {
    const std::string told = sentence(two("", Verdict::undecided, {c.wall, c.cpu}));
    EXPECT_EQ(told.substr(0, told.find(" Not decidable")), c.expected);
  }
}

TEST(Sentence, SaysHowBusyTheMachineIsInOnePlace) {
  CompareCase c = undecided_case();
  EXPECT_NE(sentence(c).find("This machine is busy"), std::string::npos);
  c.conclusion.warnings = {{WarningKind::contention, "this machine is busy: ..."}};
  EXPECT_EQ(sentence(c).find("This machine is busy"), std::string::npos);
}

TEST(Sentence, SaysWhatWouldHaveHelpedAfterFutility) {
  CompareCase c = undecided_case();
  c.conclusion.ended_by = EndedBy::futility;
  c.conclusion.findings[0].reading.more = 540;
  EXPECT_NE(sentence(c).find("Sampling stopped early: an answer needs about 540 runs a side, more "
                             "than are allowed: --max-runs 540."),
            std::string::npos)
      << sentence(c);
  c.conclusion.findings[0].reading.more.reset();
  EXPECT_NE(sentence(c).find("Sampling stopped early: an answer needs more runs than are allowed."),
            std::string::npos)
      << sentence(c);
}

TEST(Sentence, SpeaksOfOtherMetricsByTheirKind) {
  Record record = support::record_of(support::compare_plan());
  record.plan.metrics = {support::memory_metric(),
                         support::output_metric("latency", "s", Better::lower),
                         support::output_metric("throughput", "req/s", Better::higher)};
  for (Metric& metric : record.plan.metrics) metric.gating = true;
  const struct {
    std::uint32_t metric;
    support::FindingSpec spec;
    const char* word;
    const char* expected;
  } cases[] = {
      {0, slower_spec(), "MORE",
       "Peak memory of ./encode -7 in.bin is higher by 7.0 % (99 % interval +5.0 to +9.0 %)."},
      {0, faster_spec(), "LESS",
       "Peak memory of ./encode -7 in.bin is lower by 7.0 % (99 % interval -9.0 to -5.0 %)."},
      {0, open_spec(), "UNDECIDED",
       "No growth of peak memory above 4.0 % (99 %). About 60 runs a side would decide."},
      {1, slower_spec(), "SLOWER",
       "latency of ./encode -7 in.bin is higher by 7.0 % (99 % interval +5.0 to +9.0 %)."},
      {2, slower_spec(), "LOWER",
       "throughput of ./encode -7 in.bin is lower by 6.5 % (99 % interval -8.3 to -4.8 %)."},
      {2, faster_spec(), "HIGHER",
       "throughput of ./encode -7 in.bin is higher by 7.5 % (99 % interval +5.3 to +9.9 %)."},
      {2, open_spec(), "UNDECIDED",
       "No loss of throughput above 3.8 % (99 %). About 60 runs a side would decide."}};
  for (auto c : cases) {
    c.spec.metric = c.metric;
    c.spec.baseline = c.metric == 0 ? 64e6 : 100;
    const auto conclusion = support::conclusion(c.spec.verdict, {support::finding(c.spec)});
    const CompareView view = view_compare(record, conclusion);
    EXPECT_EQ(view.sentence, c.expected);
    EXPECT_EQ(view.blocks[0].rows[0].word, c.word);
  }
}

TEST(Sentence, NamesTheToleranceInForce) {
  Record record = support::record_of(support::compare_plan());
  record.plan.metrics = {support::memory_metric()};
  record.plan.metrics[0].gating = true;
  auto equal = equal_spec();
  equal.baseline = equal.candidate = 1024 * 1024;  // 128 KiB is an eighth of it
  EXPECT_EQ(
      view_compare(record, support::conclusion(Verdict::equivalent, {support::finding(equal)}))
          .sentence,
      "./encode -7 in.bin is equivalent to ./encode -6 in.bin: peak memory agrees within 12.5 %.");
}

Contention stalled(std::optional<double> Contention::*member, double seconds) {
  Contention contention;
  contention.*member = seconds;
  return contention;
}

TEST(Sentence, ExplainsWaiting) {
  const std::string head =
      "No slowdown above 4.0 % (99 %). ./encode -7 in.bin uses the same CPU (within 2 %). ";
  const std::string tail = " About 60 runs a side would decide.";
  const struct {
    double cpu;
    Contention contention;
    std::string expected;
  } cases[] = {{0.5, stalled(&Contention::psi_cpu_s, .4),
                "This machine is busy: waiting makes up 50 % of the wall time."},
               {0.5, stalled(&Contention::run_delay_s, .4),
                "This machine is busy: waiting makes up 50 % of the wall time."},
               {4.0, stalled(&Contention::psi_cpu_s, .4),
                "This machine is busy: something waited for a CPU during 40 % of the wall time."},
               {0.5, stalled(&Contention::psi_io_s, .4),
                "Waiting, for the disk among others, makes up 50 % of the wall time."},
               {0.5, {}, "Waiting makes up 50 % of the wall time."},
               {0.9, stalled(&Contention::psi_cpu_s, .01), ""}};
  for (const auto& c : cases) {
    CompareCase made = two("", Verdict::undecided, {open_spec(), equal_spec()});
    made.record.entries.clear();
    for (std::uint32_t i = 0; i < 12; ++i) {
      Trial trial = support::trial(i % 2, {1.0, c.cpu, 1e6});
      trial.contention = c.contention;
      made.record.entries.push_back(trial);
    }
    EXPECT_EQ(sentence(made), head + c.expected + (c.expected.empty() ? tail.substr(1) : tail));
  }
}

TEST(Sentence, SpeaksOfSessions) {
  CompareCase c = two("", Verdict::undecided, {open_spec(), equal_spec()});
  c.record.plan.kind = PlanKind::sessions;
  c.conclusion.findings[0].reading.more = 8;
  const CompareView view = view_compare(c.record, c.conclusion);
  EXPECT_EQ(view.sentence,
            "No slowdown above 4.0 % (99 %). ./encode -7 in.bin uses the same CPU (within 2 %). "
            "About 8 sessions a "
            "side would decide: --sessions 8.");
  EXPECT_EQ(view.blocks[0].rows[0].runs_words, "18 + 18 sessions");
}

}  // namespace
}  // namespace assay::report
