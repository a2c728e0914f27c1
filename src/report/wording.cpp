// SPDX-License-Identifier: Apache-2.0
#include "report/wording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "model/words.hpp"

namespace assay::report {
namespace {

struct Name {
  std::string_view name, title, noun;
};
constexpr Name kBuiltin[] = {{"wall", "wall", "the wall time"},
                             {"cpu", "cpu", "CPU time"},
                             {"user", "user", "user time"},
                             {"sys", "sys", "system time"},
                             {"peak_mem", "peak mem", "peak memory"},
                             {"tree_mem", "tree mem", "peak memory of the process tree"},
                             {"cgroup_mem", "cgroup mem", "peak memory of the cgroup"},
                             {"page_faults", "page faults", "the number of page faults"},
                             {"instructions", "instructions", "the number of instructions"}};
constexpr std::size_t kLongestName = 24;

const Name* builtin(const Metric& metric) {
  if (metric.origin != MetricOrigin::builtin) return nullptr;
  for (const Name& name : kBuiltin)
    if (name.name == metric.name) return &name;
  return nullptr;
}

// Names of the signals that end programs in practice; numbers are those of Linux on x86 and ARM.
std::string_view signal_name(int number) {
  switch (number) {
    case 1:
      return "SIGHUP";
    case 2:
      return "SIGINT";
    case 3:
      return "SIGQUIT";
    case 4:
      return "SIGILL";
    case 5:
      return "SIGTRAP";
    case 6:
      return "SIGABRT";
    case 7:
      return "SIGBUS";
    case 8:
      return "SIGFPE";
    case 9:
      return "SIGKILL";
    case 10:
      return "SIGUSR1";
    case 11:
      return "SIGSEGV";
    case 12:
      return "SIGUSR2";
    case 13:
      return "SIGPIPE";
    case 14:
      return "SIGALRM";
    case 15:
      return "SIGTERM";
    case 24:
      return "SIGXCPU";
    case 25:
      return "SIGXFSZ";
    case 31:
      return "SIGSYS";
    default:
      return {};
  }
}

}  // namespace

Family family_of(const Metric& metric) {
  if (metric.better == Better::higher) return Family::rate;
  if (metric.unit != "s") return Family::amount;
  if (metric.origin != MetricOrigin::builtin) return Family::time;
  return metric.name == "wall" ? Family::wall : metric.name == "cpu" ? Family::cpu : Family::time;
}

std::string title_of(const Metric& metric) {
  if (const Name* name = builtin(metric)) return std::string(name->title);
  return fit(plain(metric.name), kLongestName);
}

std::string noun_of(const Metric& metric) {
  if (const Name* name = builtin(metric)) return std::string(name->noun);
  return fit(plain(metric.name), kLongestName);
}

std::string method_of(const Metric& metric) {
  const bool memory = metric.origin == MetricOrigin::builtin && metric.unit == "B";
  return memory ? fit(plain(metric.method), 60) : std::string();
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string subject_of(const Metric& metric) {
  return metric.origin == MetricOrigin::builtin ? capitalised(noun_of(metric)) : noun_of(metric);
}

std::string_view word_of(const Metric& metric, Verdict verdict) {
  const bool worse = verdict == Verdict::slower;
  if (!worse && verdict != Verdict::faster) return to_word(verdict);
  switch (family_of(metric)) {
    case Family::amount:
      return worse ? "MORE" : "LESS";
    case Family::rate:
      return worse ? "LOWER" : "HIGHER";
    default:
      return to_word(verdict);
  }
}

Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::slower:
      return Tone::bad;
    case Verdict::failed:
    case Verdict::invalid:
      return Tone::broken;
    case Verdict::faster:
      return Tone::good;
    case Verdict::undecided:
      return Tone::open;
    case Verdict::equivalent:
      return Tone::strong;
  }
  return Tone::neutral;
}

std::string size_of_change(double ratio) { return format_percent_number(ratio).substr(1) + " %"; }

std::string percent(double fraction) { return fmt::format("{:.3g} %", fraction * 100); }

std::string bracket(double lo, double hi) {
  return fmt::format("[{}, {}]", format_change_number(lo), format_change_number(hi));
}

