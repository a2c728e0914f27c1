// SPDX-License-Identifier: Apache-2.0
// The two seams of the engine. Work is what the CPU does to a partition before the device and to a
// proof after it; Device is what the prove workers call, split as a GPU needs it. Both are called
// from many threads at once unless said otherwise, and report failure by Result: an Error of the
// kind out_of_memory ends the engine, every other kind ends its job alone.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "prover/base/result.hpp"

namespace prover {

// Rises from 1 and is never used twice in the life of an engine.
enum class JobId : std::uint64_t {};

struct JobSpec {
  std::uint32_t partitions = 1;
};

// One partition of one job.
struct Task {
  JobId job{};
  std::uint32_t partition = 0;
  bool operator==(const Task&) const = default;
};

// Bytes that a partition holds between the start of its synthesis and the end of its proving.
struct Footprint {
  std::uint64_t vectors = 0;  // a, b, c: not needed after Device start
  std::uint64_t rest = 0;     // the witness and what finish needs
  std::uint64_t total() const { return vectors + rest; }
};

// A synthesised partition: a, b, c and the witness. Destroying it frees its memory.
class Assignment {
 public:
  virtual ~Assignment() = default;
};

// The proof of one partition, with the task it was made from.
struct PartProof {
  Task task;
  std::vector<std::uint8_t> bytes;
};

// The proofs of a job's partitions 0..k-1, one behind the other.
struct Proof {
  JobId job{};
  std::uint32_t partitions = 0;
  std::vector<std::uint8_t> bytes;
};

class Work {
 public:
  virtual ~Work() = default;
  // What synthesize(task) will hold at most; asked before anything is reserved. Cheap.
  virtual Footprint footprint(const Task& task) const = 0;
  // May give up early, with any Error, once `stop` is requested: the job's own error stands
  // already.
  virtual Result<std::unique_ptr<Assignment>> synthesize(const Task& task,
                                                         const std::stop_token& stop) = 0;
  // The self-check: whether the proof is one of this job. Nothing unchecked is ever handed out.
  virtual Result<void> check(const Proof& proof) = 0;
};

// One partition on the device. Called from one thread, in the order of the declarations; the
// destructor frees whatever is left, on the device and here.
class DeviceProof {
 public:
  virtual ~DeviceProof() = default;
  // NTTs and the MSMs over a, b, c. The engine holds the device lock: one start at a time.
  virtual Result<void> start(const std::stop_token& stop) = 0;
  // Gives a, b, c back (Footprint::vectors). Left out with --early-free off.
  virtual void free_vectors() = 0;
  // The rest (G2 MSM, blinding, assembly of the partition's proof); beside other starts.
  virtual Result<PartProof> finish(const std::stop_token& stop) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  // Takes the assignment over and brings it to where start needs it; beside other partitions'
  // starts.
  virtual Result<std::unique_ptr<DeviceProof>> upload(const Task& task,
                                                      std::unique_ptr<Assignment> assignment) = 0;
};

}  // namespace prover
