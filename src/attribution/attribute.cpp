// SPDX-License-Identifier: Apache-2.0
#include "attribution/attribute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "attribution/counterfactual.hpp"
#include "attribution/shapley.hpp"
#include "base/text.hpp"
#include "stats/distributions.hpp"
#include "stats/order.hpp"
#include "stats/sums.hpp"

namespace assay::attribution {
namespace {

constexpr double kServices = 4e7;      // replayed services that an explanation may cost
constexpr std::uint32_t kFewest = 20;  // resamples below which no interval is given
constexpr double kLevel = 0.99;

double seconds_of(Nanos ns) { return static_cast<double>(ns) * 1e-9; }

// Parts of one pair of runs.
struct PairParts {
  std::vector<Factor> factors;
  Shapley shapley;
  double replays[2] = {0, 0};
};

PairParts parts_of(Game& game, std::uint64_t seed) {
  PairParts out;
  out.factors = game.factors();
  out.shapley = shapley(
      game.factors().size(), [&](std::uint64_t set) { return game.worth(set); }, seed);
  out.replays[0] = out.shapley.empty;
  out.replays[1] = out.shapley.full;
  return out;
}

// The replay is trusted as far as it reproduces what was measured. Below what the clock resolves
// over a run of n items an error is no error.
struct Gate {
  double error[2] = {0, 0};     // mean over the runs of a side, signed
  double absolute[2] = {0, 0};  // mean of the absolute errors
  double floor = 0;
  bool passes(double delta) const {
    const double most = std::max(std::abs(delta) / 2, floor);
    return absolute[0] <= most && absolute[1] <= most;
  }
  std::string refusal(double delta) const {
    return fmt::format(
        "the replay misses the measured makespan by {} (A) and {} (B), more than half of the "
        "difference of {}: the log's pipeline is not the one that ran (servers, capacity, permits, "
        "or waits that no event shows)",
        format_seconds(absolute[0]), format_seconds(absolute[1]), format_seconds(std::abs(delta)));
  }
};

void add_parts(Attribution& out, const std::vector<Factor>& factors,
               const std::vector<double>& values, const std::vector<double>& half) {
  for (std::size_t i = 0; i < factors.size(); ++i) {
    Part part;
    part.factor = factors[i].name;
    part.seconds = values[i];
    if (!half.empty()) {
      part.lo = values[i] - half[i];
      part.hi = values[i] + half[i];
    }
    out.parts.push_back(std::move(part));
  }
  std::stable_sort(out.parts.begin(), out.parts.end(), [](const Part& l, const Part& r) {
    return std::abs(l.seconds) > std::abs(r.seconds);
  });
  std::vector<double> seconds;
  for (const Part& part : out.parts) seconds.push_back(part.seconds);
  out.remainder_s = out.delta_s - stats::sum(seconds);
}

// Worth a line: a twentieth of the delta or of the largest part.
void add_interactions(Attribution& out, const std::vector<Factor>& factors,
                      const std::vector<double>& pairs) {
  const std::size_t k = factors.size();
  const double largest = out.parts.empty() ? 0 : std::abs(out.parts.front().seconds);
  const double least = std::max({0.05 * std::abs(out.delta_s), 0.05 * largest, 1e-9});
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = i + 1; j < k; ++j) {
      if (std::abs(pairs[i * k + j]) < least) continue;
      out.interactions.push_back({factors[i].name, factors[j].name, pairs[i * k + j]});
    }
  }
  std::stable_sort(out.interactions.begin(), out.interactions.end(),
                   [](const Interaction& l, const Interaction& r) {
                     return std::abs(l.seconds) > std::abs(r.seconds);
                   });
  if (out.interactions.size() > 6) out.interactions.resize(6);
}

bool is_configuration(FactorKind kind) {
  return kind == FactorKind::workers || kind == FactorKind::permits ||
         kind == FactorKind::part_workers || kind == FactorKind::capacity ||
         kind == FactorKind::scope;
}

// A service that became longer together with a change of the configuration may be its effect:
// contention for cores or memory is in no log.
void note_inflation(Attribution& out, const std::vector<Factor>& factors, const RunModel& a,
                    const RunModel& b) {
  std::string services, knobs;
  const auto add = [](std::string& list, const std::string& name) {
    list += (list.empty() ? "" : ", ") + name;
  };
  for (const Factor& factor : factors) {
    if (is_configuration(factor.kind)) add(knobs, factor.name);
    if (factor.kind != FactorKind::service) continue;
    const auto mean = [&](const RunModel& model) {
      const std::vector<Nanos>& column = model.services[factor.column];
      double total = 0;
      for (const Nanos value : column) total += static_cast<double>(value);
      return total / static_cast<double>(std::max<std::size_t>(column.size(), 1));
    };
    const double before = mean(a), after = mean(b);
    if (std::abs(after - before) < 0.02 * std::max(before, after)) continue;
    add(services, fmt::format("{} ({})", factor.name, format_change(after / before)));
  }
  if (services.empty() || knobs.empty()) return;
  out.notes.push_back(
      fmt::format("{} changed together with {}: replay cannot tell that a knob inflated another "
                  "stage's service; `assay ablate` separates them",
                  services, knobs));
}

