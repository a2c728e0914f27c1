// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/charges.hpp"

#include <gtest/gtest.h>

#include "prover/daemon/testing.hpp"

namespace prover::daemon {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(Charges, TheProgramIsWhatIsMeasuredAndWhatItsThreadsTake) {
  Config config;
  config.limits.witness_bytes = 5 * kMiB;
  config.engine.engine.partition_workers = 4;
  config.engine.engine.prove_workers = 4;
  ResidentMemory memory([] { return 20 * kMiB + 1; });
  const FixedCharges few = fixed_charges(config, memory);
  EXPECT_EQ(few.program, 30 * kMiB);  // 20 and a byte, 8, 8 x 1/8
  EXPECT_EQ(few.total(), 35 * kMiB);
  config.engine.engine.partition_workers = 44;
  EXPECT_EQ(fixed_charges(config, memory).program, 35 * kMiB);
}

TEST(Charges, ABudgetThatLeavesNothingIsRefusedWithTheWaysOut) {
  const FixedCharges fixed{26 * kMiB, 64 * kMiB};
  EXPECT_TRUE(check_budget(std::nullopt, fixed));
  EXPECT_TRUE(check_budget(90 * kMiB + 1, fixed));
  const auto both = check_budget(90 * kMiB, fixed);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().kind, ErrorKind::too_large);
  EXPECT_EQ(
      both.error().to_text(),
      "[engine] memory-budget: the budget of 90 MiB leaves nothing for jobs: the program "
      "takes 26 MiB, [limits] witness-memory 64 MiB\n"
      "  raise [engine] memory-budget to \"91MiB\" or more, or lower [limits] witness-memory");
  // Less witness memory would not be enough.
  EXPECT_EQ(check_budget(20 * kMiB, fixed).error().hint,
            "raise [engine] memory-budget to \"91MiB\" or more");
}

// A partition of FakeWork has 100 bytes.
TEST(Charges, ACircuitThatNeverFitsIsNamedWithTheBudgetItNeeds) {
  const test::FakeCircuits circuits;
  const test::FakeWork work;
  const FixedCharges fixed{26 * kMiB, 4 * kMiB};
  EXPECT_TRUE(check_memory(30 * kMiB + 100, fixed, work, circuits));
  const auto never = check_memory(30 * kMiB + 99, fixed, work, circuits);
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().kind, ErrorKind::too_large);
  EXPECT_EQ(
      never.error().to_text(),
      "circuit 'fake': a partition needs 100 B, its key and circuit 0 B, the program 26 MiB "
      "and [limits] witness-memory 4 MiB: together more than the budget of 30 MiB\n"
      "  raise [engine] memory-budget to \"31MiB\" or more, or lower [limits] witness-memory");
}

}  // namespace
}  // namespace prover::daemon
