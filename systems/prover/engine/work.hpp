// SPDX-License-Identifier: Apache-2.0
// The two seams of the engine. Work is what the CPU does to a partition before the device and to a
// proof after it; Device is what the prove workers call, split as a GPU needs it. Both are called
// from many threads at once unless said otherwise, and report failure by Result: an Error of the
// kind out_of_memory ends the engine, every other kind ends its job alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "prover/base/result.hpp"

namespace prover {

// Rises from 1 and is never used twice in the life of an engine.
enum class JobId : std::uint64_t {};

using TimePoint = std::chrono::steady_clock::time_point;

// What a job's partitions are made from (circuit, witnesses). The engine passes it on unread.
class JobInput {
 public:
  virtual ~JobInput() = default;
};

struct JobSpec {
  std::uint32_t partitions = 1;
  std::shared_ptr<const JobInput> input = {};  // as Work wants it; null where it wants none
  std::int32_t priority = 0;                   // larger first, with Order::priority
  std::optional<TimePoint> deadline = {};      // then it fails: ErrorKind::deadline
};

// Something large that the partitions of many jobs share: a proving key (SRS), a compiled circuit.
// Destroying it frees its memory.
class Resource {
 public:
  virtual ~Resource() = default;
};
using ResourcePtr = std::shared_ptr<const Resource>;

struct ResourceNeed {
  std::string name;         // equal names are one resource
  std::uint64_t bytes = 0;  // charged to the budget while it is loaded: what it holds at most
};

// One partition of one job.
struct Task {
  JobId job{};
  std::uint32_t partition = 0;
  bool operator==(const Task&) const = default;
};

// What a partition is synthesised and proved from.
struct Source {
  Task task;
  const JobSpec& spec;
  std::span<const ResourcePtr> resources;  // those of Work::needs, in that order; all loaded
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

// A finished proof and the job that it must be one of.
struct Claim {
  const JobSpec& spec;
  const Proof& proof;
};

class Work {
 public:
  virtual ~Work() = default;
  // The resources that each partition of a job needs from its synthesis to its end. Cheap.
  virtual std::vector<ResourceNeed> needs(const JobSpec&) const { return {}; }
  // Loads one of needs(spec). Called by one thread at a time.
  virtual Result<ResourcePtr> load(const JobSpec& spec, const ResourceNeed& need,
                                   const std::stop_token& stop);
  // What a partition will hold at most, resources apart; asked before anything is reserved. Cheap.
  virtual Footprint footprint(const JobSpec& spec, const Task& task) const = 0;
  // May give up early, with any Error, once `stop` is requested: the job's own error stands
  // already.
  virtual Result<std::unique_ptr<Assignment>> synthesize(const Source& source,
                                                         const std::stop_token& stop) = 0;
  // The self-check, one answer for each claim: whether the proof is one of its job. Nothing
  // unchecked is ever handed out. Several claims at once (a batch) may share what that costs.
  virtual std::vector<Result<void>> check(std::span<const Claim> claims) = 0;
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
  virtual Result<std::unique_ptr<DeviceProof>> upload(const Source& source,
                                                      std::unique_ptr<Assignment> assignment) = 0;
};

}  // namespace prover
