// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "suite/adapter.hpp"

namespace assay::suite {
namespace {

using Words = std::vector<std::string>;

Subject gbench_subject(Words argv) { return {.label = "suite", .argv = std::move(argv)}; }

std::vector<SuiteUnit> units_of(const SuitePlan& plan, const Subject& subject,
                                const Words& outputs) {
  const auto units = make_gbench(plan)->read_listing(subject, outputs);
  EXPECT_TRUE(units) << units.error().to_text();
  return units ? *units : std::vector<SuiteUnit>{};
}

Words command_of(const SuitePlan& plan, const Subject& subject,
                 const std::vector<SuiteUnit>& units) {
  std::vector<const SuiteUnit*> asked;
  for (const SuiteUnit& unit : units) asked.push_back(&unit);
  const auto made = make_gbench(plan)->invocation(subject, asked, "/r");
  EXPECT_TRUE(made) << made.error().to_text();
  return made ? made->argv : Words{};
}

TEST(GbenchAdapter, ListsAndRunsFamilies) {
  const SuitePlan plan{.adapter = "gbench"};
  const Subject subject = gbench_subject({"./b", "--benchmark_min_time=0.1"});
  EXPECT_EQ(make_gbench(plan)->listings(subject)->front().argv,
            (Words{"./b", "--benchmark_min_time=0.1", "--benchmark_list_tests=true"}));
  const auto units = units_of(plan, subject, {"BM_A/1\nBM_B<int>\n"});
  EXPECT_EQ(units, (std::vector<SuiteUnit>{{"BM_A", {"BM_A/1"}}, {"BM_B<int>", {"BM_B<int>"}}}));
  EXPECT_EQ(command_of(plan, subject, units),
            (Words{"./b", "--benchmark_min_time=0.1", "--benchmark_filter=^(BM_A|BM_B<int>)(/.*)?$",
                   "--benchmark_out=/r", "--benchmark_out_format=json"}));
}

TEST(GbenchAdapter, NamesIdsWhenOnlySomeAreAsked) {
  const SuiteUnit unit{"BM_A", {"BM_A/1", "BM_A/1#2", "BM_A/x#y"}};
  SuitePlan plan{.adapter = "gbench", .only = {"BM_A/1"}};
  EXPECT_EQ(command_of(plan, gbench_subject({"./b"}), {unit})[1],
            "--benchmark_filter=^(BM_A/1|BM_A/1|BM_A/x#y)$");
  plan = {.adapter = "gbench", .unit_by = "id"};
  EXPECT_EQ(command_of(plan, gbench_subject({"./b"}), {{"BM_A/1", {"BM_A/1"}}})[1],
            "--benchmark_filter=^(BM_A/1)$");
  plan = {.adapter = "gbench", .unit_by = "binary"};
  EXPECT_EQ(command_of(plan, gbench_subject({"./b"}), {unit})[1], "--benchmark_out=/r");
}

TEST(GbenchAdapter, SeveralBinariesAreUnits) {
  const SuitePlan plan{.adapter = "gbench"};
  const Subject subject = gbench_subject({"./a", "./b", "--x"});
  EXPECT_FALSE(make_gbench(plan)->abilities(subject).joins);
  EXPECT_EQ(make_gbench(plan)->listings(subject)->size(), 2u);
  const auto units = units_of(plan, subject, {"BM_1\n", "BM_1\nBM_2\n"});
  EXPECT_EQ(units, (std::vector<SuiteUnit>{{"./a", {"BM_1"}}, {"./b", {"BM_1", "BM_2"}}}));
  EXPECT_EQ(command_of(plan, subject, {units[1]}),
            (Words{"./b", "--x", "--benchmark_out=/r", "--benchmark_out_format=json"}));
  const SuitePlan by_id{.adapter = "gbench", .unit_by = "id"};
  EXPECT_FALSE(make_gbench(by_id)->listings(subject));
}

TEST(GbenchAdapter, RefusesWhatListsNothing) {
  const auto units = make_gbench({})->read_listing(gbench_subject({"./b"}), Words{"\n"});
  ASSERT_FALSE(units);
  EXPECT_EQ(units.error().what, "it lists no benchmark");
}

const char* const kTwo = R"({
  "context": {"date": "2026-11-30", "num_cpus": 2, "library_build_type": "release"},
  "benchmarks": [
    {
      "name": "BM_A/1", "run_name": "BM_A/1", "run_type": "iteration", "repetitions": 1,
      "repetition_index": 0, "threads": 1, "iterations": 100, "real_time": 5.0, "cpu_time": 4.0,
      "time_unit": "us", "entries": 6.5e4
    },
    {
      "name": "BM_A/2", "run_name": "BM_A/2", "run_type": "iteration", "repetitions": 1,
      "repetition_index": 0, "threads": 1, "iterations": 10, "real_time": 7.0, "cpu_time": 4.0,
      "time_unit": "us"
    }
  ]
})";

TEST(GbenchAdapter, ReadsWhatAProcessThatDiedHadWritten) {
  const auto adapter = make_gbench({});
  const Reading whole = adapter->read({.results = kTwo});
  ASSERT_EQ(whole.measurements.size(), 2u) << (whole.doubts.empty() ? "" : whole.doubts[0]);
  EXPECT_DOUBLE_EQ(*whole.measurements[0].value, 5e-6);
  EXPECT_EQ(whole.measurements[0].iterations, 100);
  EXPECT_EQ(whole.measurements[0].facts, (std::vector<Fact>{{"entries", 65000}}));
  const std::string text = kTwo;
  const Exit died{Ending::signalled, 11};
  const Reading cut = adapter->read({.results = text.substr(0, text.find("BM_A/2")), .exit = died});
  ASSERT_EQ(cut.measurements.size(), 1u);
  EXPECT_EQ(cut.measurements[0].id, "BM_A/1");
  // A process that ended well and left half a file is not believed silently.
  EXPECT_FALSE(adapter->read({.results = text.substr(0, text.find("BM_A/2"))}).doubts.empty());
  EXPECT_FALSE(adapter->read({}).doubts.empty());
  for (std::size_t n = 0; n < text.size(); ++n)
    EXPECT_LE(adapter->read({.results = text.substr(0, n), .exit = died}).measurements.size(), 2u);
}

}  // namespace
}  // namespace assay::suite
