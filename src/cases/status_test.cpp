// SPDX-License-Identifier: Apache-2.0
#include "cases/status.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cases/case_file.hpp"
#include "tests/support/records.hpp"

namespace assay::cases {
namespace {

using support::FindingSpec;

// A comparison whose baseline takes 0.2 s and 40 MiB in every run (the spread of add_runs aside).
Record comparison(const std::string& id, double ratio, double lo, double hi,
                  std::uint32_t runs = 18) {
  Record record = support::record_of(support::compare_plan());
  record.id = id;
  constexpr double kMemory = 40.0 * 1024 * 1024;
  support::add_runs(record, runs, {{0.2, 0.2, kMemory}, {0.2 * ratio, 0.2 * ratio, kMemory}});
  record.conclusion = support::conclusion(
      Verdict::slower,
      {support::finding({.metric = 0,
                         .verdict = Verdict::slower,
                         .runs = runs,
                         .ratio = ratio,
                         .lo99 = lo,
                         .hi99 = hi,
                         .baseline = 0.2}),
       support::finding(
           {.metric = 1, .runs = runs, .ratio = ratio, .lo99 = lo, .hi99 = hi, .baseline = 0.2}),
       support::finding({.metric = 2, .runs = runs, .ratio = 1.1, .lo99 = 1.1, .hi99 = 1.1})});
  return record;
}

// Levels take the `times` (seconds); a step or a trend is what the finding says of them.
Record sweep(const std::string& id, Shape shape, double z, std::optional<std::uint32_t> at,
             std::vector<std::string> levels = {"1", "2", "4"},
             const std::vector<double>& times = {0.2, 0.2, 0.2}) {
  Plan plan = support::compare_plan({"./e 1", "./e 2", "./e 4"});
  plan.kind = PlanKind::sweep;
  plan.design = Design{.parameters = {{.name = "cap", .levels = std::move(levels)}}};
  Record record = support::record_of(plan);
  record.id = id;
  support::add_runs(record, 24, {{times[0], 0.2, 1}, {times[1], 0.2, 1}, {times[2], 0.2, 1}});
  std::uint32_t round = 0;
  for (Entry& entry : record.entries)
    if (auto& trial = std::get<Trial>(entry); !trial.warmup) {
      if (trial.arm == 0) ++round;
      trial.block = round;
      // So that no two rounds are alike.
      *trial.values[0] *= 1 + 1e-4 * ((7 * round + 3 * trial.arm) % 11);
    }
  ParameterFinding parameter{.shape = shape, .at = at, .z = {z, z, z}};
  SweepFinding finding{.rounds = 24, .parameters = {parameter}};
  for (std::uint32_t arm = 0; arm < 3; ++arm)
    finding.levels.push_back({.arm = arm,
                              .runs = 24,
                              .median = 0.2,
                              .effect = {.value = 0.001, .lo = -0.004, .hi = 0.006}});
  record.conclusion = support::conclusion(Verdict::equivalent, {});
  record.conclusion->sweep = finding;
  return record;
}

Case case_of(const std::string& rest) {
  const auto made = parse_case("question = \"q\"\n" + rest, "c.toml", "c");
  EXPECT_TRUE(made) << made.error().to_text();
  return made.value_or(Case{});
}

std::string hypothesis(const std::string& id, const std::string& predict, const std::string& record,
                       const std::string& more = "") {
  std::string text =
      "[[hypothesis]]\nid = \"" + id + "\"\nmechanism = \"m\"\npredict = \"" + predict + "\"\n";
  if (!record.empty()) text += "[[record]]\nid = \"" + record + "\"\nfor = \"" + id + "\"\n" + more;
  return text;
}

TEST(Status, AnEffectInSecondsCarriesBothIntervals) {
  // Baseline runs are 0.2 to 0.208 s, 0.204 in the middle.
  const Record record = comparison("gap00000", 1.1, 1.05, 1.15);
  const auto measured = measure(record, {.quantity = Quantity::seconds});
  ASSERT_TRUE(measured) << measured.error().what;
  EXPECT_NEAR(measured->effect.value, 0.1 * 0.204, 0.0005);
  EXPECT_LT(*measured->effect.lo, 0.05 * 0.204);
  EXPECT_GE(*measured->effect.hi, 0.15 * 0.204);
  EXPECT_TRUE(measured->no_word.empty());
  const auto removed = measure(record, {.quantity = Quantity::seconds, .removes = true});
  EXPECT_DOUBLE_EQ(removed->effect.value, -measured->effect.value);
  EXPECT_DOUBLE_EQ(*removed->effect.lo, -*measured->effect.hi);
  const auto memory = measure(record, {.quantity = Quantity::bytes});
  ASSERT_TRUE(memory);
  EXPECT_NE(memory->source.find("peak_mem"), std::string::npos);
  const auto percent = measure(record, {.quantity = Quantity::fraction, .removes = true});
  EXPECT_NEAR(percent->effect.value, 1 / 1.1 - 1, 1e-12);
  EXPECT_NEAR(*percent->effect.lo, 1 / 1.15 - 1, 1e-12);
}

TEST(Status, WordsFollowFromWhereTheIntervalLies) {
  struct Row {
    const char* predict;
    double lo, hi;  // of the measured ratio
    Word word;
    const char* reason;
  };
  const Row rows[] = {{"+10%..+20%", 1.01, 1.05, Word::ruled_out, "real, but too small: explains"},
                      {"+10%..+20%", 0.99, 1.05, Word::ruled_out, "cannot explain more than"},
                      {"+10%..+20%", 0.80, 0.95, Word::ruled_out, "it goes the other way"},
                      {"+10%..+20%", 1.11, 1.19, Word::confirmed, "explains"},
                      {"+10%..+20%", 1.09, 1.19, Word::open, "across an edge"},
                      {"+10%..+20%", 1.25, 1.35, Word::open, "more than predicted"},
                      {"-20%..-10%", 0.81, 0.89, Word::confirmed, "of the gap"},
                      {"-20%..-10%", 0.95, 0.99, Word::ruled_out, "real, but too small"},
                      {"-1%..+1%", 0.995, 1.005, Word::confirmed, "explains"},
                      {"-1%..+1%", 1.02, 1.05, Word::ruled_out, "which is outside"},
                      {"at least +10%", 1.3, 1.5, Word::confirmed, "explains"},
                      {"20-40 ms", 0.995, 1.01, Word::ruled_out, "cannot explain more than"}};
  for (const Row& row : rows) {
    const Case made =
        case_of("gap-record = \"gap00000\"\n" + hypothesis("h", row.predict, "test0000"));
    const std::vector<Record> records = {
        comparison("gap00000", 1.3, 1.29, 1.31),
        comparison("test0000", std::sqrt(row.lo * row.hi), row.lo, row.hi)};
    const auto status = status_of(made, records);
    ASSERT_EQ(status.hypotheses.size(), 1u);
    EXPECT_EQ(status.hypotheses[0].word, row.word)
        << row.predict << " " << row.lo << " " << status.hypotheses[0].reason;
    EXPECT_NE(status.hypotheses[0].reason.find(row.reason), std::string::npos)
        << status.hypotheses[0].reason;
    if (row.word == Word::open) {
      EXPECT_FALSE(status.hypotheses[0].next.empty());
    }
  }
}

TEST(Status, TheRemainderIsALineAndIsNotClipped) {
  const std::string both =
      "gap-record = \"gap00000\"\n" + hypothesis("a", "+10%..+20%", "a0000000") +
      hypothesis("b", "+10%..+20%", "b0000000") + hypothesis("c", "+10%..+20%", "");
  const std::vector<Record> records = {comparison("gap00000", 1.2, 1.19, 1.21),
                                       comparison("a0000000", 1.15, 1.14, 1.16),
                                       comparison("b0000000", 1.15, 1.14, 1.16)};
  const auto status = status_of(case_of(both), records);
  ASSERT_EQ(status.remainders.size(), 1u);
  const Remainder& remainder = status.remainders[0];
  EXPECT_EQ(remainder.quantity, Quantity::seconds);
  EXPECT_EQ(remainder.explained, (std::vector<std::size_t>{0, 1}));
  EXPECT_LT(*remainder.rest.hi, 0);  // two parts are more than the whole
  EXPECT_NEAR(remainder.rest.value, -0.1 * 0.204, 0.001);
  EXPECT_LT(*remainder.rest.lo, remainder.rest.value);
  EXPECT_EQ(status.confirmed, 2u);
  EXPECT_EQ(status.open, 1u);

  const auto empty = status_of(case_of("gap = \"12 ms\"\n"), {});
  ASSERT_EQ(empty.remainders.size(), 1u);
  EXPECT_DOUBLE_EQ(empty.remainders[0].rest.value, 0.012);
}

TEST(Status, ShapesAreRefutedByOtherShapes) {
  struct Row {
    const char* predict;
    Shape shape;
    double z;
    std::optional<std::uint32_t> at;
    Word word;
    std::vector<double> times = {0.2, 0.2, 0.2};
  };
  const Row rows[] = {{"falls with cap", Shape::flat, 0, {}, Word::ruled_out},
                      {"falls with cap", Shape::trend, 9, {}, Word::ruled_out},
                      {"falls with cap", Shape::trend, -9, {}, Word::confirmed},
                      {"falls with cap", Shape::step, -9, 1, Word::open},
                      {"falls with cap", Shape::step, 9, 1, Word::ruled_out},
                      {"falls with cap", Shape::undecided, 0, {}, Word::open},
                      {"step at 4", Shape::step, 9, 2, Word::confirmed, {0.2, 0.2, 0.3}},
                      {"step at 4", Shape::step, 9, 2, Word::open, {0.2, 0.25, 0.3}},
                      {"step at 4", Shape::step, 9, 1, Word::ruled_out, {0.2, 0.3, 0.3}},
                      {"step at 4", Shape::step, 9, 1, Word::open, {0.2, 0.244949, 0.3}},
                      {"step at 1", Shape::step, 9, 1, Word::ruled_out, {0.2, 0.3, 0.3}},
                      {"step at 4", Shape::trend, 9, {}, Word::open},
                      {"step at cap=4", Shape::flat, 0, {}, Word::ruled_out},
                      {"flat", Shape::flat, 0, {}, Word::confirmed},
                      {"flat", Shape::trend, 9, {}, Word::ruled_out}};
  for (const Row& row : rows) {
    const std::vector<Record> records = {
        sweep("sweep000", row.shape, row.z, row.at, {"1", "2", "4"}, row.times)};
    const auto status = status_of(case_of(hypothesis("h", row.predict, "sweep000")), records);
    EXPECT_EQ(status.hypotheses[0].word, row.word)
        << row.predict << ": " << status.hypotheses[0].reason;
  }
  // Levels that were given from the largest down: z is turned.
  const std::vector<Record> turned = {sweep("sweep000", Shape::trend, 9, {}, {"4", "2", "1"})};
  EXPECT_EQ(
      status_of(case_of(hypothesis("h", "falls with cap", "sweep000")), turned).hypotheses[0].word,
      Word::confirmed);
  const auto other = status_of(case_of(hypothesis("h", "falls with depth", "sweep000")), turned);
  EXPECT_EQ(other.hypotheses[0].word, Word::open);
  ASSERT_EQ(other.warnings.size(), 1u);
  EXPECT_NE(other.warnings[0].find("did not vary 'depth'"), std::string::npos);
}

TEST(Status, IntervalsOfOtherKindsGiveNoWord) {
  const std::vector<Record> records = {sweep("sweep000", Shape::flat, 0, {})};
  const auto status = status_of(case_of(hypothesis("h", "+10%..+20%", "sweep000")), records);
  EXPECT_EQ(status.hypotheses[0].word, Word::open);
  EXPECT_NE(status.hypotheses[0].reason.find("without a word"), std::string::npos);
}

TEST(Status, AnAblationSpeaksOfItsChanges) {
  Plan plan = support::compare_plan({"./e", "./e 1", "./e 2", "./e 3"});
  plan.kind = PlanKind::ablate;
  plan.design = Design{.changes = {{.name = "pin", .kind = ChangeKind::flag, .spec = "--pin"},
                                   {.name = "early", .kind = ChangeKind::flag, .spec = "--early"}}};
  Record record = support::record_of(plan);
  record.id = "ablate00";
  support::add_runs(record, 18, {{0.2, 0.2, 1}, {0.2, 0.2, 1}, {0.2, 0.2, 1}, {0.23, 0.23, 1}});
  record.conclusion = support::conclusion(
      Verdict::equivalent,
      {support::finding({.ratio = 1.15, .lo99 = 1.14, .hi99 = 1.16, .baseline = 0.2, .arm = 3}),
       support::finding({.ratio = 1.12, .lo99 = 1.11, .hi99 = 1.13, .baseline = 0, .arm = 1})});
  AblateFinding finding;
  // An AND whose first change is the better one to take back.
  finding.terms = {{.changes = {1, 0},
                    .effect = {.value = 0.11, .lo = 0.1, .hi = 0.12},
                    .probability = 0.99,
                    .named = true,
                    .finding = 1}};
  finding.undecided = {{.changes = {0}, .effect = {.value = 0.02, .lo = 0, .hi = 0.04}}};
  record.conclusion->ablate = finding;
  const std::vector<Record> records = {record};
  const auto status = status_of(
      case_of("gap-record = \"ablate00\"\n" + hypothesis("pin+early", "+10%..+20%", "ablate00") +
              hypothesis("pin", "+10%..+20%", "ablate00") +
              hypothesis("other", "+10%..+20%", "ablate00", "part = \"nothing\"\n")),
      records);
  EXPECT_EQ(status.hypotheses[0].word, Word::confirmed) << status.hypotheses[0].reason;
  EXPECT_EQ(status.hypotheses[1].word, Word::open);
  EXPECT_NE(status.hypotheses[1].reason.find("left it undecided"), std::string::npos);
  ASSERT_EQ(status.warnings.size(), 1u);
  EXPECT_NE(status.warnings[0].find("no change 'nothing'"), std::string::npos);
  ASSERT_EQ(status.remainders.size(), 1u);
  EXPECT_NEAR(status.remainders[0].gap.value, 0.15 * 0.204, 0.001);
  EXPECT_NEAR(status.remainders[0].rest.value, 0.03 * 0.204, 0.001);
}

TEST(Status, ABisectionSpeaksOfItsCulprit) {
  Plan plan = support::compare_plan({"./e", "./e", "./e"});
  plan.kind = PlanKind::bisect;
  plan.design = Design{.commits = {{.id = "aaaa"}, {.id = "bbbb"}, {.id = "cccc"}}};
  Record record = support::record_of(plan);
  record.id = "bisect00";
  support::add_runs(record, 12, {{0.2, 0.2, 1}, {0.22, 0.22, 1}, {0.22, 0.22, 1}});
  record.conclusion = support::conclusion(
      Verdict::equivalent,
      {support::finding({.ratio = 1.1, .lo99 = 1.09, .hi99 = 1.11, .baseline = 0.2, .arm = 1})});
  BisectFinding finding;
  finding.anchors = {.value = std::log(1.1), .lo = std::log(1.05), .hi = std::log(1.15)};
  finding.culprits = {{.commit = 1, .probability = 0.98, .finding = 0}};
  record.conclusion->bisect = finding;
  const std::vector<Record> records = {record};
  const auto status = status_of(
      case_of("gap-record = \"bisect00\"\n" + hypothesis("h", "+5%..+15%", "bisect00")), records);
  EXPECT_EQ(status.hypotheses[0].word, Word::confirmed) << status.hypotheses[0].reason;
  ASSERT_EQ(status.remainders.size(), 1u);
  EXPECT_NEAR(*status.remainders[0].gap.hi, 0.15 * 0.208, 0.002) << "the gap is that of the ends";
}

TEST(Status, RecordsThatAreGoneOrSayNothingAreTold) {
  Record running = comparison("running0", 1, 1, 1);
  running.conclusion.reset();
  const std::vector<Record> records = {running};
  const auto status = status_of(
      case_of(hypothesis("a", "1-2 ms", "gone0000") + hypothesis("b", "1-2 ms", "running0")),
      records);
  ASSERT_EQ(status.warnings.size(), 2u);
  EXPECT_NE(status.warnings[0].find("has not concluded"), std::string::npos);
  EXPECT_NE(status.warnings[1].find("gone0000"), std::string::npos);
  EXPECT_EQ(status.open, 2u);
}

TEST(Status, OpenOnesStateTheirPrice) {
  const std::string text = "gap-record = \"gap00000\"\n" + hypothesis("h", "20-40 ms", "");
  const std::vector<Record> records = {comparison("gap00000", 1.2, 1.18, 1.22)};
  const auto status = status_of(case_of(text), records);
  EXPECT_NE(status.hypotheses[0].next.find("--tolerance 9."), std::string::npos)
      << status.hypotheses[0].next;
  EXPECT_EQ(status.hypotheses[0].price, "about 6 + 6 runs, 3 s");
  const auto across = status_of(
      case_of("gap-record = \"gap00000\"\n" + hypothesis("h", "+10%..+20%", "gap00000")), records);
  EXPECT_TRUE(across.hypotheses[0].reason.find("hardly decide") != std::string::npos)
      << across.hypotheses[0].reason;
}

TEST(Status, TheThirdRoundShowsTheTimeline) {
  std::string text;
  for (int i = 0; i < 3; ++i) text += "[[round]]\ntext = \"patch\"\nrecord = \"gap00000\"\n";
  const std::vector<Record> records = {comparison("gap00000", 1.2, 1.18, 1.22)};
  const auto status = status_of(case_of(text), records);
  EXPECT_TRUE(status.patch_on_patch);
  ASSERT_EQ(status.rounds.size(), 3u);
  EXPECT_EQ(status.rounds[0].effect, "SLOWER +20.0 % [+18.0, +22.0], wall");
}

}  // namespace
}  // namespace assay::cases
