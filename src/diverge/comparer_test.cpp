// SPDX-License-Identifier: Apache-2.0
#include "diverge/comparer.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/random.hpp"

namespace assay::diverge {
namespace {

// "1a 2b" = steps with answers, in the order of the file, a line each.
std::vector<Observation> log_of(std::string_view text) {
  std::vector<Observation> log;
  std::uint64_t line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t letter = word.find_first_not_of("0123456789");
    log.push_back({std::stoll(std::string(word.substr(0, letter))),
                   std::string(word.substr(letter)), ++line});
    at = end + 1;
  }
  return log;
}

RunFindings compared(const std::vector<std::string_view>& texts, std::size_t most_open = 1000) {
  Comparer comparer(texts.size(), most_open);
  for (std::size_t p = 0; p < texts.size(); ++p)
    for (Observation& seen : log_of(texts[p])) comparer.add(p, std::move(seen));
  return comparer.finish();
}

using Groups = std::vector<std::optional<std::uint32_t>>;

TEST(Comparer, AllAgree) {
  const RunFindings found = compared({"1a 2b 3c", "1a 2b 3c"});
  EXPECT_EQ(found.common, 3U);
  EXPECT_EQ(found.disagreements, 0U);
  EXPECT_FALSE(found.first_disagreed);
  ASSERT_TRUE(found.last_agreed);
  EXPECT_EQ(found.last_agreed->step, 3);
  ASSERT_EQ(found.phases.size(), 1U);
  EXPECT_EQ(found.phases[0].groups, (Groups{0, 0}));
}

TEST(Comparer, LastAgreedAndFirstDisagreed) {
  const RunFindings found = compared({"1a 2b 3c 4d", "1a 2b 3x 4y"});
  EXPECT_EQ(found.last_agreed->step, 2);
  EXPECT_EQ(found.first_disagreed->step, 3);
  EXPECT_EQ(found.first_disagreed->answers[0]->value, "c");
  EXPECT_EQ(found.first_disagreed->answers[1]->value, "x");
  EXPECT_EQ(found.first_disagreed->answers[1]->line, 3U);
  EXPECT_EQ(found.disagreements, 2U);
  EXPECT_TRUE(found.agreed_again.empty());
}

TEST(Comparer, DisagreementFromTheFirstStepAndAgreementAgain) {
  const RunFindings found = compared({"1a 2b 3c", "1x 2b 3c"});
  EXPECT_FALSE(found.last_agreed);
  EXPECT_EQ(found.first_disagreed->step, 1);
  EXPECT_EQ(found.agrees_since, 2);
  ASSERT_EQ(found.agreed_again.size(), 1U);
  EXPECT_EQ(found.agreed_again[0].to, 3);
  EXPECT_EQ(found.disagreements, 1U);
}

// That those go on to agree who always did is no agreement of the two sides.
TEST(Comparer, ASideThatEndsDoesNotAgreeAgain) {
  const RunFindings found = compared({"1a 2b 3c", "1a 2b 3c", "1a 2x"});
  EXPECT_EQ(found.first_disagreed->step, 2);
  EXPECT_TRUE(found.agreed_again.empty());
  EXPECT_EQ(compared({"1a 2b 3c", "1a 2b 3c", "1a 2x 3c"}).agrees_since, 3);
}

// Each disagreement ends such a range; the last one stands open when none follows it.
TEST(Comparer, RangesOfAgreementBehindADisagreement) {
  const RunFindings found = compared({"1a 2b 3c 4d 5e 6f 7g", "1a 2x 3c 4d 5y 6f 7g"});
  ASSERT_EQ(found.agreed_again_count, 2U);
  EXPECT_EQ(found.agreed_again[0].from, 3);
  EXPECT_EQ(found.agreed_again[0].to, 4);
  EXPECT_EQ(found.agreed_again[0].steps, 2U);
  EXPECT_EQ(found.agreed_again[1].from, 6);
  EXPECT_EQ(found.agrees_since, 6);
  const RunFindings ends = compared({"1a 2b 3c 4d", "1a 2x 3c 4y"});
  EXPECT_EQ(ends.agreed_again_count, 1U);
  EXPECT_FALSE(ends.agrees_since);
}

TEST(Comparer, NothingInCommon) {
  const RunFindings found = compared({"1a 2b", "3c 4d"});
  EXPECT_EQ(found.common, 0U);
  EXPECT_EQ(found.steps, 4U);
  EXPECT_EQ(found.participants[0].stops->step, 2);
}

TEST(Comparer, ARewindIsToldAndItsLastAnswersCount) {
  const RunFindings found = compared({"1a 2b 3c 4d 5e", "1a 2x 3y 2b 3c 4d 5e"});
  EXPECT_FALSE(found.first_disagreed) << "the answers behind the rewind agree";
  const ParticipantFindings& second = found.participants[1];
  ASSERT_EQ(second.rewinds.size(), 1U);
  EXPECT_EQ(second.rewinds[0].from, 3);
  EXPECT_EQ(second.rewinds[0].to, 2);
  EXPECT_EQ(second.rewinds[0].line, 4U);
  EXPECT_EQ(second.rewinds[0].repeated, 2U);
  EXPECT_EQ(second.rewinds[0].changed, 2U);
  ASSERT_EQ(second.changed.size(), 2U);
  EXPECT_EQ(second.changed[0].was.value, "x");
  EXPECT_EQ(second.changed[0].now.value, "b");
  EXPECT_EQ(second.changed[0].now.line, 4U);
  EXPECT_EQ(found.participants[0].rewind_count, 0U);
}

TEST(Comparer, ARewindInsideARewindIsTwo) {
  const RunFindings found = compared({"1a 2b 3c 4d 2b 3c 1a 2b 3c 4d 5e"});
  ASSERT_EQ(found.participants[0].rewinds.size(), 2U);
  EXPECT_EQ(found.participants[0].rewinds[0].from, 4);
  EXPECT_EQ(found.participants[0].rewinds[0].repeated, 2U);
  EXPECT_EQ(found.participants[0].rewinds[1].from, 3);
  EXPECT_EQ(found.participants[0].rewinds[1].to, 1);
}

TEST(Comparer, StallsAndStops) {
  const RunFindings found = compared({"1a 2b 3c 4d", "1a 2b 2b 2b 2b 3c 4d", "1a 2b 3c 3c"});
  ASSERT_EQ(found.participants[1].stalls.size(), 1U);
  EXPECT_EQ(found.participants[1].stalls[0].step, 2);
  EXPECT_EQ(found.participants[1].stalls[0].repeats, 3U);
  EXPECT_EQ(found.participants[1].stalls[0].first_line, 2U);
  EXPECT_EQ(found.participants[1].stalls[0].last_line, 5U);
  ASSERT_TRUE(found.participants[2].stops);
  EXPECT_EQ(found.participants[2].stops->step, 3);
  EXPECT_EQ(found.participants[2].stops->repeats, 1U);
  EXPECT_FALSE(found.participants[0].stops);
  EXPECT_EQ(found.participants[1].repeated_count, 3U);
}

TEST(Comparer, WhereAllWaitNobodyStalls) {
  const RunFindings found = compared({"1a 2b 2b 2b 2b 3c", "1a 2b 2b 2b 2b 2b 3c"});
  EXPECT_EQ(found.participants[0].stall_count, 0U);
  EXPECT_EQ(found.participants[1].stall_count, 0U);
}

TEST(Comparer, GapsAreRanges) {
  const RunFindings found = compared({"1a 2b 3c 4d 5e 9i", "1a 4d 9i", "1a 4d 9i 12z"});
  ASSERT_EQ(found.participants[1].missing.size(), 3U);
  EXPECT_EQ(found.participants[1].missing[0].from, 2);
  EXPECT_EQ(found.participants[1].missing[0].to, 3);
  EXPECT_EQ(found.participants[1].missing[1].from, 5);
  EXPECT_EQ(found.participants[1].missing_count, 4U);
  EXPECT_EQ(found.participants[0].alone_count, 3U);
  ASSERT_EQ(found.participants[2].alone.size(), 1U);
  EXPECT_EQ(found.participants[2].alone[0].from, 12);
}

TEST(Comparer, GroupsOverTime) {
  const RunFindings found = compared({"1a 2a 3a 4a 5a", "1a 2a 3b 4b 5a", "1a 2a 4b 5a"});
  ASSERT_EQ(found.phases.size(), 3U);
  EXPECT_EQ(found.phases[0].groups, (Groups{0, 0, 0}));
  EXPECT_EQ(found.phases[0].to, 2);
  EXPECT_EQ(found.phases[1].groups, (Groups{0, 1, 1}));  // 3: two of them; 4: the third joins
  EXPECT_EQ(found.phases[1].from, 3);
  EXPECT_EQ(found.phases[1].to, 4);
  EXPECT_EQ(found.phases[2].groups, (Groups{0, 0, 0}));
}

TEST(Comparer, ManyChangesOfGroupsAreCounted) {
  Comparer comparer(2);
  const std::int64_t count = 2 * static_cast<std::int64_t>(kMostPhases);
  for (std::int64_t step = 0; step < count; ++step) {
    comparer.add(0, {step, "a", 1});
    comparer.add(1, {step, step % 2 == 0 ? "a" : "b", 1});
  }
  const RunFindings found = comparer.finish();
  EXPECT_EQ(found.phases.size(), kMostPhases);
  EXPECT_EQ(found.phases_left_out, static_cast<std::uint64_t>(count) - kMostPhases);
}

TEST(Comparer, WhatComesAfterItsStepIsSettledIsCounted) {
  const RunFindings found = compared({"1a 2a 3a 4a 5a 1b"}, 3);
  EXPECT_EQ(found.participants[0].late_count, 1U);
  EXPECT_EQ(found.participants[0].late_line, 6U);
  EXPECT_EQ(found.participants[0].changed_count, 0U);
  EXPECT_EQ(found.steps, 5U);
}

// Against the plainest way: all answers in one table.
TEST(Comparer, AgreesWithATable) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random.below(4);
    std::map<std::int64_t, std::map<std::size_t, std::string>> table;
    Comparer comparer(count);
    for (int i = 0; i < 60; ++i) {
      const std::size_t p = random.below(count);
      const auto step = static_cast<std::int64_t>(random.below(12));
      const std::string value(1, static_cast<char>('a' + random.below(2)));
      table[step][p] = value;
      comparer.add(p, {step, value, static_cast<std::uint64_t>(i + 1)});
    }
    std::uint64_t common = 0, apart = 0;
    std::optional<std::int64_t> first, last_agreed;
    for (const auto& [step, answers] : table) {
      if (answers.size() < 2) continue;
      ++common;
      bool alike = true;
      for (const auto& [p, value] : answers) alike = alike && value == answers.begin()->second;
      apart += alike ? 0 : 1;
      if (!alike && !first) first = step;
      if (alike && !first) last_agreed = step;
    }
    const RunFindings found = comparer.finish();
    EXPECT_EQ(found.common, common);
    EXPECT_EQ(found.disagreements, apart);
    EXPECT_EQ(found.first_disagreed.has_value(), first.has_value());
    if (first) {
      EXPECT_EQ(found.first_disagreed->step, *first);
    }
    EXPECT_EQ(found.last_agreed.has_value(), last_agreed.has_value());
    if (last_agreed) {
      EXPECT_EQ(found.last_agreed->step, *last_agreed);
    }
    std::uint64_t in_phases = 0;
    for (const Phase& phase : found.phases) in_phases += phase.steps;
    EXPECT_EQ(in_phases, common);
  }
}

}  // namespace
}  // namespace assay::diverge
