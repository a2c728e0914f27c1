// SPDX-License-Identifier: Apache-2.0
#include "report/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/compare.hpp"
#include "report/plain.hpp"
#include "report/sentence.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

std::string sentence_for(const CalibrateView& view, const Record& record,
                         const Conclusion& conclusion) {
  if (view.failure) return capitalised(view.failure->text) + ". " + view.failure->way_out;
  const std::string ending = ending_remark(record, conclusion);
  if (view.floors.empty()) return "No noise floor was found. " + ending;
  const auto worst = std::max_element(
      view.floors.begin(), view.floors.end(), [](const FloorRow& a, const FloorRow& b) {
        return std::pair(a.metric.gating, a.floor) < std::pair(b.metric.gating, b.floor);
      });
  const std::string noun = noun_of(worst->metric);
  std::string text =
      worst->floor > 0
          ? fmt::format(
                "Copies of this command differ by {} (one standard deviation) in {} without "
                "any change.",
                percent(worst->floor), noun)
          : fmt::format("Copies of this command do not differ in {} beyond the noise of the runs.",
                        noun);
  text += " Comparisons of it on this machine take that into account for 30 days.";
  return ending.empty() ? text : text + " " + ending;
}

std::string smallest_text(double fraction) {
  return fraction > 0 ? percent(fraction) : std::string("-");
}

std::string floor_text(const FloorRow& row) {
  return fmt::format(
      "copies {} (1 sigma, {} comparisons), a pair of runs differs by {}; 198 + 198 runs settle a "
      "tolerance of {}",
      row.floor > 0 ? "differ by " + percent(row.floor) : "agree", row.comparisons,
      percent(row.pair), smallest_text(row.smallest));
}

}  // namespace

CalibrateView view_calibrate(const Record& record, const Conclusion& conclusion) {
  CalibrateView view;
  view.id = plain(record.id);
  view.plan = record.plan;
  view.host = record.host;
  if (!record.plan.arms.empty()) view.side = sides_of(record.plan).front();
  view.failure = failure_of(record, conclusion);
  view.warnings = printable_warnings(conclusion);
  for (const Conclusion::Floor& floor : conclusion.floors) {
    if (floor.metric >= record.plan.metrics.size()) continue;
    FloorRow row;
    row.metric = record.plan.metrics[floor.metric];
    row.title = title_of(row.metric);
    row.sys_sigma = floor.sys_sigma;
    row.pair_sigma = floor.pair_sigma;
    row.comparisons = floor.sys_k;
    row.floor = std::expm1(floor.sys_sigma);
    row.pair = std::expm1(floor.pair_sigma);
    row.smallest = floor.mdt_198;
    view.floors.push_back(std::move(row));
  }
  view.sentence = sentence_for(view, record, conclusion);
  return view;
}

Text calibrate_text(const CalibrateView& view, const TextOptions& options) {
  const std::size_t width = columns(options);
  Text text;
  text.warnings = warning_lines(view.warnings, options);
  if (view.failure) {
    text.out = failure_text(*view.failure, options);
    return text;
  }
  text.out = wrap("Noise floor of " + view.side.label, width, 4);
  std::size_t titles = 0;
  for (const FloorRow& row : view.floors) titles = std::max(titles, display_width(row.title));
  for (const FloorRow& row : view.floors)
    text.out += wrap(pad(row.title, titles) + "  " + floor_text(row), width, 4);
  text.out += wrap(view.sentence, width);
  return text;
}

Json calibrate_json(const CalibrateView& view) {
  Json json = document_head("calibrate", view.id, view.plan, view.host, view.warnings);
  json.set("sentence", view.sentence);
  json.set("failure", view.failure ? Json(view.failure->text) : Json());
  Json floors = Json::array();
  for (const FloorRow& row : view.floors) {
    Json floor = Json::object();
    floor.set("metric", row.metric.name);
    floor.set("unit", row.metric.unit);
    floor.set("sys_sigma", row.sys_sigma);
    floor.set("sys_k", row.comparisons);
    floor.set("pair_sigma", row.pair_sigma);
    floor.set("floor_percent", row.floor * 100);
    floor.set("pair_percent", row.pair * 100);
    floor.set("smallest_percent", row.smallest > 0 ? Json(row.smallest * 100) : Json());
    floors.push(std::move(floor));
  }
  json.set("floors", std::move(floors));
  return json;
}

Text calibrate_text(const Record& record, const Conclusion& conclusion,
                    const TextOptions& options) {
  return calibrate_text(view_calibrate(record, conclusion), options);
}

Json calibrate_json(const Record& record, const Conclusion& conclusion) {
  return calibrate_json(view_calibrate(record, conclusion));
}

}  // namespace assay::report
