// SPDX-License-Identifier: Apache-2.0
#include "report/suite_run.hpp"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

std::string run_text(const std::vector<double>& memories) {
  Record record;
  record.plan.kind = PlanKind::suite_run;
  record.plan.suite = SuitePlan{.adapter = "go"};
  Conclusion conclusion;
  conclusion.suite_run = SuiteRunFinding{.rounds = 1};
  for (std::uint32_t u = 0; u < memories.size(); ++u) {
    record.plan.suite->units.push_back({std::string(1, static_cast<char>('a' + u)), {}});
    conclusion.suite_run->units.push_back({.unit = u, .runs = 1, .peak_memory = memories[u]});
  }
  return suite_run_text(record, conclusion, {.width = 0}).out;
}

// The go tool takes 59 MiB, whatever the function.
TEST(SuiteRunText, MemoryThatAllUnitsShareIsOfNone) {
  const double mib = 1 << 20;
  const std::string same = run_text({59 * mib, 58.5 * mib, 58 * mib});
  EXPECT_NE(same.find("Peak memory (largest process): about 59.0 MiB for every unit"),
            std::string::npos)
      << same;
  const std::string one = run_text({59 * mib, 58.5 * mib, 40 * mib});
  EXPECT_NE(one.find("Peak memory (largest process): a 59.0 MiB, b 58.5 MiB, c 40.0 MiB."),
            std::string::npos)
      << one;
}

TEST(SuiteRunText, ASuiteWithoutAnyBenchmarkIsNotFine) {
  EXPECT_TRUE(
      run_text({1, 2}).starts_with("0 benchmarks in 2 units, 1 round: no unit gave a "
                                   "benchmark."))
      << run_text({1, 2});
}

}  // namespace
}  // namespace assay::report
