// SPDX-License-Identifier: Apache-2.0
#include "diverge/diverge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/report_record.hpp"
#include "diverge/step_reader.hpp"
#include "report/diverge.hpp"
#include "trace/source.hpp"

namespace assay::cli {
namespace {

using diverge::Participant;

constexpr std::size_t kMostParticipants = 64;

// "KIND=LOG,LOG" of every use of an option.
struct KindFiles {
  std::string kind = {};
  std::vector<std::string> files = {};
};

Result<std::vector<KindFiles>> kinds_of(const Arguments& arguments, std::string_view option) {
  const auto pairs = arguments.assignments(option);
  if (!pairs) return fail(pairs.error());
  std::vector<KindFiles> kinds;
  for (const auto& [kind, text] : *pairs) {
    KindFiles one{.kind = kind};
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      if (comma > at) one.files.push_back(text.substr(at, comma - at));
      at = comma + 1;
    }
    if (kind.empty() || one.files.empty())
      return fail(
          fmt::format("--{} {}={} is not KIND=LOG,LOG", option, printable(kind), printable(text)));
    kinds.push_back(std::move(one));
  }
  return kinds;
}

// Names are files without their folders, unless two would be the same.
std::vector<Participant> participants_of(const std::vector<std::string>& files,
                                         const std::vector<KindFiles>& kinds) {
  std::vector<Participant> participants;
  for (const std::string& file : files) participants.push_back({.file = file});
  for (const KindFiles& kind : kinds)
    for (const std::string& file : kind.files)
      participants.push_back({.file = file, .kind = kind.kind});
  std::multiset<std::string> names;
  const auto short_name = [](const std::string& file) {
    if (file == "-") return std::string("stdin");
    const std::string name = std::filesystem::path(file).filename().string();
    return name.empty() ? file : name;
  };
  for (const Participant& p : participants) names.insert(short_name(p.file));
  for (Participant& p : participants) {
    p.name = short_name(p.file);
    if (names.count(p.name) > 1) p.name = p.file;
    if (p.kind.empty()) p.kind = p.name;
  }
  return participants;
}

Result<void> check_files(const std::vector<const Participant*>& participants) {
  if (participants.size() > kMostParticipants)
    return fail(fmt::format("more than {} logs", kMostParticipants));
  std::set<std::string> seen;
  for (const Participant* p : participants)
    if (!seen.insert(p->file).second)
      return fail(fmt::format("'{}' is given twice", printable(p->file)), {},
                  "a log agrees with itself: it would say nothing");
  return {};
}

// "did you mean 'height'? Its lines have: height, root", of what the lines have; `otherwise` where
// they have nothing by which to name it.
std::string names_hint(const std::string& asked, const diverge::Lines& lines,
                       const std::string& otherwise) {
  if (lines.names.empty()) return otherwise;
  constexpr std::size_t kShown = 12;
  const auto last = [](const std::string& name) { return name.substr(name.rfind('/') + 1); };
  std::optional<std::string> meant;
  for (const std::string& name : lines.names)
    if (!meant && last(name) == last(asked)) meant = name;
  if (!meant) meant = nearest(asked, lines.names);
  std::string hint = meant ? fmt::format("did you mean '{}'? The", *meant) : std::string("the");
  hint += " lines have:";
  for (std::size_t i = 0; i < lines.names.size() && i < kShown; ++i)
    hint += (i > 0 ? ", " : " ") + lines.names[i];
  return printable(lines.names.size() > kShown ? hint + ", ..." : hint);
}

Result<void> check_answers(const report::DivergeRun& run, const diverge::FieldOptions& options) {
  for (std::size_t p = 0; p < run.participants.size(); ++p) {
    const diverge::Lines& lines = run.lines[p];
    if (lines.with_answer > 0) continue;
    const std::string file = printable(run.participants[p].file);
    if (lines.no_value > 0)
      return fail(fmt::format("no line has '{}' beside '{}'", printable(options.value),
                              printable(options.key)),
                  fmt::format("{}:{}", file, lines.first_no_value),
                  names_hint(options.value, lines,
                             "--value names the answer; a nested member is written /data/root"));
    if (lines.bad_step > 0)
      return fail(fmt::format("'{}' is not an integer", printable(options.key)),
                  fmt::format("{}:{}", file, lines.first_bad_step), "steps are integers that grow");
    if (lines.lines == 0)
      return fail(lines.torn ? "there is one line, and its end is missing" : "the log is empty",
                  file, "each participant's log must have one answer at least");
    if (!options.where.empty() && std::ranges::find(lines.names, options.key) != lines.names.end())
      return fail(
          fmt::format("--where lets none of the lines with '{}' through", printable(options.key)),
          file, "a value must be the same to the letter");
    if (!options.pattern.empty())
      return fail(fmt::format("--pattern matches none of {} whole lines", lines.lines), file,
                  options.where.empty() ? "" : "or none that --where lets through");
    return fail(fmt::format("none of {} whole lines has '{}'{}", lines.lines,
                            printable(options.key), lines.torn ? " (and a torn last one)" : ""),
                file,
                names_hint(options.key, lines,
                           "a nested member is written /data/slot; lines of another form are read "
                           "by --pattern"));
  }
  return {};
}

// The lines around the first disagreement, of the first participant with each answer.
Result<void> take_excerpts(report::DivergeRun& run, std::uint64_t around) {
  run.excerpts.resize(run.participants.size());
  if (!run.findings.first_disagreed) return {};
  std::set<std::string> told;
  const auto& answers = run.findings.first_disagreed->answers;
  for (std::size_t p = 0; p < answers.size(); ++p) {
    if (!answers[p] || !told.insert(answers[p]->value).second) continue;
    std::error_code ignored;  // a pipe cannot be read twice
    if (!std::filesystem::is_regular_file(run.participants[p].file, ignored)) continue;
    const auto source = trace::open_source(run.participants[p].file);
    if (!source) return fail(source.error());
    auto excerpt = diverge::read_around(**source, answers[p]->line, around);
    if (!excerpt) return fail(excerpt.error());
    run.excerpts[p] = std::move(*excerpt);
  }
  return {};
}

Result<report::DivergeRun> read_run(std::vector<Participant> participants,
                                    const diverge::LineFields& fields, std::uint64_t around) {
  report::DivergeRun run{.participants = std::move(participants)};
  const trace::ImportOptions options;
  std::vector<diverge::StepReader> readers;
  for (const Participant& p : run.participants) {
    auto source = trace::open_source(p.file);
    if (!source) return fail(source.error());
    readers.emplace_back(std::move(*source), fields, options);
  }
  std::vector<diverge::NextAnswer> next;
  for (diverge::StepReader& reader : readers) next.push_back([&reader] { return reader.next(); });
  auto findings = diverge::compare_run(next);
  if (!findings) return fail(findings.error());
  run.findings = std::move(*findings);
  for (const diverge::StepReader& reader : readers) run.lines.push_back(reader.lines());
  if (const auto good = check_answers(run, fields.options()); !good) return fail(good.error());
  if (const auto taken = take_excerpts(run, around); !taken) return fail(taken.error());
  return run;
}

Result<diverge::LineFields> fields_of(const Arguments& arguments) {
  const auto where = arguments.assignments("where");
  if (!where) return fail(where.error());
  if (!arguments.has("key") || !arguments.has("value"))
    return fail("diverge needs --key and --value", {}, "such as --key slot --value state_root");
  return diverge::LineFields::make({.key = arguments.value("key").value_or(""),
                                    .value = arguments.value("value").value_or(""),
                                    .pattern = arguments.value("pattern").value_or(""),
                                    .where = *where,
                                    .bare_hex = arguments.has("bare-hex")});
}

// "/data/slot" is called slot.
std::string spoken(const std::string& name) { return name.substr(name.rfind('/') + 1); }

Result<void> add_controls(const std::vector<KindFiles>& controls, const diverge::LineFields& fields,
                          std::uint64_t around, report::DivergeView& view) {
  for (const KindFiles& control : controls) {
    std::set<std::string> kinds;
    for (const Participant& p : view.run.participants) kinds.insert(p.kind);
    const bool is_long = control.kind.starts_with("all-") && !kinds.contains(control.kind);
    const std::string kind = is_long ? control.kind.substr(4) : control.kind;
    if (!kinds.contains(kind)) {
      const std::vector<std::string> names(kinds.begin(), kinds.end());
      return fail(fmt::format("--control {}: no participant is of the kind '{}'",
                              printable(control.kind), printable(kind)),
                  {},
                  printable(fmt::format("kinds: {}; --kind {}=LOG,LOG names them",
                                        fmt::join(names, ", "), kind)));
    }
    auto participants = participants_of({}, {control});
    for (Participant& p : participants) p.kind = kind;
    auto run = read_run(std::move(participants), fields, around);
    if (!run) return fail(run.error());
    run->name = "all-" + kind;
    view.controls.push_back({.name = run->name, .kind = kind});
    view.control_runs.push_back(std::move(*run));
  }
  return {};
}

int exit_of(const report::DivergeView& view, bool strict) {
  std::vector<const diverge::RunFindings*> runs = {&view.run.findings};
  for (const report::DivergeRun& control : view.control_runs) runs.push_back(&control.findings);
  if (std::ranges::any_of(runs, [](const auto* run) { return run->first_disagreed.has_value(); }))
    return kRegression;
  if (view.run.findings.common == 0) return kNotMeasured;
  const bool lacks = std::ranges::any_of(runs, [](const auto* run) {
    return std::ranges::any_of(run->participants,
                               [](const auto& p) { return p.stops || p.missing_count > 0; });
  });
  return strict && lacks ? kUndecided : kFine;
}

}  // namespace

