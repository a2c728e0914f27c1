// SPDX-License-Identifier: Apache-2.0
// `assay suite run` and `assay suite list`.
#include "experiment/suite_run.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/suite_plan.hpp"
#include "suite/adapter.hpp"
#include "suite/list.hpp"

namespace assay::cli {
namespace {

constexpr std::uint64_t kMostSuiteRounds = 1000;

Result<int> list_adapters(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("json")) {
    Json all = Json::array();
    for (const suite::AdapterName& one : suite::adapter_names())
      all.push(Json::object().set("name", one.name).set("summary", one.summary));
    terminal.print(Json::object().set("adapters", std::move(all)).dump(2) + "\n");
    return kFine;
  }
  for (const suite::AdapterName& one : suite::adapter_names())
    terminal.print(fmt::format("{:<10} {}\n", one.name, one.summary));
  return kFine;
}

Json units_json(const SuitePlan& suite) {
  Json units = Json::array();
  for (const SuiteUnit& unit : suite.units) {
    Json ids = Json::array();
    for (const std::string& id : unit.ids) ids.push(id);
    units.push(Json::object().set("name", unit.name).set("ids", std::move(ids)));
  }
  return Json::object()
      .set("schema_version", 1)
      .set("kind", "suite-list")
      .set("adapter", suite.adapter)
      .set("joins", suite.joins)
      .set("reorders", suite.reorders)
      .set("repeats", suite.repeats)
      .set("units", std::move(units));
}

// What a process of this suite can be asked for, as a sentence.
std::string abilities_of(const SuitePlan& suite) {
  if (!suite.joins) return "Each unit is a program: one process cannot run two.";
  if (!suite.reorders) return "One process can run several units, in this order only.";
  return suite.repeats ? "One process can run several units, in any order and repeatedly."
                       : "One process can run several units, in any order, each once.";
}

std::string units_text(const SuitePlan& suite) {
  std::string text;
  for (const SuiteUnit& unit : suite.units) {
    text += printable(unit.name) + "\n";
    for (const std::string& id : unit.ids)
      if (unit.ids.size() > 1 || id != unit.name) text += "  " + printable(id) + "\n";
  }
  return text + fmt::format("{}, {} ({}). {}\n", counted(suite.units.size(), "unit"),
                            listed_benchmarks(suite), suite.adapter, abilities_of(suite));
}

}  // namespace

std::vector<Flag> suite_run_flags() {
  return {
      {.name = "rounds",
       .value = "N",
       .help = "run: how often every unit is run, 1 to 1000",
       .details = "From six rounds on a median has an interval.",
       .fallback = "6",
       .group = "Deciding",
       .common = true},
      {.name = "adapters", .help = "list: the benchmark tools that are known", .group = "Suite"}};
}

Result<int> suite_run(const Arguments& arguments, Terminal& terminal) {
  const auto rounds = arguments.uint("rounds", 1, kMostSuiteRounds);
  if (!rounds) return fail(rounds.error());
  auto subject = suite_subject(arguments);
  if (!subject) return fail(subject.error());
  auto plan = suite_plan(PlanKind::suite_run, {std::move(*subject)}, arguments, terminal);
  if (!plan) return fail(plan.error());
  plan->runs = static_cast<std::uint32_t>(rounds->value_or(experiment::kSuiteRounds));
  return run_suite_plan(std::move(*plan), arguments, terminal);
}

Result<int> suite_list(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("adapters")) return list_adapters(arguments, terminal);
  auto subject = suite_subject(arguments);
  if (!subject) return fail(subject.error());
  auto suite = suite_of(subject->argv, arguments);
  if (!suite) return fail(suite.error());
  const auto listed = suite::list_units(*subject, *suite, &watch_interrupts());
  if (!listed) return fail(listed.error());
  if (!*listed) return kInterrupted;
  for (const std::string& doubt : **listed) terminal.warn(doubt);
  if (const auto file = arguments.value("json")) {
    const auto written = write_result(*file, units_json(*suite).dump(2) + "\n", terminal);
    if (!written) return fail(written.error());
    if (*file == "-") return kFine;
  }
  terminal.print(units_text(*suite));
  return kFine;
}

}  // namespace assay::cli
