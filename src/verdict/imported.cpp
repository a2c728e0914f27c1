// SPDX-License-Identifier: Apache-2.0
#include "verdict/imported.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "stats/order.hpp"
#include "stats/sums.hpp"

namespace assay::verdict {
namespace {

struct Placed {
  std::int64_t at = 0;
  bool is_candidate = false;
  double log_value = 0;
};

struct Rounds {
  std::vector<double> effects = {};  // mean log of the candidate's less that of the baseline's
  std::size_t baseline_first = 0, outside = 0;
};

// The smallest rounds in which both sides are equally often, one behind the other.
Rounds rounds_of(std::vector<Placed> all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Placed& a, const Placed& b) { return a.at < b.at; });
  Rounds rounds;
  std::size_t begin = 0;
  while (begin < all.size()) {
    double sum_a = 0, sum_b = 0;
    std::size_t count_a = 0, count_b = 0, end = begin;
    do {
      const Placed& one = all[end++];
      (one.is_candidate ? sum_b : sum_a) += one.log_value;
      ++(one.is_candidate ? count_b : count_a);
    } while (count_a != count_b && end < all.size() && end - begin < kMostOfRound);
    if (count_a != count_b) {
      // No round starts here: the first one stands outside.
      ++rounds.outside;
      ++begin;
      continue;
    }
    const auto count = static_cast<double>(count_a);
    rounds.effects.push_back(sum_b / count - sum_a / count);
    if (!all[begin].is_candidate) ++rounds.baseline_first;
    begin = end;
  }
  return rounds;
}

bool has_logarithm(std::span<const ImportedProcess> side) {
  return std::all_of(side.begin(), side.end(), [](const ImportedProcess& one) {
    return one.value > 0 && std::isfinite(one.value);
  });
}

bool is_zero(std::span<const ImportedProcess> side) {
  return !side.empty() && std::all_of(side.begin(), side.end(),
                                      [](const ImportedProcess& one) { return one.value == 0; });
}

bool has_dates(std::span<const ImportedProcess> side) {
  return std::all_of(side.begin(), side.end(),
                     [](const ImportedProcess& one) { return one.started_at_ms.has_value(); });
}

double median_log(std::span<const ImportedProcess> side) {
  std::vector<double> logs;
  for (const ImportedProcess& one : side) logs.push_back(std::log(one.value));
  return *stats::median(logs);
}

}  // namespace

std::span<const double> warm_values(std::span<const double> values, bool sorted) {
  const bool drops = values.size() > 1 && !sorted;
  return values.subspan(drops ? std::max<std::size_t>(1, values.size() / 10) : 0);
}

std::optional<double> process_value(std::span<const double> values, bool sorted) {
  if (values.empty()) return std::nullopt;
  const auto kept = warm_values(values, sorted);
  return stats::median(std::vector<double>(kept.begin(), kept.end()));
}

std::string_view to_word(Standing standing) {
  constexpr std::array<std::string_view, 6> kWords = {
      "judged", "unreplicated", "order-unknown", "not-interleaved", "non-positive", "both-zero"};
  return kWords[static_cast<std::size_t>(standing)];
}

ImportedVerdict judge_imported(std::span<const ImportedProcess> baseline,
                               std::span<const ImportedProcess> candidate,
                               const GroupOptions& options) {
  ImportedVerdict result;
  result.decision.reading.runs =
      static_cast<std::uint32_t>(std::min(baseline.size(), candidate.size()));
  if (is_zero(baseline) && is_zero(candidate)) {
    result.standing = Standing::both_zero;
    return result;
  }
  if (!has_logarithm(baseline) || !has_logarithm(candidate)) {
    result.standing = Standing::non_positive;
    return result;
  }
  if (!baseline.empty() && !candidate.empty())
    result.log_ratio = median_log(candidate) - median_log(baseline);
  if (baseline.size() < kMinBuilds || candidate.size() < kMinBuilds) return result;
  if (!has_dates(baseline) || !has_dates(candidate)) {
    result.standing = Standing::order_unknown;
    return result;
  }
  std::vector<Placed> all;
  for (const ImportedProcess& one : baseline)
    all.push_back({*one.started_at_ms, false, std::log(one.value)});
  for (const ImportedProcess& one : candidate)
    all.push_back({*one.started_at_ms, true, std::log(one.value)});
  const Rounds rounds = rounds_of(std::move(all));
  result.rounds = rounds.effects.size();
  result.baseline_first = rounds.baseline_first;
  result.outside = rounds.outside;
  const bool one_always_first =
      rounds.baseline_first == 0 || rounds.baseline_first == rounds.effects.size();
  if (rounds.effects.size() < kMinBuilds || one_always_first) {
    result.standing = Standing::not_interleaved;
    return result;
  }
  result.standing = Standing::judged;
  result.decision = build_verdict(rounds.effects, options);
  result.log_ratio = result.decision.reading.estimate;
  return result;
}

}  // namespace assay::verdict
