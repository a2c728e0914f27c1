// SPDX-License-Identifier: Apache-2.0
// `prover bench field`: what the smallest pieces of a proof cost on this machine, one thread, with
// each instruction set that it has, beside GMP where its library is installed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "prover/base/result.hpp"

namespace prover::bench {

struct MicrobenchOptions {
  double sample_s = 0.02;  // how long a sample takes, about
  unsigned samples = 9;    // of each figure, after one that does not count
  // Told what part is done, in [0, 1], and whether to go on.
  std::function<bool(double)> progress = [](double) { return true; };
};

// Nanoseconds of one operation, over samples of many independent ones.
struct Figure {
  std::string operation;  // "product", "bucket addition", "butterfly"
  std::string on;         // "bn254 Fq", "bn254 G1"
  std::string by;         // an instruction set, or "gmp"
  double best_ns = 0;
  double median_ns = 0;
};

// Products in every field (GMP: a product and its remainder, without Montgomery's form); additions
// to buckets in every group, 1024 at once, as multi-scalar multiplications do them; butterflies of
// a transform of 2^16. Errors: ErrorKind::cancelled, and too little memory.
Result<std::vector<Figure>> microbench(const MicrobenchOptions& options);

// A table: a row for each operation, a column for each instruction set, best of the samples.
std::string microbench_text(const std::vector<Figure>& figures);
// One document, kind prover-bench-field, schema_version 1, newline at its end.
std::string microbench_json(const std::vector<Figure>& figures, const MicrobenchOptions& options);

}  // namespace prover::bench