void note_models(Attribution& out, const RunModel& model, std::string_view side) {
  for (const std::string& note : model.notes)
    out.notes.push_back(fmt::format("{}: {}", side, note));
}

void note_match(Attribution& out, const ItemMatch& match, std::size_t rows_a, std::size_t rows_b) {
  if (!match.by_key) {
    out.notes.push_back(
        fmt::format("{:.0f} % of the items have the same key on both sides: the items are matched "
                    "by their place in the order of entry",
                    100 * match.share));
  } else if (match.common < match.a.size()) {
    out.notes.push_back(
        fmt::format("{} of {} and {} items are on both sides; the others take the other side's "
                    "service at the same quantile",
                    match.common, rows_a, rows_b));
  }
}

// The clock rounds every begin and end; over a chain of n services the roundings walk.
double clock_floor(const RunModel& model) {
  return 2e-9 * static_cast<double>(model.resolution) *
         (1 + std::sqrt(static_cast<double>(model.keys.size())));
}

// Standard errors by moving blocks of items; nothing when there are too few resamples.
struct Spread {
  std::vector<double> parts = {};
  double delta = 0;
  std::uint32_t resamples = 0;
  std::size_t length = 0;
};

Spread bootstrap_items(Game& game, std::size_t items, const DeltaOptions& options, bool exact) {
  Spread spread;
  const std::size_t k = game.factors().size();
  if (!exact || items < 20) return spread;
  const double cost = static_cast<double>(game.events()) * std::ldexp(1.0, static_cast<int>(k));
  spread.resamples =
      static_cast<std::uint32_t>(std::min<double>(options.bootstrap, kServices / cost));
  if (spread.resamples < kFewest) return {};
  // Neighbours share a part of the machine's history; n^(1/3) keeps it, and leaves many blocks.
  spread.length = std::max<std::size_t>(
      2, static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(items)))));
  Random random(options.seed);
  std::vector<std::vector<double>> draws(k + 1);
  for (std::uint32_t r = 0; r < spread.resamples; ++r) {
    game.resample(random, spread.length);
    const PairParts parts = parts_of(game, options.seed);
    for (std::size_t i = 0; i < k; ++i) draws[i].push_back(parts.shapley.values[i]);
    draws[k].push_back(parts.shapley.full - parts.shapley.empty);
  }
  game.restore();
  const auto deviation = [](const std::vector<double>& values) {
    return std::sqrt(stats::variance(values).value_or(0));
  };
  for (std::size_t i = 0; i < k; ++i) spread.parts.push_back(deviation(draws[i]));
  spread.delta = deviation(draws[k]);
  return spread;
}

Attribution within_run(const RunModel& a, const RunModel& b, Game game,
                       const DeltaOptions& options) {
  Attribution out;
  out.delta_s = seconds_of(b.measured) - seconds_of(a.measured);
  const PairParts parts = parts_of(game, options.seed);
  Gate gate;
  const RunModel* sides[2] = {&a, &b};
  for (std::size_t side = 0; side < 2; ++side) {
    gate.error[side] = parts.replays[side] - seconds_of(sides[side]->measured);
    gate.absolute[side] = std::abs(gate.error[side]);
    gate.floor = std::max(gate.floor, clock_floor(*sides[side]));
    out.model_error_s[side] = gate.error[side];
  }
  out.sampled = parts.shapley.sampled;
  const bool nothing = std::all_of(parts.shapley.values.begin(), parts.shapley.values.end(),
                                   [](double value) { return value == 0; }) &&
                       out.delta_s == 0;
  if (!nothing && !gate.passes(out.delta_s)) {
    out.refused = true;
    out.refused_because = gate.refusal(out.delta_s);
    out.replays = static_cast<std::uint32_t>(game.replays());
    return out;
  }
  const Spread spread = bootstrap_items(game, std::min(a.keys.size(), b.keys.size()), options,
                                        !parts.shapley.sampled);
  const double z = stats::normal_upper_quantile((1 - kLevel) / 2);
  std::vector<double> half;
  for (const double deviation : spread.parts) half.push_back(z * deviation);
  add_parts(out, parts.factors, parts.shapley.values, half);
  add_interactions(out, parts.factors, parts.shapley.pairs);
  out.interval_basis = "within this run";
  if (spread.resamples > 0) {
    out.lo_s = out.delta_s - z * spread.delta;
    out.hi_s = out.delta_s + z * spread.delta;
    if (spread.resamples < options.bootstrap) {
      out.notes.push_back(fmt::format("{} resamples instead of {}: the runs are long",
                                      spread.resamples, options.bootstrap));
    }
  } else {
    out.notes.push_back(parts.shapley.sampled
                            ? "no intervals: too many factors for a bootstrap"
                            : "no intervals: too few items, or runs too long to resample");
  }
  if (out.sampled) {
    out.notes.push_back(fmt::format("{} factors differ: orders of exchange are sampled (seed {})",
                                    parts.factors.size(), options.seed));
  }
  note_match(out, game.match(), a.keys.size(), b.keys.size());
  note_inflation(out, parts.factors, a, b);
  out.replays = static_cast<std::uint32_t>(game.replays());
  return out;
}

