// SPDX-License-Identifier: Apache-2.0
#include "verdict/sparse_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/check.hpp"
#include "stats/distributions.hpp"
#include "stats/order.hpp"

namespace assay::verdict {
namespace {

constexpr double kClip = 3;              // standard deviations that a residual may have
constexpr int kRobustSteps = 8;          // of reweighting towards least absolute deviations
constexpr double kSmallest = 0.2;        // of the scale: a residual below it has full weight
constexpr int kMostRestarts = 3;         // until winsorising and the best model agree
constexpr double kMadToSd = 1.4826;      // of a normal sample
constexpr double kFloorShare = 0.05;     // of the tolerance: noise below it does not matter
constexpr double kLeastRepeats = 6;      // runs beyond one a configuration: less is no noise
constexpr double kLeastCertainty = 0.9;  // of the whole answer
constexpr std::size_t kMostModels = 64;  // that are fitted
constexpr double kLeastWeight = 1e-4;    // of the best, of a model that is fitted

// In place: the lower Cholesky factor of a symmetric n x n matrix. False when it is singular.
bool factor(std::vector<double>& a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const double whole = a[j * n + j];
    double pivot = whole;
    for (std::size_t l = 0; l < j; ++l) pivot -= a[j * n + l] * a[j * n + l];
    if (!(pivot > 1e-10 * whole)) return false;
    a[j * n + j] = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t l = 0; l < j; ++l) sum -= a[i * n + l] * a[j * n + l];
      a[i * n + j] = sum / a[j * n + j];
    }
  }
  return true;
}

// x of (L L') x = b.
std::vector<double> solve_factored(const std::vector<double>& lower, std::size_t n,
                                   std::vector<double> b) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t l = 0; l < i; ++l) b[i] -= lower[i * n + l] * b[l];
    b[i] /= lower[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t l = i + 1; l < n; ++l) b[i] -= lower[l * n + i] * b[l];
    b[i] /= lower[i * n + i];
  }
  return b;
}

double log_odds(double expected, double of) {
  const double p = std::min(0.5, expected / of);
  return std::log(p / (1 - p));
}

}  // namespace

std::vector<SparseTerm> sparse_terms(unsigned changes) {
  std::vector<SparseTerm> terms;
  for (unsigned i = 0; i < changes; ++i) terms.push_back({1u << i, false});
  for (const bool either : {false, true})
    for (unsigned i = 0; i < changes; ++i)
      for (unsigned j = i + 1; j < changes; ++j) terms.push_back({1u << i | 1u << j, either});
  return terms;
}

SparsePosterior::Contrast SparsePosterior::contrast(std::uint32_t on, std::uint32_t off) const {
  double sum = 0, square = 0, weights = 0, variance = 0;
  for (const FittedModel& model : models) {
    const auto in = model.set.terms();
    std::vector<double> x(in.size());
    double value = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      x[i] = (terms[in[i]].is_on(on) ? 1.0 : 0.0) - (terms[in[i]].is_on(off) ? 1.0 : 0.0);
      value += x[i] * model.effects[i];
    }
    for (std::size_t i = 0; i < in.size(); ++i)
      for (std::size_t j = 0; j < in.size(); ++j)
        variance += model.weight * x[i] * x[j] * model.covariance[i * in.size() + j];
    weights += model.weight;
    sum += model.weight * value;
    square += model.weight * value * value;
  }
  const double mean = sum / weights;
  const double spread = std::max(0.0, square / weights - mean * mean);
  return {mean, std::sqrt(spread + variance / weights)};
}

Estimate SparsePosterior::interval(double value, double standard_deviation) const {
  const double half = stats::t_quantile(0.995, std::max(1.0, freedom)) * standard_deviation;
  return {value, value - half, value + half};
}

