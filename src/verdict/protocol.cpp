// SPDX-License-Identifier: Apache-2.0
#include "verdict/protocol.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <vector>

#include "base/json.hpp"
#include "model/words.hpp"
#include "stats/multiple.hpp"
#include "verdict/builds.hpp"
#include "verdict/factorial.hpp"
#include "verdict/noise_floor.hpp"
#include "verdict/pair_test.hpp"
#include "verdict/sweep.hpp"

namespace assay::verdict {
namespace {

// ---- reading requests

Result<std::vector<double>> numbers(const Json& list, const std::string& where) {
  if (!list.is_array()) return fail("a list of numbers is wanted", where);
  std::vector<double> values;
  values.reserve(list.size());
  for (const Json& item : list.items()) {
    const auto value = item.to_double();
    if (!value || !std::isfinite(*value))
      return fail("not a finite number", fmt::format("{}[{}]", where, values.size()));
    values.push_back(*value);
  }
  return values;
}

// A number strictly above `low` and at most `high`; `fallback` when absent.
Result<double> number(const Json& request, std::string_view key, double fallback, double low,
                      double high) {
  const Json* found = request.find(key);
  if (found == nullptr) return fallback;
  const auto value = found->to_double();
  if (!value || !(*value > low) || !(*value <= high))
    return fail(fmt::format("a number above {} and up to {} is wanted", low, high),
                std::string(key));
  return *value;
}

Result<double> tolerance_of(const Json& request) {
  return number(request, "tolerance", RuleOptions{}.tolerance, 0, 1000);
}

Result<int> whole_number(const Json& request, std::string_view key, int fallback) {
  const Json* found = request.find(key);
  if (found == nullptr) return fallback;
  const auto value = found->to_int();
  if (!value || *value < 0 || *value > 1'000'000'000)
    return fail("a whole number from 0 to 1000000000 is wanted", std::string(key));
  return static_cast<int>(*value);
}

struct Matrix {
  std::vector<double> values;  // row-major
  std::size_t columns = 0;
};

// "y": rounds of equally many values.
Result<Matrix> rounds_of(const Json& request) {
  const Json& list = request["y"];
  if (!list.is_array() || list.size() == 0) return fail("a list of rounds is wanted", "y");
  Matrix matrix;
  matrix.columns = list.items().front().size();
  for (std::size_t r = 0; r < list.size(); ++r) {
    const std::string where = fmt::format("y[{}]", r);
    auto row = numbers(list.items()[r], where);
    if (!row) return fail(row.error());
    if (row->empty() || row->size() != matrix.columns)
      return fail("all rounds are equally long, and not empty", where);
    matrix.values.insert(matrix.values.end(), row->begin(), row->end());
  }
  const std::size_t rounds = list.size();
  if (matrix.columns * rounds * (rounds + 1) / 2 > kMaxWalshAverages)
    return fail(fmt::format("{} rounds of {} values are too many", rounds, matrix.columns), "y");
  return matrix;
}

// ---- writing answers

Json ratio(const std::optional<double>& log_ratio) {
  return log_ratio ? Json(std::exp(*log_ratio)) : Json();
}

void set_ratios(Json& out, const Reading& reading) {
  out.set("ratio", ratio(reading.estimate));
  out.set("lo99", ratio(reading.lo99)).set("hi99", ratio(reading.hi99));
  out.set("lo95", ratio(reading.lo95)).set("hi95", ratio(reading.hi95));
}

Json look_to_json(const Look& look) {
  Json out;
  out.set("n", look.n).set("ratio", ratio(look.estimate));
  out.set("lo99", ratio(look.lo99)).set("hi99", ratio(look.hi99));
  out.set("lo95", ratio(look.lo95)).set("hi95", ratio(look.hi95));
  out.set("guard", look.guard).set("p", look.p).set("sign", to_word(look.sign));
  out.set("verdict", look.verdict ? to_word(*look.verdict) : std::string_view("CONTINUE"));
  return out;
}

Json flags(const std::vector<bool>& values) {
  Json out = Json::array();
  for (const bool value : values) out.push(value);
  return out;
}

// ---- operations: what they add to the answer

Result<void> decide_into(Json& out, const Json& request) {
  const auto a = numbers(request["a"], "a"), b = numbers(request["b"], "b");
  if (!a) return fail(a.error());
  if (!b) return fail(b.error());
  const RuleOptions defaults;
  const auto tolerance = tolerance_of(request);
  if (!tolerance) return fail(tolerance.error());
  const auto max_runs = whole_number(request, "max_runs", static_cast<int>(defaults.max_runs));
  if (!max_runs) return fail(max_runs.error());
  const auto alpha = number(request, "alpha", defaults.alpha, 0, 1);
  if (!alpha) return fail(alpha.error());
  const auto sys_k = whole_number(request, "sys_k", 0);
  if (!sys_k) return fail(sys_k.error());
  const Json& floor = request["sys_sigma"];
  const double sys_sigma = floor.is_null() ? 0 : floor.to_double().value_or(-1);
  if (!(sys_sigma >= 0 && sys_sigma <= 1000))
    return fail("a number from 0 to 1000 is wanted", "sys_sigma");
  if (sys_sigma > 0 && *sys_k < 1)
    return fail("a noise floor has comparisons behind it", "sys_k", "give sys_k >= 1");
  const auto brief = request.has("brief") ? request["brief"].to_bool() : std::optional(false);
  if (!brief) return fail("true or false is wanted", "brief");

  const Decision d = decide(
      *a, *b, {*tolerance, static_cast<std::uint32_t>(*max_runs), *alpha, sys_sigma, *sys_k, 0});
  out.set("verdict", to_word(d.verdict)).set("runs", d.reading.runs);
  set_ratios(out, d.reading);
  out.set("sign", to_word(d.reading.sign)).set("p_seq", d.reading.p_seq);
  out.set("reason", to_word(d.reason)).set("more", d.reading.more);
  out.set("tail_z", d.reading.tail_z);
  if (!*brief) {
    Json looks = Json::array();
    for (const Look& look : d.looks) looks.push(look_to_json(look));
    out.set("looks", std::move(looks));
  }
  return {};
}

Result<void> adjust_into(Json& out, const Json& request, bool holm) {
  const auto p = numbers(request["p"], "p");
  if (!p) return fail(p.error());
  for (const double value : *p)
    if (value < 0 || value > 1) return fail("a p-value lies between 0 and 1", "p");
  const auto level = number(request, "level", holm ? 0.01 : 0.05, 0, 1);
  if (!level) return fail(level.error());
  const auto adjusted = holm ? stats::holm(*p, *level) : stats::benjamini_hochberg(*p, *level);
  out.set("adjusted", Json::numbers(adjusted.p)).set("reject", flags(adjusted.reject));
  return {};
}

Result<void> floor_into(Json& out, const Json& request) {
  const Json& list = request["runs"];
  if (!list.is_array()) return fail("a list of pairs of series is wanted", "runs");
  std::vector<Calibration> comparisons;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Json& pair = list.items()[k];
    const std::string where = fmt::format("runs[{}]", k);
    if (!pair.is_array() || pair.size() != 2) return fail("a pair of series is wanted", where);
    auto a = numbers(pair.items()[0], where + "[0]"), b = numbers(pair.items()[1], where + "[1]");
    if (!a) return fail(a.error());
    if (!b) return fail(b.error());
    comparisons.push_back({std::move(*a), std::move(*b)});
  }
  const auto floor = estimate_floor(comparisons);
  if (!floor) return fail(floor.error());
  out.set("sys_sigma", floor->sys_sigma).set("sys_k", floor->sys_k);
  out.set("pair_sigma", floor->pair_sigma).set("mdt_198", floor->mdt_198);
  return {};
}

Result<void> builds_into(Json& out, const Json& request) {
  const auto e = numbers(request["e"], "e");
  if (!e) return fail(e.error());
  const auto tolerance = tolerance_of(request);
  if (!tolerance) return fail(tolerance.error());
  if (e->size() < kMinBuilds)
    return fail(fmt::format("{} builds a side, at least {} are needed", e->size(), kMinBuilds),
                "e");
  const Decision d = build_verdict(*e, {*tolerance, 0.01});
  out.set("verdict", to_word(d.verdict));
  set_ratios(out, d.reading);
  return {};
}

Result<void> factorial_into(Json& out, const Json& request) {
  const auto y = rounds_of(request);
  if (!y) return fail(y.error());
  const auto effects = analyse_factorial(y->values, y->columns);
  if (!effects) return fail(effects.error());
  Json list = Json::array();
  for (const Effect& e : *effects) {
    Json item;
    item.set("effect", e.factors).set("p", e.p).set("ratio", ratio(e.estimate));
    item.set("lo", ratio(e.lo)).set("hi", ratio(e.hi));
    item.set("p_holm", e.p_holm).set("active", e.active);
    list.push(std::move(item));
  }
  out.set("effects", std::move(list));
  return {};
}

Result<void> sweep_into(Json& out, const Json& request) {
  const auto y = rounds_of(request);
  if (!y) return fail(y.error());
  const auto tolerance = tolerance_of(request);
  if (!tolerance) return fail(tolerance.error());
  const auto sweep = analyse_sweep(y->values, y->columns, *tolerance);
  if (!sweep) return fail(sweep.error());
  out.set("verdict", to_word(sweep->shape));
  out.set("at", sweep->at ? Json(std::uint64_t{*sweep->at}) : Json());
  out.set("z", Json::numbers(sweep->z)).set("p_holm", Json::numbers(sweep->p_holm));
  Json ratios = Json::array();
  for (const LevelEffect& level : sweep->levels) ratios.push(ratio(level.estimate));
  out.set("ratio", std::move(ratios));
  return {};
}

Result<void> operate(Json& out, const Json& request) {
  if (!request.is_object()) return fail("a request is a JSON object");
  const Json word = request.has("op") ? request["op"] : Json("decide");
  if (!word.is_string()) return fail("a word is wanted", "op");
  const std::string& op = *word.to_string();
  if (op == "decide") return decide_into(out, request);
  if (op == "holm" || op == "bh") return adjust_into(out, request, op == "holm");
  if (op == "noise_floor") return floor_into(out, request);
  if (op == "builds") return builds_into(out, request);
  if (op == "factorial") return factorial_into(out, request);
  if (op == "sweep") return sweep_into(out, request);
  return fail("unknown operation", "op",
              "decide, holm, bh, noise_floor, builds, factorial and sweep are known");
}

Json error_answer(const Json& id, const Error& error) {
  Json out;
  std::string text = error.where.empty() ? error.what : error.where + ": " + error.what;
  if (!error.hint.empty()) text += "; " + error.hint;
  out.set("id", id).set("error", text);
  return out;
}

}  // namespace

std::string answer(std::string_view request_line) {
  if (request_line.size() > kMaxRequestBytes)
    return error_answer(Json(), {"a request is at most 8 MiB long", "", ""}).dump();
  const auto request = parse_json(request_line);
  if (!request) return error_answer(Json(), request.error()).dump();
  Json out;
  out.set("id", (*request)["id"]);
  const auto done = operate(out, *request);
  return done ? out.dump() : error_answer((*request)["id"], done.error()).dump();
}

}  // namespace assay::verdict