// Parts of pairs of runs, as rows over all factors that any pair has.
struct Grid {
  std::vector<Factor> factors;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<std::vector<double>> values;        // [pair][factor]
  std::vector<std::vector<double>> interactions;  // [pair][factor x factor]
};

// Weighted by how often each run was drawn.
std::vector<double> mean_parts(const std::vector<std::vector<double>>& rows, const Grid& grid,
                               std::span<const double> weight_a, std::span<const double> weight_b) {
  std::vector<double> mean(rows.empty() ? 0 : rows.front().size(), 0);
  double total = 0;
  for (std::size_t p = 0; p < grid.pairs.size(); ++p) {
    const double w = weight_a[grid.pairs[p].first] * weight_b[grid.pairs[p].second];
    total += w;
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += w * rows[p][i];
  }
  for (double& value : mean) value /= total > 0 ? total : 1;
  return mean;
}

double median_delta(std::span<const RunModel> a, std::span<const RunModel> b,
                    std::span<const std::size_t> of_a, std::span<const std::size_t> of_b) {
  std::vector<double> left, right;
  for (const std::size_t i : of_a) left.push_back(seconds_of(a[i].measured));
  for (const std::size_t i : of_b) right.push_back(seconds_of(b[i].measured));
  return stats::median(right).value_or(0) - stats::median(left).value_or(0);
}

Result<Grid> grid_of(std::span<const RunModel> a, std::span<const RunModel> b,
                     const DeltaOptions& options, Attribution& out, Gate& gate) {
  Grid grid;
  std::vector<PairParts> all;
  std::map<std::string, std::size_t> place;
  // An even choice: run i of A with every step-th run of B, starting at its own.
  double cost = 0;
  std::size_t step = 1;
  std::vector<double> runs[2] = {std::vector<double>(a.size(), 0),
                                 std::vector<double>(b.size(), 0)};
  std::vector<double> errors[2] = {runs[0], runs[1]};
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i % step; j < b.size(); j += step) {
      auto game = Game::make(a[i], b[j]);
      if (!game) return fail(game.error());
      PairParts parts = parts_of(*game, options.seed);
      out.replays += static_cast<std::uint32_t>(game->replays());
      out.sampled = out.sampled || parts.shapley.sampled;
      if (cost == 0) {
        cost = static_cast<double>(game->events()) * static_cast<double>(game->replays());
        const double wanted = cost * static_cast<double>(a.size() * b.size()) / kServices;
        step = std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(wanted)), 1, b.size());
        note_match(out, game->match(), a[i].keys.size(), b[j].keys.size());
      }
      errors[0][i] += parts.replays[0] - seconds_of(a[i].measured);
      errors[1][j] += parts.replays[1] - seconds_of(b[j].measured);
      ++runs[0][i];
      ++runs[1][j];
      for (const Factor& factor : parts.factors) {
        if (place.try_emplace(factor.name, grid.factors.size()).second) {
          grid.factors.push_back(factor);
        }
      }
      grid.pairs.emplace_back(i, j);
      all.push_back(std::move(parts));
    }
  }
  const std::size_t k = grid.factors.size();
  for (const PairParts& parts : all) {
    std::vector<double>& row = grid.values.emplace_back(k, 0);
    std::vector<double>& pairs = grid.interactions.emplace_back(k * k, 0);
    const std::size_t own = parts.factors.size();
    for (std::size_t i = 0; i < own; ++i) {
      const std::size_t at = place[parts.factors[i].name];
      row[at] = parts.shapley.values[i];
      for (std::size_t j = i + 1; j < own; ++j) {
        const std::size_t other = place[parts.factors[j].name];
        pairs[std::min(at, other) * k + std::max(at, other)] = parts.shapley.pairs[i * own + j];
      }
    }
  }
  if (step > 1) {
    out.notes.push_back(fmt::format("{} of {} pairs of runs were replayed", grid.pairs.size(),
                                    a.size() * b.size()));
  }
  for (std::size_t side = 0; side < 2; ++side) {
    double count = 0;
    for (std::size_t i = 0; i < runs[side].size(); ++i) {
      if (runs[side][i] == 0) continue;
      const double error = errors[side][i] / runs[side][i];
      gate.error[side] += error;
      gate.absolute[side] += std::abs(error);
      ++count;
    }
    gate.error[side] /= std::max(count, 1.0);
    gate.absolute[side] /= std::max(count, 1.0);
    for (const RunModel& model : side == 0 ? a : b) {
      gate.floor = std::max(gate.floor, clock_floor(model));
    }
  }
  return grid;
}

