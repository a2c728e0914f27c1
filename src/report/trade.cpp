// SPDX-License-Identifier: Apache-2.0
#include "report/trade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/compare.hpp"
#include "report/numbers.hpp"
#include "report/plain.hpp"
#include "report/table.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

using attribution::Exchange;
using attribution::TradeBounds;
using attribution::TradeFit;
using attribution::TradePoint;

constexpr std::size_t kNameWidth = 40;
constexpr double kLeastPriced = 64.0 * 1024 * 1024;  // bytes: below it a price a GiB is a fiction

std::string label_of(const TradeView& view, std::size_t point) {
  return fit(plain(view.points[point].label), kNameWidth);
}

std::string labels_of(const TradeView& view, const std::vector<std::size_t>& points) {
  std::vector<std::string> names;
  for (const std::size_t point : points) names.push_back(label_of(view, point));
  return join_and(names);
}

bool is_on_front(const TradeView& view, std::size_t point) {
  return std::ranges::find(view.trade.front, point) != view.trade.front.end();
}

std::string bounds_text(const std::optional<TradeBounds>& bounds, std::string (*text)(double)) {
  return bounds ? fmt::format("[{}, {}]", text(bounds->lo), text(bounds->hi)) : std::string("-");
}

std::string standing(const TradeView& view, std::size_t point) {
  const attribution::TradeRank& rank = view.trade.ranks[point];
  if (!rank.dominated_by) return is_on_front(view, point) ? "on the front" : "";
  const bool known = view.points[point].cost_bounds || view.points[point].peak_bounds;
  return fmt::format("dominated by {}{}", label_of(view, *rank.dominated_by),
                     known && rank.beyond_intervals ? ", beyond the intervals" : "");
}

std::string point_table(const TradeView& view, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < view.points.size(); ++i) {
    const TradePoint& point = view.points[i];
    const bool dominated = view.trade.ranks[i].dominated_by.has_value();
    std::string off = "-";
    if (view.trade.fit && !view.trade.fit->residuals.empty()) {
      const double residual = view.trade.fit->residuals[i];
      off = (residual < 0 ? "-" : "+") + format_bytes(std::fabs(residual));
    }
    rows.push_back({.cells = {{label_of(view, i), dominated ? Tone::neutral : Tone::strong},
                              seconds_text(point.cost_s),
                              bounds_text(point.cost_bounds, seconds_text),
                              format_bytes(point.peak_bytes),
                              bounds_text(point.peak_bounds, format_bytes),
                              off},
                    .note = standing(view, i)});
  }
  return draw_table({{.head = "setting", .left = true},
                     {.head = "an item"},
                     {.head = "99 %", .left = true},
                     {.head = "peak"},
                     {.head = "99 %", .left = true},
                     {.head = "off the line"}},
                    rows, options);
}

std::string exchange_line(const TradeView& view, const Exchange& e) {
  std::string text =
      fmt::format("from {} to {}: {} throughput for {} more", label_of(view, e.from),
                  label_of(view, e.to), format_change(e.throughput), format_bytes(e.bytes));
  if (e.bytes < kLeastPriced) return text;
  const int decimals = e.percent_per_gib >= 10 ? 0 : e.percent_per_gib >= 0.1 ? 2 : 3;
  return text + fmt::format(", {:.{}f} % a GiB", e.percent_per_gib, decimals);
}

std::string fit_line(const TradeView& view) {
  if (!view.trade.fit)
    return view.trade.no_fit_because.empty()
               ? std::string()
               : fmt::format("no line of the peak: {}", plain(view.trade.no_fit_because));
  const TradeFit& f = *view.trade.fit;
  const auto used = std::ranges::count(f.used, true);
  std::string text =
      fmt::format("peak = {} + {} x {}, by {} of {} settings, off by {} (root mean square)",
                  format_bytes(f.base_bytes), format_bytes(f.slope_bytes), plain(f.setting), used,
                  f.used.size(), format_bytes(f.residual_bytes));
  if (!f.above.empty()) text += fmt::format("; above the line: {}", labels_of(view, f.above));
  if (!f.below.empty()) text += fmt::format("; below the line: {}", labels_of(view, f.below));
  return text;
}

std::string budget_line(const TradeView& view) {
  if (!view.trade.budget) return {};
  const attribution::TradeBudget& b = *view.trade.budget;
  if (!b.fits) return fmt::format("Nothing that was measured fits {}.", format_bytes(b.bytes));
  const std::size_t largest = b.largest.value_or(*b.fits);
  std::string text = fmt::format("{} fits {}", label_of(view, largest), format_bytes(b.bytes));
  if (b.next)
    text += fmt::format("; {} does not ({})", label_of(view, *b.next),
                        format_bytes(view.points[*b.next].peak_bytes));
  if (largest != *b.fits)
    text += fmt::format("; the fastest that fits is {} ({} an item)", label_of(view, *b.fits),
                        seconds_text(view.points[*b.fits].cost_s));
  return text + ".";
}

Json names_json(const TradeView& view, const std::vector<std::size_t>& points) {
  Json names = Json::array();
  for (const std::size_t point : points) names.push(view.points[point].label);
  return names;
}

