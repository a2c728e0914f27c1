// SPDX-License-Identifier: Apache-2.0
// Who is answerable for a difference when causes work together: Shapley values of a game whose
// players are the factors that changed, and whose worth is the replayed makespan with the factors
// of a set taken from B and the others from A.
// Ref: Shapley, A Value for n-Person Games, 1953; Grabisch and Roubens, An axiomatic approach to
// the concept of interaction among players in cooperative games, 1999 (interaction index).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace assay::attribution {

inline constexpr std::size_t kExactFactors = 8;  // 2^8 worths; beyond, permutations are sampled
inline constexpr std::size_t kMostFactors = 62;  // a set is a bit mask

struct Shapley {
  std::vector<double> values = {};  // by factor; they sum to full - empty
  // Interaction index of the pair (i, j), i < j, at i * factors + j: what the two do together
  // beyond what each does alone. 0 elsewhere.
  std::vector<double> pairs = {};
  double empty = 0, full = 0;
  bool sampled = false;
};

// worth(set): bit i set = factor i from B. Called once for each set that is needed.
//   factors        0..kMostFactors
//   permutations   drawn when factors > kExactFactors, each with its reverse (antithetic), so that
//                  exchanging A and B negates every value here too
Shapley shapley(std::size_t factors, const std::function<double(std::uint64_t)>& worth,
                std::uint64_t seed, std::size_t permutations = 64);

}  // namespace assay::attribution
