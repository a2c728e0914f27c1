// SPDX-License-Identifier: Apache-2.0
// Which instructions the arithmetic uses. Chosen once, by what the processor has, or by PROVER_ISA.
#pragma once

#include <optional>
#include <string_view>

#include "prover/base/result.hpp"

namespace prover::field {

// Each includes the ones before it.
enum class Isa { portable, adx, ifma };

constexpr std::string_view isa_name(Isa isa) {
  return isa == Isa::portable ? "portable" : isa == Isa::adx ? "adx" : "ifma";
}

// The best that this processor and its operating system can run.
Isa best_isa();
inline bool has_adx() { return best_isa() >= Isa::adx; }
inline bool has_ifma() { return best_isa() >= Isa::ifma; }

// What PROVER_ISA asks for, or the best. Errors: an unknown name, or one that this processor lacks.
Result<Isa> isa_from_environment();

// The instructions in use: those of use_isa, else of isa_from_environment, else (it failed) the
// best.
Isa current_isa();
// For tests and benchmarks: kernels that are looked up from now on are those of `isa`. `isa` must
// not be above best_isa().
void use_isa(Isa isa);

}  // namespace prover::field

// Before a function that uses AVX-512 IFMA. Such functions call only each other (and intrinsics):
// without file-wide flags, nothing else is compiled for these instructions.
#define PROVER_TARGET_IFMA \
  __attribute__((target("avx2,avx512f,avx512dq,avx512vl,avx512bw,avx512ifma,bmi2")))
