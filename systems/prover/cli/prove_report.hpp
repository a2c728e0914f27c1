// SPDX-License-Identifier: Apache-2.0
// What a proof took, for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prover/field/isa.hpp"
#include "prover/files/zkey.hpp"
#include "prover/groth16/stages.hpp"

namespace prover::cli {

struct ProveReport {
  CurveId curve = CurveId::bn254;
  std::uint32_t wires = 0, publics = 0, domain = 0, coefficients = 0;
  field::Isa isa = field::Isa::portable;
  unsigned threads = 1;
  double open_s = 0;           // from the start of the process until key and witness were mapped
  double wall_s = 0;           // from the start of the process to the report
  double cpu_s = 0;            // all threads
  std::uint64_t peak_rss = 0;  // bytes, with the key's pages
  std::string checked_with;    // the circuit that the witness was checked to satisfy, or empty
  std::vector<groth16::StageTime> stages;
};

// When key and witness are open, and when the proof is written.
ProveReport begin_report(const files::Zkey& key, unsigned threads);
void finish_report(ProveReport& report, std::vector<groth16::StageTime> stages);

std::string report_text(const ProveReport& report);
// One document, kind prover-prove, schema_version 1, newline at its end.
std::string report_json(const ProveReport& report);

}  // namespace prover::cli
