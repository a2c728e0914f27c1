// SPDX-License-Identifier: Apache-2.0
#include "verdict/imported.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace assay::verdict {
namespace {

struct ImportedSides {
  std::vector<ImportedProcess> a = {}, b = {};
};

// "ABBA...": a process a letter, a second apart; B takes `ratio` times as long, and `noise` shakes
// both by a fixed pattern.
ImportedSides in_order(const std::string& order, double ratio, double noise) {
  ImportedSides sides;
  std::int64_t at = 1000;
  for (const char letter : order) {
    const double shake = 1 + noise * std::sin(static_cast<double>(at));
    if (letter == 'A') sides.a.push_back({shake, at});
    if (letter == 'B') sides.b.push_back({ratio * shake, at});
    at += 1000;
  }
  return sides;
}

TEST(ProcessValue, DropsTheWarmUpUnlessTheOrderIsLost) {
  EXPECT_FALSE(process_value({}, false));
  EXPECT_EQ(process_value(std::vector<double>{5}, false), 5);
  EXPECT_EQ(process_value(std::vector<double>{9, 1, 2, 3}, false), 2);
  EXPECT_EQ(process_value(std::vector<double>{1, 2, 3, 9}, true), 2.5);
  std::vector<double> many(30, 1.0);
  many[0] = many[1] = many[2] = 100;
  EXPECT_EQ(process_value(many, false), 1);
}

TEST(JudgeImported, JudgesSidesThatTookTurns) {
  const auto slow = in_order("ABBAABBAABBA", 1.1, 0.001);
  const auto verdict = judge_imported(slow.a, slow.b, {});
  EXPECT_EQ(verdict.standing, Standing::judged);
  EXPECT_EQ(verdict.rounds, 6u);
  EXPECT_EQ(verdict.decision.verdict, Verdict::slower);
  EXPECT_NEAR(*verdict.log_ratio, std::log(1.1), 0.002);
  const auto same = in_order("ABBAABBAABBA", 1.0, 0.001);
  EXPECT_EQ(judge_imported(same.a, same.b, {}).decision.verdict, Verdict::equivalent);
  const auto swapped = judge_imported(slow.b, slow.a, {});
  EXPECT_EQ(swapped.decision.verdict, Verdict::faster);
}

TEST(JudgeImported, OneProcessASideIsUnreplicatedHoweverLargeTheDifference) {
  const auto sides = in_order("AB", 10, 0);
  const auto verdict = judge_imported(sides.a, sides.b, {});
  EXPECT_EQ(verdict.standing, Standing::unreplicated);
  EXPECT_EQ(verdict.decision.verdict, Verdict::undecided);
  EXPECT_NEAR(*verdict.log_ratio, std::log(10), 1e-12);
  EXPECT_EQ(to_word(verdict.standing), "unreplicated");
}

TEST(JudgeImported, AnOrderThatAllowsNothingIsNamed) {
  struct Case {
    std::string order;
    Standing expected;
  };
  for (const Case& each :
       {Case{"AAAAAABBBBBB", Standing::not_interleaved},  // one block
        Case{"AAAAAAAAAABBBBBBBBBB", Standing::not_interleaved},
        Case{"ABABABABABAB", Standing::not_interleaved},  // A always first
        Case{"ABBAAB", Standing::judged}, Case{"ABBBBBBBBB", Standing::unreplicated}}) {
    const auto sides = in_order(each.order, 1.5, 0.001);
    EXPECT_EQ(judge_imported(sides.a, sides.b, {}).standing, each.expected) << each.order;
  }
  auto undated = in_order("ABBAABBAABBA", 1.5, 0.001);
  undated.b[0].started_at_ms = std::nullopt;
  EXPECT_EQ(judge_imported(undated.a, undated.b, {}).standing, Standing::order_unknown);
  auto zero = in_order("ABBAABBAABBA", 1.5, 0.001);
  zero.a[0].value = 0;
  const auto verdict = judge_imported(zero.a, zero.b, {});
  EXPECT_EQ(verdict.standing, Standing::non_positive);
  EXPECT_FALSE(verdict.log_ratio);
}

// The 0 B/op of most Go benchmarks: no ratio, and nothing that changed either.
TEST(JudgeImported, ZeroOnBothSidesIsNoTrouble) {
  const std::vector<ImportedProcess> zeros(1), many(4), one = {{.value = 1}};
  const auto verdict = judge_imported(zeros, many, {});
  EXPECT_EQ(verdict.standing, Standing::both_zero);
  EXPECT_EQ(to_word(verdict.standing), "both-zero");
  EXPECT_EQ(verdict.decision.verdict, Verdict::undecided);
  EXPECT_FALSE(verdict.log_ratio);
  EXPECT_EQ(judge_imported(zeros, one, {}).standing, Standing::non_positive);
  EXPECT_EQ(judge_imported(one, zeros, {}).standing, Standing::non_positive);
}

TEST(JudgeImported, SaysWhoBeganTheRounds) {
  const auto sides = in_order("ABABAB", 1.5, 0.001);
  EXPECT_EQ(judge_imported(sides.a, sides.b, {}).baseline_first, 3u);
  EXPECT_EQ(judge_imported(sides.b, sides.a, {}).baseline_first, 0u);
}

TEST(JudgeImported, ProcessesOutsideOfRoundsAreCounted) {
  const auto sides = in_order("ABBAABA", 1.0, 0.001);
  const auto verdict = judge_imported(sides.a, sides.b, {});
  EXPECT_EQ(verdict.rounds, 3u);
  EXPECT_EQ(verdict.outside, 1u);
}

// How often a claim is made of 6 rounds in the order ABBA..., on noise of 3 % a process, a step of
// the machine by 2 % in the middle and a drift of 4 % over the whole. The rows `sessions` of `assay
// simulate compare` are the same t on recorded and synthetic noise.
double claims(double ratio, std::uint64_t seed, int repetitions) {
  Random random(seed);
  int claimed = 0;
  for (int i = 0; i < repetitions; ++i) {
    ImportedSides sides = in_order("ABBAABBAABBA", ratio, 0);
    const auto shake = [&](ImportedProcess& one) {
      const double place = static_cast<double>(*one.started_at_ms - 1000) / 11000;
      one.value *= std::exp(0.03 * random.normal() + 0.04 * place + (place > 0.5 ? 0.02 : 0));
    };
    for (ImportedProcess& one : sides.a) shake(one);
    for (ImportedProcess& one : sides.b) shake(one);
    const Verdict verdict = judge_imported(sides.a, sides.b, {}).decision.verdict;
    claimed += verdict == Verdict::slower || verdict == Verdict::faster;
  }
  return static_cast<double>(claimed) / repetitions;
}

TEST(JudgeImported, ClaimsAtMostOnceInAHundredAndFindsLargeDifferences) {
  // 1 % of 5,000 has a standard deviation of 0.14 %.
  EXPECT_LE(claims(1, 11, 5'000), 0.0145);
  EXPECT_GE(claims(1.15, 12, 1'000), 0.75);
}

}  // namespace
}  // namespace assay::verdict