Result<int> run_diverge(const Arguments& arguments, Terminal& terminal) {
  const auto fields = fields_of(arguments);
  if (!fields) return fail(fields.error());
  const auto around = arguments.uint("context", 0, 1000);
  if (!around) return fail(around.error());
  const auto kinds = kinds_of(arguments, "kind");
  if (!kinds) return fail(kinds.error());
  const auto controls = kinds_of(arguments, "control");
  if (!controls) return fail(controls.error());
  auto participants = participants_of(arguments.positionals, *kinds);
  if (participants.size() < 2)
    return fail("diverge needs the logs of two participants at least", {},
                "assay diverge --key slot --value state_root A B");
  std::vector<const Participant*> all;
  for (const Participant& p : participants) all.push_back(&p);
  const auto of_controls = participants_of({}, *controls);
  for (const Participant& p : of_controls) all.push_back(&p);
  if (const auto good = check_files(all); !good) return fail(good.error());
  exit_on_interrupt();
  auto run = read_run(std::move(participants), *fields, around->value_or(2));
  if (!run) return fail(run.error());
  report::DivergeView view{.key = spoken(fields->options().key),
                           .value = spoken(fields->options().value),
                           .run = std::move(*run)};
  if (const auto added = add_controls(*controls, *fields, around->value_or(2), view); !added)
    return fail(added.error());
  std::vector<diverge::RunFindings> control_findings;
  for (const report::DivergeRun& control : view.control_runs)
    control_findings.push_back(control.findings);
  view.implication = diverge::implication_of(view.run.findings, view.run.participants,
                                             view.controls, control_findings);
  for (const std::string& warning : report::diverge_warnings(view)) terminal.warn(warning);
  const auto json = arguments.value("json");
  if (json != "-") terminal.print(report::diverge_text(view, text_options(terminal)));
  if (json)
    if (auto done = write_result(*json, report::diverge_json(view).dump(2) + "\n", terminal); !done)
      return fail(done.error());
  return exit_of(view, arguments.has("strict"));
}

}  // namespace assay::cli
