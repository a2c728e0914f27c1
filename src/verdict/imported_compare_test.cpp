// SPDX-License-Identifier: Apache-2.0
#include "verdict/imported_compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::verdict {
namespace {

results::File imported_file(const std::string& id, double value, std::int64_t at,
                            const std::string& format = "gbench") {
  results::File file;
  file.format = format;
  file.context = {{"executable", "./bench"}};
  results::Series& series = file.series.emplace_back();
  series.id = id;
  results::Process& process = series.processes.emplace_back();
  process.values = {2 * value, value, value};
  process.started_at_ms = at;
  return file;
}

// Six files a side, in the order ABBA..., B `ratio` times as slow.
std::pair<ImportedSide, ImportedSide> turns(double ratio) {
  ImportedSide a{.name = "a"}, b{.name = "b"};
  const std::string order = "ABBAABBAABBA";
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double shake = 1 + 0.001 * std::sin(static_cast<double>(i));
    auto& side = order[i] == 'A' ? a : b;
    const double value = (order[i] == 'A' ? 1 : ratio) * shake;
    side.files.push_back(imported_file("x", value, static_cast<std::int64_t>(i) * 1000));
  }
  return {a, b};
}

TEST(CompareImported, JudgesWhatTookTurns) {
  const auto [a, b] = turns(1.1);
  const auto found = compare_imported(a, b, 0.02);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->rows.size(), 1u);
  EXPECT_EQ(found->family, 1u);
  EXPECT_EQ(found->rows[0].verdict.decision.verdict, Verdict::slower);
  EXPECT_EQ(found->rows[0].baseline_processes, 6u);
  EXPECT_EQ(found->rows[0].baseline_values, 18u);
  EXPECT_TRUE(found->instead.empty());
}

TEST(CompareImported, OneFileASideIsUnreplicatedAndSaysWhatToRun) {
  const ImportedSide a{.name = "a", .files = {imported_file("x", 1, 0)}};
  const ImportedSide b{.name = "b", .files = {imported_file("x", 3, 1)}};
  const auto found = compare_imported(a, b, 0.02);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rows[0].verdict.standing, Standing::unreplicated);
  EXPECT_NEAR(*found->rows[0].verdict.log_ratio, std::log(3), 1e-12);
  EXPECT_EQ(found->family, 0u);
  EXPECT_EQ(found->instead, "assay suite compare 'OLD/bench' 'NEW/bench'");
}

// Between processes where there are enough, else between the repetitions of the one there is.
TEST(CompareImported, SpreadOfASide) {
  ImportedSide a{.name = "a", .files = {imported_file("x", 1, 0)}};
  a.files[0].series[0].processes[0].values = {9, 1, 1.1, 1.1 * 1.1};
  const auto one = compare_imported(a, a, 0.02);
  ASSERT_TRUE(one);
  EXPECT_NEAR(*one->rows[0].baseline_spread, 0.1, 1e-9);  // of .1, .1 and .21
  ImportedSide several = a;
  for (const double value : {1.2, 1.44}) several.files.push_back(imported_file("x", value, 0));
  several.files[0] = imported_file("x", 1, 0);
  EXPECT_NEAR(*compare_imported(several, several, 0.02)->rows[0].candidate_spread, 0.2, 0.01);
  a.files[0].series[0].processes[0].values = {0, 0, 0, 1};
  EXPECT_FALSE(compare_imported(a, a, 0.02)->rows[0].baseline_spread);
}

TEST(CompareImported, ZeroOnBothSidesNeedsNothingElse) {
  auto [a, b] = turns(1.1);
  for (ImportedSide* side : {&a, &b})
    for (results::File& file : side->files) {
      results::Series none = file.series[0];
      none.metric = "memory";
      for (double& value : none.processes[0].values) value = 0;
      file.series.push_back(none);
    }
  const auto found = compare_imported(a, b, 0.02);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->rows.size(), 2u);
  EXPECT_EQ(found->rows[1].verdict.standing, Standing::both_zero);
  EXPECT_EQ(found->family, 1u);
  EXPECT_TRUE(found->instead.empty());
}

TEST(CompareImported, SummariesAreNumbersAndFailuresNone) {
  ImportedSide a{.name = "a", .files = {imported_file("x", 1, 0), imported_file("y", 1, 0)}};
  ImportedSide b = a;
  b.files[0].series[0].processes.clear();
  b.files[0].series[0].centre = 2;
  b.files[1].series[0].state = results::State::failed;
  b.files[1].series[0].message = "boom";
  const auto found = compare_imported(a, b, 0.02);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->rows.size(), 2u);
  EXPECT_TRUE(found->rows[0].summary);
  EXPECT_NEAR(*found->rows[0].verdict.log_ratio, std::log(2), 1e-12);
  EXPECT_EQ(found->rows[1].trouble, "boom");
  EXPECT_FALSE(found->rows[1].verdict.log_ratio);
}

TEST(CompareImported, MatchesByIdOrEachSidesOnlyOne) {
  const ImportedSide a{.name = "a", .files = {imported_file("./old", 1, 0, "hyperfine")}};
  const ImportedSide b{.name = "b", .files = {imported_file("./new", 1, 1, "hyperfine")}};
  const auto alone = compare_imported(a, b, 0.02);
  ASSERT_TRUE(alone);
  EXPECT_TRUE(alone->matched_alone);
  ASSERT_EQ(alone->rows.size(), 1u);
  EXPECT_EQ(alone->rows[0].other_id, "./new");
  EXPECT_EQ(alone->instead, "assay compare './old' './new'");
  ImportedSide other = b;
  other.files[0].format = "jmh";
  EXPECT_TRUE(command_instead(a, other).starts_with("assay compare --sessions 5"));
  ImportedSide two = b;
  two.files.push_back(imported_file("./newer", 1, 2));
  const auto none = compare_imported(a, two, 0.02);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->rows.empty());
  EXPECT_EQ(none->only_candidate.size(), 2u);
}

TEST(CompareImported, TakesTheBuildThatIsAskedFor) {
  ImportedSide side{.name = "data.js", .files = {imported_file("x", 1, 0)}};
  results::Series later = side.files[0].series[0];
  side.files[0].series[0].build = "aa";
  later.build = "bb";
  later.processes[0].values = {5};
  side.files[0].series.push_back(later);
  ImportedSide first = side;
  first.build = "aa";
  const auto found = compare_imported(first, side, 0.02);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->candidate_build, "bb");
  EXPECT_NEAR(*found->rows[0].verdict.log_ratio, std::log(5), 1e-12);
  first.build = "cc";
  const auto wrong = compare_imported(first, side, 0.02);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "no build 'cc'");
  EXPECT_NE(wrong.error().hint.find("aa, bb"), std::string::npos);
}

TEST(CompareImported, WhereMoreIsBetterTheSignIsTurned) {
  auto [a, b] = turns(1.1);
  for (ImportedSide* side : {&a, &b})
    for (results::File& file : side->files) {
      file.series[0].better = results::Direction::higher;
      file.series[0].metric = "throughput";
    }
  const auto found = compare_imported(a, b, 0.02);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rows[0].verdict.decision.verdict, Verdict::faster);
}

}  // namespace
}  // namespace assay::verdict
