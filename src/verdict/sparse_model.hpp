// SPDX-License-Identifier: Apache-2.0
// Which of k changes cost what, alone or in pairs? A run's log value is a sum of few terms, each on
// or off: a change, two changes that act only together (AND), or two of which either alone does all
// (OR). In on/off coding "together +9 %, neither alone" is one term, not three. Each term has a
// posterior; intercept and rounds (or a linear drift) belong to every model; residuals are
// winsorised. docs/experiments.md has the method and what simulation says of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/findings.hpp"
#include "verdict/sparse_search.hpp"

namespace assay::verdict {

inline constexpr unsigned kLeastChanges = 2, kMostSparseChanges = 10;
inline constexpr double kTermIn = 0.97, kTermOut = 0.03;

struct SparseTerm {
  std::uint32_t changes = 0;  // bit mask; two bits: a pair
  bool either = false;        // OR instead of AND

  bool is_pair() const { return (changes & (changes - 1)) != 0; }
  bool is_on(std::uint32_t configuration) const {
    const std::uint32_t both = configuration & changes;
    return either ? both != 0 : both == changes;
  }
  bool operator==(const SparseTerm&) const = default;
};

// All terms over k changes: each alone, then the AND pairs, then the OR pairs.
std::vector<SparseTerm> sparse_terms(unsigned changes);

// What every model has besides its terms.
//   rounds  a level for each round
//   trend   one level that may wander from run to run, and a slope over the runs: for
//           configurations that were chosen one after another, where slow changes of the machine
//           are not spread evenly over them
enum class Nuisance { rounds, trend };

struct SparseOptions {
  Nuisance nuisance = Nuisance::rounds;
  double tolerance = 0.02;  // a fraction; effects inside it do not matter
  // Expected number of causes beforehand, of each sort, and how far their sizes spread: effects of
  // about nine times the noise, SearchOptions::spread. Tried: 1, .5, .2 with unit information
  // (spread 1): with k = 5 and one cause of two sigma 13 % of the searches never settled, because
  // what is not there left so slowly; .5, .25, .1: two alike causes were more often taken for an
  // AND.
  double singles = 0.6, ands = 0.12, ors = 0.04;
  double spread = 20;
};

// A model with its least squares fit, log units.
struct FittedModel {
  TermSet set = {};
  double weight = 0;
  std::vector<double> effects = {};     // one a term of the set, in order
  std::vector<double> covariance = {};  // of the effects, row-major
};

struct SparsePosterior {
  std::vector<SparseTerm> terms = {};
  std::vector<double> probability = {};      // of each term
  std::vector<double> effect = {}, sd = {};  // of each term where it is in; 0, 0 without a model
  std::vector<double> share = {};            // of the runs in which the term was on
  std::vector<FittedModel> models = {};      // the weightiest, the best first; never empty
  std::size_t runs = 0;
  double freedom = 0;  // of the noise
  double sigma = 0;    // noise of one run under the best model

  // Difference of two configurations over all models. `value` and standard deviation.
  struct Contrast {
    double value = 0, sd = 0;
  };
  Contrast contrast(std::uint32_t on, std::uint32_t off) const;
  // 99 % interval of an effect with this standard deviation.
  Estimate interval(double value, double sd) const;
};

enum class TermState { in, out, small, open };  // small: its interval lies inside the tolerance

class SparseModel {
 public:
  // changes in 2..10
  SparseModel(unsigned changes, const SparseOptions& options);

  // One run: log value, and the round it belongs to (a small number, any order).
  void add(std::uint32_t configuration, double value, std::uint32_t round);

  // It is known that not all configurations are alike: the model without terms is out.
  void expect_something() { something_ = true; }

  // A term that cannot be told from a simpler one, because some configurations cannot be run.
  void exclude(std::size_t term);

  // Weighs the models against all runs so far. A few milliseconds at k = 10. Needs 4 runs.
  const SparsePosterior& solve();
  const SparsePosterior& posterior() const { return posterior_; }  // of the last solve

  std::size_t runs() const { return runs_.size(); }
  TermState state(std::size_t term) const;
  // How surprising it is, if the best model were true, that its misfit of the configurations is as
  // large beside the noise within them (F test; 1 without repeated runs). Near 0: more than two
  // changes act together, or many do.
  double misfit() const { return misfit_; }

  // Probability that just the terms that are in are there, beside such as are small.
  double certainty() const;
  // No term is open, and not because many share what is known: the answer as a whole is likelier
  // than not.
  bool is_settled() const;
  // Runs in all at which the open terms would be settled, if effects and noise are as estimated.
  std::size_t runs_needed() const;

 private:
  struct OneRun {
    std::uint32_t configuration = 0;
    double value = 0;
    std::uint32_t round = 0;
  };

  SparseSums sums(std::span<const double> values) const;
  SparseSums sums_by_round(std::span<const double> values) const;
  SparseSums sums_of_trend(std::span<const double> values, double wander) const;
  double wander_of(std::span<const double> values, const TermSet& structure) const;
  double misfit_of(std::span<const double> values, const TermSet& structure) const;
  struct Winsorised {
    std::vector<double> values;
    double kept = 1;  // share of the runs that were not cut
  };
  Winsorised winsorised(const TermSet& structure) const;
  std::vector<double> columns(std::size_t run, const TermSet& structure) const;
  void read(const std::vector<WeighedSet>& sets, const SparseSums& sums, double kept);
  std::size_t nuisances() const;

  SparseOptions options_;
  unsigned changes_ = 0;
  double log_tolerance_ = 0;
  std::vector<double> log_odds_;
  std::vector<std::vector<bool>> excludes_;
  std::vector<OneRun> runs_;
  std::vector<double> gram_;                     // of the terms, nothing removed
  std::vector<std::vector<double>> round_sums_;  // per round: of the terms' columns
  std::vector<double> round_runs_;
  bool something_ = false;
  double wander_ = 0;  // variance of the level's steps over that of the noise
  TermSet structure_;  // of the best model at the last solve
  double misfit_ = 1;
  SparsePosterior posterior_;
};

// What one more run of every configuration would tell about which model is right (nats, roughly):
// how far the models' predictions for it lie apart, in units of the noise. 2^k values.
std::vector<double> information(const SparsePosterior& posterior, unsigned changes);

}  // namespace assay::verdict
