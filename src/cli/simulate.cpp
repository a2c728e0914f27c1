// SPDX-License-Identifier: Apache-2.0
// `assay simulate compare`: rows of operating characteristics, printed as they are done.
#include "experiment/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "model/words.hpp"

namespace assay::cli {
namespace {

using experiment::Scenario;
using experiment::SimulatedRow;
using experiment::Tally;

constexpr std::uint64_t kMostReps = 100'000'000;
constexpr std::uint64_t kMostThreads = 256;
constexpr auto kProgressEvery = std::chrono::milliseconds(200);

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
  const auto reps = arguments.uint("reps", 1, kMostReps);
  if (!reps) return fail(reps.error());
  request.simulation.repetitions = reps->value_or(request.simulation.repetitions);
  const auto seed = arguments.uint("seed", 0, INT64_MAX);
  if (!seed) return fail(seed.error());
  request.simulation.seed = seed->value_or(request.simulation.seed);
  const auto threads = arguments.uint("threads", 1, kMostThreads);
  if (!threads) return fail(threads.error());
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  request.simulation.threads = static_cast<unsigned>(threads->value_or(cores));
  return request;
}

void keep_only(const std::vector<std::string>& names, std::vector<Tally>& tallies) {
  if (names.empty()) return;
  std::erase_if(tallies, [&](const Tally& tally) {
    return std::find(names.begin(), names.end(), tally.what) == names.end();
  });
}

// --- the table

constexpr std::string_view kHeads[] = {"noise",  "ratio",      "what",      "SLOWER",
                                       "FASTER", "EQUIVALENT", "UNDECIDED", "right",
                                       "wrong",  "runs",       "covered"};
constexpr std::size_t kTextColumns = 3;  // aligned left but for the ratio
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

std::string percent(std::uint64_t count, std::uint64_t of, int decimals = 1) {
  return fmt::format("{:.{}f}", 100 * static_cast<double>(count) / static_cast<double>(of),
                     decimals);
}

std::string rate_cell(std::uint64_t count, std::uint64_t of, int decimals) {
  const auto interval = experiment::rate_interval(count, of);
  return fmt::format("{0} [{1:.{3}f}, {2:.{3}f}]", percent(count, of, decimals), 100 * interval.lo,
                     100 * interval.hi, decimals);
}

std::vector<std::string> cells_of(const Scenario& scenario, const Tally& tally) {
  const std::uint64_t n = tally.comparisons;
  std::vector<std::string> cells = {noise_cell(scenario), ratio_cell(tally), tally.what};
  for (const Verdict verdict :
       {Verdict::slower, Verdict::faster, Verdict::equivalent, Verdict::undecided})
    cells.push_back(tally.wanted ? percent(tally.count(verdict), n) : "");
  cells.push_back(rate_cell(tally.right, n, 1));
  cells.push_back(rate_cell(tally.wrong, n, 2));
  cells.push_back(
      tally.wanted ? fmt::format("{:.1f}", static_cast<double>(tally.runs) / static_cast<double>(n))
                   : "");
  cells.push_back(tally.intervals > 0 ? percent(tally.covered, tally.intervals) : "");
  return cells;
}

// One table a path, with columns as wide as the widest cell of any of its rows.
class Table {
 public:
  Table(const Request& request, std::string_view path) {
    for (std::size_t i = 0; i < std::size(kHeads); ++i) widths_[i] = kHeads[i].size();
    for (const Scenario& scenario : request.scenarios) {
      if (scenario.path != path) continue;
      auto tallies = experiment::blank_tallies(scenario);
      keep_only(request.only, tallies);
      if (!tallies.empty()) widths_[0] = std::max(widths_[0], noise_cell(scenario).size());
      for (const Tally& tally : tallies) {
        widths_[1] = std::max(widths_[1], ratio_cell(tally).size());
        widths_[2] = std::max(widths_[2], tally.what.size());
      }
    }
    widths_[9] = std::string_view("198.0").size();
    widths_[7] = widths_[8] = std::string_view("100.0 [100.0, 100.0]").size();
  }

  std::string head() const {
    std::string text = line(std::vector<std::string>(std::begin(kHeads), std::end(kHeads)));
    for (std::size_t i = 0; i < std::size(kHeads); ++i)
      text += is_text(i) ? fmt::format("|:{:-<{}}", "", widths_[i] + 1)
                         : fmt::format("|{:-<{}}:", "", widths_[i] + 1);
    return text + "|\n";
  }

