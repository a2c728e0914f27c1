// SPDX-License-Identifier: Apache-2.0
// `assay simulate compare`: rows of operating characteristics, printed as they are done.
#include "experiment/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/simulate_parts.hpp"
#include "model/words.hpp"

namespace assay::cli {
namespace {

using experiment::Scenario;
using experiment::SimulatedRow;
using experiment::Tally;

struct Request {
  std::vector<Scenario> scenarios;
  double tolerance = 0;
  std::vector<std::string> only;  // names of tallies; empty = all
  experiment::SimulateOptions simulation;
};

Result<std::vector<Scenario>> scenarios_of(const Arguments& arguments, double tolerance) {
  experiment::ScenarioOptions options;
  options.paths = arguments.list("path");
  options.noises = arguments.list("noise");
  const auto ratios = arguments.numbers("ratio");
  if (!ratios) return fail(ratios.error());
  options.ratios = *ratios;
  options.tolerance = tolerance;
  return experiment::make_scenarios(options);
}

// Names of --only that no row has are an Error.
Result<void> check_only(const Request& request) {
  std::vector<std::string> known;
  for (const Scenario& scenario : request.scenarios)
    for (const Tally& tally : experiment::blank_tallies(scenario))
      if (std::find(known.begin(), known.end(), tally.what) == known.end())
        known.push_back(tally.what);
  for (const std::string& name : request.only) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known);
    return fail(fmt::format("--only: no row has a line '{}'", printable(name)), {},
                near ? fmt::format("did you mean '{}'?", *near)
                     : fmt::format("there are {}", fmt::join(known, ", ")));
  }
  return {};
}

Result<Request> request_of(const Arguments& arguments) {
  Request request;
  const auto tolerance = arguments.fraction("tolerance");
  if (!tolerance) return fail(tolerance.error());
  request.tolerance = tolerance->value_or(Plan{}.tolerance);
  auto scenarios = scenarios_of(arguments, request.tolerance);
  if (!scenarios) return fail(scenarios.error());
  request.scenarios = std::move(*scenarios);
  request.only = arguments.list("only");
  if (auto valid = check_only(request); !valid) return fail(valid.error());
  auto options = simulate_options(arguments);
  if (!options) return fail(options.error());
  request.simulation = std::move(*options);
  return request;
}

void keep_only(const std::vector<std::string>& names, std::vector<Tally>& tallies) {
  if (names.empty()) return;
  std::erase_if(tallies, [&](const Tally& tally) {
    return std::find(names.begin(), names.end(), tally.what) == names.end();
  });
}

// --- the table

constexpr std::string_view kLegend =
    "ratio: the true one. Shares in %. right: as it should be, EQUIVALENT inside the tolerance,\n"
    "SLOWER or FASTER at or beyond it. wrong: at ratio 1 SLOWER or FASTER (overall: of any gate),\n"
    "elsewhere a proven sign that is the opposite of the truth. In brackets: the 95 % interval of\n"
    "the simulated rate. runs: mean runs a side at the verdict or the end. covered: the 99 %\n"
    "interval there contains the true ratio. Lines without shares answer yes or no: right is the\n"
    "right answer, wrong is yes where it should be no.\n\n";

std::string noise_cell(const Scenario& scenario) {
  return scenario.noise.name + (scenario.detail.empty() ? "" : ", " + scenario.detail);
}

std::string ratio_cell(const Tally& tally) { return fmt::format("{:g}", tally.ratio); }

std::vector<std::string> cells_of(const Scenario& scenario, const Tally& tally) {
  const std::uint64_t n = tally.comparisons;
  std::vector<std::string> cells = {noise_cell(scenario), ratio_cell(tally), tally.what};
  for (const Verdict verdict :
       {Verdict::slower, Verdict::faster, Verdict::equivalent, Verdict::undecided})
    cells.push_back(tally.wanted ? percent_cell(tally.count(verdict), n) : "");
  cells.push_back(rate_cell(tally.right, n, 1));
  cells.push_back(rate_cell(tally.wrong, n, 2));
  cells.push_back(
      tally.wanted ? fmt::format("{:.1f}", static_cast<double>(tally.runs) / static_cast<double>(n))
                   : "");
  cells.push_back(tally.intervals > 0 ? percent_cell(tally.covered, tally.intervals) : "");
  return cells;
}

// One table a path, with columns as wide as the widest cell of any of its rows.
MarkdownTable table_of(const Request& request, std::string_view path) {
  std::size_t noise = 0, ratio = 0, what = 0;
  for (const Scenario& scenario : request.scenarios) {
    if (scenario.path != path) continue;
    auto tallies = experiment::blank_tallies(scenario);
    keep_only(request.only, tallies);
    if (!tallies.empty()) noise = std::max(noise, noise_cell(scenario).size());
    for (const Tally& tally : tallies) {
      ratio = std::max(ratio, ratio_cell(tally).size());
      what = std::max(what, tally.what.size());
    }
  }
  const std::size_t rate = std::string_view("100.0 [100.0, 100.0]").size();
  return MarkdownTable({{"noise", true, noise},
                        {"ratio", false, ratio},
                        {"what", true, what},
                        {"SLOWER"},
                        {"FASTER"},
                        {"EQUIVALENT"},
                        {"UNDECIDED"},
                        {"right", false, rate},
                        {"wrong", false, rate},
                        {"runs", false, std::string_view("198.0").size()},
                        {"covered"}});
}

