// SPDX-License-Identifier: Apache-2.0
#include "attribution/memory_model.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "attribution/times.hpp"
#include "base/check.hpp"
#include "base/text.hpp"

namespace assay::attribution {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kDependent = 1e-9;  // of a column of length one

// The problem with as many rows as columns + 1 (the triangle of its QR), columns of length one and
// a right side of length one: the same minimiser, whatever the units.
struct Reduced {
  MatrixXd a;
  VectorXd b;
  VectorXd column_length;
  double right_length = 0;
};

Reduced reduce(const std::vector<std::vector<double>>& columns, const std::vector<double>& right) {
  const auto k = static_cast<Index>(columns.size()), n = static_cast<Index>(right.size());
  MatrixXd all = MatrixXd::Zero(std::max(n, k + 1), k + 1);
  Reduced result;
  result.column_length = VectorXd::Ones(k);
  for (Index c = 0; c < k; ++c) {
    all.col(c).head(n) = Eigen::Map<const VectorXd>(columns[static_cast<std::size_t>(c)].data(), n);
    const double length = all.col(c).norm();
    if (length > 0) {
      result.column_length[c] = length;
      all.col(c) /= length;
    }
  }
  all.col(k).head(n) = Eigen::Map<const VectorXd>(right.data(), n);
  result.right_length = all.col(k).norm();
  if (result.right_length > 0) all.col(k) /= result.right_length;
  const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(all);
  const MatrixXd triangle = qr.matrixQR().topRows(k + 1).template triangularView<Eigen::Upper>();
  result.a = triangle.leftCols(k);
  result.b = triangle.col(k);
  return result;
}

VectorXd solve_passive(const Reduced& problem, const std::vector<Index>& passive) {
  MatrixXd chosen(problem.a.rows(), static_cast<Index>(passive.size()));
  for (std::size_t i = 0; i < passive.size(); ++i)
    chosen.col(static_cast<Index>(i)) = problem.a.col(passive[i]);
  return chosen.colPivHouseholderQr().solve(problem.b);
}

VectorXd solve(const Reduced& problem) {
  const Index k = problem.a.cols();
  VectorXd x = VectorXd::Zero(k);
  std::vector<bool> banned(static_cast<std::size_t>(k), false);
  std::vector<Index> passive;
  for (Index round = 0; round < 3 * k + 10; ++round) {
    const VectorXd gradient = problem.a.transpose() * (problem.b - problem.a * x);
    Index best = -1;
    for (Index c = 0; c < k; ++c) {
      if (banned[static_cast<std::size_t>(c)]) continue;
      if (std::find(passive.begin(), passive.end(), c) != passive.end()) continue;
      if (gradient[c] > kDependent && (best < 0 || gradient[c] > gradient[best])) best = c;
    }
    if (best < 0) return x;
    passive.push_back(best);
    while (!passive.empty()) {
      const VectorXd trial = solve_passive(problem, passive);
      if (trial.minCoeff() > 0) {
        x.setZero();
        for (std::size_t i = 0; i < passive.size(); ++i)
          x[passive[i]] = trial[static_cast<Index>(i)];
        break;
      }
      // As far towards the trial as all stay non-negative; what becomes zero leaves.
      double step = 1;
      for (std::size_t i = 0; i < passive.size(); ++i) {
        const double to = trial[static_cast<Index>(i)], from = x[passive[i]];
        if (to <= 0) step = std::min(step, from > 0 ? from / (from - to) : 0.0);
      }
      for (std::size_t i = 0; i < passive.size(); ++i)
        x[passive[i]] += step * (trial[static_cast<Index>(i)] - x[passive[i]]);
      std::erase_if(passive, [&](Index c) {
        if (x[c] > 1e-14) return false;
        x[c] = 0;
        if (c == best) banned[static_cast<std::size_t>(c)] = true;  // its gradient was rounding
        return true;
      });
    }
  }
  return x;
}

// Which columns add nothing to those before them.
std::vector<bool> dependent_columns(const Reduced& problem) {
  const Index k = problem.a.cols();
  std::vector<bool> dependent(static_cast<std::size_t>(k), false);
  // In the triangle of a QR the diagonal is what a column has that those before it have not.
  for (Index c = 0; c < k; ++c)
    dependent[static_cast<std::size_t>(c)] = std::fabs(problem.a(c, c)) < 1e-6;
  return dependent;
}

}  // namespace

