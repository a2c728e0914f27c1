// SPDX-License-Identifier: Apache-2.0
// Montgomery multiplication of 4 and 6 limbs with MULX, ADCX and ADOX: two carry chains at once,
// one through the low halves of the products and one through the high ones. Same rows as
// montgomery.hpp. Inline assembly needs no compiler flags, so nothing here leaks into code for
// other processors; call it only where has_adx() (isa.hpp) holds.
#pragma once

#if defined(__x86_64__)

#include "prover/field/montgomery.hpp"

namespace prover::field {

// One term: T0 += low(rdx * [S + O]) on the first chain, T1 += high on the second.
#define PROVER_TERM(S, O, T0, T1) \
  "mulx " #O "(" S                \
  "), %%rax, %%r15\n\t"           \
  "adcx %%rax, " T0               \
  "\n\t"                          \
  "adox %%r15, " T1 "\n\t"

// t += a b_i, then t += m p; the word that became zero is the top one of the next row. The last
// term's carry goes to the top word, which cannot overflow.
#define PROVER_ROW_4(O, T0, T1, T2, T3, T4) \
  "movq " #O "(%[b]), %%rdx\n\t"                                                  \
  "xorl %%eax, %%eax\n\t"                                                         \
  PROVER_TERM("%[a]", 0, T0, T1) PROVER_TERM("%[a]", 8, T1, T2)                   \
  PROVER_TERM("%[a]", 16, T2, T3) PROVER_TERM("%[a]", 24, T3, T4)                 \
  "movl $0, %%eax\n\t"                                                            \
  "adcx %%rax, " T4 "\n\t"                                                        \
  "movq %[inverse], %%rdx\n\t"                                                    \
  "imulq " T0 ", %%rdx\n\t"                                                       \
  "xorl %%eax, %%eax\n\t"                                                         \
  PROVER_TERM("%[p]", 0, T0, T1) PROVER_TERM("%[p]", 8, T1, T2)                   \
  PROVER_TERM("%[p]", 16, T2, T3) PROVER_TERM("%[p]", 24, T3, T4)                 \
  "movl $0, %%eax\n\t"                                                            \
  "adcx %%rax, " T4 "\n\t"

// The same of [p + O]. Six limbs leave GCC no register for the address of p, so it is a place in
// memory; Clang, which takes no sum of a number and such a place, finds one.
#ifdef __clang__
#define PROVER_AT_P(O) #O "(%[p])"
#define PROVER_PLACE(constants) "r"(&constants)
#else
#define PROVER_AT_P(O) #O "+%[p]"
#define PROVER_PLACE(constants) "m"(constants)
#endif
#define PROVER_TERM_OF_P(O, T0, T1) \
  "mulx " PROVER_AT_P(O)            \
  ", %%rax, %%r15\n\t"              \
  "adcx %%rax, " T0                 \
  "\n\t"                            \
  "adox %%r15, " T1 "\n\t"

#define PROVER_ROW_6(O, T0, T1, T2, T3, T4, T5, T6) \
  "movq " #O "(%[b]), %%rdx\n\t"                                                  \
  "xorl %%eax, %%eax\n\t"                                                         \
  PROVER_TERM("%[a]", 0, T0, T1) PROVER_TERM("%[a]", 8, T1, T2)                   \
  PROVER_TERM("%[a]", 16, T2, T3) PROVER_TERM("%[a]", 24, T3, T4)                 \
  PROVER_TERM("%[a]", 32, T4, T5) PROVER_TERM("%[a]", 40, T5, T6)                 \
  "movl $0, %%eax\n\t"                                                            \
  "adcx %%rax, " T6 "\n\t"                                                        \
  "movq " PROVER_AT_P(48) ", %%rdx\n\t"                                          \
  "imulq " T0 ", %%rdx\n\t"                                                       \
  "xorl %%eax, %%eax\n\t"                                                         \
  PROVER_TERM_OF_P(0, T0, T1) PROVER_TERM_OF_P(8, T1, T2)                   \
  PROVER_TERM_OF_P(16, T2, T3) PROVER_TERM_OF_P(24, T3, T4)                 \
  PROVER_TERM_OF_P(32, T4, T5) PROVER_TERM_OF_P(40, T5, T6)                 \
  "movl $0, %%eax\n\t"                                                            \
  "adcx %%rax, " T6 "\n\t"

struct AdxMul {
  // The modulus and -1 / p mod 2^64 behind it, where the assembly finds both.
  template <class P>
  struct alignas(64) Constants {
    Limbs<P::kLimbs> p = P::kModulus;
    std::uint64_t inverse = negative_inverse(P::kModulus[0]);
  };
  template <class P>
  static inline constexpr Constants<P> kConstants{};

  template <class P>
  static constexpr Limbs<P::kLimbs> mul(const Limbs<P::kLimbs>& a, const Limbs<P::kLimbs>& b) {
    if (__builtin_is_constant_evaluated()) return PortableMul::mul<P>(a, b);
    Limbs<P::kLimbs> t = rows<P>(a, b);
    subtract_once(t, P::kModulus);
    return t;
  }

 private:
  // The product before the last subtraction: below 2 p.
  template <class P>
  static Limbs<P::kLimbs> rows(const Limbs<P::kLimbs>& a, const Limbs<P::kLimbs>& b) {
    std::uint64_t t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0;
    if constexpr (P::kLimbs == 4) {
      asm(PROVER_ROW_4(0, "%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]")
              PROVER_ROW_4(8, "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t0]")
                  PROVER_ROW_4(16, "%[t2]", "%[t3]", "%[t4]", "%[t0]", "%[t1]")
                      PROVER_ROW_4(24, "%[t3]", "%[t4]", "%[t0]", "%[t1]", "%[t2]")
          : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4)
          : [a] "r"(a.data()), [b] "r"(b.data()), [p] "r"(kConstants<P>.p.data()),
            [inverse] "m"(kConstants<P>.inverse), "m"(a), "m"(b)
          : "rax", "rdx", "r15", "cc");
      return {t4, t0, t1, t2};
    } else {
      static_assert(P::kLimbs == 6, "there is assembly for 4 and 6 limbs");
      std::uint64_t t5 = 0, t6 = 0;
      asm(PROVER_ROW_6(0, "%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]")
              PROVER_ROW_6(8, "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]")
                  PROVER_ROW_6(16, "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]")
                      PROVER_ROW_6(24, "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]",
                                   "%[t2]") PROVER_ROW_6(32, "%[t4]", "%[t5]", "%[t6]", "%[t0]",
                                                         "%[t1]", "%[t2]", "%[t3]")
                          PROVER_ROW_6(40, "%[t5]", "%[t6]", "%[t0]", "%[t1]", "%[t2]", "%[t3]",
                                       "%[t4]")
          : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4),
            [t5] "+&r"(t5), [t6] "+&r"(t6)
          : [a] "r"(a.data()), [b] "r"(b.data()), [p] PROVER_PLACE(kConstants<P>)
          : "rax", "rdx", "r15", "cc", "memory");
      return {t6, t0, t1, t2, t3, t4};
    }
  }
};

#undef PROVER_TERM
#undef PROVER_TERM_OF_P
#undef PROVER_AT_P
#undef PROVER_PLACE
#undef PROVER_ROW_4
#undef PROVER_ROW_6

}  // namespace prover::field

#endif