std::string range(double lo, double hi) {
  return fmt::format("{} to {}", format_change_number(lo), format_change(hi));
}

std::string runs_text(std::uint32_t runs, const Plan& plan) {
  return fmt::format("{0} + {0} {1}", runs, plan.kind == PlanKind::sessions ? "sessions" : "runs");
}

std::string clause_of(Reason reason) {
  switch (reason) {
    case Reason::decided:
      return "decided";
    case Reason::exact:
      return "exact";
    case Reason::borderline:
      return "the difference straddles the tolerance";
    case Reason::noisy:
      return "the runs vary too much";
    case Reason::too_few:
      return "too few runs";
    case Reason::noise_floor:
      return "the noise floor hides it";
    case Reason::non_positive:
      return "a run gave zero or a negative value";
    case Reason::missing_metric:
      return "a run did not give it";
    case Reason::unreplicated_baseline:
      return "a single stored session is no baseline";
    case Reason::run_failed:
      return "a run failed";
    case Reason::timed_out:
      return "a run timed out";
    case Reason::control_moved:
      return "the control moved";
    case Reason::sampled_too_little:
      return "fewer than 20 memory samples a run";
    case Reason::workload_differs:
      return "the sides did not do the same work";
  }
  return {};
}

std::string option_duration(double seconds) {
  if (seconds <= 120) return fmt::format("{:.0f}s", std::max(1.0, std::ceil(seconds / 10)) * 10);
  if (seconds <= 7200) return fmt::format("{:.0f}m", std::ceil(seconds / 60));
  return fmt::format("{:.0f}h", std::ceil(seconds / 3600));
}

std::string option_limit(double seconds) {
  if (seconds >= 120) return option_duration(seconds);
  const double milliseconds = std::ceil(seconds * 1000 - 1e-6);
  if (milliseconds < 1000) return fmt::format("{:.0f}ms", std::max(1.0, milliseconds));
  return fmt::format("{}s", milliseconds / 1000);
}

std::string options_for(const Plan& plan, std::optional<double> round_seconds, std::uint32_t more) {
  if (plan.kind == PlanKind::sessions) return fmt::format(" --sessions {}", more);
  std::string options;
  if (more > plan.max_runs) options += fmt::format(" --max-runs {}", more);
  const double need = round_seconds.value_or(0) * (more + 1);
  if (plan.time_budget_s > 0 && need > plan.time_budget_s)
    options += " --time-budget " + option_duration(need * 1.1);
  return options;
}

std::string join_and(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? " and " : ", ";
    out += items[i];
  }
  return out;
}

std::string ending_clause(const Exit& exit, const RunOptions& options) {
  switch (exit.how) {
    case Ending::exited:
      return fmt::format("exited with status {}", exit.code);
    case Ending::signalled: {
      const std::string_view name = signal_name(exit.code);
      return name.empty() ? fmt::format("was killed by signal {}", exit.code)
                          : fmt::format("was killed by signal {} ({})", exit.code, name);
    }
    case Ending::timed_out:
      return options.timeout_s > 0
                 ? fmt::format("timed out after {}", format_seconds(options.timeout_s))
                 : "timed out";
    case Ending::not_started:
      return fmt::format("could not be started: {}", plain(std::strerror(exit.code)));
  }
  return {};
}

std::string way_out(const Exit& exit, const RunOptions& options) {
  switch (exit.how) {
    case Ending::exited:
      return "Mend the command, or accept exit statuses other than 0 with --ignore-exit.";
    case Ending::signalled:
      return exit.code == 9 ? "SIGKILL often means that memory ran out; 'dmesg' would say so. "
                              "--ignore-exit does not accept signals."
                            : "--ignore-exit does not accept signals: mend the command.";
    case Ending::timed_out:
      return options.timeout_s > 0 ? fmt::format("--timeout {} allows twice the time.",
                                                 option_limit(2 * options.timeout_s))
                                   : "--timeout allows more time.";
    case Ending::not_started:
      return "Check that the command exists and may be executed.";
  }
  return {};
}

}  // namespace assay::report