SparseModel::SparseModel(unsigned changes, const SparseOptions& options)
    : options_(options), changes_(changes), log_tolerance_(std::log1p(options.tolerance)) {
  ASSAY_CHECK(changes >= kLeastChanges && changes <= kMostSparseChanges, "2 to 10 changes");
  posterior_.terms = sparse_terms(changes);
  const auto& terms = posterior_.terms;
  const double pairs = 0.5 * changes * (changes - 1);
  excludes_.assign(terms.size(), std::vector<bool>(terms.size(), false));
  for (std::size_t t = 0; t < terms.size(); ++t) {
    log_odds_.push_back(terms[t].either      ? log_odds(options.ors, pairs)
                        : terms[t].is_pair() ? log_odds(options.ands, pairs)
                                             : log_odds(options.singles, changes));
    // OR = a + b - AND: beside any of these it says nothing that they do not.
    for (std::size_t u = 0; u < terms.size(); ++u)
      if (terms[t].either && !terms[u].either && (terms[u].changes & ~terms[t].changes) == 0)
        excludes_[t][u] = excludes_[u][t] = true;
  }
  gram_.assign(terms.size() * terms.size(), 0);
}

void SparseModel::add(std::uint32_t configuration, double value, std::uint32_t round) {
  const auto& terms = posterior_.terms;
  const std::size_t at = options_.nuisance == Nuisance::rounds ? round : 0;
  if (at >= round_sums_.size()) {
    round_sums_.resize(at + 1, std::vector<double>(terms.size(), 0));
    round_runs_.resize(at + 1, 0);
  }
  std::vector<std::size_t> on;
  for (std::size_t t = 0; t < terms.size(); ++t)
    if (terms[t].is_on(configuration)) on.push_back(t);
  for (const std::size_t t : on) {
    for (const std::size_t u : on) gram_[t * terms.size() + u] += 1;
    round_sums_[at][t] += 1;
  }
  round_runs_[at] += 1;
  runs_.push_back({configuration, value, static_cast<std::uint32_t>(at)});
}

void SparseModel::exclude(std::size_t term) {
  constexpr double kNever = -1e6;
  log_odds_[term] = kNever;
}

std::size_t SparseModel::nuisances() const {
  if (options_.nuisance == Nuisance::trend) return 2;
  return static_cast<std::size_t>(
      std::count_if(round_runs_.begin(), round_runs_.end(), [](double n) { return n > 0; }));
}

SparseSums SparseModel::sums(std::span<const double> values) const {
  SparseSums sums = options_.nuisance == Nuisance::rounds ? sums_by_round(values)
                                                          : sums_of_trend(values, wander_);
  sums.freedom = static_cast<double>(runs_.size() - nuisances());
  const double floor = kFloorShare * log_tolerance_;
  sums.yy = std::max(0.0, sums.yy) + sums.freedom * floor * floor;
  return sums;
}

// The levels of rounds are orthogonal to one another, and are removed one by one.
SparseSums SparseModel::sums_by_round(std::span<const double> values) const {
  const auto& terms = posterior_.terms;
  const std::size_t size = terms.size();
  SparseSums sums{.terms = size, .gram = gram_, .xy = std::vector<double>(size, 0)};
  std::vector<double> round_y(round_sums_.size(), 0);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    round_y[runs_[i].round] += values[i];
    sums.yy += values[i] * values[i];
    for (std::size_t t = 0; t < size; ++t)
      if (terms[t].is_on(runs_[i].configuration)) sums.xy[t] += values[i];
  }
  for (std::size_t r = 0; r < round_y.size(); ++r) {
    if (round_runs_[r] <= 0) continue;
    const std::vector<double>& cross = round_sums_[r];
    for (std::size_t t = 0; t < size; ++t) {
      if (cross[t] == 0) continue;
      for (std::size_t u = 0; u < size; ++u)
        sums.gram[t * size + u] -= cross[t] * cross[u] / round_runs_[r];
      sums.xy[t] -= cross[t] * round_y[r] / round_runs_[r];
    }
    sums.yy -= round_y[r] * round_y[r] / round_runs_[r];
  }
  return sums;
}

namespace {

// Innovations of a level that wanders, of several series at once: what each value says beyond those
// before it, in units of the noise. The first value of each series goes for the level, which is
// unknown. Ref: Durbin and Koopman, Time Series Analysis by State Space Methods, ch. 2.
class Whitener {
 public:
  Whitener(std::size_t series, double wander) : wander_(wander), level_(series, 0) {}

