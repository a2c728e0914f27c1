// SPDX-License-Identifier: Apache-2.0
#include "attribution/shapley.hpp"

#include <bit>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/check.hpp"
#include "base/random.hpp"

namespace assay::attribution {
namespace {

constexpr std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }

// weight[s] = s! (k - s)! / (k + 1)! over k other players: the mean over orders of s being before.
std::vector<double> order_weights(std::size_t others) {
  std::vector<double> weights(others + 1);
  double binomial = 1;  // of `others` over s
  for (std::size_t s = 0; s <= others; ++s) {
    weights[s] = 1 / (binomial * static_cast<double>(others + 1));
    binomial = binomial * static_cast<double>(others - s) / static_cast<double>(s + 1);
  }
  return weights;
}

void exact(std::size_t k, const std::function<double(std::uint64_t)>& worth, Shapley& out) {
  std::vector<double> v(std::size_t{1} << k);
  for (std::uint64_t set = 0; set < v.size(); ++set) v[set] = worth(set);
  out.empty = v.front();
  out.full = v.back();
  const std::vector<double> single = order_weights(k == 0 ? 0 : k - 1);
  const std::vector<double> pair = order_weights(k < 2 ? 0 : k - 2);
  for (std::uint64_t set = 0; set < v.size(); ++set) {
    const auto size = static_cast<std::size_t>(std::popcount(set));
    for (std::size_t i = 0; i < k; ++i) {
      if ((set & bit(i)) != 0) continue;
      out.values[i] += single[size] * (v[set | bit(i)] - v[set]);
      for (std::size_t j = i + 1; j < k; ++j) {
        if ((set & bit(j)) != 0) continue;
        out.pairs[i * k + j] +=
            pair[size] * (v[set | bit(i) | bit(j)] - v[set | bit(i)] - v[set | bit(j)] + v[set]);
      }
    }
  }
}

void sampled(std::size_t k, const std::function<double(std::uint64_t)>& worth, std::uint64_t seed,
             std::size_t permutations, Shapley& out) {
  std::unordered_map<std::uint64_t, double> known;
  const auto v = [&](std::uint64_t set) {
    const auto [place, is_new] = known.try_emplace(set, 0.0);
    if (is_new) place->second = worth(set);
    return place->second;
  };
  out.sampled = true;
  out.empty = v(0);
  out.full = v(bit(k) - 1);
  Random random(seed);
  std::vector<std::size_t> order(k);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::size_t> seen(k * k, 0);
  const auto walk = [&] {
    std::uint64_t before = 0;
    for (std::size_t p = 0; p < k; ++p) {
      const std::size_t i = order[p];
      out.values[i] += v(before | bit(i)) - v(before);
      if (p + 1 < k) {
        // Neighbours in a random order: what precedes them has the law of the interaction index.
        const std::size_t j = order[p + 1];
        const std::size_t at = std::min(i, j) * k + std::max(i, j);
        out.pairs[at] +=
            v(before | bit(i) | bit(j)) - v(before | bit(i)) - v(before | bit(j)) + v(before);
        ++seen[at];
      }
      before |= bit(i);
    }
  };
  for (std::size_t n = 0; n < permutations; ++n) {
    for (std::size_t i = k; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    walk();
    for (std::size_t i = 0; i < k / 2; ++i) std::swap(order[i], order[k - 1 - i]);
    walk();
  }
  for (double& value : out.values) value /= static_cast<double>(2 * permutations);
  for (std::size_t at = 0; at < seen.size(); ++at) {
    if (seen[at] > 0) out.pairs[at] /= static_cast<double>(seen[at]);
  }
}

}  // namespace

Shapley shapley(std::size_t factors, const std::function<double(std::uint64_t)>& worth,
                std::uint64_t seed, std::size_t permutations) {
  ASSAY_CHECK(factors <= kMostFactors, "a set of factors fits its mask");
  ASSAY_CHECK(permutations > 0, "one order at least");
  Shapley out;
  out.values.assign(factors, 0);
  out.pairs.assign(factors * factors, 0);
  if (factors <= kExactFactors) {
    exact(factors, worth, out);
  } else {
    sampled(factors, worth, seed, permutations, out);
  }
  return out;
}

}  // namespace assay::attribution
