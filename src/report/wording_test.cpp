// SPDX-License-Identifier: Apache-2.0
#include "report/wording.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/reproduce.hpp"
#include "report/row.hpp"
#include "tests/support/records.hpp"

namespace assay::report {
namespace {

TEST(Wording, FitsTheWordToTheMetric) {
  const Metric time = support::output_metric("latency", "s", Better::lower);
  const Metric count = support::output_metric("misses", "1", Better::lower);
  const Metric rate = support::output_metric("throughput", "req/s", Better::higher);
  const struct {
    Metric metric;
    const char* slower;
    const char* faster;
  } cases[] = {{support::wall_metric(), "SLOWER", "FASTER"},
               {support::cpu_metric(), "SLOWER", "FASTER"},
               {time, "SLOWER", "FASTER"},
               {support::memory_metric(), "MORE", "LESS"},
               {count, "MORE", "LESS"},
               {rate, "LOWER", "HIGHER"}};
  for (const auto& c : cases) {
    EXPECT_EQ(word_of(c.metric, Verdict::slower), c.slower);
    EXPECT_EQ(word_of(c.metric, Verdict::faster), c.faster);
    EXPECT_EQ(word_of(c.metric, Verdict::equivalent), "EQUIVALENT");
    EXPECT_EQ(word_of(c.metric, Verdict::undecided), "UNDECIDED");
  }
}

TEST(Wording, NamesMetrics) {
  EXPECT_EQ(title_of(support::memory_metric()), "peak mem");
  EXPECT_EQ(noun_of(support::wall_metric()), "the wall time");
  // A user's metric may be called like one of ours.
  EXPECT_EQ(noun_of(support::output_metric("wall", "1", Better::lower)), "wall");
  EXPECT_EQ(title_of(support::output_metric(std::string(30, 'x'), "1", Better::lower)),
            std::string(21, 'x') + "...");
}

TEST(Wording, WritesPercentages) {
  EXPECT_EQ(size_of_change(1.069), "6.9 %");
  EXPECT_EQ(size_of_change(0.95), "5.0 %");
  EXPECT_EQ(percent(0.02), "2 %");
  EXPECT_EQ(percent(0.005), "0.5 %");
  EXPECT_EQ(bracket(1.051, 1.088), "[+5.1, +8.8]");
  EXPECT_EQ(range(0.912, 1.1), "-8.8 to +10 %");
}

TEST(Wording, RoundsDurationsUpForOptions) {
  const std::pair<double, const char*> cases[] = {{0, "10s"},  {38, "40s"},   {120, "120s"},
                                                  {121, "3m"}, {2870, "48m"}, {7200, "120m"},
                                                  {7201, "3h"}};
  for (const auto& [seconds, text] : cases) {
    EXPECT_EQ(option_duration(seconds), text);
    EXPECT_GE(*parse_duration(option_duration(seconds)), seconds);
  }
}

TEST(Wording, WritesLimitsAsTheyAreParsed) {
  const std::pair<double, const char*> cases[] = {{0.01, "10ms"}, {0.6, "600ms"}, {0.00005, "1ms"},
                                                  {1, "1s"},      {2.5, "2.5s"},  {20, "20s"},
                                                  {119, "119s"},  {240, "4m"}};
  for (const auto& [seconds, text] : cases) {
    EXPECT_EQ(option_limit(seconds), text);
    EXPECT_GE(*parse_duration(option_limit(seconds)), seconds);
  }
  RunOptions options;
  options.timeout_s = 0.005;
  EXPECT_EQ(way_out({Ending::timed_out, 0}, options), "--timeout 10ms allows twice the time.");
}

TEST(Wording, PaintsWhatFailedUnlikeWhatIsSlower) {
  EXPECT_NE(tone_of(Verdict::failed), tone_of(Verdict::slower));
  EXPECT_NE(tone_of(Verdict::invalid), tone_of(Verdict::slower));
}

TEST(Wording, JoinsLists) {
  EXPECT_EQ(join_and({}), "");
  EXPECT_EQ(join_and({"a"}), "a");
  EXPECT_EQ(join_and({"a", "b", "c"}), "a, b and c");
}

TEST(Row, ExplainsEveryReasonInItsNotes) {
  const struct {
    support::FindingSpec spec;
    const char* expected;  // runs, notes and outlook
  } cases[] = {
      {{0, Verdict::equivalent, Reason::decided, 30, 1.005, 1.002, 1.008, 1, 1.005},
       "30 + 30 runs, measurably +0.5 %, within tolerance"},
      {{0, Verdict::undecided, Reason::borderline, 198, 1.019, 1.004, 1.03, 1, 1.019, 420},
       "198 + 198 runs, the sign is proven, 2 % is not; about 420 would decide; --max-runs 420"},
      {{0, Verdict::undecided, Reason::noisy, 198, 1, .9, 1.1},
       "198 + 198 runs; not decidable here: lower the noise or change the tolerance"},
      {{0, Verdict::undecided, Reason::noise_floor, 198, 1, .9, 1.1},
       "198 + 198 runs; not decidable here: the noise floor of 1.2 % is as large as the question"},
      {{0, Verdict::undecided, Reason::too_few, 4, 1, .9, 1.1}, "4 + 4 runs; too few"},
      {{0, Verdict::invalid, Reason::missing_metric, 6, 1, .9, 1.1},
       "6 + 6 runs, a run did not give it"},
      {{2, Verdict::slower, Reason::exact, 18, 1.39, 1.39, 1.39, 43e6, 60e6},
       "18 + 18 runs, exact, largest process"}};
  Plan plan = support::compare_plan();
  NoiseFloor floor;
  floor.metric = "wall";
  floor.sys_sigma = std::log(1.012);
  floor.sys_k = 5;
  plan.floors = {floor};
  for (const auto& c : cases) {
    const Row row = make_row(plan, support::finding(c.spec), false);
    std::string text = row.runs_words;
    for (const std::string& note : row.notes) text += ", " + note;
    if (!row.outlook.empty()) text += "; " + row.outlook;
    EXPECT_EQ(text, c.expected);
  }
}

TEST(Row, InformationalMetricsHaveNoWord) {
  MetricFinding finding = support::finding({2, Verdict::undecided, Reason::noisy, 12, 1.1, 1, 1.2});
  finding.judged = false;
  const Row row = make_row(support::compare_plan(), finding, false);
  EXPECT_EQ(row.word, "");
  EXPECT_EQ(row.change, "+10 %");
  EXPECT_EQ(row.outlook, "");
  EXPECT_FALSE(row.is_open());
}

TEST(Row, SaysWhenTheMediansTellAnotherStory) {
  const std::string note = "change of pairs within blocks (medians of all runs carry drift)";
  const struct {
    double ratio, lo, hi, baseline, candidate;
    bool noted;
  } cases[] = {{1.042, 1.01, 1.07, 0.0293, 0.0291, true},  // another sign
               {1.042, 1.01, 1.07, 0.0293, 0.0305, false},
               {1.042, 1.03, 1.06, 0.0293, 0.0313, true},      // beyond the interval
               {1.001, 0.991, 1.01, 0.02931, 0.02929, false},  // both print as 29.3 ms
               {1.03, 1.03, 1.03, 100, 103, false},
               {1.0, 0.99, 1.01, 0.03, 0.0299, false}};
  for (const auto& c : cases) {
    const Row row = make_row(support::compare_plan(),
                             support::finding({0, Verdict::undecided, Reason::noisy, 18, c.ratio,
                                               c.lo, c.hi, c.baseline, c.candidate}),
                             false);
    const bool has = std::find(row.notes.begin(), row.notes.end(), note) != row.notes.end();
    EXPECT_EQ(has, c.noted) << c.ratio << " " << row.medians;
  }
}

TEST(Row, ShowsAToleranceOfItsOwn) {
  Plan plan = support::compare_plan();
  plan.metrics.push_back(support::metric("instructions", "1", true));
  const auto notes = [&](const support::FindingSpec& spec) {
    return make_row(plan, support::finding(spec), false).notes;
  };
  using Notes = std::vector<std::string>;
  EXPECT_EQ(notes({2, Verdict::equivalent, Reason::decided, 12, 1, .99, 1.01, 2 << 20, 2 << 20}),
            (Notes{"largest process", "tolerance 6.25 %"}));
  EXPECT_EQ(notes({0, Verdict::equivalent, Reason::decided, 12, 1, .99, 1.01}), Notes{});
  plan.run.exact = true;
  EXPECT_EQ(notes({3, Verdict::slower, Reason::exact, 2, 1.01, 1.01, 1.01, 1e6, 1.01e6}),
            (Notes{"exact", "tolerance 0.1 %"}));
}

TEST(Row, WritesCountsOutWhereRoundingHidesTheDifference) {
  Plan plan = support::compare_plan();
  plan.metrics.push_back(support::metric("instructions", "1", true));
  const struct {
    std::uint32_t metric;
    double baseline, candidate;
    bool exact;
    const char* medians;
  } cases[] = {{3, 2000100, 2000900, true, "2,000,100 -> 2,000,900"},
               {3, 2000100, 2000900, false, "2,000,100 -> 2,000,900"},
               {3, 2000100, 2000100, true, "2,000,100 -> 2,000,100"},
               {3, 2000100, 2000100, false, "2.00 M -> 2.00 M"},
               {3, 2000000, 2100000, false, "2.00 M -> 2.10 M"},
               {3, 100, 103, true, "100 -> 103"},
               {3, 20001000000, 20009000000, true, "20.0 G -> 20.0 G"},
               {2, 43000000, 43000100, true, "43,000,000 B -> 43,000,100 B"},
               {2, 43000000, 60000000, true, "41.0 MiB -> 57.2 MiB"},
               {0, 2, 3, true, "2.00 s -> 3.00 s"}};
  for (const auto& c : cases) {
    const double ratio = c.candidate / c.baseline, width = c.exact ? 1 : 1.01;
    const Row row =
        make_row(plan,
                 support::finding({c.metric, Verdict::slower, Reason::decided, 12, ratio,
                                   ratio / width, ratio * width, c.baseline, c.candidate}),
                 false);
    EXPECT_EQ(row.medians, c.medians);
  }
}

TEST(Row, HasNoEmptyInterval) {
  auto finding = support::finding({0, Verdict::undecided, Reason::noisy, 6, 1.1, 1, 1.2});
  finding.reading.lo99 = finding.reading.hi99 = std::nullopt;
  EXPECT_EQ(make_row(support::compare_plan(), finding, false).interval, "no bound yet");
  finding.verdict = Verdict::invalid;
  EXPECT_EQ(make_row(support::compare_plan(), finding, false).interval, "[-, -]");
}

TEST(Row, TellsWhatHolmDecided) {
  MetricFinding finding =
      support::finding({0, Verdict::slower, Reason::decided, 198, 1.03, 1.01, 1.05, 1, 1.03});
  finding.by_holm = true;
  const Row row = make_row(support::compare_plan(), finding, false);
  EXPECT_EQ(row.notes,
            std::vector<std::string>{"decided at the end, together with the other metrics"});
}

TEST(Reproduce, LeavesTheFolderOfABuildOut) {
  Plan plan = support::compare_plan({"./bench", "./bench"});
  for (Subject& subject : plan.arms) {
    subject.cwd = "/store/builds/0123";
    subject.build = BuildSpec{"/home/me/repo", "main", std::string(40, 'a'), "make"};
  }
  EXPECT_EQ(join_command(reproduce_words(plan)),
            "assay compare --seed 42 --baseline-rev main --candidate-rev main --build make -- "
            "./bench");
}

TEST(Reproduce, RepeatsEveryOption) {
  EXPECT_EQ(join_command(reproduce_words(support::compare_plan())),
            "assay compare --seed 42 './encode -6 in.bin' './encode -7 in.bin'");
  Plan plan = support::compare_plan({"./a", "./b", "./a"});
  plan.seed = 18446744073709551615u;
  plan.tolerance = 0.005;
  plan.max_runs = 420;
  plan.time_budget_s = 90;
  plan.tails = true;
  plan.control = 2;
  plan.metrics = {support::wall_metric(), support::cpu_metric(),
                  support::output_metric("rate", "req/s", Better::higher)};
  plan.metrics[0].gating = false;
  plan.metrics[2].gating = true;
  plan.metrics[2].source = "[req/s]re:rate (\\d+)";
  plan.run.timeout_s = 2.5;
  plan.run.cooldown_s = 1;
  plan.run.ignore_exit = plan.run.line_buffered = plan.run.isolate = plan.run.exact = true;
  plan.run.pin = "0,2-3";
  for (Subject& subject : plan.arms) {
    subject.input = "in file";
    subject.prepare = "sync";
  }
  plan.arms[0].env = {{"CAP", "4"}};
  plan.arms[1].env = {{"CAP", "2"}};
  plan.arms[1].cwd = "/tmp/b";
  EXPECT_EQ(join_command(reproduce_words(plan)),
            "assay compare --seed 18446744073709551615 --tolerance 0.5% --max-runs 420 "
            "--time-budget 90s --tails --control --metric 'rate[req/s,higher]=re:rate (\\d+)' "
            "--gate cpu,rate --timeout 2.5s --cooldown 1s --ignore-exit --line-buffered --isolate "
            "--pin 0,2-3 --exact --prepare sync --input 'in file' --env-a CAP=4 --env-b CAP=2 "
            "--cwd-b /tmp/b ./a ./b");
  plan = support::compare_plan();
  plan.kind = PlanKind::sessions;
  plan.runs = 6;
  EXPECT_EQ(join_command(reproduce_words(plan)),
            "assay compare --seed 42 --sessions 6 './encode -6 in.bin' './encode -7 in.bin'");
}

}  // namespace
}  // namespace assay::report
