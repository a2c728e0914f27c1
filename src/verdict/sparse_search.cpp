// SPDX-License-Identifier: Apache-2.0
#include "verdict/sparse_search.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <unordered_set>

#include "base/check.hpp"

namespace assay::verdict {
namespace {

using Mask = std::bitset<kMaxSparseTerms>;

constexpr double kSingular = 1e-7;      // of a column's square that others leave over
constexpr double kLeastLogWeight = 16;  // below the best: 1e-7
constexpr std::size_t kExchanged = 4;   // sets of a size whose terms are exchanged

// What is left of the sums once the terms of a model have been regressed out; up to date behind the
// last of them only.
struct Residue {
  std::vector<double> gram;  // terms x terms
  std::vector<double> xy;
  double yy = 0;
};

class Search {
 public:
  Search(const SparseSums& sums, std::span<const double> prior_odds,
         const std::vector<std::vector<bool>>& excludes, const SearchOptions& options)
      : sums_(sums), odds_(prior_odds), options_(options), excluded_(sums.terms) {
    for (std::size_t t = 0; t < sums.terms; ++t)
      for (std::size_t u = 0; u < sums.terms; ++u)
        if (t == u || excludes[t][u]) excluded_[t].set(u);
    // No model takes more than half of what the data have.
    const double room = std::max(0.0, sums.freedom - 2) / 2;
    most_ = std::min({options.most, kMostInModel, static_cast<std::size_t>(room)});
  }

  std::vector<WeighedSet> run() {
    const Residue whole{sums_.gram, sums_.xy, sums_.yy};
    if (options_.empty || most_ == 0) note({}, 0, sums_.yy);
    const std::size_t exhaustive = std::min(options_.exhaustive, most_);
    if (exhaustive > 0) {
      descend(whole, {}, {}, 0, 0, exhaustive);
      for (const WeighedSet& found : found_) seen_.insert(found.set.key());
    }
    for (std::size_t size = exhaustive; size < most_; ++size)
      if (!widen(size)) break;
    return weights();
  }

 private:
  void note(const TermSet& set, double log_prior, double rss) {
    rss = std::max(rss, 0.0);
    const double size = static_cast<double>(set.size());
    const double g = options_.spread * std::max(2.0, sums_.freedom);
    const double ratio = sums_.yy > 0 ? rss / sums_.yy : 1;
    const double evidence =
        0.5 * (sums_.freedom - size) * std::log1p(g) - 0.5 * sums_.freedom * std::log1p(g * ratio);
    const double log_weight = evidence + log_prior;
    best_ = std::max(best_, log_weight);
    if (log_weight > best_ - kLeastLogWeight) found_.push_back({set, log_weight, rss});
  }

  bool is_singular(const Residue& residue, std::size_t t) const {
    const std::size_t at = t * sums_.terms + t;
    return !(residue.gram[at] > kSingular * sums_.gram[at]) || sums_.gram[at] <= 0;
  }

  // Rows and columns behind t with term t regressed out.
  void remove(Residue& residue, std::size_t t) const {
    const std::size_t n = sums_.terms, first = t + 1;
    const double* row = &residue.gram[t * n];
    const double pivot = row[t], xy = residue.xy[t];
    for (std::size_t i = first; i < n; ++i) {
      if (row[i] == 0) continue;
      const double factor = row[i] / pivot;
      double* target = &residue.gram[i * n];
      for (std::size_t j = first; j < n; ++j) target[j] -= factor * row[j];
      residue.xy[i] -= factor * xy;
    }
    residue.yy -= xy * xy / pivot;
  }

  // Every set that adds terms from `first` on, up to `depth` more of them.
  void descend(const Residue& residue, TermSet set, Mask excluded, std::size_t first,
               double log_prior, std::size_t depth) {
    for (std::size_t t = first; t < sums_.terms; ++t) {
      if (excluded[t] || is_singular(residue, t)) continue;
      const double pivot = residue.gram[t * sums_.terms + t];
      TermSet larger = set;
      larger.insert(t);
      const double prior = log_prior + odds_[t];
      note(larger, prior, residue.yy - residue.xy[t] * residue.xy[t] / pivot);
      if (depth == 1 || t + 1 == sums_.terms) continue;
      Residue rest = residue;
      remove(rest, t);
      descend(rest, larger, excluded | excluded_[t], t + 1, prior, depth - 1);
    }
  }

  // The best sets of `size`, with one of their terms exchanged, then with one more. False when
  // there was none.
  bool widen(std::size_t size) {
    std::vector<WeighedSet> beam = best_of(size, kExchanged);
    for (const WeighedSet& base : beam) {
      for (const std::size_t t : base.set.terms()) {
        TermSet smaller = base.set;
        smaller.erase(t);
        add_one(smaller);
      }
    }
    beam = best_of(size, options_.beam);
    for (const WeighedSet& base : beam) add_one(base.set);
    return !beam.empty();
  }

