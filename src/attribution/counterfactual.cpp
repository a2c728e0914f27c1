// SPDX-License-Identifier: Apache-2.0
#include "attribution/counterfactual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/check.hpp"

namespace assay::attribution {
namespace {

// Values of one side's column in ascending order, for quantiles.
Nanos at_quantile(const std::vector<Nanos>& ascending, double q) {
  const double place = q * static_cast<double>(ascending.size() - 1);
  return ascending[static_cast<std::size_t>(place + 0.5)];
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool same_columns(const RunModel& a, const RunModel& b) {
  return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const RunModel::Column& l, const RunModel::Column& r) {
                      return l.stage == r.stage && l.part == r.part && l.name == r.name;
                    });
}

}  // namespace

ItemMatch match_items(std::span<const std::string> a, std::span<const std::string> b) {
  ItemMatch match;
  std::unordered_map<std::string_view, std::uint32_t> row_in_b;
  row_in_b.reserve(b.size());
  for (std::uint32_t row = 0; row < b.size(); ++row) row_in_b.emplace(b[row], row);
  std::vector<std::uint32_t> partner(a.size(), kNone);
  for (std::uint32_t row = 0; row < a.size(); ++row) {
    const auto found = row_in_b.find(a[row]);
    if (found == row_in_b.end()) continue;
    partner[row] = found->second;
    ++match.common;
  }
  const std::size_t larger = std::max(a.size(), b.size());
  match.share = larger == 0 ? 1 : static_cast<double>(match.common) / static_cast<double>(larger);
  if (match.share < 0.5 && a.size() == b.size()) {
    match.by_key = false;
    match.common = a.size();
    std::iota(partner.begin(), partner.end(), 0U);
  }
  std::vector<bool> taken(b.size(), false);
  for (std::uint32_t row = 0; row < a.size(); ++row) {
    match.a.push_back(row);
    match.b.push_back(partner[row]);
    if (partner[row] != kNone) taken[partner[row]] = true;
  }
  for (std::uint32_t row = 0; row < b.size(); ++row) {
    if (taken[row]) continue;
    match.a.push_back(kNone);
    match.b.push_back(row);
  }
  return match;
}

Result<Game> Game::make(const RunModel& a, const RunModel& b) {
  if (a.stage_names != b.stage_names) {
    return fail(
        fmt::format("the stages differ: {} and {}", join(a.stage_names), join(b.stage_names)), {},
        "state the second run's pipeline with --rules-b");
  }
  if (!same_columns(a, b)) {
    return fail("the parts of a stage differ between the sides", {},
                "state the second run's pipeline with --rules-b");
  }
  if (a.keys.empty() || b.keys.empty()) return fail("a side has no items");
  Game game(a, b);
  game.match_ = match_items(a.keys, b.keys);
  game.rank_rows();
  game.fill_services();
  game.find_factors();
  if (game.factors_.size() > 62) {
    return fail(fmt::format("{} factors differ: more than can be told apart", game.factors_.size()),
                {}, "compare runs that differ in less");
  }
  game.restore();
  return game;
}

// A row's place on a side that does not have it: where the other side has it, in proportion.
void Game::rank_rows() {
  const std::size_t rows = match_.a.size();
  const double n[2] = {static_cast<double>(sides_[0]->keys.size()),
                       static_cast<double>(sides_[1]->keys.size())};
  const std::vector<std::uint32_t>* of[2] = {&match_.a, &match_.b};
  for (std::size_t side = 0; side < 2; ++side) {
    rank_[side].resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t own = (*of[side])[row];
      rank_[side][row] = own != kNone
                             ? static_cast<double>(own)
                             : static_cast<double>((*of[1 - side])[row]) * n[side] / n[1 - side];
    }
  }
  for (std::size_t side = 0; side < 2; ++side) {
    std::vector<std::uint32_t>& base = base_[side];
    for (std::uint32_t row = 0; row < rows; ++row) {
      if ((*of[side])[row] != kNone) base.push_back(row);
    }
    const auto place = [&](std::uint32_t row) {
      return rank_[0][row] / n[0] + rank_[1][row] / n[1];
    };
    const auto key = [&](std::uint32_t row) -> const std::string& {
      return match_.a[row] != kNone ? sides_[0]->keys[match_.a[row]]
                                    : sides_[1]->keys[match_.b[row]];
    };
    std::stable_sort(base.begin(), base.end(), [&](std::uint32_t l, std::uint32_t r) {
      const double left = place(l), right = place(r);
      if (left != right) return left < right;
      return match_.by_key && key(l) < key(r);
    });
  }
}