std::string table_rows(const MarkdownTable& table, const SimulatedRow& row) {
  std::string text;
  for (const Tally& tally : row.tallies) text += table.line(cells_of(row.scenario, tally));
  return text;
}

std::string heading(const Scenario& scenario) {
  for (const experiment::SimulatedPath& path : experiment::simulated_paths())
    if (path.name == scenario.path) return fmt::format("**{}**: {}.\n\n", path.name, path.about);
  return {};
}

// --- JSON

Json to_json(const Tally& tally) {
  Json json = Json::object();
  const std::uint64_t n = tally.comparisons;
  const auto share = [](std::uint64_t count, std::uint64_t of) {
    return of > 0 ? std::optional(static_cast<double>(count) / static_cast<double>(of))
                  : std::nullopt;
  };
  json.set("what", tally.what).set("ratio", tally.ratio);
  if (tally.wanted) {
    for (const Verdict verdict : {Verdict::slower, Verdict::faster, Verdict::equivalent,
                                  Verdict::undecided, Verdict::invalid})
      json.set(to_word(verdict), share(tally.count(verdict), n));
    json.set("wanted", to_word(*tally.wanted));
    json.set("sign_proven", share(tally.signs, n));
    json.set("mean_runs", share(tally.runs, n));
    json.set("coverage99", share(tally.covered, tally.intervals));
  } else {
    json.set("wanted", tally.wanted_yes);
  }
  set_rate(json, "right", tally.right, n);
  set_rate(json, "wrong", tally.wrong, n);
  return json;
}

Json to_json(const SimulatedRow& row) {
  Json json = Json::object();
  json.set("path", row.scenario.path);
  if (!row.scenario.detail.empty()) json.set("detail", row.scenario.detail);
  json.set("noise", row.scenario.noise.name).set("ratio", row.scenario.ratio);
  Json tallies = Json::array();
  for (const Tally& tally : row.tallies) tallies.push(to_json(tally));
  return json.set("results", std::move(tallies));
}

// --- the work

// Every scenario in turn, `on_row` behind each that has a line to show; false when it was
// interrupted.
template <class OnRow>
bool simulate_all(const Request& request, Terminal& terminal, const OnRow& on_row) {
  experiment::SimulateOptions options = request.simulation;
  Meter meter(terminal, request.scenarios.size(), options.repetitions);
  for (std::size_t i = 0; i < request.scenarios.size() && !terminal.out_closed(); ++i) {
    const Scenario& scenario = request.scenarios[i];
    const std::string what =
        fmt::format("{} on {} at {:g}", scenario.path, noise_cell(scenario), scenario.ratio);
    options.on_progress = [&](std::uint64_t done) { meter.tell(what, i, done); };
    auto row = experiment::simulate(scenario, options);
    if (!row) return false;
    keep_only(request.only, row->tallies);
    if (!row->tallies.empty()) on_row(*row);
  }
  return true;
}

bool print_json(const Request& request, Terminal& terminal) {
  Json rows = Json::array();
  const bool complete =
      simulate_all(request, terminal, [&](const SimulatedRow& row) { rows.push(to_json(row)); });
  Json document = Json::object();
  document.set("schema_version", 1).set("kind", "simulate").set("seed", request.simulation.seed);
  document.set("repetitions", request.simulation.repetitions).set("complete", complete);
  document.set("tolerance", request.tolerance).set("rows", std::move(rows));
  terminal.print(document.set("warnings", Json::array()).dump(2) + "\n");
  return complete;
}

bool print_tables(const Request& request, Terminal& terminal) {
  std::string path;
  std::optional<MarkdownTable> table;
  const bool complete = simulate_all(request, terminal, [&](const SimulatedRow& row) {
    if (row.scenario.path != path) {
      table = table_of(request, row.scenario.path);
      terminal.print((path.empty() ? "" : "\n") + heading(row.scenario) + table->head());
      path = row.scenario.path;
    }
    terminal.print(table_rows(*table, row));
  });
  std::vector<experiment::NoiseModel> noises;
  for (const Scenario& scenario : request.scenarios) noises.push_back(scenario.noise);
  terminal.print(fmt::format("\nTolerance {:g} %, {} comparisons a row, seed {}.\n{}{}",
                             100 * request.tolerance, request.simulation.repetitions,
                             request.simulation.seed, kLegend, noise_list(noises)));
  return complete;
}

}  // namespace

Result<int> run_simulate(const Arguments& arguments, Terminal& terminal) {
  if (arguments.positionals.at(0) != "compare") return run_simulate_design(arguments, terminal);
  auto request = request_of(arguments);
  if (!request) return fail(request.error());
  request->simulation.stop = &watch_interrupts();
  const bool complete =
      arguments.has("json") ? print_json(*request, terminal) : print_tables(*request, terminal);
  if (!complete) terminal.note("interrupted: the rows above are complete, the others are missing");
  return complete ? kFine : kInterrupted;
}

}  // namespace assay::cli
