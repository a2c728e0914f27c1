// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/synthetic.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numbers>
#include <thread>
#include <utility>

namespace prover {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::chrono::milliseconds kLongestNap{20};  // until a stop is looked for
constexpr std::size_t kPartBytes = 16;

// SplitMix64's finaliser (Steele, Lea and Flood, 2014): nearby inputs, unrelated outputs.
std::uint64_t mix(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint64_t key_of(std::uint64_t seed, const Task& task, std::uint64_t purpose) {
  return mix(mix(mix(seed) ^ static_cast<std::uint64_t>(task.job)) ^
             (std::uint64_t{task.partition} << 8 | purpose));
}

// Uniform in (0, 1].
double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 1) * 0x1.0p-53; }

std::chrono::nanoseconds thread_cpu() {
  timespec now{};
  PROVER_CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0, "a thread has a CPU clock");
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Spends a service time: its CPU part by the thread's CPU clock, so that a busy machine stretches
// it as it would stretch real work, and the rest asleep.
class Service {
 public:
  Service(double ms, double cpu_fraction)
      : ms_(ms), cpu_ms_(ms * cpu_fraction), cpu_begin_(thread_cpu()) {}

  // What the thread's CPU did since the construction counts as a part of it. False when stopped.
  bool spend(const std::stop_token& stop) {
    std::uint64_t word = 1;
    while (used_ms() < cpu_ms_) {
      if (stop.stop_requested()) return false;
      for (int i = 0; i < 2000; ++i) word = word * 0x5851F42D4C957F2Du + 0x14057B7EF767814Fu;
      asm volatile("" : "+r"(word));  // the loop is not optimised away
    }
    const auto rest = Milliseconds(std::max(0.0, ms_ - std::max(cpu_ms_, used_ms())));
    const auto wake = Clock::now() + std::chrono::duration_cast<Clock::duration>(rest);
    for (auto now = Clock::now(); now < wake; now = Clock::now()) {
      if (stop.stop_requested()) return false;
      std::this_thread::sleep_until(std::min(wake, now + kLongestNap));
    }
    return !stop.stop_requested();
  }

 private:
  double used_ms() const { return Milliseconds(thread_cpu() - cpu_begin_).count(); }

  const double ms_, cpu_ms_;
  const std::chrono::nanoseconds cpu_begin_;
};

const SyntheticStage& stage_of(const SyntheticOptions& options, SyntheticStep step) {
  if (step == SyntheticStep::synth) return options.synth;
  return step == SyntheticStep::start ? options.start : options.finish;
}

Service service(const SyntheticOptions& options, SyntheticStep step, const Task& task) {
  return {service_ms(options, step, task), stage_of(options, step).cpu};
}

tl::unexpected<Error> stopped() { return fail(ErrorKind::cancelled, "the job has ended"); }

std::uint64_t vectors_mark(std::uint64_t seed, const Task& task) { return key_of(seed, task, 100); }
std::uint64_t witness_mark(std::uint64_t seed, const Task& task) { return key_of(seed, task, 101); }

std::vector<std::uint8_t> part_bytes(std::uint64_t seed, const Task& task) {
  std::vector<std::uint8_t> bytes(kPartBytes);
  const std::uint64_t words[2] = {vectors_mark(seed, task), witness_mark(seed, task)};
  std::memcpy(bytes.data(), words, kPartBytes);
  return bytes;
}

struct SyntheticAssignment final : Assignment {
  Buffer vectors, witness;
};

class SyntheticProof final : public DeviceProof {
 public:
  SyntheticProof(const SyntheticOptions& options, const Task& task,
                 std::unique_ptr<Assignment> assignment)
      : options_(options), task_(task), assignment_(std::move(assignment)) {}

  Result<void> start(const std::stop_token& stop) override {
    Service time = service(options_, SyntheticStep::start, task_);
    if (!held().vectors.holds(vectors_mark(options_.seed, task_)))
      return fail(ErrorKind::failed, "a, b, c are not those of this partition");
    if (!time.spend(stop)) return stopped();
    return {};
  }