  // In place. False for the first values, which say nothing.
  bool step(std::vector<double>& values) {
    if (variance_ < 0) {
      level_ = values;
      variance_ = 1;
      return false;
    }
    const double before = variance_ + wander_, total = before + 1, gain = before / total;
    const double scale = 1 / std::sqrt(total);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double news = values[i] - level_[i];
      level_[i] += gain * news;
      values[i] = news * scale;
    }
    variance_ = before * (1 - gain);
    log_scale_ += 0.5 * std::log(total);
    return true;
  }

  double log_scale() const { return log_scale_; }  // half the log determinant of the covariance

 private:
  double wander_, variance_ = -1, log_scale_ = 0;
  std::vector<double> level_;
};

}  // namespace

SparseSums SparseModel::sums_of_trend(std::span<const double> values, double wander) const {
  const auto& terms = posterior_.terms;
  const std::size_t size = terms.size(), slope = size, y = size + 1, all = size + 2;
  std::vector<double> gram(all * all, 0), row(all);
  Whitener whitener(all, wander);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    for (std::size_t t = 0; t < size; ++t) row[t] = terms[t].is_on(runs_[i].configuration) ? 1 : 0;
    row[slope] = static_cast<double>(i) / static_cast<double>(runs_.size());
    row[y] = values[i];
    if (!whitener.step(row)) continue;
    for (std::size_t a = 0; a < all; ++a) {
      if (row[a] == 0) continue;
      for (std::size_t b = 0; b <= a; ++b) gram[a * all + b] += row[a] * row[b];
    }
  }
  const auto at = [&](std::size_t a, std::size_t b) {
    return a >= b ? gram[a * all + b] : gram[b * all + a];
  };
  const double square = at(slope, slope);
  const auto left = [&](std::size_t a, std::size_t b) {
    return at(a, b) - (square > 1e-12 ? at(a, slope) * at(b, slope) / square : 0);
  };
  SparseSums sums{.terms = size,
                  .gram = std::vector<double>(size * size),
                  .xy = std::vector<double>(size),
                  .yy = left(y, y)};
  for (std::size_t t = 0; t < size; ++t) {
    sums.xy[t] = left(t, y);
    for (std::size_t u = 0; u < size; ++u) sums.gram[t * size + u] = left(t, u);
  }
  return sums;
}

// How much the level wanders under a model, by likelihood on a coarse grid; 0 unless that is
// clearly worse.
double SparseModel::wander_of(std::span<const double> values, const TermSet& structure) const {
  constexpr std::array kGrid = {0.0, 0.02, 0.1, 0.4, 1.5};
  constexpr double kClearly = 1;  // nats
  const auto in = structure.terms();
  const std::size_t width = in.size() + 1;  // and the slope
  const auto n = static_cast<double>(runs_.size());
  double best = 0, highest = 0;
  for (const double wander : kGrid) {
    Whitener whitener(width + 1, wander);
    std::vector<double> square(width * width, 0), right(width, 0), row(width + 1);
    double yy = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      for (std::size_t a = 0; a < in.size(); ++a)
        row[a] = posterior_.terms[in[a]].is_on(runs_[i].configuration) ? 1 : 0;
      row[width - 1] = static_cast<double>(i) / n;
      row[width] = values[i];
      if (!whitener.step(row)) continue;
      yy += row[width] * row[width];
      for (std::size_t a = 0; a < width; ++a) {
        right[a] += row[a] * row[width];
        for (std::size_t b = 0; b <= a; ++b) square[a * width + b] += row[a] * row[b];
      }
    }
    if (!factor(square, width)) return 0;
    const auto effects = solve_factored(square, width, right);
    double rss = yy;
    for (std::size_t a = 0; a < width; ++a) rss -= effects[a] * right[a];
    const double floor = kFloorShare * log_tolerance_;
    rss = std::max(rss, 0.0) + n * floor * floor;
    const double likelihood = -0.5 * (n - 1) * std::log(rss) - whitener.log_scale();
    if (wander == 0) {
      highest = likelihood + kClearly;
    } else if (likelihood > highest) {
      highest = likelihood;
      best = wander;
    }
  }
  return best;
}