Attribution over_runs(std::span<const RunModel> a, std::span<const RunModel> b,
                      const DeltaOptions& options) {
  Attribution out;
  std::vector<std::size_t> all_a(a.size()), all_b(b.size());
  std::iota(all_a.begin(), all_a.end(), std::size_t{0});
  std::iota(all_b.begin(), all_b.end(), std::size_t{0});
  out.delta_s = median_delta(a, b, all_a, all_b);
  Gate gate;
  const auto grid = grid_of(a, b, options, out, gate);
  if (!grid) return refuse(out.delta_s, grid.error().to_text());
  out.model_error_s = {gate.error[0], gate.error[1]};
  if (!gate.passes(out.delta_s)) {
    out.refused = true;
    out.refused_because = gate.refusal(out.delta_s);
    return out;
  }
  const std::vector<double> even_a(a.size(), 1), even_b(b.size(), 1);
  const std::vector<double> values = mean_parts(grid->values, *grid, even_a, even_b);
  Random random(options.seed);
  const std::uint32_t resamples = std::max<std::uint32_t>(options.bootstrap, kFewest);
  std::vector<std::vector<double>> draws(grid->factors.size() + 1);
  for (std::uint32_t r = 0; r < resamples; ++r) {
    std::vector<double> weight_a(a.size(), 0), weight_b(b.size(), 0);
    std::vector<std::size_t> drawn_a, drawn_b;
    for (std::size_t i = 0; i < a.size(); ++i) drawn_a.push_back(random.below(a.size()));
    for (std::size_t i = 0; i < b.size(); ++i) drawn_b.push_back(random.below(b.size()));
    for (const std::size_t i : drawn_a) ++weight_a[i];
    for (const std::size_t i : drawn_b) ++weight_b[i];
    const std::vector<double> parts = mean_parts(grid->values, *grid, weight_a, weight_b);
    for (std::size_t i = 0; i < parts.size(); ++i) draws[i].push_back(parts[i]);
    draws.back().push_back(median_delta(a, b, drawn_a, drawn_b));
  }
  // A bootstrap of few runs is too narrow by sqrt((n - 1) / n), and knows their spread badly: t.
  const double n = static_cast<double>(std::min(a.size(), b.size()));
  const double t =
      stats::t_quantile(0.5 + kLevel / 2, static_cast<double>(a.size() + b.size() - 2)) *
      (n > 1 ? std::sqrt(n / (n - 1)) : 1);
  std::vector<double> half;
  for (const std::vector<double>& column : draws) {
    half.push_back(t * std::sqrt(stats::variance(column).value_or(0)));
  }
  out.lo_s = out.delta_s - half.back();
  out.hi_s = out.delta_s + half.back();
  half.pop_back();
  add_parts(out, grid->factors, values, half);
  add_interactions(out, grid->factors, mean_parts(grid->interactions, *grid, even_a, even_b));
  out.interval_basis = "over runs";
  if (out.sampled) {
    out.notes.push_back(fmt::format("{} factors differ: orders of exchange are sampled (seed {})",
                                    grid->factors.size(), options.seed));
  }
  note_inflation(out, grid->factors, a.front(), b.front());
  return out;
}

}  // namespace

Attribution refuse(double delta_s, std::string because) {
  Attribution out;
  out.delta_s = delta_s;
  out.remainder_s = delta_s;
  out.refused = true;
  out.refused_because = std::move(because);
  return out;
}

Attribution attribute(std::span<const RunModel> a, std::span<const RunModel> b,
                      const DeltaOptions& options) {
  const double delta = seconds_of(b.front().measured) - seconds_of(a.front().measured);
  Attribution out;
  if (a.size() > 1 && b.size() > 1) {
    out = over_runs(a, b, options);
  } else {
    auto game = Game::make(a.front(), b.front());
    if (!game) return refuse(delta, game.error().to_text());
    out = within_run(a.front(), b.front(), std::move(*game), options);
    if (a.size() + b.size() > 2) {
      out.notes.push_back("one side has one run: the first run of each side is compared");
    }
  }
  note_models(out, a.front(), "A");
  note_models(out, b.front(), "B");
  if (out.refused) out.remainder_s = out.delta_s;
  return out;
}

}  // namespace assay::attribution