// A column of one side by union row. An item that the side does not have takes the value at the
// quantile that its own value has on the other side.
std::vector<Nanos> Game::union_column(std::size_t side, const std::vector<Nanos>& a,
                                      const std::vector<Nanos>& b) const {
  const std::vector<std::uint32_t>* of[2] = {&match_.a, &match_.b};
  const std::vector<Nanos>* values[2] = {&a, &b};
  const std::size_t rows = match_.a.size();
  std::vector<Nanos> ascending[2];
  if (match_.common != rows) {
    for (std::size_t each = 0; each < 2; ++each) {
      ascending[each] = *values[each];
      std::sort(ascending[each].begin(), ascending[each].end());
    }
  }
  std::vector<Nanos> column(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint32_t own = (*of[side])[row];
    if (own != kNone) {
      column[row] = (*values[side])[own];
      continue;
    }
    const std::vector<Nanos>& there = ascending[1 - side];
    const Nanos value = (*values[1 - side])[(*of[1 - side])[row]];
    const auto range = std::equal_range(there.begin(), there.end(), value);
    const double middle = 0.5 * static_cast<double>((range.first - there.begin()) +
                                                    (range.second - there.begin()) - 1);
    const double q = there.size() < 2 ? 0.5 : middle / static_cast<double>(there.size() - 1);
    column[row] = at_quantile(ascending[side], q);
  }
  return column;
}

void Game::fill_services() {
  const RunModel &a = *sides_[0], &b = *sides_[1];
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t c = 0; c < a.columns.size(); ++c)
      services_[side].push_back(union_column(side, a.services[c], b.services[c]));
    // Where only one side has hand-overs, the other has none: zeros.
    const auto fill = [&](const std::vector<std::vector<Nanos>>& left,
                          const std::vector<std::vector<Nanos>>& right, std::size_t count,
                          std::vector<std::vector<Nanos>>& out) {
      const auto column = [](const std::vector<std::vector<Nanos>>& of, std::size_t i,
                             std::size_t rows) {
        return i < of.size() && !of[i].empty() ? of[i] : std::vector<Nanos>(rows, 0);
      };
      for (std::size_t i = 0; i < count; ++i) {
        const bool none =
            (i >= left.size() || left[i].empty()) && (i >= right.size() || right[i].empty());
        out.push_back(none ? std::vector<Nanos>()
                           : union_column(side, column(left, i, a.keys.size()),
                                          column(right, i, b.keys.size())));
      }
    };
    fill(a.hand_over, b.hand_over, a.columns.size(), hand_over_[side]);
    fill(a.send_delay, b.send_delay, a.stages.size(), send_delay_[side]);
  }
}

void Game::find_factors() {
  const RunModel &a = *sides_[0], &b = *sides_[1];
  for (std::uint32_t c = 0; c < a.columns.size(); ++c) {
    factors_.push_back(
        {FactorKind::service, a.columns[c].stage, c, a.columns[c].name + ".service"});
  }
  for (std::uint32_t s = 0; s < a.stages.size(); ++s) {
    bool any = !send_delay_[0][s].empty();
    for (std::size_t c = 0; c < a.columns.size(); ++c)
      any = any || (a.columns[c].stage == s && !hand_over_[0][c].empty());
    if (any) factors_.push_back({FactorKind::hand_over, s, 0, "hand-over of " + a.stage_names[s]});
  }
  bool order = false;
  std::uint32_t column = 0;
  for (std::uint32_t s = 0; s < a.stages.size(); ++s) {
    const ReplayStage &l = a.stages[s], &r = b.stages[s];
    const std::string& name = a.stage_names[s];
    const bool permits = l.permits != r.permits, servers = l.servers != r.servers;
    const bool one = l.permits == l.servers && r.permits == r.servers;
    if (servers) factors_.push_back({FactorKind::workers, s, 0, "workers of " + name});
    if (permits && !(servers && one)) {
      factors_.push_back({FactorKind::permits, s, 0, "permits of " + name});
    }
    if (s > 0 && l.capacity != r.capacity) {
      factors_.push_back({FactorKind::capacity, s, 0, "capacity of " + name});
    }
    if (l.server_through_send != r.server_through_send ||
        l.permit_through_send != r.permit_through_send) {
      factors_.push_back({FactorKind::scope, s, 0, "permit scope of " + name});
    }
    for (std::uint32_t p = 0; p < l.part_servers.size(); ++p, ++column) {
      if (l.part_servers[p] == r.part_servers[p]) continue;
      factors_.push_back({FactorKind::part_workers, s, p, "workers of " + a.columns[column].name});
    }
    order = order || l.by_order != r.by_order;
  }
  // Neighbours that began at nearly the same time may have changed places: that is no other order.
  const double jitter =
      static_cast<double>(std::max(a.stages.front().servers, b.stages.front().servers));
  const double ratio = static_cast<double>(b.keys.size()) / static_cast<double>(a.keys.size());
  for (std::size_t row = 0; row < match_.a.size() && !order; ++row) {
    if (match_.a[row] == kNone || match_.b[row] == kNone) continue;
    const double moved = rank_[1][row] - rank_[0][row] * ratio;
    order = match_.common == match_.a.size() && std::max(moved, -moved) > jitter;
  }
  if (order) factors_.push_back({FactorKind::order, 0, 0, "order"});
  if (!(a.source == b.source)) {
    const bool jobs = a.source.jobs_in_flight > 0 && b.source.jobs_in_flight > 0;
    if (!jobs || a.source.jobs_in_flight != b.source.jobs_in_flight) {
      factors_.push_back({FactorKind::source, 0, 0, jobs ? "jobs in flight" : "arrivals"});
    }
  }
  if (match_.common < match_.a.size()) factors_.push_back({FactorKind::items, 0, 0, "items"});
  fold_hand_overs();
}

