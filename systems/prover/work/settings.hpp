// SPDX-License-Identifier: Apache-2.0
// How partitions are synthesised and proved. Every field is an option of the program; what each
// does and costs is in README.md.
#pragma once

#include <cstdint>
#include <optional>

namespace prover::groth16 {
class StageTotals;
}

namespace prover::work {

// The range of Settings::window: a digit is stored in 16 bits.
inline constexpr unsigned kLeastWindow = 2, kMostWindow = 16;

enum class G2 {
  serial,    // the sum over B in G2 is a part of finish
  parallel,  // it runs on a thread of its own beside start
};

struct Settings {
  bool compiled = true;         // a, b, c as matrix x witness; else by the circuit's builder
  bool lc_pool = true;          // builder: linear combinations are recycled
  std::uint32_t lc_inline = 0;  // builder: terms of a combination held inside it: 0, 1, 2 or 4
  bool presize = true;          // vectors get their size beforehand; else they grow
  bool pin = false;             // the pages of a, b, c and the witness are locked (mlock)
  G2 g2 = G2::serial;
  std::optional<unsigned> window;          // bits of a digit in every sum; nothing: best for each
  unsigned prove_threads = 1;              // of a partition's transforms and sums
  groth16::StageTotals* stages = nullptr;  // who is told of each stage; no option
};

}  // namespace prover::work