// A run's row of the design with the terms of `structure`: nuisances first.
std::vector<double> SparseModel::columns(std::size_t run, const TermSet& structure) const {
  std::vector<double> row;
  if (options_.nuisance == Nuisance::trend) {
    row = {1, (static_cast<double>(run) + 0.5) / static_cast<double>(runs_.size()) - 0.5};
  } else {
    for (std::size_t r = 0; r < round_runs_.size(); ++r)
      if (round_runs_[r] > 0) row.push_back(runs_[run].round == r ? 1 : 0);
  }
  for (const std::size_t t : structure.terms())
    row.push_back(posterior_.terms[t].is_on(runs_[run].configuration) ? 1 : 0);
  return row;
}

// The values with residuals from a robust fit of `structure` cut at 3 sigma. The fit is of least
// absolute deviations, so that outliers do not bend it first. Tried: Huber's weights; three
// outliers in a round of 16 still pulled its level and hid an effect of five sigma.
SparseModel::Winsorised SparseModel::winsorised(const TermSet& structure) const {
  const std::size_t n = runs_.size();
  const std::size_t width = nuisances() + structure.size();
  std::vector<std::vector<double>> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = columns(i, structure);
  std::vector<double> weights(n, 1), fit(n), sizes(n), values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = runs_[i].value;
  double scale = 0;
  for (int step = 0; step < kRobustSteps; ++step) {
    std::vector<double> square(width * width, 0), right(width, 0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < width; ++a) {
        if (rows[i][a] == 0) continue;
        right[a] += weights[i] * rows[i][a] * values[i];
        for (std::size_t b = 0; b <= a; ++b)
          square[a * width + b] += weights[i] * rows[i][a] * rows[i][b];
      }
    if (!factor(square, width)) return {values, 1};
    const auto effects = solve_factored(square, width, right);
    for (std::size_t i = 0; i < n; ++i) {
      fit[i] = 0;
      for (std::size_t a = 0; a < width; ++a) fit[i] += rows[i][a] * effects[a];
      sizes[i] = std::fabs(values[i] - fit[i]);
    }
    const double correction =
        static_cast<double>(n) / static_cast<double>(n > width ? n - width : 1);
    scale = std::max(kMadToSd * *stats::median(sizes) * std::sqrt(correction),
                     kFloorShare * log_tolerance_);
    for (std::size_t i = 0; i < n; ++i)
      weights[i] = kSmallest * scale / std::max(sizes[i], kSmallest * scale);
  }
  std::size_t cut = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (sizes[i] <= kClip * scale) continue;
    values[i] = fit[i] + std::copysign(kClip * scale, values[i] - fit[i]);
    ++cut;
  }
  return {values, 1 - static_cast<double>(cut) / static_cast<double>(n)};
}

const SparsePosterior& SparseModel::solve() {
  ASSAY_CHECK(runs_.size() > nuisances() + 1, "more runs than levels");
  const SearchOptions options{
      .exhaustive = changes_ <= 6 ? 4u : 2u, .empty = !something_, .spread = options_.spread};
  for (int restart = 0;; ++restart) {
    const Winsorised cut = winsorised(structure_);
    if (options_.nuisance == Nuisance::trend) wander_ = wander_of(cut.values, structure_);
    const SparseSums all = sums(cut.values);
    const auto sets = search_models(all, log_odds_, excludes_, options);
    const bool same = sets.front().set == structure_;
    structure_ = sets.front().set;
    if (!same && restart < kMostRestarts) continue;
    read(sets, all, cut.kept);
    misfit_ = misfit_of(cut.values, structure_);
    return posterior_;
  }
}

// Upper tail of F by Wilson and Hilferty's cube root; good to a digit far out.
static double f_upper(double f, double over, double under) {
  const double root = std::cbrt(f), a = 2 / (9 * over), b = 2 / (9 * under);
  const double z = ((1 - b) * root - (1 - a)) / std::sqrt(b * root * root + a);
  return z > 0 ? stats::normal_two_sided(z) / 2 : 1 - stats::normal_two_sided(-z) / 2;
}

