// SPDX-License-Identifier: Apache-2.0
// Jobs as clients see them: what is asked for, how far it is, how it ended. Ids are the daemon's
// own and outlive it; the engine's numbers do not.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prover/base/result.hpp"
#include "prover/engine/engine.hpp"
#include "prover/work/groth16_work.hpp"

namespace prover::daemon {

// Milliseconds since 1970, as in the journal.
using UnixMs = std::int64_t;

struct JobRequest {
  std::string circuit;
  std::vector<work::WitnessFile> witnesses;  // one a partition; or none, and then:
  std::optional<std::uint64_t> seed;
  std::uint32_t partitions = 1;
  std::int32_t priority = 0;
  std::optional<std::chrono::milliseconds> deadline;  // from now
  std::string client;      // who asks, for the limit of each; at most 64 printable characters
  std::string request_id;  // the client's own name of the job, or empty
};

enum class JobState { pending, done, failed, cancelled };
const char* state_name(JobState state);

// How a job ended: with the answers of its partitions in order, or with the error.
struct JobEnd {
  JobState state = JobState::done;
  std::optional<Error> error;
  std::vector<work::PartitionJson> answers;
};

struct JobStatus {
  std::string id, client, request_id, circuit;
  std::uint32_t partitions = 0;
  std::int32_t priority = 0;
  JobState state = JobState::pending;
  std::string error;  // of one that failed
  UnixMs submitted = 0, ended = 0;
};

struct CircuitStatus {
  std::string name, curve;
  std::uint64_t domain = 0, key_bytes = 0;
  bool insecure = false;
  bool builder = false;
};

struct DaemonStatus {
  bool draining = false;
  UnixMs started = 0, now = 0;
  std::uint64_t pending = 0, kept = 0;  // jobs now: not done, and ended ones that can be awaited
  // Since the start.
  std::uint64_t submitted = 0, done = 0, failed = 0, cancelled = 0, refused = 0;
  double job_seconds = 0;  // from submission to the end, of done ones
  std::uint64_t witness_bytes = 0, unsaved = 0;
  std::uint64_t resident = 0;  // measured, of this process
  std::optional<std::uint64_t> budget;
  Snapshot engine;
  std::vector<CircuitStatus> circuits;
  std::vector<CachedResource> loaded;  // keys and matrices in memory
};

// The circuits that the daemon proves for.
class Circuits {
 public:
  virtual ~Circuits() = default;
  // The engine's job. Errors: no such circuit, with the nearest name; witnesses that do not fit.
  virtual Result<JobSpec> spec_of(const JobRequest& request) const = 0;
  // A job of the circuit that only says which resources it needs.
  virtual Result<JobSpec> resources_of(const std::string& circuit) const = 0;
  virtual Result<std::vector<work::PartitionJson>> answers(const JobSpec& spec,
                                                           const Proof& proof) const = 0;
  virtual std::vector<CircuitStatus> list() const = 0;
};

}  // namespace prover::daemon
