// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/loop.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "prover/bench/report.hpp"

namespace prover::bench {
namespace {

BatchOptions quick() {
  BatchOptions options;
  options.command = Command::loop;
  options.load.circuit.reset();
  options.jobs = 3;
  options.partitions = 4;
  options.load.synthetic.synth.mean_ms = 0;
  options.load.synthetic.start.mean_ms = 0;
  options.load.synthetic.finish.mean_ms = 0;
  options.load.synthetic.vectors = 64 << 10;
  options.load.synthetic.srs = 0;
  return options;
}

Result<BatchResult> run(const BatchOptions& options, const StopRequests& stops) {
  ResidentMemory resident;
  const auto load = Load::open(options.load, options.settings.work);
  if (!load) return fail(load.error());
  return run_loop(options, **load, resident, stops);
}

TEST(Loop, ProvesAllAndMetersEachCall) {
  const BatchOptions options = quick();
  const StopRequests stops;
  const auto result = run(options, stops);
  ASSERT_TRUE(result) << result.error().to_text();
  EXPECT_TRUE(counts_of(options, *result).complete());
  EXPECT_EQ(result->engine.jobs_done, 3u);
  EXPECT_GT(result->peak.bytes, 0u);
  const auto calls = [&](Step step) { return result->cpus[static_cast<std::size_t>(step)].calls; };
  for (const Step step : {Step::synth, Step::upload, Step::start, Step::finish})
    EXPECT_EQ(calls(step), 12u);
  EXPECT_EQ(calls(Step::check), 3u);
  EXPECT_EQ(calls(Step::load), 0u) << "synthetic work needs nothing";
}

TEST(Loop, StopsAfterTheJobAtHand) {
  StopRequests stops;
  stops.request(SIGTERM);
  const auto result = run(quick(), stops);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->submitted, 0u);
  EXPECT_EQ(result->signal_number, SIGTERM);
}

}  // namespace
}  // namespace prover::bench
