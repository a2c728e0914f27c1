// SPDX-License-Identifier: Apache-2.0
// Which few of many candidate causes explain the data? Every small set of terms is a linear model;
// its marginal likelihood with unknown noise is known in closed form under Zellner's g-prior, so
// that sets can be weighed against each other. Small sets are visited all, larger ones from the
// best of the smaller ones. sparse_model.hpp makes the sums from runs.
// Ref: Liang et al., Mixtures of g Priors for Bayesian Variable Selection, JASA 2008, eq. 5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::verdict {

inline constexpr std::size_t kMaxSparseTerms = 100;  // k = 10: 10 alone, 45 AND, 45 OR
inline constexpr std::size_t kMostInModel = 8;

// A set of at most eight term indices, ascending, one byte each with 255 for none.
class TermSet {
 public:
  TermSet() { at_.fill(kNone); }
  std::size_t size() const;
  bool contains(std::size_t term) const;
  void insert(std::size_t term);  // not contained, size() < 8
  void erase(std::size_t term);
  std::vector<std::size_t> terms() const;
  std::uint64_t key() const;
  bool operator==(const TermSet&) const = default;

 private:
  static constexpr std::uint8_t kNone = 255;
  std::array<std::uint8_t, kMostInModel> at_;
};

// Sums over the runs behind the removal of what is in every model (intercept, rounds, trend).
struct SparseSums {
  std::size_t terms = 0;
  std::vector<double> gram;  // terms x terms, symmetric: X'X
  std::vector<double> xy;    // X'y
  double yy = 0;             // y'y
  double freedom = 0;        // runs less the columns removed, > 0
};

struct SearchOptions {
  std::size_t exhaustive = 4;  // every set up to this size is visited
  std::size_t beam = 64;       // best sets of a size from which larger ones are made
  std::size_t most = kMostInModel;
  bool empty = true;  // the model without any term is a possible one
  double spread = 1;  // of effects beforehand: g = spread x freedom; 1 = unit information
};

struct WeighedSet {
  TermSet set;
  double weight = 0;  // posterior probability among those visited
  double rss = 0;     // residual sum of squares, least squares
};

// The sets visited that have a weight of 1e-7 of the best or more, the best first; weights sum to
// 1. prior_odds: of a term being in, log, one a term. excludes[t][u]: t and u never stand in one
// model.
std::vector<WeighedSet> search_models(const SparseSums& sums, std::span<const double> prior_odds,
                                      const std::vector<std::vector<bool>>& excludes,
                                      const SearchOptions& options);

}  // namespace assay::verdict
