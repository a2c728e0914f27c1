// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/export_trace.hpp"
#include "cli/interrupt.hpp"
#include "cli/read_log.hpp"
#include "cli/report_record.hpp"
#include "report/trace_check.hpp"
#include "trace/importers/timeline.hpp"
#include "trace/peek.hpp"
#include "trace/source.hpp"
#include "trace/suggest.hpp"

namespace assay::cli {
namespace {

using Logs = std::vector<std::string>;

Result<int> check(const Arguments& arguments, const Logs& logs, Terminal& terminal) {
  const auto rules = rules_of(arguments, "rules");
  if (!rules) return fail(rules.error());
  std::optional<report::RuleMatches> matches;
  if (*rules && !(*rules)->events.empty() && !arguments.has("format"))
    matches = report::RuleMatches{.rules = &**rules};
  const auto run =
      matches ? read_log_by_rules(logs.front(), **rules, matches->lines, terminal)
              : read_log(logs.front(), arguments.value("format").value_or(""), *rules, terminal);
  if (!run) return fail(run.error());
  for (const trace::TraceWarning& warning : run->warnings) terminal.warn(warning.text);
  terminal.print(arguments.has("json") ? report::check_json(*run, matches).dump(2) + "\n"
                                       : report::check_text(*run, matches, text_options(terminal)));
  return run->spans.size() == 0 ? kNotMeasured : kFine;
}

Result<int> write(const Arguments& arguments, const Logs& logs, Terminal& terminal) {
  const auto to = arguments.value("to");
  if (!to) return fail("trace export needs --to", {}, "such as --to chrome");
  const auto rules = rules_of(arguments, "rules");
  if (!rules) return fail(rules.error());
  std::vector<std::string> inputs(logs.begin(), logs.end());
  if (const auto file = arguments.value("rules")) inputs.push_back(*file);
  if (const auto safe = check_output(arguments.value("output"), inputs); !safe)
    return fail(safe.error());
  std::vector<trace::Trace> runs;
  for (const std::string& log : logs) {
    auto run = read_log(log, arguments.value("format").value_or(""), *rules, terminal);
    if (!run) return fail(run.error());
    for (const trace::TraceWarning& warning : run->warnings) terminal.warn(warning.text);
    runs.push_back(std::move(*run));
  }
  const auto written = export_traces(*to, runs, arguments.value("output").value_or("-"), terminal);
  if (!written) return fail(written.error());
  return kFine;
}

Result<int> rules(const Arguments& arguments, const Logs& logs, Terminal& terminal) {
  if (arguments.has("show") == arguments.has("suggest"))
    return fail("trace rules needs --suggest LOG or --show NAME, one of them", {},
                "assay trace rules --suggest run.log > run.toml");
  if (arguments.has("show")) {
    if (!logs.empty()) return fail("--show reads no log", {}, "assay trace rules --show timeline");
    terminal.print(trace::timeline_rules_text());
    return kFine;
  }
  if (logs.size() != 1)
    return fail("--suggest needs one log", {}, "assay trace rules --suggest LOG");
  const auto source = trace::open_source(logs.front());
  if (!source) return fail(source.error());
  constexpr std::size_t kSample = std::size_t{8} << 20;
  auto sample = trace::read_head(**source, kSample);
  if (!sample) return fail(sample.error());
  if (sample->empty()) return fail("the log is empty", logs.front(), "there is no shape to read");
  if (const trace::Importer* own = trace::recognise(*sample); own && own->name() != "text") {
    terminal.note(fmt::format("{}: the {} importer reads this format, no rules are needed",
                              printable(logs.front()), own->name()));
    // These two pick their lines out of a log whose other lines rules may be for.
    if (own->name() != "timeline" && own->name() != "tracing") return kFine;
  }
  if (sample->size() == kSample) sample->resize(sample->rfind('\n') + 1);  // whole lines
  terminal.print(trace::suggest_rules(*sample));
  return kFine;
}

Result<int> formats(const Arguments& arguments, const Logs&, Terminal& terminal) {
  terminal.print(arguments.has("json") ? report::formats_json().dump(2) + "\n"
                                       : report::formats_text(text_options(terminal)));
  return kFine;
}

struct Verb {
  std::string_view name;
  std::size_t least, most;  // logs
  std::vector<std::string_view> options;
  Result<int> (*run)(const Arguments&, const Logs&, Terminal&);
};

const std::array<Verb, 4>& verbs() {
  static const std::array<Verb, 4> kVerbs = {
      {{"check", 1, 1, {"format", "rules", "json"}, check},
       {"export", 1, 2, {"format", "rules", "to", "output"}, write},
       {"rules", 0, 1, {"suggest", "show"}, rules},
       {"formats", 0, 0, {"json"}, formats}}};
  return kVerbs;
}

}  // namespace

Result<int> run_trace(const Arguments& arguments, Terminal& terminal) {
  exit_on_interrupt();
  const std::string& name = arguments.positionals.front();
  const Verb& verb = *std::ranges::find(verbs(), name, &Verb::name);  // one of the choices
  const Logs logs(arguments.positionals.begin() + 1, arguments.positionals.end());
  for (const Flag& flag : arguments.spec().flags)
    if (arguments.has(flag.name) &&
        std::ranges::find(verb.options, flag.name) == verb.options.end())
      return fail(fmt::format("--{} is not an option of trace {}", flag.name, name), {},
                  fmt::format("'assay trace -h' lists the options"));
  if (logs.size() < verb.least)
    return fail(fmt::format("trace {} needs a log", name), {},
                fmt::format("usage: assay trace {} LOG", name));
  if (logs.size() > verb.most)
    return fail(fmt::format("trace {} does not know what to do with '{}'", name,
                            printable(logs[verb.most])));
  return verb.run(arguments, logs, terminal);
}

}  // namespace assay::cli
