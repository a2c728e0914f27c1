// SPDX-License-Identifier: Apache-2.0
// `prover bench` on Groth16 partitions as its users see it: what it reports, how it dies of memory
// where a permit ends too early, and how a budget bounds it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "prover/base/sanitized.hpp"
#include "prover/cli/program_support.hpp"

namespace prover::cli {
namespace {

#if defined(PROVER_SANITIZED)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

class BenchProgram : public InFolder {
 protected:
  // `prover bench WHAT ...` with keys of this test's own.
  Finished bench(const std::string& what, std::vector<std::string> more,
                 rlim_t data_limit = RLIM_INFINITY) const {
    more.insert(more.begin(), {"bench", what, "--key-cache", path("keys")});
    return run({.words = more, .data_limit = data_limit});
  }
};

// The number behind `"name": ` in a report, or -1.
double number(const std::string& json, const std::string& name) {
  const std::string key = "\"" + name + "\": ";
  const std::size_t at = json.find(key);
  return at == std::string::npos ? -1 : std::strtod(json.c_str() + at + key.size(), nullptr);
}

TEST_F(BenchProgram, ProvesCircuitsOfBothCurves) {
  const struct {
    std::vector<std::string> words;
    const char* work;
  } cases[] = {
      {{"--constraints", "60"}, "dense"},
      {{"--curve", "bls12-381", "--constraints", "60", "--compiled", "off"}, "dense"},
      {{"--work", "poseidon", "--depth", "1", "--g2", "parallel"}, "poseidon"},
  };
  for (const auto& one : cases) {
    auto words = one.words;
    words.insert(words.end(), {"-c", "2", "--partitions", "3", "--assay-metrics"});
    const Finished done = bench("batch", words);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_TRUE(has(done.out, std::string("2 jobs x 3 partitions, 2 at once, ") + one.work));
    EXPECT_TRUE(has(done.out, "2 x 3 = 6 asked, 6 proved, 6 in the proofs: complete"));
    EXPECT_TRUE(has(done.out, "keys and circuits, used ")) << done.out;
    for (const char* line : {"throughput=", "proof_latency=", "partition_cpu=", "synth_cpu=",
                             "prove_cpu=", "peak_memory="})
      EXPECT_TRUE(has(done.out, std::string("\nASSAY ") + line)) << line;
  }
}

TEST_F(BenchProgram, ASingleJobShowsItsPath) {
  const Finished done = bench("single", {"--constraints", "60", "--partitions", "3"});
  EXPECT_EQ(done.status, 0) << done.err;
  for (const char* part : {"critical path", "\n  admission ", "\n  synth ", "\n  start ",
                           "\n  finish ", "\n  hand_over ", "\n  check "})
    EXPECT_TRUE(has(done.out, part)) << part << done.out;
}

TEST_F(BenchProgram, ALoopProvesTheSameWithoutTheEngine) {
  const Finished done =
      bench("loop", {"--constraints", "60", "-c", "2", "--partitions", "3", "--json", "-"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(has(done.out, "\"kind\": \"prover-bench-loop\""));
  EXPECT_EQ(number(done.out, "partitions_in_proofs"), 6);
  EXPECT_FALSE(has(done.out, "\"partition_workers\""));
}

TEST_F(BenchProgram, SynthesisAloneCountsItsPages) {
  for (const char* compiled : {"on", "off"}) {
    const Finished done = bench("synth-only", {"--constraints", "4000", "--partitions", "2",
                                               "--compiled", compiled, "--json", "-"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_TRUE(has(done.out, "\"kind\": \"prover-bench-synth-only\""));
    EXPECT_EQ(number(done.out, "vectors"), 3 * 32 * 4096);
    EXPECT_TRUE(has(done.out, "\"page_faults\"")) << done.out;
  }
}

TEST_F(BenchProgram, StagesAreThoseOfAProof) {
  const Finished done =
      bench("stages", {"--constraints", "60", "--partitions", "2", "--assay-metrics"});
  EXPECT_EQ(done.status, 0) << done.err;
  for (const char* stage : {"\nsynthesis ", "\nstart ", "\n  msm_a ", "\n  msm_h ", "\nfinish ",
                            "\n  msm_b2 ", "\ncheck ", "\nASSAY msm_b2_cpu="})
    EXPECT_TRUE(has(done.out, stage)) << stage << done.out;
}

TEST_F(BenchProgram, AKeyOfAnotherCircuitIsRefused) {
  ASSERT_EQ(circuit("dense", {"--constraints", "50"}).status, 0);
  ASSERT_EQ(run({.words = {"setup", path("c.r1cs"), path("d.zkey"), "--seed", "1"}}).status, 0);
  const Finished fits = bench(
      "batch", {"--constraints", "50", "--key", path("d.zkey"), "-c", "1", "--partitions", "1"});
  EXPECT_EQ(fits.status, 0) << fits.err;
  const Finished other = bench(
      "batch", {"--constraints", "60", "--key", path("d.zkey"), "-c", "1", "--partitions", "1"});
  EXPECT_EQ(other.status, 2) << other.err;
  EXPECT_TRUE(has(other.err, "d.zkey")) << other.err;
}

constexpr rlim_t kDataLimit = rlim_t{34} << 20;

// 30 partitions of a domain of 2^13: what a permit that ends too early piles up (43 MiB resident),
// what the same limit leaves room for when it does not (22 MiB), and what a budget does. Of
// RLIMIT_DATA, which counts the threads' stacks too, the mended engine needs less than 28 MiB, and
// the fault more than 40.
TEST_F(BenchProgram, ABudgetBoundsWhatAnEarlyPermitPilesUp) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer's own memory is beyond the limit of this test";
  const auto batch = [&](std::vector<std::string> more, rlim_t data_limit = RLIM_INFINITY) {
    more.insert(more.begin(), {"--partitions", "10", "--json", "-"});
    return bench("batch", more, data_limit);
  };
  const std::vector<std::string> early = {"-c",        "3", "--partition-workers", "6",
                                          "--channel", "1", "--permit-scope",      "synthesis"};
  const Finished unbounded = batch({"-c", "2", "--partition-workers", "12"});
  ASSERT_EQ(unbounded.status, 0) << unbounded.err;
  EXPECT_EQ(number(unbounded.out, "partitions_in_proofs"), 20);
  const double peak = number(unbounded.out, "bytes");
  ASSERT_GT(peak, 0);

  const auto budget = static_cast<std::uint64_t>(peak * 0.8);
  const Finished bounded =
      batch({"-c", "2", "--partition-workers", "12", "--memory-budget", std::to_string(budget)});
  ASSERT_EQ(bounded.status, 0) << bounded.err;
  EXPECT_EQ(number(bounded.out, "partitions_in_proofs"), 20);
  EXPECT_LE(number(bounded.out, "reserved_peak"), static_cast<double>(budget));
  EXPECT_LE(number(bounded.out, "bytes"), 1.05 * static_cast<double>(budget));

  const Finished dead = batch(early, kDataLimit);
  EXPECT_EQ(dead.status, 3) << dead.out;
  EXPECT_TRUE(has(dead.err, "out of memory: ")) << dead.err;
  EXPECT_TRUE(has(dead.err, "--permit-scope send")) << dead.err;

  const Finished alive = batch({"-c", "3", "--partition-workers", "6"}, kDataLimit);
  EXPECT_EQ(alive.status, 0) << alive.err;
  EXPECT_EQ(number(alive.out, "partitions_in_proofs"), 30);
}

}  // namespace
}  // namespace prover::cli
