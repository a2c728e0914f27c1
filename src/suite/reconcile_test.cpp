// SPDX-License-Identifier: Apache-2.0
#include "suite/reconcile.hpp"

#include <gtest/gtest.h>

namespace assay::suite {
namespace {

SuitePlan reconcile_plan() {
  SuitePlan plan;
  plan.units = {{"A", {"A/1", "A/2"}}, {"B", {"B"}}, {"file.ts", {}}};
  return plan;
}

Reading measured(const std::vector<std::string>& ids) {
  Reading all;
  for (const std::string& id : ids) all.measurements.push_back({.id = id, .value = 1.0});
  return all;
}

struct Said {
  std::uint32_t position;
  std::string id;
  MeasurementStatus status;
  std::string message;  // its start

  friend void PrintTo(const Said& s, std::ostream* to) {
    *to << s.position << " " << s.id << " " << int(s.status) << " " << s.message;
  }
};

TEST(Reconcile, GivesPositionsAndNamesWhatIsMissing) {
  using enum MeasurementStatus;
  struct Case {
    std::vector<std::uint32_t> units;
    std::vector<std::string> ids;
    Exit exit;
    std::vector<Said> said;
  };
  const Exit died{Ending::signalled, 11}, hung{Ending::timed_out, 0}, status{Ending::exited, 3};
  const std::vector<Case> cases = {
      {{0}, {"A/1", "A/2"}, {}, {{0, "A/1", ok, ""}, {0, "A/2", ok, ""}}},
      {{0, 1}, {"A/1", "A/2", "B"}, {}, {{0, "A/1", ok, ""}, {0, "A/2", ok, ""}, {1, "B", ok, ""}}},
      // Ended well, and silent.
      {{0}, {"A/2"}, {}, {{0, "A/2", ok, ""}, {0, "A/1", missing, "the process ended well"}}},
      // Died in A/2: B is behind it.
      {{0, 1},
       {"A/1"},
       died,
       {{0, "A/1", ok, ""},
        {0, "A/2", failed, "the process was killed by signal 11 (SIGSEGV)"},
        {1, "B", missing, "the process had ended"}}},
      {{1}, {}, hung, {{0, "B", failed, "the process hung"}}},
      {{1}, {}, status, {{0, "B", failed, "the process exited with status 3"}}},
      {{1}, {"B"}, status, {{0, "B", ok, ""}}},
      // Another unit's, an unknown one, one too many.
      {{1},
       {"A/1", "B", "C", "B"},
       {},
       {{0, "A/1", ok, "it is a benchmark of A"},
        {0, "B", ok, ""},
        {0, "C", ok, "the listing does not have it"},
        {0, "B", ok, "it came out once more"}}},
      // A unit that lists nothing takes what comes.
      {{2}, {"x", "y"}, {}, {{0, "x", ok, ""}, {0, "y", ok, ""}}},
      // Twice in a row.
      {{1, 1, 0},
       {"B", "B", "A/1", "A/2"},
       {},
       {{0, "B", ok, ""}, {1, "B", ok, ""}, {2, "A/1", ok, ""}, {2, "A/2", ok, ""}}},
      {{1, 0, 1},
       {"B", "A/1", "A/2"},
       {},
       {{0, "B", ok, ""},
        {1, "A/1", ok, ""},
        {1, "A/2", ok, ""},
        {2, "B", missing, "the process ended well"}}},
  };
  for (const Case& c : cases) {
    const auto got = reconcile(reconcile_plan(), c.units, measured(c.ids), c.exit);
    ASSERT_EQ(got.size(), c.said.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].position, c.said[i].position) << testing::PrintToString(c.said[i]);
      EXPECT_EQ(got[i].id, c.said[i].id);
      EXPECT_EQ(got[i].status, c.said[i].status) << testing::PrintToString(c.said[i]);
      EXPECT_EQ(c.said[i].message.empty(), got[i].message.empty()) << got[i].message;
      EXPECT_TRUE(got[i].message.starts_with(c.said[i].message)) << got[i].message;
    }
  }
}

TEST(Reconcile, TellsRepetitionsFromUnitsThatRanTwice) {
  const SuitePlan plan = reconcile_plan();
  const std::vector<std::uint32_t> twice = {1, 1}, once = {1};
  Reading numbered = measured({"B", "B#2"});
  auto got = reconcile(plan, twice, numbered, {});
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1].id, "B");
  EXPECT_EQ(got[1].position, 1u);
  Reading folded = measured({"B"});
  folded.measurements[0].samples = {1, 3, 5, 9};
  folded.measurements[0].iterations = 40;
  got = reconcile(plan, twice, folded, {});
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].value, 2);
  EXPECT_EQ(got[1].samples, (std::vector<double>{5, 9}));
  EXPECT_EQ(got[1].iterations, 20);
  EXPECT_EQ(got[1].position, 1u);
  got = reconcile(plan, once, folded, {});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].samples.size(), 4u);
  // One of two positions came out: nothing is taken apart that cannot be.
  got = reconcile(plan, twice, measured({"B"}), {});
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1].status, MeasurementStatus::missing);
}

TEST(Reconcile, ATimeWithoutBoundsIsNone) {
  const SuitePlan plan = reconcile_plan();
  Reading reading = measured({"B"});
  reading.measurements[0].value = 1e308 * 3600;  // a tool's number and its unit
  const auto got = reconcile(plan, std::vector<std::uint32_t>{1}, reading, {});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].status, MeasurementStatus::failed);
  EXPECT_FALSE(got[0].value);
}

TEST(Reconcile, AsksTheToolOrTheNameWhereNothingIsListed) {
  SuitePlan plan;
  plan.units = {{"perf/a.ts", {}}, {"perf/b.ts", {}}, {"t.py", {}}, {"BenchmarkSort", {}}};
  const std::vector<std::uint32_t> all = {0, 1, 2, 3};
  Reading reading = measured({"sum", "product", "more", "t.py::test_x", "BenchmarkSort-8", "last"});
  reading.homes = {"b.ts", "/home/u/perf/a.ts", "", "", "", "c.ts"};
  const auto got = reconcile(plan, all, reading, {});
  std::vector<std::uint32_t> positions;
  for (const Measurement& one : got) positions.push_back(one.position);
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{1, 0, 0, 2, 3, 3}));
  // A unit that gives nothing stands for itself.
  const auto silent = reconcile(plan, all, {}, {Ending::exited, 1});
  ASSERT_EQ(silent.size(), 4u);
  EXPECT_EQ(silent[0].id, "perf/a.ts");
  EXPECT_EQ(silent[0].status, MeasurementStatus::failed);
  EXPECT_EQ(silent[3].status, MeasurementStatus::missing);
  // Test cases of Catch2 need no benchmark in them, unless the process died.
  EXPECT_TRUE(reconcile(plan, all, {.may_be_none = true}, {}).empty());
  EXPECT_EQ(reconcile(plan, all, {.may_be_none = true}, {Ending::signalled, 6}).size(), 4u);
}

}  // namespace
}  // namespace assay::suite
