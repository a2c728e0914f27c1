// SPDX-License-Identifier: Apache-2.0
#include "attribution/stage_delta.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "attribution/nested.hpp"
#include "attribution/shape.hpp"
#include "stats/distributions.hpp"
#include "stats/sums.hpp"

namespace assay::attribution {
namespace {

using trace::SpanKind;
using trace::Trace;
using Runs = std::span<const Trace* const>;

constexpr double kLevel = 0.99;
constexpr std::size_t kFewest = 20;
constexpr SpanKind kKinds[] = {SpanKind::service, SpanKind::queue_wait, SpanKind::blocked_send,
                               SpanKind::lock_wait};

struct Interval {
  double lo = 0, hi = 0;
};

std::size_t block_length(std::size_t n) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(std::cbrt(double(n)))));
}

// The item of B with the same key, by item of A; empty unless every item has one.
std::vector<std::uint32_t> partners(const Trace& a, const Trace& b) {
  if (a.items.size() != b.items.size() || a.items.size() == 0) return {};
  std::unordered_map<std::string_view, std::uint32_t> in_b;
  in_b.reserve(b.items.size());
  for (std::uint32_t item = 0; item < b.items.size(); ++item) {
    in_b.emplace(b.strings.at(b.items.key[item]), item);
  }
  std::vector<std::uint32_t> out;
  out.reserve(a.items.size());
  for (const std::uint32_t key : a.items.key) {
    const auto found = in_b.find(a.strings.at(key));
    if (found == in_b.end()) return {};
    out.push_back(found->second);
  }
  return out;
}

// Time that each item spent so in the stage, s, by item; and the items in the order of their spans.
struct ByItem {
  std::vector<double> seconds;
  std::vector<std::uint32_t> order;
};
ByItem by_item(const Trace& run, std::uint32_t stage, SpanKind kind) {
  ByItem out;
  out.seconds.assign(run.items.size(), -1);
  for (std::size_t i = 0; i < run.spans.size(); ++i) {
    if (run.spans.stage[i] != stage || run.spans.kind[i] != kind) continue;
    if (run.spans.item[i] >= run.items.size()) continue;
    if (run.spans.quality[i] == trace::Quality::clipped) continue;
    double& seconds = out.seconds[run.spans.item[i]];
    if (seconds < 0) {
      seconds = 0;
      out.order.push_back(run.spans.item[i]);
    }
    seconds += seconds_between(run.spans.begin[i], run.spans.end[i]);
  }
  return out;
}

// The items' own differences; nothing unless the same items spent time there on both sides.
std::optional<std::vector<double>> paired(const Trace& a, const Trace& b, std::uint32_t stage_a,
                                          std::uint32_t stage_b, SpanKind kind,
                                          std::span<const std::uint32_t> partner) {
  if (partner.empty()) return std::nullopt;
  const ByItem left = by_item(a, stage_a, kind), right = by_item(b, stage_b, kind);
  if (left.order.size() != right.order.size()) return std::nullopt;
  std::vector<double> differences;
  for (const std::uint32_t item : left.order) {
    const double there = right.seconds[partner[item]];
    if (there < 0) return std::nullopt;
    differences.push_back(there - left.seconds[item]);
  }
  return differences;
}

std::optional<Interval> around(double center, std::optional<double> variance) {
  if (!variance) return std::nullopt;
  const double half = stats::normal_upper_quantile((1 - kLevel) / 2) * std::sqrt(*variance);
  return Interval{center - half, center + half};
}

// Welch's interval for the difference of the means of two groups of runs.
std::optional<Interval> over_runs(const std::vector<double>& a, const std::vector<double>& b) {
  const auto left = stats::variance(a), right = stats::variance(b);
  if (!left || !right) return std::nullopt;
  const double center = *stats::mean(b) - *stats::mean(a);
  const double n = double(a.size()), m = double(b.size());
  const double u = *left / n, v = *right / m;
  if (u + v <= 0) return Interval{center, center};
  const double df = (u + v) * (u + v) / (u * u / (n - 1) + v * v / (m - 1));
  const double half = stats::t_quantile(0.5 + kLevel / 2, df) * std::sqrt(u + v);
  return Interval{center - half, center + half};
}

