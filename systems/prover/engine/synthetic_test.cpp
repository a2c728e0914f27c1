// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/synthetic.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace prover {
namespace {

SyntheticOptions quick() {
  SyntheticOptions options;
  options.synth.mean_ms = options.start.mean_ms = options.finish.mean_ms = 0;
  options.vectors = 64 << 10;
  options.witness = 32 << 10;
  options.srs = 16 << 10;
  return options;
}

const JobSpec kSpec;

TEST(Synthetic, ServiceTimesDependOnSeedTaskAndStageAlone) {
  SyntheticOptions options;
  const Task task{JobId{3}, 4};
  const double time = service_ms(options, SyntheticStep::synth, task);
  EXPECT_EQ(service_ms(options, SyntheticStep::synth, task), time);
  EXPECT_NE(service_ms(options, SyntheticStep::synth, {JobId{3}, 5}), time);
  EXPECT_NE(service_ms(options, SyntheticStep::synth, {JobId{4}, 4}), time);
  options.seed = 2;
  EXPECT_NE(service_ms(options, SyntheticStep::synth, task), time);
}

TEST(Synthetic, ServiceTimesHaveTheMeanAndTheVariationThatWereAsked) {
  SyntheticOptions options;
  options.cv = 0.25;
  options.start.mean_ms = 40;
  double sum = 0, squares = 0;
  constexpr int kDraws = 20000;
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    const double time = service_ms(options, SyntheticStep::start, {JobId{1 + i / 10}, i % 10});
    sum += time;
    squares += time * time;
  }
  const double mean = sum / kDraws, deviation = std::sqrt(squares / kDraws - mean * mean);
  EXPECT_NEAR(mean, 40, 0.4);  // 5 standard errors
  EXPECT_NEAR(deviation / mean, 0.25, 0.01);
}

TEST(Synthetic, WithoutVariationEveryTimeIsTheMeanAndInjectionScalesIt) {
  SyntheticOptions options;
  options.cv = 0;
  options.finish = {.mean_ms = 10, .cpu = 0, .factor = 1.2};
  EXPECT_NEAR(service_ms(options, SyntheticStep::finish, {JobId{1}, 1}), 12, 1e-9);
  options.cv = 0.3;
  const double slow = service_ms(options, SyntheticStep::finish, {JobId{1}, 1});
  options.finish.factor = 1;
  EXPECT_NEAR(slow / service_ms(options, SyntheticStep::finish, {JobId{1}, 1}), 1.2, 1e-9);
}

TEST(Synthetic, ProvesItsOwnPartitionsAndNoOthers) {
  auto work = SyntheticWork::create(quick());
  ASSERT_TRUE(work);
  const auto prove = [&](const Task& synthesised, const Task& proved) -> Result<PartProof> {
    auto assignment = (*work)->synthesize({synthesised, kSpec, {}}, {});
    if (!assignment) return fail(assignment.error());
    auto device = (*work)->upload({proved, kSpec, {}}, std::move(*assignment));
    if (!device) return fail(device.error());
    if (auto started = (*device)->start({}); !started) return fail(started.error());
    (*device)->free_vectors();
    return (*device)->finish({});
  };
  const auto holds = [&](const Proof& proof) {
    const Claim claim{kSpec, proof};
    return (*work)->check(std::span(&claim, 1)).at(0).has_value();
  };
  Proof proof{JobId{1}, 2, {}};
  for (std::uint32_t i = 0; i < 2; ++i) {
    auto part = prove({JobId{1}, i}, {JobId{1}, i});
    ASSERT_TRUE(part);
    EXPECT_EQ(part->task, (Task{JobId{1}, i}));
    proof.bytes.insert(proof.bytes.end(), part->bytes.begin(), part->bytes.end());
  }
  EXPECT_TRUE(holds(proof));
  EXPECT_FALSE(prove({JobId{1}, 0}, {JobId{1}, 1})) << "the memory is another partition's";

  Proof swapped = proof;
  std::rotate(swapped.bytes.begin(), swapped.bytes.begin() + 16, swapped.bytes.end());
  EXPECT_FALSE(holds(swapped));
  Proof other = proof;
  other.job = JobId{2};
  EXPECT_FALSE(holds(other));
  Proof shorter = proof;
  shorter.bytes.pop_back();
  EXPECT_FALSE(holds(shorter));
}

TEST(Synthetic, AStopEndsALongServiceAtOnce) {
  SyntheticOptions options = quick();
  options.synth.mean_ms = 1e9;
  for (const double cpu : {0.0, 1.0}) {
    options.synth.cpu = cpu;
    auto work = SyntheticWork::create(options);
    ASSERT_TRUE(work);
    std::stop_source stop;
    stop.request_stop();
    const auto made = (*work)->synthesize({{JobId{1}, 0}, kSpec, {}}, stop.get_token());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::cancelled);
  }
}

TEST(Synthetic, MemoryThatIsNotThereIsAnError) {
  SyntheticOptions options = quick();
  options.srs = std::uint64_t{1} << 60;
  const auto none = SyntheticWork::create(options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::out_of_memory);
  options = quick();
  options.witness = std::uint64_t{1} << 60;
  auto work = SyntheticWork::create(options);
  ASSERT_TRUE(work);
  const auto made = (*work)->synthesize({{JobId{1}, 0}, kSpec, {}}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::out_of_memory);
}

}  // namespace
}  // namespace prover
