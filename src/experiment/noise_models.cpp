// SPDX-License-Identifier: Apache-2.0
#include "experiment/noise_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/text.hpp"
#include "stats/order.hpp"

namespace assay::experiment {
namespace {

constexpr double kSeconds = 0.1;  // typical synthetic run
constexpr double kPeakBytes = 64.0 * 1024 * 1024;
constexpr double kPage = 4096;
constexpr double kMemorySd = 0.002;
constexpr double kWallShare = 0.5;     // of the model's noise that wall has on top
constexpr double kCorrelation = 0.9;   // of neighbours, drift
constexpr std::size_t kStretch = 500;  // contiguous recorded runs
constexpr double kWidestLog = 100;     // per cent, lnX

NoiseModel synthetic(std::string name, std::string about, NoiseShape shape, double sd = 0) {
  return {.name = std::move(name),
          .about = std::move(about),
          .shape = shape,
          .sd = sd,
          .series = nullptr,
          .typical = {kSeconds, kSeconds, kPeakBytes}};
}

NoiseModel lognormal(double percent) {
  return synthetic(
      fmt::format("ln{:g}", percent),
      percent == 0 ? "no noise" : fmt::format("independent, lognormal, {:g} %", percent),
      NoiseShape::lognormal, percent / 100);
}

double median_of(const RecordedSeries& series, double RecordedRun::*member) {
  std::vector<double> values;
  for (const RecordedRun& run : series.runs) values.push_back(run.*member);
  return *stats::median_in_place(values);
}

NoiseModel recorded(const RecordedSeries& series) {
  return {
      .name = std::string(series.name),
      .about = std::string(series.about),
      .shape = NoiseShape::recorded,
      .series = &series,
      .typical = {median_of(series, &RecordedRun::wall_s), median_of(series, &RecordedRun::cpu_s),
                  1024 * median_of(series, &RecordedRun::peak_kib)}};
}

std::vector<NoiseModel> all_models() {
  std::vector<NoiseModel> models = {
      lognormal(1),
      lognormal(3),
      lognormal(10),
      synthetic("heavy", "1 %, and 5 % of the runs 1.3 to 3 times as long", NoiseShape::heavy),
      synthetic("bimodal", "1 %, and 30 % of the runs 8 % longer", NoiseShape::bimodal),
      synthetic("drift", "autocorrelated 2 %, a trend, rare steps of 4 %", NoiseShape::drift),
      synthetic("position", "1 %, and every second run 2 % shorter", NoiseShape::position),
      synthetic("lindrift", "0.5 %, and each run 0.1 % longer than the last",
                NoiseShape::lindrift)};
  for (const RecordedSeries& series : recorded_series()) models.push_back(recorded(series));
  return models;
}

NoiseModel levels() {
  return synthetic("levels", "two values 0.2 % apart, equally often", NoiseShape::levels);
}

}  // namespace

std::span<const NoiseModel> noise_models() {
  static const std::vector<NoiseModel> kModels = all_models();
  return kModels;
}

Result<NoiseModel> parse_noise(std::string_view name) {
  std::vector<std::string> names;
  for (const NoiseModel& model : noise_models()) {
    if (model.name == name) return model;
    names.push_back(model.name);
  }
  if (name == "levels") return levels();
  names.emplace_back("levels");
  if (name.starts_with("ln"))
    if (const auto percent = parse_number(name.substr(2));
        percent && *percent >= 0 && *percent <= kWidestLog)
      return lognormal(*percent);
  const auto near = nearest(name, names);
  return fail(fmt::format("no noise model is called '{}'", printable(name)), {},
              near
                  ? fmt::format("did you mean '{}'?", *near)
                  : fmt::format("there are {}, and lnX for X % lognormal", fmt::join(names, ", ")));
}

Noise::Noise(const NoiseModel& model, std::size_t runs, std::uint64_t seed)
    : model_(model), random_(seed) {
  ASSAY_CHECK((model.shape == NoiseShape::recorded) == (model.series != nullptr),
              "a recorded model has its series");
  if (model.series != nullptr) window_ = std::min({kStretch, runs, model.series->runs.size()});
  if (model.shape == NoiseShape::drift) {
    for (Series& series : series_) {
      series.level = 0.02 * random_.normal();
      series.trend = random_.uniform() < 0.5 ? -0.0002 : 0.0002;
    }
  }
}

double Noise::draw(Series& series) {
  const double white = 0.01 * random_.normal();
  switch (model_.shape) {
    case NoiseShape::lognormal:
      return 100 * model_.sd * white;
    case NoiseShape::heavy:
      return random_.uniform() < 0.05 ? white + std::log(1.3 + 1.7 * random_.uniform()) : white;
    case NoiseShape::bimodal:
      return random_.uniform() < 0.3 ? white + 0.08 : white;
    case NoiseShape::drift: {
      if (at_ > 0) {
        const double fresh = 0.02 * std::sqrt(1 - kCorrelation * kCorrelation);
        series.level = kCorrelation * series.level + fresh * random_.normal();
      }
      if (random_.uniform() < 1.0 / 150) series.steps += 0.04 * random_.normal();
      return white + series.level + series.steps + series.trend * static_cast<double>(at_);
    }
    case NoiseShape::position:
      return at_ % 2 == 1 ? white - 0.02 : white;
    case NoiseShape::lindrift:
      return 0.5 * white + 0.001 * static_cast<double>(at_);
    case NoiseShape::levels:
      return random_.uniform() < 0.5 ? 0.002 : 0;
    case NoiseShape::recorded:
      break;
  }
  ASSAY_CHECK(false, "recorded runs are not drawn");
  return 0;
}

NoisyRun Noise::next() {
  if (model_.series != nullptr) {
    const auto& rows = model_.series->runs;
    if (at_ % window_ == 0) next_row_ = random_.below(rows.size() - window_ + 1);
    ++at_;
    const RecordedRun& row = rows[next_row_++];
    return {row.wall_s, row.cpu_s, 1024 * row.peak_kib};
  }
  const double cpu = draw(series_[0]);
  const double own = draw(series_[1]);
  ++at_;
  const double peak = kPeakBytes * (1 + kMemorySd * random_.normal());
  return {kSeconds * std::exp(cpu + kWallShare * own), kSeconds * std::exp(cpu),
          kPage * std::round(peak / kPage)};
}

}  // namespace assay::experiment