double SparseModel::misfit_of(std::span<const double> values, const TermSet& structure) const {
  const std::size_t n = runs_.size(), width = nuisances() + structure.size();
  std::vector<std::vector<double>> rows(n);
  std::vector<double> square(width * width, 0), right(width, 0);
  for (std::size_t i = 0; i < n; ++i) {
    rows[i] = columns(i, structure);
    for (std::size_t a = 0; a < width; ++a) {
      right[a] += rows[i][a] * values[i];
      for (std::size_t b = 0; b <= a; ++b) square[a * width + b] += rows[i][a] * rows[i][b];
    }
  }
  if (!factor(square, width)) return 1;
  const auto effects = solve_factored(square, width, right);
  struct Cell {
    double n = 0, sum = 0, squares = 0;
  };
  std::map<std::uint32_t, Cell> cells;
  for (std::size_t i = 0; i < n; ++i) {
    double left = values[i];
    for (std::size_t a = 0; a < width; ++a) left -= rows[i][a] * effects[a];
    Cell& cell = cells[runs_[i].configuration];
    cell.n += 1;
    cell.sum += left;
    cell.squares += left * left;
  }
  double between = 0, within = 0;
  for (const auto& [configuration, cell] : cells) {
    between += cell.sum * cell.sum / cell.n;
    within += cell.squares - cell.sum * cell.sum / cell.n;
  }
  const double over = static_cast<double>(cells.size()) - 1 - static_cast<double>(structure.size());
  const double under = static_cast<double>(n) - static_cast<double>(cells.size()) -
                       static_cast<double>(nuisances() - 1);
  if (over < 1 || under < kLeastRepeats) return 1;
  const double floor = kFloorShare * log_tolerance_;
  const double noise = std::max(within / under, floor * floor);
  return f_upper(between / over / noise, over, under);
}

void SparseModel::read(const std::vector<WeighedSet>& sets, const SparseSums& all, double kept) {
  SparsePosterior& found = posterior_;
  const std::size_t size = found.terms.size();
  found.runs = runs_.size();
  found.probability.assign(size, 0);
  found.effect.assign(size, 0);
  found.sd.assign(size, 0);
  found.models.clear();
  found.share.assign(size, 0);
  for (std::size_t t = 0; t < size; ++t)
    found.share[t] = gram_[t * size + t] / static_cast<double>(runs_.size());
  std::vector<double> weight(size, 0), square(size, 0);
  for (const WeighedSet& set : sets) {
    const auto in = set.set.terms();
    for (const std::size_t t : in) found.probability[t] += set.weight;
    if (found.models.size() >= kMostModels && set.weight < kLeastWeight) continue;
    if (found.models.size() >= 4 * kMostModels) continue;
    const std::size_t n = in.size();
    std::vector<double> lower(n * n), right(n);
    for (std::size_t i = 0; i < n; ++i) {
      right[i] = all.xy[in[i]];
      for (std::size_t j = 0; j < n; ++j) lower[i * n + j] = all.gram[in[i] * size + in[j]];
    }
    if (!factor(lower, n)) continue;
    FittedModel model{
        .set = set.set, .weight = set.weight, .effects = solve_factored(lower, n, right)};
    // What was cut is missing in the residuals (Huber's correction).
    const double variance =
        set.rss / std::max(1.0, all.freedom - static_cast<double>(n)) / (kept * kept);
    if (found.models.empty()) {
      found.sigma = std::sqrt(variance);
      found.freedom = std::max(1.0, all.freedom - static_cast<double>(n));
    }
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> unit(n, 0);
      unit[i] = variance;
      const auto row = solve_factored(lower, n, unit);
      model.covariance.insert(model.covariance.end(), row.begin(), row.end());
      weight[in[i]] += set.weight;
      found.effect[in[i]] += set.weight * model.effects[i];
      square[in[i]] += set.weight * (model.effects[i] * model.effects[i] + row[i]);
    }
    found.models.push_back(std::move(model));
  }
  for (std::size_t t = 0; t < size; ++t) {
    if (weight[t] <= 0) continue;
    found.effect[t] /= weight[t];
    found.sd[t] =
        std::sqrt(std::max(0.0, square[t] / weight[t] - found.effect[t] * found.effect[t]));
  }
}

