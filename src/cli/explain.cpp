// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "attribution/delta.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/read_log.hpp"
#include "cli/report_record.hpp"
#include "report/explain_html.hpp"
#include "report/explain_json.hpp"
#include "report/explain_text.hpp"
#include "report/timeline_json.hpp"

namespace assay::cli {
namespace {

struct Paths {
  std::vector<std::string> a, b;
};

Result<Paths> paths_of(const Arguments& arguments) {
  Paths paths{arguments.positionals, arguments.trailing};
  for (const std::string& word : paths.b)
    if (word.size() > 1 && word[0] == '-')
      return fail(
          fmt::format("'{}' stands behind --, where only logs of side B stand", printable(word)),
          {}, "write options before --; a file of that name: ./" + printable(word));
  if (paths.b.empty() && paths.a.size() == 2) paths = {{paths.a[0]}, {paths.a[1]}};
  if (paths.b.empty() && paths.a.size() > 2)
    return fail(fmt::format("{} logs are given: which of them are one side?", paths.a.size()), {},
                "several logs a side: assay explain A1 A2 -- B1 B2");
  if (!paths.b.empty() && (paths.a.size() == 1) != (paths.b.size() == 1))
    return fail(fmt::format("{} log{} against {}: one run cannot be compared with several",
                            paths.a.size(), paths.a.size() == 1 ? "" : "s", paths.b.size()),
                {}, "give one log a side, or several: assay explain A1 A2 -- B1 B2");
  for (const auto* side : {&paths.a, &paths.b})
    if (const auto once = check_repeated(*side); !once) return fail(once.error());
  if (std::ranges::count(paths.a, "-") + std::ranges::count(paths.b, "-") > 1)
    return fail("standard input can be read only once", {}, "give the other log as a file");
  return paths;
}

Result<report::ExplainOptions> options_of(const Arguments& arguments, const Terminal& terminal) {
  const auto top = arguments.uint("top", 1, 1'000'000);
  const auto budget = arguments.bytes("memory-budget");
  if (!top) return fail(top.error());
  if (!budget) return fail(budget.error());
  if (arguments.has("curves") && !arguments.has("json"))
    return fail("--curves is for --json", {}, "give both, or --html, which draws them");
  if (arguments.has("json") && arguments.value("html") == "-")
    return fail("--json and --html - both want stdout", {}, "name a file: --html report.html");
  return report::ExplainOptions{.text = text_options(terminal),
                                .top = static_cast<std::size_t>(top->value_or(10)),
                                .all = arguments.has("all"),
                                .memory_budget = *budget};
}

struct Side {
  std::vector<trace::Trace> runs = {};

  std::vector<const trace::Trace*> pointers() const {
    std::vector<const trace::Trace*> all;
    for (const trace::Trace& run : runs) all.push_back(&run);
    return all;
  }
  bool is_empty() const {
    return std::ranges::all_of(runs, [](const trace::Trace& t) { return t.spans.size() == 0; });
  }
};

Result<Side> read_side(const std::vector<std::string>& paths, const Arguments& arguments,
                       const std::optional<trace::Rules>& rules, Terminal& terminal) {
  Side side;
  for (const std::string& path : paths) {
    auto run = read_log(path, arguments.value("format").value_or(""), rules, terminal);
    if (!run) return fail(run.error());
    side.runs.push_back(std::move(*run));
  }
  return side;
}

// One run a side stands for it in the page.
Json timeline_of(const Side& a, const Side& b) {
  Json runs = Json::array();
  if (!a.runs.empty()) runs.push(report::timeline_json(a.runs.front(), "A"));
  if (!b.runs.empty()) runs.push(report::timeline_json(b.runs.front(), "B"));
  Json timeline = Json::object();
  timeline.set("runs", std::move(runs));
  return timeline;
}

// Before any number.
void warn(const std::vector<trace::TraceWarning>& warnings, bool all, Terminal& terminal) {
  constexpr std::size_t kFew = 12;
  const std::size_t shown = all ? warnings.size() : std::min(warnings.size(), kFew);
  for (std::size_t i = 0; i < shown; ++i) terminal.warn(warnings[i].text);
  if (shown < warnings.size())
    terminal.warn(fmt::format("{} more warnings (--all)", warnings.size() - shown));
}

// `what` is a RunDescription or a DeltaDescription.
template <class Description>
Result<void> report_on(const Description& what, const Side& a, const Side& b,
                       const Arguments& arguments, const report::ExplainOptions& options,
                       Terminal& terminal) {
  const auto html = arguments.value("html");
  if (html) {
    Json document = report::explain_json(what, {.curves = true, .budget = options.memory_budget});
    document.set("timeline", timeline_of(a, b));
    const auto page = report::explain_html(report::report_page(), document);
    if (!page) return fail(page.error());
    if (const auto written = write_result(*html, *page, terminal); !written) return written;
    if (*html == "-") return {};
  }
  warn(report::warnings_of(what), options.all, terminal);
  if (arguments.has("json"))
    terminal.print(report::explain_json(
                       what, {.curves = arguments.has("curves"), .budget = options.memory_budget})
                       .dump(2) +
                   "\n");
  else
    terminal.print(report::explain_text(what, options).out);
  if (html) terminal.note("the page is in " + *html);
  return {};
}

}  // namespace

Result<int> run_explain(const Arguments& arguments, Terminal& terminal) {
  exit_on_interrupt();
  const auto paths = paths_of(arguments);
  if (!paths) return fail(paths.error());
  const auto options = options_of(arguments, terminal);
  if (!options) return fail(options.error());
  std::vector<std::string> inputs = paths->a;
  inputs.insert(inputs.end(), paths->b.begin(), paths->b.end());
  for (const char* option : {"rules", "rules-b"})
    if (const auto file = arguments.value(option)) inputs.push_back(*file);
  if (const auto safe = check_output(arguments.value("html"), inputs); !safe)
    return fail(safe.error());
  const auto seed = arguments.uint("seed", 0, UINT64_MAX);
  if (!seed) return fail(seed.error());
  if (arguments.has("rules-b") && paths->b.empty())
    return fail("--rules-b is for a second log", {}, "assay explain A.log B.log");
  const auto rules = rules_of(arguments, "rules");
  if (!rules) return fail(rules.error());
  const auto rules_b = rules_of(arguments, arguments.has("rules-b") ? "rules-b" : "rules");
  if (!rules_b) return fail(rules_b.error());
  const auto a = read_side(paths->a, arguments, *rules, terminal);
  if (!a) return fail(a.error());
  const auto b = read_side(paths->b, arguments, *rules_b, terminal);
  if (!b) return fail(b.error());

  // A difference needs something on either side; an empty file has no length to compare.
  if (!b->runs.empty())
    for (const auto* side : {&*a, &*b})
      for (const trace::Trace& run : side->runs)
        if (run.spans.size() == 0) {
          warn(run.warnings, options->all, terminal);
          return terminal.error(
              Error{"no span was read, so there is nothing to compare", printable(run.source),
                    "'assay trace check LOG' says what was understood of it"},
              kNotMeasured);
        }
  const auto reported =
      b->runs.empty()
          ? report_on(attribution::describe(a->runs.front()), *a, *b, arguments, *options, terminal)
          : report_on(attribution::explain_delta(a->pointers(), b->pointers(),
                                                 {.seed = seed->value_or(1)}),
                      *a, *b, arguments, *options, terminal);
  if (!reported) return terminal.error(reported.error(), kNotMeasured);
  return a->is_empty() || (!b->runs.empty() && b->is_empty()) ? kNotMeasured : kFine;
}

}  // namespace assay::cli
