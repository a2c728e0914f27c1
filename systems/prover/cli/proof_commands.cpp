// SPDX-License-Identifier: Apache-2.0
// The rows of the commands about keys and proofs.
#include "prover/cli/commands.hpp"

namespace prover::cli {
namespace {

const Option kThreads = {
    .name = "threads", .value = "N", .help = "threads; by default as many as there are processors"};
const Option kJsonSwitch = {.name = "json", .help = "print the result as JSON"};

}  // namespace

std::vector<Command> proof_commands() {
  const Positional key = {.name = "KEY.zkey", .help = "proving key, of snarkjs or prover setup"};
  return {
      {.name = "setup",
       .summary = "make a proving key whose trapdoor one party knew: for tests and benchmarks",
       .details = "Whoever knows the trapdoor can prove what is false, so the key is marked "
                  "INSECURE, and every command that reads it says so. Keys to rely on come from a "
                  "ceremony: snarkjs groth16 setup, snarkjs zkey contribute.",
       .positionals = {{.name = "CIRCUIT.r1cs", .help = "of circom or prover circuit"},
                       {.name = "OUT.zkey", .help = "the key to write"}},
       .options = {{.name = "seed",
                    .value = "N",
                    .help = "draw the trapdoor from a number, so that the same circuit gives the "
                            "same key and everybody knows it; otherwise from the system"},
                   kThreads},
       .examples = {{"prover setup d.r1cs d.zkey", "a key, and a warning"}},
       .run = run_setup},
      {.name = "vkey",
       .summary = "write the verification key that is in a proving key",
       .positionals = {key,
                       {.name = "VKEY.json", .help = "verification_key.json as snarkjs writes it"}},
       .examples = {{"prover vkey d.zkey vkey.json", "what verifiers need"}},
       .run = run_vkey},
      {.name = "prove",
       .summary = "prove that a witness satisfies a circuit",
       .details = "The proof is verified before it is written; a witness that does not satisfy the "
                  "circuit gives none. --check-witness finds out why.",
       .positionals = {key,
                       {.name = "WITNESS.wtns", .help = "of circom or prover circuit"},
                       {.name = "PROOF.json", .help = "the proof to write"},
                       {.name = "PUBLIC.json", .help = "the public outputs and inputs to write"}},
       .options = {kThreads,
                   {.name = "check-witness",
                    .value = "CIRCUIT.r1cs",
                    .help = "first check the witness against the circuit, and name the first "
                            "constraint that fails",
                    .offer = Offer::file},
                   {.name = "json",
                    .value = "FILE|-",
                    .help = "write what it took as JSON; - writes it instead of the text",
                    .offer = Offer::file}},
       .examples = {{"prover prove d.zkey d.wtns proof.json public.json",
                     "prints what each stage took"},
                    {"prover prove d.zkey d.wtns proof.json public.json --check-witness d.r1cs",
                     "for a witness that gives no proof"}},
       .run = run_prove},
      {.name = "verify",
       .summary = "verify a proof; exit status 1 when it is not valid",
       .positionals = {{.name = "VKEY.json", .help = "verification key"},
                       {.name = "PUBLIC.json", .help = "public outputs and inputs"},
                       {.name = "PROOF.json", .help = "proof"}},
       .options = {kJsonSwitch},
       .examples = {{"prover verify vkey.json public.json proof.json", "in snarkjs's order"}},
       .run = run_verify},
      {.name = "check",
       .summary = "check everything in a proving key: all points and coefficients, subgroups too",
       .details = "Says whether the key is well formed, not who knows its trapdoor, nor which "
                  "circuit it belongs to.",
       .positionals = {key},
       .options = {kThreads},
       .examples = {{"prover check d.zkey", "reads all of it"}},
       .run = run_check},
  };
}

}  // namespace prover::cli
