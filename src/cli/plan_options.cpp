// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/random.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "build/git.hpp"
#include "measure/trial_runner.hpp"
#include "trace/rules.hpp"

namespace assay::cli {
namespace {

// Suites do without some of the options of a command.
bool is_given(const Arguments& arguments, std::string_view name) {
  return find_flag(arguments.spec(), name) != nullptr && arguments.has(name);
}

}  // namespace

std::string absolute(const std::string& path) {
  if (path.empty()) return {};
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).lexically_normal().string();
}

Result<Subject> subject_of(const std::vector<std::string>& words, const Arguments& arguments) {
  Subject subject;
  subject.label = join_command(words);
  subject.argv = words;
  if (is_given(arguments, "shell")) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    subject.label = line;
    subject.argv = {"/bin/sh", "-c", line};
  }
  subject.input = absolute(arguments.value("input").value_or(""));
  subject.setup = arguments.value("setup").value_or("");
  subject.prepare = arguments.value("prepare").value_or("");
  subject.conclude = arguments.value("conclude").value_or("");
  subject.cleanup = arguments.value("cleanup").value_or("");
  return subject;
}

Result<Subject> subject_of(const std::string& command, const Arguments& arguments) {
  if (is_given(arguments, "shell")) return subject_of(std::vector<std::string>{command}, arguments);
  auto words = split_command(command);
  if (!words) return fail(words.error());
  if (const auto syntax = find_shell_syntax(command); syntax && syntax->is_operator)
    return fail(fmt::format("column {}: '{}' needs a shell\n{}", syntax->offset + 1,
                            command[syntax->offset], point_at(command, syntax->offset)),
                {},
                "--shell runs the commands by /bin/sh; a file for stdin is --input FILE; quote it "
                "to give it to the program");
  auto subject = subject_of(*words, arguments);
  if (subject) subject->label = command;
  return subject;
}

Result<Subject> only_subject(const Arguments& arguments) {
  const bool has_word = !arguments.positionals.empty();
  if (has_word == !arguments.trailing.empty())
    return fail(
        has_word ? "the command is given twice: as a word and behind --" : "no command was given",
        {},
        fmt::format("assay {} 'CMD ARGS', or assay {} -- CMD ARGS", arguments.spec().name,
                    arguments.spec().name));
  return has_word ? subject_of(arguments.positionals.front(), arguments)
                  : subject_of(arguments.trailing, arguments);
}

Result<RunOptions> run_options_of(const Arguments& arguments) {
  RunOptions options;
  const auto timeout = arguments.duration("timeout");
  if (!timeout) return fail(timeout.error());
  const auto cooldown = arguments.duration("cooldown");
  if (!cooldown) return fail(cooldown.error());
  options.timeout_s = timeout->value_or(0);
  options.cooldown_s = cooldown->value_or(0);
  options.ignore_exit = arguments.has("ignore-exit");
  options.line_buffered = is_given(arguments, "line-buffered");
  options.isolate = arguments.has("isolate");
  options.pin = arguments.value("pin").value_or("");
  if (arguments.has("pin") && options.pin.find_first_not_of(' ') == std::string::npos)
    return fail("--pin names no CPU", {},
                "such as --pin 1 or --pin 0,2-3; leave it out to run on all");
  options.exact = is_given(arguments, "exact");
  return options;
}

Result<std::vector<Metric>> metrics_of(const Arguments& arguments,
                                       const std::vector<std::string>& built_in,
                                       const std::vector<std::string>& gates) {
  std::vector<Metric> metrics;
  const auto add_builtin = [&](const std::string& name) {
    const auto known = [&](const Metric& metric) { return metric.name == name; };
    if (std::any_of(metrics.begin(), metrics.end(), known)) return;
    if (auto metric = measure::builtin_metric(name)) metrics.push_back(std::move(*metric));
  };
  if (is_given(arguments, "exact"))
    add_builtin("instructions");
  else
    for (const std::string& name : built_in) add_builtin(name);
  std::vector<Metric> own;
  const bool takes_own = find_flag(arguments.spec(), "metric") != nullptr;
  for (const std::string& text :
       takes_own ? arguments.values("metric") : std::vector<std::string>()) {
    auto metric = measure::parse_metric(text);
    if (!metric) return fail(metric.error());
    own.push_back(std::move(*metric));
  }
  for (const std::string& gate : gates) add_builtin(gate);
  metrics.insert(metrics.end(), own.begin(), own.end());
  for (const std::string& gate : gates) {
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const Metric& m) { return m.name == gate; });
    if (found == metrics.end()) {
      std::vector<std::string> names;
      for (const Metric& metric : metrics) names.push_back(metric.name);
      for (const Metric& metric : measure::builtin_metrics()) names.push_back(metric.name);
      const auto near = nearest(gate, names);
      return fail(fmt::format("--gate: no metric is called '{}'", printable(gate)), {},
                  near ? fmt::format("did you mean '{}'?", *near)
                       : "built in are wall, cpu, user, sys, peak_mem and others; your own come "
                         "from --metric NAME=SOURCE");
    }
    found->gating = true;
  }
  return metrics;
}