// Beyond 2^8 sets orders are sampled: one factor for all hand-overs before that.
void Game::fold_hand_overs() {
  constexpr std::size_t kAllSets = 8;
  if (factors_.size() <= kAllSets) return;
  const auto is_one = [](const Factor& f) { return f.kind == FactorKind::hand_over; };
  const auto first = std::find_if(factors_.begin(), factors_.end(), is_one);
  if (std::count_if(factors_.begin(), factors_.end(), is_one) < 2) return;
  *first = {FactorKind::hand_over, kNone, 0, "hand-overs"};
  factors_.erase(std::remove_if(first + 1, factors_.end(), is_one), factors_.end());
}

// Rows of each side's items in each side's order. places[p] = which place of base_ enters as p.
void Game::make_entries(std::span<const std::uint32_t> places_a,
                        std::span<const std::uint32_t> places_b) {
  const bool has_order = std::any_of(factors_.begin(), factors_.end(), [](const Factor& factor) {
    return factor.kind == FactorKind::order;
  });
  const std::span<const std::uint32_t> places[2] = {places_a, places_b};
  for (std::size_t items = 0; items < 2; ++items) {
    const std::vector<std::uint32_t>& base = base_[items];
    std::vector<std::uint32_t> sequence;
    sequence.reserve(places[items].size());
    for (const std::uint32_t place : places[items]) sequence.push_back(base[place]);
    for (std::size_t by = 0; by < 2; ++by) {
      entries_[items][by] = sequence;
      if (!has_order) continue;
      // The rank among these items on side `by`; each copy moves by as much as its item moved.
      std::vector<std::uint32_t> sorted(base.size()), at(base.size());
      std::iota(sorted.begin(), sorted.end(), 0U);
      std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint32_t l, std::uint32_t r) {
        return rank_[by][base[l]] < rank_[by][base[r]];
      });
      for (std::uint32_t rank = 0; rank < sorted.size(); ++rank) at[sorted[rank]] = rank;
      std::vector<std::pair<std::int64_t, std::uint32_t>> keyed;
      keyed.reserve(sequence.size());
      for (std::size_t p = 0; p < sequence.size(); ++p) {
        const std::uint32_t place = places[items][p];
        keyed.emplace_back(static_cast<std::int64_t>(p) + at[place] - place, sequence[p]);
      }
      std::stable_sort(keyed.begin(), keyed.end(),
                       [](const auto& l, const auto& r) { return l.first < r.first; });
      for (std::size_t p = 0; p < keyed.size(); ++p) entries_[items][by][p] = keyed[p].second;
    }
  }
}

void Game::restore() {
  std::vector<std::uint32_t> places[2];
  for (std::size_t side = 0; side < 2; ++side) {
    places[side].resize(base_[side].size());
    std::iota(places[side].begin(), places[side].end(), 0U);
  }
  make_entries(places[0], places[1]);
}

