// SPDX-License-Identifier: Apache-2.0
// Groth16 behind the engine's seams: a partition is a proof of one circuit from one witness. The
// resources are the proving key ("key NAME": its points, checked once when they are loaded) and,
// with Settings::compiled, the matrices ("matrices NAME").
//
//   synthesize  the witness (given, or from the builder) and a, b, c
//   start       c's sums: NTTs and the sums over H, C, A and B in G1
//   finish      the sum over B in G2, blinding, assembly
//   check       all partitions of all claims in one equation for each circuit
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "prover/engine/work.hpp"
#include "prover/work/circuit.hpp"
#include "prover/work/settings.hpp"

namespace prover::work {

// The bytes of a .wtns file.
using WitnessFile = std::shared_ptr<const std::vector<std::byte>>;

// A job of a circuit: with one witness for each partition, or with none, and then each partition's
// is made by the circuit's builder from the seed (porep: partition i of the sector `seed`; others:
// seed + i).
class Groth16Job final : public JobInput {
 public:
  // Errors: no builder where one is needed; a witness of another circuit or a broken one, by its
  // number (headers and sizes only; values are checked when they are used).
  static Result<std::shared_ptr<const Groth16Job>> from_witnesses(
      std::shared_ptr<const Circuit> circuit, std::vector<WitnessFile> witnesses);
  static Result<std::shared_ptr<const Groth16Job>> from_seed(std::shared_ptr<const Circuit> circuit,
                                                             std::uint64_t seed,
                                                             std::uint32_t partitions);
  // Without partitions: it only names what jobs of the circuit need loaded (Engine::preload).
  static std::shared_ptr<const Groth16Job> of_circuit(std::shared_ptr<const Circuit> circuit);

  const Circuit& circuit() const { return *circuit_; }
  const std::vector<WitnessFile>& witnesses() const { return witnesses_; }
  std::uint64_t seed() const { return seed_; }
  std::uint32_t partitions() const { return partitions_; }

  // What its partitions were found to be while they were synthesised (job_state.hpp).
  struct Made;
  Made& made() const { return *made_; }

 private:
  Groth16Job();
  std::shared_ptr<const Circuit> circuit_;
  std::vector<WitnessFile> witnesses_;
  std::uint64_t seed_ = 0;
  std::uint32_t partitions_ = 0;
  std::shared_ptr<Made> made_;
};

// proof.json and public.json of a partition, as snarkjs writes them.
struct PartitionJson {
  std::string proof, publics;
};
// What a Proof of the engine holds, by partition. Errors: bytes that are no proof of this job.
Result<std::vector<PartitionJson>> to_json(const Groth16Job& job, const Proof& proof);

class Groth16Work final : public Work, public Device {
 public:
  // Errors: settings out of range.
  static Result<std::unique_ptr<Groth16Work>> create(const Settings& settings);
  ~Groth16Work() override;

  std::vector<ResourceNeed> needs(const JobSpec& spec) const override;
  Result<ResourcePtr> load(const JobSpec& spec, const ResourceNeed& need,
                           const std::stop_token& stop) override;
  Footprint footprint(const JobSpec& spec, const Task& task) const override;
  Result<std::unique_ptr<Assignment>> synthesize(const Source& source,
                                                 const std::stop_token& stop) override;
  Result<std::unique_ptr<DeviceProof>> upload(const Source& source,
                                              std::unique_ptr<Assignment> assignment) override;
  std::vector<Result<void>> check(std::span<const Claim> claims) override;

 private:
  explicit Groth16Work(const Settings& settings);
  const Settings settings_;
};

}  // namespace prover::work
