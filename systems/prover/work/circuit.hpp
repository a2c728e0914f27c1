// SPDX-License-Identifier: Apache-2.0
// A circuit that jobs can be of: its proving key, and how its partitions are synthesised. Opening
// one reads headers only, so that its size is known and jobs can be admitted; the large things (the
// key's points, the matrices) are resources, which the engine loads and evicts (groth16_work.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "prover/base/result.hpp"
#include "prover/circuit/build.hpp"
#include "prover/field/curve_id.hpp"
#include "prover/files/json.hpp"

namespace prover::work {

struct CircuitSource {
  std::string name;      // of clients and messages: [a-z0-9._-], at most 64
  std::string key_path;  // .zkey
  // Of the key file, 64 hexadecimal digits: a key that has another is refused.
  std::optional<std::string> sha256;
  // One of our own circuits: then jobs may come without witnesses, and --compiled off is possible.
  std::optional<circuit::Request> builder;
};

class Circuit {
 public:
  // Errors: a key that cannot be read, has another checksum, or does not fit the builder's circuit.
  static Result<std::shared_ptr<const Circuit>> open(const CircuitSource& source);
  ~Circuit();
  Circuit(const Circuit&) = delete;
  Circuit& operator=(const Circuit&) = delete;

  const std::string& name() const;
  const CircuitSource& source() const;
  CurveId curve() const;
  std::uint32_t wires() const;
  std::uint32_t publics() const;        // without the constant 1
  std::uint64_t domain() const;         // rows, a power of two
  std::uint64_t key_bytes() const;      // of the file
  std::uint64_t witness_bytes() const;  // of a .wtns file of this circuit
  bool is_insecure() const;             // the key's maker may have kept its trapdoor

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit Circuit(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace prover::work
