// SPDX-License-Identifier: Apache-2.0
// `assay simulate sweep|timeline|ablate|bisect|audit|suite`: how often the experiments over many
// arms name what is true, printed row by row.
#include "experiment/simulate_design.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/simulate_parts.hpp"

namespace assay::cli {
namespace {

using experiment::DesignRow;
using experiment::DesignScenario;

struct Request {
  std::string kind = {};
  std::vector<DesignScenario> scenarios = {};
  experiment::SimulateOptions simulation = {};
};

constexpr std::string_view kLegend =
    "Shares in %. right: named what is true; wrong: named something else; undecided: named "
    "nothing.\n"
    "In brackets: the 95 % interval of the simulated rate. search runs: mean runs of the search\n"
    "alone; all runs: with warm-up, reproduction and confirmation; builds: configurations that "
    "were\n"
    "built and run. stated: the mean probability that the answers gave for themselves, and the "
    "share\n"
    "of these answers that were right; audit: benchmarks that got a false word, of those that "
    "could.\n\n";

Result<std::vector<DesignScenario>> scenarios_of(const std::string& kind,
                                                 const std::vector<std::string>& noises) {
  if (kind == "sweep") return experiment::sweep_scenarios(noises);
  if (kind == "timeline") return experiment::timeline_scenarios(noises);
  if (kind == "ablate") return experiment::ablate_scenarios(noises);
  if (kind == "suite") return experiment::suite_compare_scenarios(noises);
  if (kind == "audit") return experiment::audit_scenarios(noises);
  if (kind == "case") return experiment::case_scenarios(noises);
  return experiment::bisect_scenarios(noises);
}

// Options that have no meaning but for `simulate compare`.
Result<void> refuse_others(const Arguments& arguments) {
  for (const std::string_view name : {"ratio", "path", "tolerance"})
    if (arguments.has(name))
      return fail(fmt::format("--{}: only 'assay simulate compare' takes it", name), {},
                  "its scenarios say what is true; --only TEXT picks some of them");
  return {};
}

// --only: the scenarios whose description contains one of the texts.
Result<void> keep_only(const std::vector<std::string>& texts, std::vector<DesignScenario>& all) {
  std::vector<std::string> known;
  for (const DesignScenario& scenario : all) known.push_back(scenario.detail);
  for (const std::string& text : texts) {
    const bool found = std::ranges::any_of(
        known, [&](const std::string& detail) { return detail.find(text) != std::string::npos; });
    if (!found && !known.empty())
      return fail(fmt::format("--only: no scenario contains '{}'", printable(text)), {},
                  fmt::format("there are: {}", fmt::join(known, "; ")));
  }
  if (!texts.empty())
    std::erase_if(all, [&](const DesignScenario& scenario) {
      return std::ranges::none_of(texts, [&](const std::string& text) {
        return scenario.detail.find(text) != std::string::npos;
      });
    });
  return {};
}

Result<Request> request_of(const Arguments& arguments) {
  Request request{.kind = arguments.positionals.at(0)};
  if (auto fine = refuse_others(arguments); !fine) return fail(fine.error());
  auto scenarios = scenarios_of(request.kind, arguments.list("noise"));
  if (!scenarios) return fail(scenarios.error());
  request.scenarios = std::move(*scenarios);
  if (auto kept = keep_only(arguments.values("only"), request.scenarios); !kept)
    return fail(kept.error());
  auto options = simulate_options(arguments);
  if (!options) return fail(options.error());
  request.simulation = std::move(*options);
  return request;
}

MarkdownTable table_of(const Request& request) {
  std::size_t detail = 0, noise = 0;
  for (const DesignScenario& scenario : request.scenarios) {
    detail = std::max(detail, scenario.detail.size());
    noise = std::max(noise, scenario.noise.name.size());
  }
  return MarkdownTable({{"scenario", true, detail},
                        {"noise", true, noise},
                        {"right", false, std::string_view("100.0 [100.0, 100.0]").size()},
                        {"wrong", false, std::string_view("0.00 [0.00, 0.00]").size()},
                        {"undecided", false, 0},
                        {"search runs", false, 0},
                        {"all runs", false, 0},
                        {"builds", false, 0},
                        {"stated", true, std::string_view("0.98, right 0.99 of 2000").size()}});
}

std::vector<std::string> cells_of(const DesignRow& row) {
  const std::uint64_t n = row.repetitions;
  std::string stated;
  if (row.stated > 0) {
    const auto of = static_cast<double>(row.stated);
    stated = fmt::format("{:.3f}, right {:.3f} of {}", row.stated_sum / of,
                         static_cast<double>(row.stated_right) / of, row.stated);
  }
  if (row.of > 0)
    stated = fmt::format("{:.3g} % of {} benchmarks",
                         100.0 * static_cast<double>(row.claims) / static_cast<double>(row.of),
                         row.of / n);
  return {row.detail,
          row.noise,
          rate_cell(row.right, n, 1),
          rate_cell(row.wrong, n, 2),
          percent_cell(row.undecided, n),
          fmt::format("{:.1f}", row.search_runs),
          fmt::format("{:.1f}", row.runs),
          fmt::format("{:.1f}", row.builds),
          stated};
}

Json to_json(const DesignRow& row) {
  Json json = Json::object();
  json.set("scenario", row.detail).set("noise", row.noise);
  set_rate(json, "right", row.right, row.repetitions);
  set_rate(json, "wrong", row.wrong, row.repetitions);
  set_rate(json, "undecided", row.undecided, row.repetitions);
  json.set("mean_search_runs", row.search_runs).set("mean_runs", row.runs);
  json.set("mean_builds", row.builds);
  if (row.of > 0) set_rate(json, "false_claims", row.claims, row.of);
  if (row.stated > 0) {
    const auto of = static_cast<double>(row.stated);
    json.set("stated", Json::object()
                           .set("answers", row.stated)
                           .set("mean_probability", row.stated_sum / of)
                           .set("right", static_cast<double>(row.stated_right) / of));
  } else {
    json.set("stated", Json());
  }
  return json;
}

// Every scenario in turn, `on_row` behind each; false when it was interrupted.
template <class OnRow>
bool simulate_all(const Request& request, Terminal& terminal, const OnRow& on_row) {
  experiment::SimulateOptions options = request.simulation;
  Meter meter(terminal, request.scenarios.size(), options.repetitions);
  for (std::size_t i = 0; i < request.scenarios.size() && !terminal.out_closed(); ++i) {
    const DesignScenario& scenario = request.scenarios[i];
    const std::string what = scenario.detail + " on " + scenario.noise.name;
    options.on_progress = [&](std::uint64_t done) { meter.tell(what, i, done); };
    const auto row = experiment::simulate(scenario, options);
    if (!row) return false;
    on_row(*row);
  }
  return true;
}

bool print_json(const Request& request, Terminal& terminal) {
  Json rows = Json::array();
  const bool complete =
      simulate_all(request, terminal, [&](const DesignRow& row) { rows.push(to_json(row)); });
  Json document = Json::object();
  document.set("schema_version", 1).set("kind", "simulate").set("experiment", request.kind);
  document.set("seed", request.simulation.seed);
  document.set("repetitions", request.simulation.repetitions).set("complete", complete);
  document.set("rows", std::move(rows)).set("warnings", Json::array());
  terminal.print(document.dump(2) + "\n");
  return complete;
}

bool print_table(const Request& request, Terminal& terminal) {
  const MarkdownTable table = table_of(request);
  terminal.print(table.head());
  const bool complete = simulate_all(
      request, terminal, [&](const DesignRow& row) { terminal.print(table.line(cells_of(row))); });
  std::vector<experiment::NoiseModel> noises;
  for (const DesignScenario& scenario : request.scenarios) noises.push_back(scenario.noise);
  terminal.print(fmt::format("\n{} experiments a row, seed {}.\n{}{}",
                             request.simulation.repetitions, request.simulation.seed, kLegend,
                             noise_list(noises)));
  return complete;
}

}  // namespace

Result<int> run_simulate_design(const Arguments& arguments, Terminal& terminal) {
  auto request = request_of(arguments);
  if (!request) return fail(request.error());
  request->simulation.stop = &watch_interrupts();
  const bool complete =
      arguments.has("json") ? print_json(*request, terminal) : print_table(*request, terminal);
  if (!complete) terminal.note("interrupted: the rows above are complete, the others are missing");
  return complete ? kFine : kInterrupted;
}

}  // namespace assay::cli