Result<std::optional<EventsPlan>> events_of(const Arguments& arguments) {
  for (const char* name : {"rules", "events-format", "log", "html"})
    if (arguments.has(name) && !arguments.has("events"))
      return fail(fmt::format("--{} needs --events", name), {},
                  "say where the events of a run are: --events FILE, stdout, stderr or emitter");
  if (!arguments.has("events")) return std::optional<EventsPlan>();
  EventsPlan events;
  events.source = arguments.value("events").value_or("");
  if (events.source.empty())
    return fail("--events is empty", {}, "a FILE, stdout, stderr or emitter");
  events.format = arguments.value("events-format").value_or("");
  if (const auto folder = arguments.value("log")) events.logs = absolute(*folder);
  if (const auto file = arguments.value("rules")) {
    auto text = System::real().read_file(*file);
    if (!text) return fail(text.error());
    events.rules = std::move(*text);
    events.rules_name = *file;
    // The first run is a long way off: a slip in the rules is told now.
    if (auto rules = trace::parse_rules(events.rules, *file); !rules) return fail(rules.error());
  }
  return std::optional(std::move(events));
}

// `sh -c "... $x ..."`: what stands there is for that shell to expand.
static bool runs_shell(const std::string& command) {
  const auto words = split_command(command);
  if (!words || words->empty()) return false;
  const std::string name = std::filesystem::path(words->front()).filename().string();
  for (const char* shell : {"sh", "bash", "dash", "zsh", "ksh", "fish"})
    if (name == shell) return true;
  return false;
}

std::string unexpanded(const std::string& command, const Arguments& arguments) {
  const auto syntax = find_shell_syntax(command);
  if (!syntax || is_given(arguments, "shell") || runs_shell(command)) return {};
  return fmt::format(
      "'{}' in '{}' is given to the program as it stands; --shell has a shell expand it",
      command[syntax->offset], printable(shorten(command, 200)));
}

Result<std::uint64_t> seed_of(const Arguments& arguments) {
  const auto seed = arguments.uint("seed", 0, std::numeric_limits<std::int64_t>::max());
  if (!seed) return fail(seed.error());
  // Drawn seeds stay below 2^53, so that every reader of the JSON keeps them whole.
  return seed->value_or(random_seed() >> 11);
}

Result<std::vector<Subject>> subjects_of_revisions(const Arguments& arguments, bool is_alone,
                                                   const std::string& example) {
  const auto baseline = arguments.value("baseline-rev");
  const auto candidates = arguments.values("candidate-rev");
  if (!baseline || candidates.empty())
    return fail(baseline ? "--baseline-rev needs a --candidate-rev beside it"
                         : "--candidate-rev needs a --baseline-rev beside it");
  if (arguments.trailing.empty() || !is_alone)
    return fail("with revisions the command stands behind --", {}, example);
  std::error_code ignored;
  const std::string here = std::filesystem::current_path(ignored).string();
  std::vector<std::string> revisions = {*baseline};
  revisions.insert(revisions.end(), candidates.begin(), candidates.end());
  std::vector<Subject> arms;
  for (const std::string& revision : revisions) {
    auto commit = build::resolve_revision(here, revision);
    if (!commit) return fail(commit.error());
    auto subject = subject_of(arguments.trailing, arguments);
    if (!subject) return fail(subject.error());
    subject->label = revision;
    subject->build = BuildSpec{.repository = here,
                               .revision = revision,
                               .commit = *commit,
                               .command = arguments.value("build").value_or("")};
    arms.push_back(std::move(*subject));
  }
  return arms;
}

}  // namespace assay::cli