void Game::resample(Random& random, std::size_t length) {
  const std::size_t n = base_[0].size(), m = base_[1].size();
  length = std::clamp<std::size_t>(length, 1, n);
  std::vector<std::uint32_t> a, b;
  while (a.size() < n) {
    const std::size_t start = random.below(n - length + 1);
    for (std::size_t i = 0; i < length && a.size() < n; ++i) {
      a.push_back(static_cast<std::uint32_t>(start + i));
    }
  }
  // The other side takes the same blocks: place for place, in proportion where it has more or less.
  for (std::size_t p = 0; p < m; ++p) {
    b.push_back(m == n ? a[p] : static_cast<std::uint32_t>(std::uint64_t{a[p * n / m]} * m / n));
  }
  make_entries(a, b);
}

const ReplaySource* Game::source_for(std::size_t side, std::size_t places) {
  const ReplaySource& source = sides_[side]->source;
  const std::size_t own = sides_[side]->keys.size();
  if (own == places) return &source;
  ReplaySource& out = stretched_[side];
  out.jobs_in_flight = source.jobs_in_flight;
  out.arrival.clear();
  out.job.clear();
  for (std::size_t p = 0; p < places; ++p) {
    if (!source.arrival.empty()) out.arrival.push_back(source.arrival[p * own / places]);
    if (!source.job.empty()) out.job.push_back(source.job[p * own / places]);
  }
  return &out;
}

double Game::worth(std::uint64_t set) {
  std::vector<ReplayStage> stages = sides_[0]->stages;
  std::vector<std::span<const Nanos>> services;
  for (const std::vector<Nanos>& column : services_[0]) services.emplace_back(column);
  std::vector<std::span<const Nanos>> delays(hand_over_[0].begin(), hand_over_[0].end());
  std::vector<std::span<const Nanos>> holds(send_delay_[0].begin(), send_delay_[0].end());
  std::size_t items = 0, order = 0, source = 0;
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    if ((set >> i & 1) == 0) continue;
    const Factor& factor = factors_[i];
    if (factor.kind == FactorKind::hand_over) {
      const auto is_its = [&](std::size_t s) { return factor.stage == kNone || factor.stage == s; };
      for (std::size_t c = 0; c < delays.size(); ++c)
        if (is_its(sides_[0]->columns[c].stage)) delays[c] = hand_over_[1][c];
      for (std::size_t s = 0; s < holds.size(); ++s)
        if (is_its(s)) holds[s] = send_delay_[1][s];
      continue;
    }
    ReplayStage& to = stages[factor.stage];
    const ReplayStage& from = sides_[1]->stages[factor.stage];
    switch (factor.kind) {
      case FactorKind::service:
        services[factor.column] = services_[1][factor.column];
        break;
      case FactorKind::hand_over:
        break;  // above: it may be of all stages
      case FactorKind::workers: {
        const ReplayStage& a = sides_[0]->stages[factor.stage];
        if (a.permits == a.servers && from.permits == from.servers) to.permits = from.permits;
        to.servers = from.servers;
        break;
      }
      case FactorKind::permits:
        to.permits = from.permits;
        break;
      case FactorKind::part_workers:
        to.part_servers[factor.column] = from.part_servers[factor.column];
        break;
      case FactorKind::capacity:
        to.capacity = from.capacity;
        break;
      case FactorKind::scope:
        to.server_through_send = from.server_through_send;
        to.permit_through_send = from.permit_through_send;
        break;
      case FactorKind::order:
        order = 1;
        for (std::size_t s = 0; s < stages.size(); ++s) {
          stages[s].by_order = sides_[1]->stages[s].by_order;
        }
        break;
      case FactorKind::source:
        source = 1;
        break;
      case FactorKind::items:
        items = 1;
        break;
    }
  }
  const std::vector<std::uint32_t>& entry = entries_[items][order];
  const bool own_source = std::any_of(factors_.begin(), factors_.end(), [](const Factor& factor) {
    return factor.kind == FactorKind::source;
  });
  // One limit on both sides: the jobs are those of the items that enter.
  if (!own_source) source = items;
  return static_cast<double>(replayer_.makespan(
             {stages, services, entry, source_for(source, entry.size()), delays, holds})) *
         1e-9;
}

std::size_t Game::events() const {
  return std::max(base_[0].size(), base_[1].size()) * sides_[0]->columns.size();
}

}  // namespace assay::attribution
