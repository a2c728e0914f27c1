// SPDX-License-Identifier: Apache-2.0
#include "verdict/pair_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"
#include "stats/order.hpp"
#include "stats/ties.hpp"

namespace assay::verdict {
namespace {

constexpr std::uint32_t kFutileFrom = 36;

bool has_logarithm(double x) { return x > 0 && std::isfinite(x); }
bool all_have_logarithms(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), has_logarithm);
}

std::array<double, kSideRuns> logs(std::span<const double> values) {
  std::array<double, kSideRuns> result;
  for (std::size_t i = 0; i < kSideRuns; ++i) result[i] = std::log(values[i]);
  return result;
}

}  // namespace

PairTest::PairTest(const RuleOptions& options) : rule_(options) {}

void PairTest::add_block(std::span<const double> a, std::span<const double> b) {
  ASSAY_CHECK(a.size() == kSideRuns && b.size() == kSideRuns, "a block is 6 + 6 runs");
  runs_ += kSideRuns;
  if (verdict_ == Verdict::invalid) return;
  if (!all_have_logarithms(a) || !all_have_logarithms(b)) {
    verdict_ = Verdict::invalid;
    return;
  }
  const auto log_a = logs(a), log_b = logs(b);
  for (const double y : log_b)
    for (const double x : log_a) cross_.push_back(y - x);
  if (!is_open()) return;
  stats::append_pair_differences(log_a, differences_a_);
  stats::append_pair_differences(log_b, differences_b_);
  tails_.add_block(a, b);
  if (runs_ <= options().max_runs && std::binary_search(kLooks.begin(), kLooks.end(), runs_))
    look();
}

void PairTest::look() {
  const auto fresh = cross_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::sort(fresh, cross_.end());
  std::inplace_merge(cross_.begin(), fresh, cross_.end());
  sorted_ = cross_.size();
  looks_.push_back(rule_.read(cross_, *stats::median_in_place(differences_a_),
                              *stats::median_in_place(differences_b_)));
  p_seq_ = std::min(p_seq_, looks_.back().q);
  tail_z_ = tails_.z();
  if (looks_.back().verdict) verdict_ = *looks_.back().verdict;
}

Reason PairTest::reason() const {
  if (verdict_ == Verdict::invalid) return Reason::non_positive;
  if (looks_.empty()) return Reason::too_few;
  const Look& last = looks_.back();
  if (!is_open())
    return last.hi99 && last.lo99 && *last.hi99 - *last.lo99 <= stats::kTie ? Reason::exact
                                                                            : Reason::decided;
  if (rule_.forecast(last).noise_floor) return Reason::noise_floor;
  return last.sign != Sign::none ? Reason::borderline : Reason::noisy;
}

Reading PairTest::reading() const {
  Reading reading;
  reading.runs = runs_;
  if (verdict_ == Verdict::invalid) return reading;
  if (looks_.empty()) {
    reading.more = kLooks.front();
    return reading;
  }
  const Look& last = looks_.back();
  reading.runs = last.n;
  reading.estimate = last.estimate;
  reading.lo99 = last.lo99;
  reading.hi99 = last.hi99;
  reading.lo95 = last.lo95;
  reading.hi95 = last.hi95;
  reading.sign = last.sign;
  reading.p_seq = p_seq_;
  reading.guard = last.guard;
  reading.tail_z = tail_z_;
  reading.more = is_open() ? rule_.forecast(last).runs : std::uint32_t{0};
  return reading;
}

std::optional<double> PairTest::estimate_of_all() const {
  if (verdict_ == Verdict::invalid) return std::nullopt;
  if (sorted_ == cross_.size()) return stats::median_of_sorted(cross_);
  return stats::median(cross_);
}

bool PairTest::is_futile(std::uint32_t reachable) const {
  if (!is_open() || looks_.size() < 2) return false;
  const auto out_of_reach = [&](Look look, double size) {
    look.estimate = std::max(0.0, size);
    const auto needed = rule_.forecast(look).runs;
    return !needed || *needed > reachable;
  };
  return std::all_of(looks_.end() - 2, looks_.end(), [&](const Look& look) {
    const double size = std::fabs(look.estimate);
    if (look.n < kFutileFrom || size >= rule_.log_tolerance()) return false;
    const double error = look.sigma / std::sqrt(static_cast<double>(look.n));
    return out_of_reach(look, size) && out_of_reach(look, size - error) &&
           out_of_reach(look, size + error);
  });
}

Decision decide(std::span<const double> a, std::span<const double> b, const RuleOptions& options) {
  const std::size_t available = std::min(a.size(), b.size());
  a = a.first(available);
  b = b.first(available);
  Decision decision;
  decision.reading.runs = static_cast<std::uint32_t>(available);
  if (!all_have_logarithms(a) || !all_have_logarithms(b)) {
    decision.verdict = Verdict::invalid;
    decision.reason = Reason::non_positive;
    return decision;
  }
  PairTest test(options);
  const std::size_t most = std::min<std::size_t>(available, kLooks.back());
  for (std::size_t start = 0; start + kSideRuns <= most && test.is_open(); start += kSideRuns)
    test.add_block(a.subspan(start, kSideRuns), b.subspan(start, kSideRuns));
  decision.verdict = test.verdict();
  decision.reason = test.reason();
  decision.reading = test.reading();
  if (test.looks().empty()) decision.reading.runs = static_cast<std::uint32_t>(available);
  decision.looks = test.looks();
  return decision;
}

}  // namespace assay::verdict
