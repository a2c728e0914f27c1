// SPDX-License-Identifier: Apache-2.0
// Synthesis by a circuit's builder: the witness alone, or with it the rows of A, B and C times the
// witness, each constraint's linear combinations built, evaluated and forgotten. What it costs
// beside the values is in the options.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "prover/base/pages.hpp"
#include "prover/circuit/build.hpp"
#include "prover/field/params.hpp"

namespace prover::circuit {

struct SynthesisOptions {
  bool recycle = true;             // linear combinations keep their memory from one to the next
  std::uint32_t inline_terms = 0;  // that a linear combination holds inside itself: 0, 1, 2 or 4
  bool presize = true;             // vectors get their size beforehand, or grow
};

template <class F>
struct Sector;

// What the partitions of one request share.
template <class Fr>
using SharedSector = std::shared_ptr<const Sector<Fr>>;
// Null where the circuit has none.
template <class Fr>
SharedSector<Fr> sector_for(const Request& request);

// Values of wires, as the limbs of their Montgomery form: in place they become plain.
template <class Fr>
using WireValues = Pages<typename Fr::Plain>;

// All wires in the order of files. `size`: of the request's circuit. `sector`
// may be null. Errors: ErrorKind::cancelled, once `stop` is requested.
template <class Fr>
Result<WireValues<Fr>> build_witness(const Request& request, const Size& size,
                                     const SharedSector<Fr>& sector,
                                     const SynthesisOptions& options, const std::stop_token& stop);

template <class Fr>
struct Evaluated {
  WireValues<Fr> witness;
  Pages<Fr> a, b, c;  // on every row of the domain: constraints, then the publics in A, then zeros
};
template <class Fr>
Result<Evaluated<Fr>> build_rows(const Request& request, const Size& size, std::uint64_t domain,
                                 const SharedSector<Fr>& sector, const SynthesisOptions& options,
                                 const std::stop_token& stop);

}  // namespace prover::circuit
