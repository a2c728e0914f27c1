// SPDX-License-Identifier: Apache-2.0
#include "diverge/diverge.hpp"

#include <gtest/gtest.h>

namespace assay::diverge {
namespace {

NextAnswer answers_of(std::vector<Observation> log) {
  return
      [log = std::move(log), at = std::size_t{0}]() mutable -> Result<std::optional<Observation>> {
        if (at == log.size()) return std::optional<Observation>();
        return std::optional(log[at++]);
      };
}

// Steps 1 to `last`; from `from` on the answers have `mark` in them.
std::vector<Observation> chain(std::int64_t last, std::int64_t from, const std::string& mark) {
  std::vector<Observation> log;
  for (std::int64_t step = 1; step <= last; ++step)
    log.push_back({step, std::to_string(step) + (step >= from ? mark : ""),
                   static_cast<std::uint64_t>(step)});
  return log;
}

RunFindings run_of(const std::vector<std::vector<Observation>>& logs) {
  std::vector<NextAnswer> answers;
  for (const auto& log : logs) answers.push_back(answers_of(log));
  return compare_run(answers).value();
}

// Longer than what is kept open: only reading side by side compares all of it.
TEST(CompareRun, KeepsParticipantsSideBySide) {
  const RunFindings found = run_of({chain(200'000, 190'000, "x"), chain(200'000, 190'000, "y")});
  EXPECT_EQ(found.common, 200'000U);
  EXPECT_EQ(found.last_agreed->step, 189'999);
  EXPECT_EQ(found.first_disagreed->step, 190'000);
  EXPECT_EQ(found.participants[0].late_count, 0U);
}

TEST(CompareRun, OneWildStepHoldsNobodyBack) {
  auto wild = chain(200'000, 190'000, "x");
  wild[100].step = 1'000'000'000'000;
  const RunFindings found = run_of({wild, chain(200'000, 190'000, "y")});
  EXPECT_EQ(found.first_disagreed->step, 190'000);
  EXPECT_EQ(found.common, 199'999U);
  EXPECT_EQ(found.participants[0].rewind_count, 1U);
  EXPECT_EQ(found.participants[0].late_count, 0U);
}

TEST(CompareRun, ASourceThatFailsEndsIt) {
  std::vector<NextAnswer> answers = {
      answers_of(chain(3, 9, "")),
      []() -> Result<std::optional<Observation>> { return fail("damaged", "b.gz"); }};
  EXPECT_EQ(compare_run(answers).error().where, "b.gz");
}

const std::vector<Participant> kMixed = {{"a1", "a1", "A"}, {"a2", "a2", "A"}, {"b1", "b1", "B"}};

TEST(Implication, AgreeingControlsPutItBetweenTheKinds) {
  const RunFindings mixed = run_of({chain(20, 8, "x"), chain(20, 8, "x"), chain(20, 8, "y")});
  const std::vector<Control> controls = {{"all-A", "A"}};
  const std::vector<RunFindings> runs = {run_of({chain(20, 99, ""), chain(20, 99, "")})};
  const Implication implied = implication_of(mixed, kMixed, controls, runs);
  EXPECT_EQ(implied.between, Between::kinds);
  EXPECT_EQ(implied.kinds, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(implied.controls, std::vector<ControlSays>{ControlSays::agrees});
  EXPECT_EQ(implied.confirmed, std::vector<std::string>{"A"});
  EXPECT_EQ(implied.not_run, std::vector<std::string>{"B"});
}

TEST(Implication, AControlThatSplitsTakesItBack) {
  const RunFindings mixed = run_of({chain(20, 8, "x"), chain(20, 8, "x"), chain(20, 8, "y")});
  const std::vector<Control> controls = {{"all-A", "A"}};
  const std::vector<RunFindings> runs = {run_of({chain(20, 5, "x"), chain(20, 5, "y")})};
  const Implication implied = implication_of(mixed, kMixed, controls, runs);
  EXPECT_EQ(implied.between, Between::within_kind);
  EXPECT_EQ(implied.split_kinds, std::vector<std::string>{"A"});
}

TEST(Implication, AControlThatEndsBeforeSaysNothing) {
  const RunFindings mixed = run_of({chain(20, 8, "x"), chain(20, 8, "x"), chain(20, 8, "y")});
  const std::vector<Control> controls = {{"all-A", "A"}, {"all-B", "B"}};
  const std::vector<RunFindings> runs = {run_of({chain(7, 99, ""), chain(7, 99, "")}),
                                         run_of({chain(9, 99, "")})};
  const Implication implied = implication_of(mixed, kMixed, controls, runs);
  EXPECT_EQ(implied.controls,
            (std::vector<ControlSays>{ControlSays::ends_before, ControlSays::nothing}));
  EXPECT_EQ(implied.between, Between::kinds);
  EXPECT_EQ(implied.not_run, (std::vector<std::string>{"A", "B"}));
}

TEST(Implication, AKindOnBothSides) {
  const RunFindings mixed = run_of({chain(20, 8, "x"), chain(20, 8, "y"), chain(20, 8, "y")});
  const Implication implied = implication_of(mixed, kMixed, {}, {});
  EXPECT_EQ(implied.between, Between::across_kinds);
  EXPECT_EQ(implied.split_kinds, std::vector<std::string>{"A"});
}

TEST(Implication, WithoutKindsItIsBetweenParticipants) {
  const RunFindings run = run_of({chain(20, 8, "x"), chain(20, 8, "y")});
  const std::vector<Participant> participants = {{"a", "a", "a"}, {"b", "b", "b"}};
  EXPECT_EQ(implication_of(run, participants, {}, {}).between, Between::participants);
  EXPECT_EQ(
      implication_of(run_of({chain(3, 9, ""), chain(3, 9, "")}), participants, {}, {}).between,
      Between::nobody);
}

}  // namespace
}  // namespace assay::diverge
