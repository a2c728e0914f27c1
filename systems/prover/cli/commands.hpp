// SPDX-License-Identifier: Apache-2.0
// What the commands do. Each returns the exit status; an Error is printed by main, which knows the
// status that stands for it (terminal.hpp).
#pragma once

#include "prover/cli/command.hpp"

namespace prover::cli {

// The rows of the commands about keys and proofs, for the table of all.
std::vector<Command> proof_commands();
// Those of the commands that measure.
std::vector<Command> bench_commands();

Result<int> run_circuit(const Arguments& arguments);  // dense, poseidon, sha256, porep
Result<int> run_setup(const Arguments& arguments);
Result<int> run_vkey(const Arguments& arguments);
Result<int> run_prove(const Arguments& arguments);
Result<int> run_verify(const Arguments& arguments);
Result<int> run_check(const Arguments& arguments);
Result<int> run_info(const Arguments& arguments);
Result<int> run_bench_batch(const Arguments& arguments);
Result<int> run_bench_single(const Arguments& arguments);
Result<int> run_bench_loop(const Arguments& arguments);
Result<int> run_bench_synth(const Arguments& arguments);  // synth-only
Result<int> run_bench_stages(const Arguments& arguments);
Result<int> run_bench_field(const Arguments& arguments);
Result<int> run_completion(const Arguments& arguments);

}  // namespace prover::cli