TermState SparseModel::state(std::size_t term) const {
  const double p = posterior_.probability[term];
  if (p >= kTermIn) return TermState::in;
  if (p <= kTermOut) return TermState::out;
  const Estimate range = posterior_.interval(posterior_.effect[term], posterior_.sd[term]);
  const bool inside = *range.lo >= -log_tolerance_ && *range.hi <= log_tolerance_;
  return inside ? TermState::small : TermState::open;
}

double SparseModel::certainty() const {
  std::vector<bool> in(posterior_.terms.size()), counts(posterior_.terms.size());
  std::size_t named = 0;
  for (std::size_t t = 0; t < in.size(); ++t) {
    const TermState found = state(t);
    in[t] = found == TermState::in;
    counts[t] = found != TermState::small;
    named += in[t];
  }
  double sum = 0, all = 0;
  for (const FittedModel& model : posterior_.models) {
    std::size_t same = 0, other = 0;
    for (const std::size_t t : model.set.terms())
      if (counts[t]) ++(in[t] ? same : other);
    if (same == named && other == 0) sum += model.weight;
    all += model.weight;
  }
  return sum / all;
}

bool SparseModel::is_settled() const {
  for (std::size_t t = 0; t < posterior_.terms.size(); ++t)
    if (state(t) == TermState::open) return false;
  return certainty() >= kLeastCertainty;
}

// A term's evidence grows as z^2 / 2 with z^2 in proportion to the runs, against log(runs) / 2.
std::size_t SparseModel::runs_needed() const {
  constexpr double kMost = 1e6;
  const double needed = std::log(kTermIn / (1 - kTermIn));
  const auto now = static_cast<double>(runs_.size());
  double most = now;
  for (std::size_t t = 0; t < posterior_.terms.size(); ++t) {
    if (state(t) != TermState::open || posterior_.sd[t] <= 0) continue;
    const double z = posterior_.effect[t] / posterior_.sd[t];
    const double p = posterior_.probability[t];
    const double start = std::log(p / (1 - p)) - z * z / 2 + std::log(now) / 2;
    double n = now;
    for (; n < kMost; n = n * 1.1 + 1) {
      const double odds = start + z * z / 2 * n / now - std::log(n) / 2;
      const double half = 2.6 * posterior_.sd[t] * std::sqrt(now / n);
      if (std::fabs(odds) >= needed || std::fabs(posterior_.effect[t]) + half <= log_tolerance_)
        break;
    }
    most = std::max(most, n);
  }
  return static_cast<std::size_t>(std::ceil(most));
}

std::vector<double> information(const SparsePosterior& posterior, unsigned changes) {
  const std::size_t count = std::size_t{1} << changes;
  std::vector<double> sum(count, 0), square(count, 0), within(count, 0);
  double weights = 0;
  for (const FittedModel& model : posterior.models) {
    const double weight = std::sqrt(model.weight);  // the runners-up are what is to be told apart
    const auto in = model.set.terms();
    weights += weight;
    std::array<double, kMostInModel> x{};
    for (std::uint32_t c = 0; c < count; ++c) {
      double value = 0, variance = 0;
      for (std::size_t i = 0; i < in.size(); ++i) {
        x[i] = (posterior.terms[in[i]].is_on(c) ? 1.0 : 0.0) - posterior.share[in[i]];
        value += model.effects[i] * x[i];
        for (std::size_t j = 0; j <= i; ++j)
          variance += (i == j ? 1 : 2) * x[i] * x[j] * model.covariance[i * in.size() + j];
      }
      sum[c] += weight * value;
      square[c] += weight * value * value;
      within[c] += weight * variance;
    }
  }
  const double noise = std::max(posterior.sigma * posterior.sigma, 1e-20);
  for (std::size_t c = 0; c < count; ++c) {
    const double mean = sum[c] / weights;
    const double between = std::max(0.0, square[c] / weights - mean * mean);
    sum[c] = 0.5 * std::log1p((between + 0.25 * within[c] / weights) / noise);
  }
  return sum;
}

}  // namespace assay::verdict
