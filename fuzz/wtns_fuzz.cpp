// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .wtns: what opens can be read to its last byte.
#include "prover/files/wtns.hpp"
#include "prover_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prover::files;
  const auto witness = Wtns::parse(prover::fuzz::bytes_of(data, size), "fuzz.wtns");
  if (!witness) {
    prover::fuzz::check_error(witness.error());
    return 0;
  }
  prover::fuzz::touch({witness->value(0), std::size_t{witness->count} * 32});
  if (const auto checked = check_values(*witness); !checked)
    prover::fuzz::check_error(checked.error());
  return 0;
}