Json fit_json(const TradeView& view) {
  if (!view.trade.fit) return {};
  const TradeFit& f = *view.trade.fit;
  Json json = Json::object();
  json.set("setting", f.setting).set("base_bytes", f.base_bytes);
  json.set("slope_bytes", f.slope_bytes).set("residual_bytes", f.residual_bytes);
  json.set("tolerance_bytes", f.tolerance_bytes);
  json.set("above", names_json(view, f.above)).set("below", names_json(view, f.below));
  return json;
}

Json budget_json(const TradeView& view) {
  if (!view.trade.budget) return {};
  const auto name = [&](const std::optional<std::size_t>& point) {
    return point ? Json(view.points[*point].label) : Json();
  };
  const attribution::TradeBudget& b = *view.trade.budget;
  return Json::object()
      .set("bytes", b.bytes)
      .set("fits", name(b.fits))
      .set("largest", name(b.largest))
      .set("next", name(b.next));
}

Json point_json(const TradeView& view, std::size_t i) {
  const TradePoint& p = view.points[i];
  const auto bound = [](const std::optional<TradeBounds>& bounds, double TradeBounds::*end) {
    return bounds ? Json(*bounds.*end) : Json();
  };
  Json settings = Json::object();
  for (const auto& [name, value] : p.settings) settings.set(name, value);
  const attribution::TradeRank& rank = view.trade.ranks[i];
  Json json = Json::object();
  json.set("label", p.label).set("cost_s", p.cost_s);
  json.set("cost_lo_s", bound(p.cost_bounds, &TradeBounds::lo));
  json.set("cost_hi_s", bound(p.cost_bounds, &TradeBounds::hi)).set("peak_bytes", p.peak_bytes);
  json.set("peak_lo_bytes", bound(p.peak_bounds, &TradeBounds::lo));
  json.set("peak_hi_bytes", bound(p.peak_bounds, &TradeBounds::hi)).set("n", p.n);
  json.set("settings", std::move(settings)).set("on_front", is_on_front(view, i));
  json.set("dominated_by",
           rank.dominated_by ? Json(view.points[*rank.dominated_by].label) : Json());
  json.set("beyond_intervals", rank.beyond_intervals);
  json.set("residual_bytes", view.trade.fit && i < view.trade.fit->residuals.size()
                                 ? Json(view.trade.fit->residuals[i])
                                 : Json());
  return json;
}

}  // namespace

std::string sentence_of(const TradeView& view) {
  if (view.points.empty()) return "There is nothing to compare: no row has a cost and a peak.";
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < view.points.size(); ++i) {
    const TradePoint &p = view.points[i], &best = view.points[fastest];
    if (p.cost_s < best.cost_s || (p.cost_s == best.cost_s && p.peak_bytes < best.peak_bytes))
      fastest = i;
  }
  std::vector<std::size_t> dominated;
  for (std::size_t i = 0; i < view.points.size(); ++i)
    if (view.trade.ranks[i].dominated_by) dominated.push_back(i);
  std::string text = fmt::format("{} is the fastest: {} an item at {}", label_of(view, fastest),
                                 seconds_text(view.points[fastest].cost_s),
                                 format_bytes(view.points[fastest].peak_bytes));
  if (dominated.size() > 4)
    text += fmt::format("; {} of {} settings are dominated", dominated.size(), view.points.size());
  else if (!dominated.empty())
    text += fmt::format("; {} {} dominated: another takes no more memory and no more time",
                        labels_of(view, dominated), dominated.size() == 1 ? "is" : "are");
  return text + ".";
}

std::string trade_text(const TradeView& view, const TextOptions& options) {
  const std::size_t width = columns(options);
  std::string text;
  if (!view.title.empty()) text += wrap(plain(view.title) + ":", width);
  text += wrap(sentence_of(view), width, 2);
  if (view.points.empty()) return text;
  text += point_table(view, options);
  for (const Exchange& exchange : view.trade.exchanges)
    text += wrap(exchange_line(view, exchange), width, 2);
  for (const std::string& line : {fit_line(view), budget_line(view)})
    if (!line.empty()) text += wrap(line, width, 2);
  if (view.skipped > 0)
    text += wrap(fmt::format("{} rows without a cost or a peak are left out", view.skipped), width);
  return text;
}

Json trade_json(std::span<const TradeView> views) {
  Json tables = Json::array(), warnings = Json::array();
  for (const TradeView& view : views) {
    Json table = Json::object(), points = Json::array(), exchanges = Json::array();
    for (std::size_t i = 0; i < view.points.size(); ++i) points.push(point_json(view, i));
    for (const Exchange& e : view.trade.exchanges)
      exchanges.push(Json::object()
                         .set("from", view.points[e.from].label)
                         .set("to", view.points[e.to].label)
                         .set("bytes", e.bytes)
                         .set("throughput", e.throughput)
                         .set("percent_per_gib", e.percent_per_gib));
    table.set("title", view.title).set("sentence", sentence_of(view));
    table.set("points", std::move(points)).set("exchanges", std::move(exchanges));
    table.set("fit", fit_json(view)).set("no_fit_because", view.trade.no_fit_because);
    table.set("budget", budget_json(view)).set("skipped", view.skipped);
    tables.push(std::move(table));
    for (const std::string& text : view.trade.warnings)
      warnings.push(Json::object().set("kind", "trade").set("text", text));
  }
  Json json = Json::object();
  json.set("schema_version", kSchemaVersion).set("kind", "trade");
  json.set("tables", std::move(tables)).set("warnings", std::move(warnings));
  return json;
}

}  // namespace assay::report
