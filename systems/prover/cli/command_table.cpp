// SPDX-License-Identifier: Apache-2.0
// Every command and every option, once; those about proofs are in proof_commands.cpp, those that
// measure in bench_commands.cpp.
#include "prover/cli/command.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/daemon_commands.hpp"

namespace prover::cli {
namespace {

const Option kJsonSwitch = {.name = "json", .help = "print the result as JSON"};

std::vector<Option> circuit_options(std::vector<Option> own) {
  std::vector<Option> all = {{.name = "curve",
                              .value = "CURVE",
                              .help = "whose scalar field the circuit is over: bn254, bls12-381",
                              .fallback = "bn254",
                              .choices = {"bn254", "bls12-381"}}};
  all.insert(all.end(), own.begin(), own.end());
  const std::vector<Option> rest = {
      {.name = "r1cs", .value = "FILE", .help = "write the circuit", .offer = Offer::file},
      {.name = "wtns", .value = "FILE", .help = "write its witness", .offer = Offer::file},
      {.name = "seed",
       .value = "N",
       .help = "of the inputs; the same seed, the same witness",
       .fallback = "1"},
      kJsonSwitch};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

const Option kConstraints = {.name = "constraints", .value = "N", .fallback = "65534"};

Option constraints(std::string_view help) {
  Option option = kConstraints;
  option.help = help;
  return option;
}

std::vector<Command> circuit_commands() {
  return {
      {.name = "circuit dense",
       .summary = "a chain x -> x^2 + x + 7, in which every wire is a full-size number",
       .details = "Statement: I know an x that becomes the public number after so many steps. A "
                  "domain of 2^k holds 2^k - 2 constraints.",
       .options = circuit_options({constraints("steps, and constraints")}),
       .examples = {{"prover circuit dense --constraints 262142 --r1cs d.r1cs --wtns d.wtns",
                     "fills a domain of 2^18"}},
       .run = run_circuit},
      {.name = "circuit poseidon",
       .summary = "a Merkle path of Poseidon hashes (x^5, width 3; circomlib's on BN254)",
       .details = "Statement: I know a leaf and a path from it to the public root. A level has 242 "
                  "constraints; there are as many levels as fit --constraints, unless --depth says "
                  "how many.",
       .options = circuit_options({constraints("at most so many"),
                                   {.name = "depth", .value = "N", .help = "levels of the path"}}),
       .examples = {{"prover circuit poseidon --depth 268 --r1cs p.r1cs --wtns p.wtns",
                     "268 hashes, in a domain of 2^16"}},
       .run = run_circuit},
      {.name = "circuit sha256",
       .summary = "SHA-256 of a message, with circomlib's shape: about 30000 constraints a block",
       .details = "Statement: I know a message with this digest; the digest's 256 bits are public.",
       .options = circuit_options({{.name = "bits",
                                    .value = "N",
                                    .help = "of the message, before padding",
                                    .fallback = "512"}}),
       .examples = {{"prover circuit sha256 --bits 3584 --r1cs s.r1cs --wtns s.wtns",
                     "eight blocks, in a domain of 2^18"}},
       .run = run_circuit},
      {.name = "circuit porep",
       .summary = "a scaled proof of replication: SHA-256 labels and Poseidon Merkle paths",
       .details = "Statement: for each challenged node of a sector I know its label, the labels of "
                  "its two parents and its data, and they lie under the public roots. One circuit "
                  "for all partitions; each has its own witness. It is no Filecoin circuit: "
                  "systems/prover/circuit/porep.hpp says precisely what it states.",
       .options = circuit_options(
           {{.name = "depth", .value = "N", .help = "the sector has 2^N nodes", .fallback = "10"},
            {.name = "challenges", .value = "N", .help = "of each partition", .fallback = "1"},
            {.name = "partition",
             .value = "N",
             .help = "whose witness is written, counted from 0",
             .fallback = "0"}}),
       .examples = {{"prover circuit porep --partition 3 --wtns w3.wtns",
                     "the witness of the fourth partition"}},
       .run = run_circuit},
  };
}

Command info_command() {
  return {.name = "info",
          .summary = "say what a file is: key, witness, circuit, proof, publics, verification key",
          .positionals = {{.name = "FILE", .help = "what it is is told by its content"}},
          .options = {kJsonSwitch},
          .examples = {{"prover info d.zkey", "curve, wires, publics, domain, sections"}},
          .run = run_info};
}

Command completion_command() {
  return {.name = "completion",
          .summary = "print a script that completes prover's words in a shell",
          .positionals = {{.name = "SHELL",
                           .help = "bash, zsh or fish",
                           .offer = Offer::nothing,
                           .choices = {"bash", "zsh", "fish"}}},
          .examples = {{"source <(prover completion bash)", "for this shell"}},
          .run = run_completion};
}

std::vector<Command> all_commands() {
  std::vector<Command> all = circuit_commands();
  for (Command& command : proof_commands()) all.push_back(std::move(command));
  all.push_back(info_command());
  for (Command& command : bench_commands()) all.push_back(std::move(command));
  for (Command& command : daemon_commands()) all.push_back(std::move(command));
  all.push_back(completion_command());
  return all;
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> all = all_commands();
  return all;
}

}  // namespace prover::cli