  void free_vectors() override { held().vectors.free(); }

  Result<PartProof> finish(const std::stop_token& stop) override {
    Service time = service(options_, SyntheticStep::finish, task_);
    if (!held().witness.holds(witness_mark(options_.seed, task_)))
      return fail(ErrorKind::failed, "the witness is not that of this partition");
    if (!time.spend(stop)) return stopped();
    return PartProof{task_, part_bytes(options_.seed, task_)};
  }

 private:
  SyntheticAssignment& held() { return static_cast<SyntheticAssignment&>(*assignment_); }

  const SyntheticOptions& options_;
  const Task task_;
  std::unique_ptr<Assignment> assignment_;
};

}  // namespace

double service_ms(const SyntheticOptions& options, SyntheticStep step, const Task& task) {
  const SyntheticStage& stage = stage_of(options, step);
  const std::uint64_t key = key_of(options.seed, task, static_cast<std::uint64_t>(step) * 2);
  // Box and Muller: one standard normal from two uniforms.
  const double normal =
      std::sqrt(-2 * std::log(uniform(key))) * std::cos(2 * std::numbers::pi * uniform(mix(key)));
  const double sigma = std::sqrt(std::log1p(options.cv * options.cv));
  return stage.mean_ms * stage.factor * std::exp(sigma * normal - sigma * sigma / 2);
}

Result<std::unique_ptr<SyntheticWork>> SyntheticWork::create(const SyntheticOptions& options) {
  std::unique_ptr<SyntheticWork> work(new SyntheticWork(options));
  auto srs = Buffer::allocate(options.srs, "the SRS");
  if (!srs) return fail(srs.error());
  work->srs_ = std::move(*srs);
  work->srs_.fill(options.seed);
  return work;
}

Footprint SyntheticWork::footprint(const JobSpec&, const Task&) const {
  return {options_.vectors, options_.witness};
}

Result<std::unique_ptr<Assignment>> SyntheticWork::synthesize(const Source& source,
                                                              const std::stop_token& stop) {
  const Task& task = source.task;
  Service time = service(options_, SyntheticStep::synth, task);
  auto assignment = std::make_unique<SyntheticAssignment>();
  auto vectors = Buffer::allocate(options_.vectors, "a, b, c");
  if (!vectors) return fail(vectors.error());
  assignment->vectors = std::move(*vectors);
  auto witness = Buffer::allocate(options_.witness, "the witness");
  if (!witness) return fail(witness.error());
  assignment->witness = std::move(*witness);
  assignment->vectors.fill(vectors_mark(options_.seed, task));
  assignment->witness.fill(witness_mark(options_.seed, task));
  if (!time.spend(stop)) return stopped();
  return std::unique_ptr<Assignment>(std::move(assignment));
}

Result<std::unique_ptr<DeviceProof>> SyntheticWork::upload(const Source& source,
                                                           std::unique_ptr<Assignment> assignment) {
  return std::unique_ptr<DeviceProof>(
      std::make_unique<SyntheticProof>(options_, source.task, std::move(assignment)));
}

std::vector<Result<void>> SyntheticWork::check(std::span<const Claim> claims) {
  std::vector<Result<void>> answers;
  for (const Claim& claim : claims) answers.push_back(check_one(claim.proof));
  return answers;
}

Result<void> SyntheticWork::check_one(const Proof& proof) const {
  if (proof.bytes.size() != proof.partitions * kPartBytes)
    return fail(ErrorKind::self_check,
                fmt::format("the proof has {} bytes; {} partitions make {}", proof.bytes.size(),
                            proof.partitions, proof.partitions * kPartBytes));
  for (std::uint32_t i = 0; i < proof.partitions; ++i) {
    const auto expected = part_bytes(options_.seed, {proof.job, i});
    if (!std::equal(expected.begin(), expected.end(),
                    proof.bytes.begin() + static_cast<std::ptrdiff_t>(i * kPartBytes)))
      return fail(ErrorKind::self_check, fmt::format("partition {} is not a proof of this job", i));
  }
  return {};
}

}  // namespace prover