  std::vector<WeighedSet> best_of(std::size_t size, std::size_t most) const {
    std::vector<WeighedSet> beam;
    for (const WeighedSet& found : found_)
      if (found.set.size() == size && found.weight > best_ - kLeastLogWeight) beam.push_back(found);
    const std::size_t kept = std::min(most, beam.size());
    std::partial_sort(beam.begin(), beam.begin() + static_cast<std::ptrdiff_t>(kept), beam.end(),
                      better);
    beam.resize(kept);
    return beam;
  }

  // Every set that has one term more. By the Cholesky factor of the set's own sums.
  void add_one(const TermSet& set) {
    const std::vector<std::size_t> in = set.terms();
    const std::size_t n = in.size();
    std::array<std::array<double, kMostInModel>, kMostInModel> lower{};
    std::array<double, kMostInModel> reduced{}, column{};
    Mask excluded;
    double log_prior = 0, yy = sums_.yy;
    for (std::size_t i = 0; i < n; ++i) {
      excluded |= excluded_[in[i]];
      log_prior += odds_[in[i]];
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = sums_.gram[in[i] * sums_.terms + in[j]];
        for (std::size_t l = 0; l < j; ++l) sum -= lower[i][l] * lower[j][l];
        if (i != j) {
          lower[i][j] = sum / lower[j][j];
        } else if (sum > kSingular * sums_.gram[in[i] * sums_.terms + in[i]]) {
          lower[i][i] = std::sqrt(sum);
        } else {
          return;
        }
      }
      double sum = sums_.xy[in[i]];
      for (std::size_t l = 0; l < i; ++l) sum -= lower[i][l] * reduced[l];
      reduced[i] = sum / lower[i][i];
      yy -= reduced[i] * reduced[i];
    }
    for (std::size_t t = 0; t < sums_.terms; ++t) {
      if (excluded[t]) continue;
      const double square = sums_.gram[t * sums_.terms + t];
      double pivot = square, xy = sums_.xy[t];
      for (std::size_t i = 0; i < n; ++i) {
        double sum = sums_.gram[in[i] * sums_.terms + t];
        for (std::size_t l = 0; l < i; ++l) sum -= lower[i][l] * column[l];
        column[i] = sum / lower[i][i];
        pivot -= column[i] * column[i];
        xy -= column[i] * reduced[i];
      }
      if (!(pivot > kSingular * square)) continue;
      TermSet larger = set;
      larger.insert(t);
      if (!seen_.insert(larger.key()).second) continue;
      note(larger, log_prior + odds_[t], yy - xy * xy / pivot);
    }
  }

  static bool better(const WeighedSet& a, const WeighedSet& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.set.key() < b.set.key();
  }

  std::vector<WeighedSet> weights() {
    std::erase_if(found_,
                  [&](const WeighedSet& s) { return !(s.weight > best_ - kLeastLogWeight); });
    std::sort(found_.begin(), found_.end(), better);
    double sum = 0;
    for (WeighedSet& found : found_) sum += found.weight = std::exp(found.weight - best_);
    for (WeighedSet& found : found_) found.weight /= sum;
    return std::move(found_);
  }

  const SparseSums& sums_;
  std::span<const double> odds_;
  SearchOptions options_;
  std::vector<Mask> excluded_;
  std::size_t most_ = 0;
  double best_ = -1e300;
  std::vector<WeighedSet> found_;  // weight: log, up to a constant, until the end
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

std::size_t TermSet::size() const {
  std::size_t size = 0;
  while (size < at_.size() && at_[size] != kNone) ++size;
  return size;
}

bool TermSet::contains(std::size_t term) const {
  return std::find(at_.begin(), at_.end(), static_cast<std::uint8_t>(term)) != at_.end();
}

void TermSet::insert(std::size_t term) {
  std::size_t at = size();
  ASSAY_CHECK(at < at_.size() && term < kNone, "there is room for the term");
  for (; at > 0 && at_[at - 1] > term; --at) at_[at] = at_[at - 1];
  at_[at] = static_cast<std::uint8_t>(term);
}

void TermSet::erase(std::size_t term) {
  const auto at = std::find(at_.begin(), at_.end(), static_cast<std::uint8_t>(term));
  if (at == at_.end()) return;
  std::copy(at + 1, at_.end(), at);
  at_.back() = kNone;
}

std::vector<std::size_t> TermSet::terms() const {
  return {at_.begin(), at_.begin() + static_cast<std::ptrdiff_t>(size())};
}

std::uint64_t TermSet::key() const {
  std::uint64_t key = 0;
  for (const std::uint8_t term : at_) key = key << 8 | term;
  return key;
}

std::vector<WeighedSet> search_models(const SparseSums& sums, std::span<const double> prior_odds,
                                      const std::vector<std::vector<bool>>& excludes,
                                      const SearchOptions& options) {
  ASSAY_CHECK(sums.terms <= kMaxSparseTerms && prior_odds.size() == sums.terms &&
                  sums.gram.size() == sums.terms * sums.terms && sums.xy.size() == sums.terms &&
                  excludes.size() == sums.terms,
              "the sums and priors are of the same terms");
  return Search(sums, prior_odds, excludes, options).run();
}

}  // namespace assay::verdict
