// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/prove.hpp"

#include <fmt/format.h>

#include <vector>

#include "prover/base/text.hpp"
#include "prover/circuit/satisfied.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/interrupt.hpp"
#include "prover/cli/outputs.hpp"
#include "prover/cli/prove_report.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/cli/threads.hpp"

namespace prover::cli {
namespace {

Result<void> check_witness(const std::string& path, const files::Wtns& witness) {
  const auto circuit = files::R1csFile::open(path);
  if (!circuit) return fail(circuit.error());
  const auto found = circuit::first_unsatisfied(circuit->circuit(), witness);
  if (!found) return fail(found.error());
  if (!*found) return {};
  return fail(ErrorKind::usage, (*found)->to_text(), witness.sections.path(),
              "the inputs do not fit the circuit, or the witness was made with another version of "
              "it");
}

// The witness satisfies the circuit: then the key is what does not fit.
Error after_check(Error error, const std::string& circuit, const std::string& key) {
  if (error.kind != ErrorKind::self_check) return error;
  error.where = printable(key);
  error.hint = fmt::format(
      "the witness satisfies {}, so this key was made for another circuit or an older version of "
      "it, or is damaged: make it again ('snarkjs zkey verify {} POWERS.ptau {}' tells)",
      printable(circuit), printable(circuit), printable(key));
  return error;
}

}  // namespace

Result<int> run_prove(const Arguments& arguments) {
  const std::string &key_path = arguments.positionals[0], &witness_path = arguments.positionals[1];
  const auto threads = threads_of(arguments);
  if (!threads) return fail(threads.error());
  const std::span<const std::string> all = arguments.positionals;
  const auto json = arguments.value("json");
  const auto circuit = arguments.value("check-witness");
  std::vector<std::string> inputs(all.begin(), all.begin() + 2);
  std::vector<std::string> outputs(all.begin() + 2, all.end());
  if (circuit) inputs.push_back(*circuit);
  if (json && *json != "-") outputs.push_back(*json);
  const Interrupt interrupt(Interrupt::Ends::at_once);
  if (auto ok = check_outputs(inputs, outputs); !ok) return fail(ok.error());
  const auto key = files::ZkeyFile::open(key_path);
  if (!key) return fail(key.error());
  const auto witness = files::WtnsFile::open(witness_path);
  if (!witness) return fail(witness.error());
  ProveReport report = begin_report(key->key(), *threads);
  if (key->key().insecure()) warn(fmt::format("{} is INSECURE", printable(key_path)));
  if (circuit)
    if (auto ok = check_witness(*circuit, witness->witness()); !ok) return fail(ok.error());

  const auto proven = groth16::prove(key->key(), key_path, witness->witness(), witness_path,
                                     {.threads = *threads, .release = &key->file()});
  if (!proven)
    return fail(circuit ? after_check(proven.error(), *circuit, key_path) : proven.error());
  const files::Content results[] = {{all[2], files::to_json(proven->proof)},
                                    {all[3], files::to_json(proven->publics)}};
  if (auto done = files::write_files(results); !done) return fail(done.error());

  report.checked_with = circuit.value_or("");
  finish_report(report, proven->stages);
  if (json && *json != "-")
    if (auto done = files::write_file(*json, report_json(report)); !done) return fail(done.error());
  if (auto printed = print(json == "-" ? report_json(report) : report_text(report)); !printed)
    return fail(printed.error());
  return kFine;
}

}  // namespace prover::cli
