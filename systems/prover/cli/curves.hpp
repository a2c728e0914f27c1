// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "prover/curve/groups.hpp"

namespace prover::cli {

// Calls `work` with the curve that the id names: with_curve(id, [&]<class C>() { ... }).
template <class Work>
auto with_curve(CurveId id, const Work& work) {
  return id == CurveId::bn254 ? work.template operator()<curve::Bn254>()
                              : work.template operator()<curve::Bls12_381>();
}

// The error with the file in front of its place.
inline Error in_file(const std::string& path, Error error) {
  error.where = error.where.empty() ? path : path + ": " + error.where;
  return error;
}

}  // namespace prover::cli