std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& columns,
                                               const std::vector<double>& right) {
  for (const auto& column : columns)
    ASSAY_CHECK(column.size() == right.size(), "every column has a value for every sample");
  if (columns.empty() || right.empty()) return std::vector<double>(columns.size(), 0);
  const Reduced problem = reduce(columns, right);
  const VectorXd x = solve(problem);
  std::vector<double> result(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto i = static_cast<Index>(c);
    result[c] = x[i] / problem.column_length[i] * problem.right_length;
  }
  return result;
}

std::optional<MemoryFit> fit_memory(const trace::MemorySeries& series, trace::Nanos run_begin,
                                    std::span<const std::string> stages,
                                    const std::vector<std::vector<double>>& in_flight) {
  const std::size_t n = std::min(series.at.size(), series.bytes.size());
  if (n < 2 * (stages.size() + 1)) return std::nullopt;
  MemoryFit fit;
  MemoryModel& model = fit.model;
  model.scope = series.scope;
  model.method = series.method;
  model.samples = n;
  std::vector<std::vector<double>> columns = {std::vector<double>(n, 1)};
  columns.insert(columns.end(), in_flight.begin(), in_flight.end());
  std::vector<double> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<double>(series.bytes[i]);
  for (auto& column : columns) column.resize(n, 0);

  const std::vector<double> x = non_negative_least_squares(columns, bytes);
  const std::vector<bool> dependent = dependent_columns(reduce(columns, bytes));
  model.base_bytes = x[0];
  std::size_t peak = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (series.bytes[i] > series.bytes[peak]) peak = i;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    model.terms.push_back({stages[s], x[s + 1], columns[s + 1][peak]});
    if (dependent[s + 1]) fit.inseparable.push_back(stages[s]);
  }
  model.peak_bytes = bytes[peak];
  model.peak_at_s = seconds_between(run_begin, series.at[peak]);
  double mean = 0, squares = 0, spread = 0;
  for (std::size_t i = 0; i < n; ++i) mean += (bytes[i] - mean) / static_cast<double>(i + 1);
  for (std::size_t i = 0; i < n; ++i) {
    double predicted = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) predicted += x[c] * columns[c][i];
    squares += (bytes[i] - predicted) * (bytes[i] - predicted);
    spread += (bytes[i] - mean) * (bytes[i] - mean);
    if (i == peak) model.peak_model_bytes = predicted;
  }
  model.residual_bytes = std::sqrt(squares / static_cast<double>(n));
  model.explained = spread > 0 ? std::clamp(1 - squares / spread, 0.0, 1.0) : 0;
  return fit;
}

double predicted_peak(const MemoryModel& model, std::span<const double> in_flight) {
  double bytes = model.base_bytes;
  for (std::size_t i = 0; i < model.terms.size() && i < in_flight.size(); ++i)
    bytes += model.terms[i].bytes_per_item * in_flight[i];
  return bytes;
}

SettingWithin largest_setting_within(const MemoryModel& model, std::string_view stage,
                                     double budget_bytes) {
  SettingWithin result;
  result.margin_bytes = 2 * model.residual_bytes;
  const auto term = std::find_if(model.terms.begin(), model.terms.end(),
                                 [&](const MemoryModel::Term& of) { return of.stage == stage; });
  if (term == model.terms.end()) {
    result.because = fmt::format("the memory model has no stage '{}'", stage);
    return result;
  }
  double others = model.base_bytes;
  for (const MemoryModel::Term& of : model.terms)
    if (of.stage != stage) others += of.bytes_per_item * of.in_flight_at_peak;
  if (term->bytes_per_item <= 0) {
    result.because = fmt::format("memory does not grow with the items in '{}'", stage);
    return result;
  }
  const double room = budget_bytes - result.margin_bytes - others;
  if (!(room >= term->bytes_per_item)) {
    result.because = fmt::format(
        "not even one item fits: {} are taken by the rest, {} by one item, and {} are kept for "
        "what the model does not explain",
        format_bytes(others), format_bytes(term->bytes_per_item),
        format_bytes(result.margin_bytes));
    return result;
  }
  // The slack keeps a budget that holds exactly n items at n.
  const double most = std::floor(room / term->bytes_per_item * (1 + 1e-12));
  result.most = most < 1e18 ? static_cast<std::uint64_t>(most) : std::uint64_t{1} << 59;
  result.predicted_bytes = others + static_cast<double>(*result.most) * term->bytes_per_item;
  return result;
}

}  // namespace assay::attribution
