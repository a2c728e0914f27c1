// SPDX-License-Identifier: Apache-2.0
// What the commands of `prover bench` are told. Every field is an option of the program
// (settings.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "prover/circuit/build.hpp"
#include "prover/engine/synthetic.hpp"
#include "prover/settings/engine_table.hpp"

namespace prover::bench {

enum class Command {
  batch,   // many jobs through the engine
  single,  // one job through the engine, and its critical path
  loop,    // the same partitions one after the other, without the engine
  synth,   // synthesis alone
  stages,  // what a partition's time goes into
};

// "bench batch" and so on.
const char* command_name(Command command);

// What is proved.
struct LoadOptions {
  std::optional<circuit::Kind> circuit = circuit::Kind::dense;  // nothing: synthetic work
  CurveId curve = CurveId::bn254;
  std::optional<std::uint32_t> constraints, depth, bits, challenges;  // nothing: the circuit's own
  std::optional<std::string> key;         // .zkey; nothing: of the cache
  std::optional<std::string> key_folder;  // the cache; nothing: default_key_folder()
  std::uint64_t seed = 1;
  SyntheticOptions synthetic;  // its seed is the one above

  bool is_synthetic() const { return !circuit; }
  const char* name() const;
  // The circuit with its sizes; the default of dense and poseidon fills a domain of 2^13. Not of
  // synthetic work.
  circuit::Request request() const;
};

struct BatchOptions {
  Command command = Command::batch;
  std::uint32_t jobs = 4;
  std::optional<std::uint32_t> at_once;  // jobs in flight; nothing: all
  std::uint32_t partitions = 10;
  LoadOptions load;
  settings::EngineSettings settings;
  std::optional<std::string> timeline;  // file or "-"
  std::optional<std::string> json;      // file or "-"
  bool assay_metrics = false;

  std::uint32_t jobs_at_once() const { return at_once ? *at_once : jobs; }
};

// The defaults of a command.
BatchOptions defaults_of(Command command);

// Whether the options go together and every number is in range. Errors name the option.
Result<void> check(const BatchOptions& options);

}  // namespace prover::bench
