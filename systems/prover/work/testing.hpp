// SPDX-License-Identifier: Apache-2.0
// For tests: keys of our own circuits, and the steps that the engine takes with a partition.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "prover/groth16/testing.hpp"
#include "prover/work/groth16_work.hpp"

namespace prover::work {

using groth16::Folder;

inline circuit::Request small_dense(CurveId curve, std::uint32_t constraints = 60) {
  return {.kind = circuit::Kind::dense, .curve = curve, .constraints = constraints};
}
inline circuit::Request small_poseidon(CurveId curve) {
  return {.kind = circuit::Kind::poseidon, .curve = curve, .depth = 1};
}

// Throws when a test's own material cannot be made.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().to_text());
  return std::move(*result);
}

// Writes NAME.r1cs, NAME.wtns and NAME.zkey (of the seed 1) and tells what to open.
inline CircuitSource make_key(const Folder& folder, const std::string& name,
                              const circuit::Request& request) {
  const std::string base = folder / name, r1cs = base + ".r1cs", zkey = base + ".zkey";
  must(circuit::write_circuit(request, r1cs, base + ".wtns"));
  const auto file = must(files::R1csFile::open(r1cs));
  const auto done =
      groth16::setup(file.circuit(), r1cs, zkey, {.threads = 2, .seed = 1, .progress = {}});
  if (!done) throw std::runtime_error(done.error().to_text());
  return {name, zkey, std::nullopt, request};
}

// The bytes of a file.
inline WitnessFile read_witness(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto bytes = std::as_bytes(std::span(text));
  return std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
}

// One job as the engine would take it, from its resources to the check.
class Steps {
 public:
  Steps(Groth16Work& work, std::shared_ptr<const Groth16Job> job)
      : work_(work), spec_{.partitions = job->partitions(), .input = std::move(job)} {}

  const JobSpec& spec() const { return spec_; }
  Source source(std::uint32_t partition) { return {task(partition), spec_, resources_}; }
  static Task task(std::uint32_t partition) { return {JobId{7}, partition}; }

  Result<void> load() {
    for (const ResourceNeed& need : work_.needs(spec_)) {
      auto resource = work_.load(spec_, need, {});
      if (!resource) return fail(resource.error());
      resources_.push_back(std::move(*resource));
    }
    return {};
  }
  Result<std::unique_ptr<Assignment>> synthesize(std::uint32_t partition) {
    return work_.synthesize(source(partition), {});
  }
  Result<PartProof> prove(std::uint32_t partition) {
    auto assignment = synthesize(partition);
    if (!assignment) return fail(assignment.error());
    auto device = work_.upload(source(partition), std::move(*assignment));
    if (!device) return fail(device.error());
    if (auto done = (*device)->start({}); !done) return fail(done.error());
    (*device)->free_vectors();
    return (*device)->finish({});
  }
  Result<Proof> prove_all() {
    Proof proof{JobId{7}, spec_.partitions, {}};
    for (std::uint32_t i = 0; i < spec_.partitions; ++i) {
      const auto part = prove(i);
      if (!part) return fail(part.error());
      proof.bytes.insert(proof.bytes.end(), part->bytes.begin(), part->bytes.end());
    }
    return proof;
  }
  Result<void> check(const Proof& proof) {
    const Claim claims[] = {{spec_, proof}};
    return work_.check(claims).front();
  }

 private:
  Groth16Work& work_;
  const JobSpec spec_;
  std::vector<ResourcePtr> resources_;
};

}  // namespace prover::work
