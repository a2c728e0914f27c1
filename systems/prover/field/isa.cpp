// SPDX-License-Identifier: Apache-2.0
#include "prover/field/isa.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include "prover/base/text.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace prover::field {
namespace {

Isa detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return Isa::portable;
  constexpr unsigned kAdx = 1u << 19, kBmi2 = 1u << 8;
  if ((b & kAdx) == 0 || (b & kBmi2) == 0) return Isa::portable;
  // These also ask the operating system whether it keeps the wide registers.
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512ifma");
  return wide ? Isa::ifma : Isa::adx;
#else
  return Isa::portable;
#endif
}

std::atomic<int> chosen = -1;

}  // namespace

Isa best_isa() {
  static const Isa best = detect();
  return best;
}

Result<Isa> isa_from_environment() {
  const char* text = std::getenv("PROVER_ISA");
  if (text == nullptr || *text == '\0') return best_isa();
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma}) {
    if (isa_name(isa) != text) continue;
    if (isa > best_isa())
      return fail(ErrorKind::usage, fmt::format("this processor has no {}", isa_name(isa)),
                  "PROVER_ISA",
                  fmt::format("it can run {} and what is simpler", isa_name(best_isa())));
    return isa;
  }
  return fail(ErrorKind::usage, fmt::format("'{}' is no instruction set", printable(text)),
              "PROVER_ISA", "it is one of portable, adx, ifma");
}

Isa current_isa() {
  const int set = chosen.load(std::memory_order_relaxed);
  if (set >= 0) return static_cast<Isa>(set);
  static const Isa asked = [] {
    const auto isa = isa_from_environment();
    return isa ? *isa : best_isa();
  }();
  return asked;
}

void use_isa(Isa isa) {
  PROVER_CHECK(isa <= best_isa(), "the processor lacks these instructions");
  chosen.store(static_cast<int>(isa), std::memory_order_relaxed);
}

}  // namespace prover::field