  std::string row(const SimulatedRow& row) const {
    std::string text;
    for (const Tally& tally : row.tallies) text += line(cells_of(row.scenario, tally));
    return text;
  }

 private:
  static bool is_text(std::size_t column) { return column < kTextColumns && column != 1; }

  std::string line(const std::vector<std::string>& cells) const {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += is_text(i) ? fmt::format("| {:<{}} ", cells[i], widths_[i])
                         : fmt::format("| {:>{}} ", cells[i], widths_[i]);
    return text + "|\n";
  }

  std::array<std::size_t, std::size(kHeads)> widths_{};
};

std::string heading(const Scenario& scenario) {
  for (const experiment::SimulatedPath& path : experiment::simulated_paths())
    if (path.name == scenario.path) return fmt::format("**{}**: {}.\n\n", path.name, path.about);
  return {};
}

std::string noise_list(const std::vector<Scenario>& scenarios) {
  std::string text;
  std::vector<std::string> seen;
  for (const Scenario& scenario : scenarios) {
    const experiment::NoiseModel& noise = scenario.noise;
    if (std::find(seen.begin(), seen.end(), noise.name) != seen.end()) continue;
    seen.push_back(noise.name);
    text += fmt::format("- {}: {}\n", noise.name, noise.about);
  }
  return text;
}

// --- JSON

void set_rate(Json& json, const std::string& name, std::uint64_t count, std::uint64_t of) {
  const auto interval = experiment::rate_interval(count, of);
  json.set(name, static_cast<double>(count) / static_cast<double>(of));
  json.set(name + "_lo95", interval.lo);
  json.set(name + "_hi95", interval.hi);
}

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

// Says now and then how far the simulation has come.
class Meter {
 public:
  Meter(Terminal& terminal, std::size_t rows, std::uint64_t repetitions)
      : terminal_(terminal), rows_(rows), repetitions_(repetitions) {}

  void tell(const Scenario& scenario, std::size_t row, std::uint64_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kProgressEvery) return;
    last_ = now;
    const double share =
        (static_cast<double>(row) + static_cast<double>(done) / static_cast<double>(repetitions_)) /
        static_cast<double>(rows_);
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const std::string left =
        seconds > 1 ? fmt::format(", about {} left", format_duration(seconds / share - seconds))
                    : "";
    terminal_.progress(fmt::format("row {} of {}: {} on {} at {:g}, {} of {}{}", row + 1, rows_,
                                   scenario.path, noise_cell(scenario), scenario.ratio, done,
                                   repetitions_, left));
  }

 private:
  Terminal& terminal_;
  std::size_t rows_;
  std::uint64_t repetitions_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
};

// Every scenario in turn, `on_row` behind each that has a line to show; false when it was
// interrupted.
template <class OnRow>
bool simulate_all(const Request& request, Terminal& terminal, const OnRow& on_row) {
  experiment::SimulateOptions options = request.simulation;
  Meter meter(terminal, request.scenarios.size(), options.repetitions);
  for (std::size_t i = 0; i < request.scenarios.size() && !terminal.out_closed(); ++i) {
    const Scenario& scenario = request.scenarios[i];
    options.on_progress = [&](std::uint64_t done) { meter.tell(scenario, i, done); };
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
  std::optional<Table> table;
  const bool complete = simulate_all(request, terminal, [&](const SimulatedRow& row) {
    if (row.scenario.path != path) {
      table.emplace(request, row.scenario.path);
      terminal.print((path.empty() ? "" : "\n") + heading(row.scenario) + table->head());
      path = row.scenario.path;
    }
    terminal.print(table->row(row));
  });
  terminal.print(fmt::format("\nTolerance {:g} %, {} comparisons a row, seed {}.\n{}{}",
                             100 * request.tolerance, request.simulation.repetitions,
                             request.simulation.seed, kLegend, noise_list(request.scenarios)));
  return complete;
}

}  // namespace

Result<int> run_simulate(const Arguments& arguments, Terminal& terminal) {
  auto request = request_of(arguments);
  if (!request) return fail(request.error());
  request->simulation.stop = &watch_interrupts();
  const bool complete =
      arguments.has("json") ? print_json(*request, terminal) : print_tables(*request, terminal);
  if (!complete) terminal.note("interrupted: the rows above are complete, the others are missing");
  return complete ? kFine : kInterrupted;
}

}  // namespace assay::cli