// What one stage and kind took on a side.
struct Side {
  std::vector<double> pooled, means;  // of all runs; of each run that has any
};
Side side_of(Runs runs, const std::vector<Lengths>& lengths, const std::string& stage,
             SpanKind kind) {
  Side side;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::uint32_t id = runs[r]->find_stage(stage);
    if (id == kNone) continue;
    const std::vector<double> values = lengths[r].of(id, kind);
    if (const auto mean = stats::mean(values)) side.means.push_back(*mean);
    side.pooled.insert(side.pooled.end(), values.begin(), values.end());
  }
  return side;
}

}  // namespace

std::optional<double> block_variance(std::span<const double> values, std::size_t length) {
  const std::size_t n = values.size();
  if (n < kFewest || length < 1 || length > n) return std::nullopt;
  const double center = *stats::mean(values);
  double window = 0;
  std::vector<double> means;
  means.reserve(n - length + 1);
  for (std::size_t i = 0; i < n; ++i) {
    window += values[i] - center;
    if (i >= length) window -= values[i - length] - center;
    if (i + 1 >= length) means.push_back(window / static_cast<double>(length));
  }
  const double middle = *stats::mean(means);
  double squares = 0;
  for (const double mean : means) squares += (mean - middle) * (mean - middle);
  return squares / static_cast<double>(means.size()) * static_cast<double>(length) /
         static_cast<double>(n);
}

std::vector<StageDelta> stage_deltas(std::span<const trace::Trace* const> a,
                                     std::span<const trace::Trace* const> b,
                                     const Pipeline& pipeline_a, const Pipeline& pipeline_b) {
  std::vector<Lengths> lengths_a, lengths_b;
  for (const Trace* run : a) lengths_a.emplace_back(*run);
  for (const Trace* run : b) lengths_b.emplace_back(*run);
  const bool replicated = a.size() > 1 && b.size() > 1;
  const std::vector<std::uint32_t> partner =
      replicated ? std::vector<std::uint32_t>() : partners(*a.front(), *b.front());

  std::vector<std::string> names;
  for (const PipelineStage& stage : pipeline_a.stages) {
    names.push_back(stage.name);
    for (const std::uint32_t part : stage.parts) names.push_back(pipeline_a.parts[part].name);
  }
  const auto in_b = [&](const std::string& name) {
    const auto has = [&](const PipelineStage& stage) { return stage.name == name; };
    return std::any_of(pipeline_b.stages.begin(), pipeline_b.stages.end(), has) ||
           std::any_of(pipeline_b.parts.begin(), pipeline_b.parts.end(), has);
  };
  std::vector<StageDelta> out;
  for (const std::string& name : names) {
    if (!in_b(name)) continue;
    for (const SpanKind kind : kKinds) {
      const Side left = side_of(a, lengths_a, name, kind),
                 right = side_of(b, lengths_b, name, kind);
      if (left.pooled.empty() || right.pooled.empty()) continue;
      StageDelta row;
      row.stage = name;
      row.kind = kind;
      row.mean_delta_s = *stats::mean(right.means) - *stats::mean(left.means);
      std::optional<Interval> interval;
      if (replicated) {
        interval = over_runs(left.means, right.means);
      } else {
        const auto own = paired(*a.front(), *b.front(), a.front()->find_stage(name),
                                b.front()->find_stage(name), kind, partner);
        const auto variance = [](const std::vector<double>& values) {
          return block_variance(values, block_length(values.size()));
        };
        if (own && a.size() + b.size() == 2) {
          interval = around(row.mean_delta_s, variance(*own));
        } else {
          const auto u = variance(left.pooled), v = variance(right.pooled);
          if (u && v) interval = around(row.mean_delta_s, *u + *v);
        }
      }
      if (interval) {
        row.lo_s = interval->lo;
        row.hi_s = interval->hi;
      }
      row.a = distribution_of(left.pooled);
      row.b = distribution_of(right.pooled);
      ShapeFound found = shape_of(row.a, row.b, {row.mean_delta_s, row.lo_s, row.hi_s});
      row.shape = found.shape;
      row.sentence = std::move(found.sentence);
      out.push_back(std::move(row));
    }
  }
  return out;
}

}  // namespace assay::attribution
