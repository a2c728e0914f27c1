// SPDX-License-Identifier: Apache-2.0
// `assay accept`: a regression that is wanted, with its size, its price and the reason.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/report_record.hpp"
#include "cli/store_access.hpp"
#include "history/accepted.hpp"
#include "model/words.hpp"
#include "report/accepted.hpp"
#include "report/estimates.hpp"

namespace assay::cli {

const CommandSpec& accept_spec() {
  static const CommandSpec kSpec = {
      .name = "accept",
      .summary = "Accept a regression, with a reason; later reports show what adds up",
      .usage = {"accept ID --reason TEXT", "accept --list"},
      .details =
          "ID is a comparison that says SLOWER (or MORE), or a timeline with a step; its "
          "size and its price in memory are kept beside the store. Later reports of the "
          "same benchmark show the accumulated ratio of all that was accepted. It changes "
          "no verdict and no exit status.",
      .positionals = {{.name = "ID",
                       .help = "the record, or the first characters of its id",
                       .at_most = 1,
                       .complete = Complete::record}},
      .examples = {{"assay accept k3f9a2bc --reason 'checks every signature now'",
                    "A comparison that is slower on purpose"},
                   {"assay accept k3f9a2bc --commit 3fa1c2d --reason 'bounds checks'",
                    "One step of a timeline"},
                   {"assay accept --list", "What was accepted, and what it adds up to"}},
      .flags = {{.name = "reason",
                 .value = "TEXT",
                 .help = "why it is accepted, for those who read it later",
                 .group = "Accepting",
                 .common = true},
                {.name = "commit",
                 .value = "REV",
                 .help = "the commit of a timeline with several steps: its first digits",
                 .group = "Accepting",
                 .common = true},
                {.name = "list",
                 .help = "print all that was accepted",
                 .group = "Accepting",
                 .common = true},
                {.name = "json", .help = "with --list: print JSON", .group = "Reporting"}}};
  return kSpec;
}

namespace {

// The slower metric of a comparison of two, and what it costs in memory.
Result<void> take_comparison(const Record& record, Accepted& accepted) {
  const Plan& plan = record.plan;
  const Conclusion& conclusion = *record.conclusion;
  const MetricFinding* worst = nullptr;
  std::uint32_t slower_arms = 0, last_arm = 0;
  for (const MetricFinding& finding : conclusion.findings) {
    if (finding.verdict != Verdict::slower || !finding.judged ||
        !plan.metrics[finding.metric].gating || !finding.reading.estimate)
      continue;
    if (worst == nullptr) worst = &finding;
    if (slower_arms == 0 || finding.arm != last_arm) ++slower_arms, last_arm = finding.arm;
  }
  if (worst == nullptr || conclusion.withheld)
    return fail(
        fmt::format("record {} shows no regression to accept: {}", record.id,
                    conclusion.withheld ? "its verdict is withheld" : to_word(conclusion.overall)));
  if (slower_arms > 1)
    return fail(fmt::format("record {} has {} candidates that are slower", record.id, slower_arms),
                {}, "accept a comparison of two");
  const Metric& metric = plan.metrics[worst->metric];
  accepted.metric = metric.name;
  accepted.ratio = report::ratio_of({*worst->reading.estimate, {}, {}}, metric.better).ratio;
  for (const MetricFinding& finding : conclusion.findings)
    if (finding.arm == worst->arm && plan.metrics[finding.metric].name == "peak_mem" &&
        finding.reading.estimate)
      accepted.memory_ratio = std::exp(*finding.reading.estimate);
  const Subject& arm = plan.arms[worst->arm];
  accepted.what = arm.label;
  if (arm.build) accepted.commit = arm.build->commit;
  return {};
}

bool is_worse(const TimelineCommit& commit) {
  const auto up = [](const std::optional<Estimate>& change) { return change && change->value > 0; };
  return up(commit.step_change()) || up(commit.memory_step_change());
}

Result<void> take_step(const Record& record, const std::string& wanted, Accepted& accepted) {
  const Plan& plan = record.plan;
  std::vector<const TimelineCommit*> steps;
  std::vector<std::string> names;  // of every step up, wanted or not
  for (const TimelineCommit& commit : record.conclusion->timeline->commits) {
    const std::string& id = plan.design->commits[commit.to_first.arm].id;
    if (!is_worse(commit)) continue;
    names.push_back(id.substr(0, 10));
    if (id.starts_with(wanted)) steps.push_back(&commit);
  }
  if (steps.empty())
    return fail(
        fmt::format("record {} shows no step up{}", record.id,
                    wanted.empty() ? "" : " at commit " + printable(wanted)),
        {},
        wanted.empty() || names.empty()
            ? ""
            : fmt::format("a commit is named by its hash; steps up: {}", fmt::join(names, ", ")));
  if (steps.size() > 1)
    return fail(fmt::format("record {} shows {} steps up: {}", record.id, steps.size(),
                            fmt::join(names, ", ")),
                {}, "name one with --commit");
  const TimelineCommit& step = *steps.front();
  const Commit& commit = plan.design->commits[step.to_first.arm];
  const Metric& metric = report::deciding_metric(plan);
  accepted.metric = metric.name;
  accepted.ratio =
      report::ratio_of(step.step_change().value_or(step.to_parent), metric.better).ratio;
  const auto memory = step.memory_step ? step.memory_step_change() : step.memory_to_parent;
  if (memory) accepted.memory_ratio = std::exp(memory->value);
  accepted.commit = commit.id;
  accepted.what = commit.subject;
  return {};
}

Result<int> list_accepted(const Arguments& arguments, Terminal& terminal) {
  const auto store = store_path(arguments);
  if (!store) return fail(store.error());
  const auto all = history::read_accepted(*store);
  if (!all) return fail(all.error());
  if (arguments.has("json")) {
    Json document = Json::object();
    document.set("schema_version", 1).set("kind", "accepted");
    const Json accepted = report::accepted_json(*all);
    document.set("items", accepted["items"]).set("warnings", Json::array());
    terminal.print(document.dump(2) + "\n");
  } else if (all->empty()) {
    terminal.print("Nothing was accepted.\n");
  } else {
    terminal.print(report::accepted_table(*all, text_options(terminal)));
  }
  return kFine;
}

}  // namespace

Result<int> run_accept(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("list")) {
    if (!arguments.positionals.empty() || arguments.has("reason"))
      return fail("--list goes alone", {}, "assay accept --list");
    return list_accepted(arguments, terminal);
  }
  if (arguments.positionals.empty())
    return fail("no record was given", {},
                "assay accept ID --reason TEXT; 'assay list' has the ids");
  if (!arguments.has("reason"))
    return fail("no reason is given", {}, "say why, for those who read it later: --reason TEXT");
  const auto store = open_existing_store(arguments);
  if (!store) return fail(store.error());
  const auto record = (*store)->load(arguments.positionals.front());
  if (!record) return fail(record.error());
  if (!record->conclusion)
    return fail("this experiment has no conclusion yet", record->id,
                "go on with it: assay resume " + record->id);
  Accepted accepted{.record = record->id,
                    .benchmark = history::benchmark_key(record->plan),
                    .reason = arguments.value("reason").value_or(""),
                    .at_ms = now_ms()};
  Result<void> taken;
  const std::string wanted = arguments.value("commit").value_or("");
  if (record->plan.kind == PlanKind::timeline && record->conclusion->timeline)
    taken = take_step(*record, wanted, accepted);
  else if (record->plan.kind == PlanKind::compare || record->plan.kind == PlanKind::sessions)
    taken = wanted.empty() ? take_comparison(*record, accepted)
                           : fail("--commit goes with a timeline", record->id);
  else
    taken = fail(fmt::format("a {} shows no regression to accept", to_word(record->plan.kind)),
                 record->id, "accept a comparison or a timeline");
  if (!taken) return fail(taken.error());
  const std::string location = (*store)->location();
  if (auto done = history::append_accepted(location, accepted); !done) return fail(done.error());
  const auto all = history::read_accepted(location);
  if (!all) return fail(all.error());
  for (const std::string& line :
       report::accepted_sentences(history::accepted_of(*all, accepted.benchmark)))
    terminal.print(line + "\n");
  return kFine;
}

}  // namespace assay::cli
