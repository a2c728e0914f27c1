// SPDX-License-Identifier: Apache-2.0
// Every descriptor, buffer and table is made once; a run costs a few pipes and preads.
#include "measure/trial_runner.hpp"

#include <sched.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

#include "base/check.hpp"
#include "base/text.hpp"
#include "measure/cgroup.hpp"
#include "measure/command.hpp"
#include "measure/contention.hpp"
#include "measure/counters.hpp"
#include "measure/execution.hpp"
#include "measure/isolation.hpp"

namespace assay::measure {
namespace {

using std::chrono::nanoseconds;

constexpr std::uint32_t kMostPad = 4095;
constexpr double kLeastLastingHook = 60;  // seconds; setup and cleanup, whatever the time budget is

struct Arm {
  Subject subject;
  std::string path;
  Words argv, env;
};

// How one metric of the plan is read.
enum class Reader {
  wall,
  cpu,
  user,
  sys,
  peak_mem,
  tree_mem,
  cgroup_mem,
  page_faults,
  instructions,
  output
};

struct Hook {
  std::string name, text;
  bool keep = false;
  double limit_s = 0;  // 0 = none
  const std::atomic<bool>* interrupted = nullptr;
};

Result<Reader> reader_of(const Metric& metric) {
  if (metric.origin == MetricOrigin::output) return Reader::output;
  static constexpr std::pair<std::string_view, Reader> kReaders[] = {
      {"wall", Reader::wall},
      {"cpu", Reader::cpu},
      {"user", Reader::user},
      {"sys", Reader::sys},
      {"peak_mem", Reader::peak_mem},
      {"tree_mem", Reader::tree_mem},
      {"cgroup_mem", Reader::cgroup_mem},
      {"page_faults", Reader::page_faults},
      {"instructions", Reader::instructions}};
  std::vector<std::string> names;
  for (const auto& [name, reader] : kReaders) {
    if (metric.name == name) return reader;
    names.emplace_back(name);
  }
  const std::optional<std::string> near = nearest(metric.name, names);
  return fail("unknown metric '" + printable(metric.name) + "'", {},
              near ? "did you mean '" + *near + "'?" : "known: " + join_command(names));
}

double seconds_of(std::int64_t microseconds) { return static_cast<double>(microseconds) * 1e-6; }

// 30 years stand for ever: beyond 292 years the count would overflow.
nanoseconds to_nanoseconds(double seconds) {
  return nanoseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9) * 1e9));
}

Exit exit_of(const LaunchReply& reply) {
  if (reply.step != kStepNone) return {Ending::not_started, reply.error};
  const bool exited = WIFEXITED(reply.wait_status);
  const int code = exited ? WEXITSTATUS(reply.wait_status) : WTERMSIG(reply.wait_status);
  if (reply.ended == kEndedByTimeout) return {Ending::timed_out, code};
  return {exited ? Ending::exited : Ending::signalled, code};
}

// Keeps the calling thread on `cpus` while it lives.
class OwnCpus {
 public:
  explicit OwnCpus(const std::vector<int>& cpus) {
    if (cpus.empty() || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus)
      if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
    changed_ = ::sched_setaffinity(0, sizeof set, &set) == 0;
  }
  OwnCpus(const OwnCpus&) = delete;
  OwnCpus& operator=(const OwnCpus&) = delete;
  ~OwnCpus() {
    if (changed_) ::sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool changed_ = false;
};

class Runner final : public TrialRunner {
 public:
  Runner(const Plan& plan, const std::atomic<bool>& interrupted, MetricRules rules,
         Launcher launcher)
      : options_(plan.run),
        lasting_limit_(plan.time_budget_s > 0 ? std::max(plan.time_budget_s, kLeastLastingHook)
                                              : 0),
        interrupted_(interrupted),
        rules_(std::move(rules)),
        launcher_(std::move(launcher)),
        output_(rules_.empty() ? nullptr : &rules_, plan.run.line_buffered),
        memory_(launcher_.pid()) {}
  ~Runner() override { launcher_.end(); }  // before the cgroup goes, which it lives in

  Result<void> prepare(const Plan& plan, Isolation isolation);
  void copy_output(const OutputCopies& copies) {
    output_.copy_to(OutputReader::Stream::out, copies.out);
    output_.copy_to(OutputReader::Stream::err, copies.err);
  }

  Result<std::optional<Trial>> run(const Run& run) override;
  Result<void> setup(std::uint32_t arm) override {
    const Arm& of = arm_at(arm);
    return lasting_hook("setup", of.subject.setup, of, true);
  }
  Result<void> cleanup(std::uint32_t arm) override {
    const Arm& of = arm_at(arm);
    return lasting_hook("cleanup", of.subject.cleanup, of, false);
  }
  Result<void> replace_arm(std::uint32_t arm, const Subject& subject) override {
    Result<Arm> made = make_arm(subject);
    if (!made) return fail(made.error());
    (void)arm_at(arm);
    arms_[arm] = std::move(*made);
    return {};
  }
  std::vector<Warning> warnings() const override { return warnings_; }
  std::optional<Error> copy_error() const override { return output_.copy_error(); }

 private:
  const Arm& arm_at(std::uint32_t arm) const {
    ASSAY_CHECK(arm < arms_.size(), "a run names an arm of the plan");
    return arms_[arm];
  }
  Result<Arm> make_arm(const Subject& subject);
  Result<void> prepare_counts();
  Result<void> count(const LaunchReply& reply);
  Result<bool> hook(Launcher& launcher, const Hook& hook, const Arm& arm);
  Result<void> lasting_hook(const std::string& name, const std::string& text, const Arm& arm,
                            bool keep);
  LaunchCommand command_of(const Arm& arm, const Trial& trial, double limit_s);
  Result<bool> measure(const Arm& arm, double limit_s, Trial& trial);
  void read_values(const Arm& arm, const LaunchReply& reply, Trial& trial);
  std::optional<double> value_of(Reader reader, const LaunchReply& reply) const;
  std::optional<double> peak_memory(const LaunchReply& reply) const;
  void warn_once(WarningKind kind, std::string text);
  bool reads(Reader reader) const {
    return std::find(readers_.begin(), readers_.end(), reader) != readers_.end();
  }

  RunOptions options_;
  double lasting_limit_;  // seconds for setup and for cleanup; 0 = none
  const std::atomic<bool>& interrupted_;
  std::vector<Arm> arms_;
  std::vector<Reader> readers_;
  MetricRules rules_;
  LaunchSettings settings_;
  std::unique_ptr<CgroupMeter> cgroup_;
  std::unique_ptr<OwnCpus> own_cpus_;
  Launcher launcher_;
  OutputReader output_;
  MemorySampler memory_;
  ContentionMeter contention_;
  Fd null_;
  std::string pad_;
  MemorySampler::Reading memory_reading_;
  std::optional<std::uint64_t> cgroup_reading_;
  std::optional<ExactCounter> exact_counter_;
  std::optional<InstructionCounter> hardware_counter_;
  std::optional<double> instructions_;
  std::vector<Warning> warnings_;
};

void Runner::warn_once(WarningKind kind, std::string text) {
  Warning warning{kind, std::move(text)};
  if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end())
    warnings_.push_back(std::move(warning));
}

Result<Arm> Runner::make_arm(const Subject& subject) {
  Arm arm;
  arm.subject = subject;
  const std::vector<std::string> env = environment_of(subject);
  Result<std::string> path = resolve_command(subject, env);
  if (!path) return fail(path.error());
  const Result<Fd> input = open_input(subject);
  if (!input) return fail(input.error());
  arm.path = std::move(*path);
  std::vector<std::string> argv = subject.argv;
  if (exact_counter_) {
    argv.front() = arm.path;  // as it was found, not to be searched for again
    argv = exact_counter_->wrap(argv);
    arm.path = argv.front();
  }
  for (const std::string& word : argv) arm.argv.add(word);
  for (const std::string& entry : env) arm.env.add(entry);
  return arm;
}

// With --exact callgrind counts, and without it there is no point in going on; otherwise the
// hardware does where it can.
Result<void> Runner::prepare_counts() {
  if (options_.exact) {
    Result<ExactCounter> counter = ExactCounter::make();
    if (!counter) return fail(counter.error());
    exact_counter_ = std::move(*counter);
  } else if (reads(Reader::instructions)) {
    Result<InstructionCounter> counter = InstructionCounter::attach(launcher_.pid());
    if (counter)
      hardware_counter_ = std::move(*counter);
    else
      warn_once(WarningKind::counters, "no instructions: " + counter.error().to_text());
  }
  return {};
}

Result<void> Runner::prepare(const Plan& plan, Isolation isolation) {
  warnings_ = std::move(isolation.warnings);
  for (const Metric& metric : plan.metrics) {
    const Result<Reader> reader = reader_of(metric);
    if (!reader) return fail(reader.error());
    readers_.push_back(*reader);
  }
  if (Result<void> counting = prepare_counts(); !counting) return counting;
  for (const Subject& subject : plan.arms) {
    const bool is_built_later = subject.build && subject.cwd.empty();
    Result<Arm> arm = is_built_later ? Result<Arm>(Arm{}) : make_arm(subject);
    if (!arm) return fail(arm.error());
    arms_.push_back(std::move(*arm));
  }
  for (const int cpu : isolation.cpus)
    if (cpu >= kLaunchMaxCpus)
      return fail("CPU " + std::to_string(cpu) + " is beyond what can be pinned to", "--pin",
                  "CPUs 0 to " + std::to_string(kLaunchMaxCpus - 1) + " can");
  settings_ = {std::move(isolation.cpus), isolation.nice, isolation.rt_priority, options_.exact};
  own_cpus_ = std::make_unique<OwnCpus>(isolation.own_cpus);
  if (reads(Reader::cgroup_mem)) {
    Result<std::unique_ptr<CgroupMeter>> meter = CgroupMeter::make(launcher_.pid(), {});
    if (meter)
      cgroup_ = std::move(*meter);
    else
      warn_once(WarningKind::host, "no cgroup_mem: " + meter.error().to_text());
  }
  Result<Fd> null = open_input(Subject{});
  if (!null) return fail(null.error());
  null_ = std::move(*null);
  return {};
}

// True when it ran, false when interrupted.
Result<bool> Runner::hook(Launcher& launcher, const Hook& hook, const Arm& arm) {
  if (hook.text.empty()) return true;
  LaunchCommand command;
  command.cwd = arm.subject.cwd;
  command.env = &arm.env;
  command.keep = hook.keep;
  command.timeout = to_nanoseconds(hook.limit_s);
  const Result<HookResult> result =
      run_hook(launcher, hook.name, hook.text, command, hook.interrupted);
  if (!result) return fail(result.error());
  if (result->kept > 0) memory_.exclude_existing();
  return !result->interrupted;
}

// Setup is not worth interrupting half-way quietly; cleanup is due also after an interruption, and
// when a command has ended the helper.
Result<void> Runner::lasting_hook(const std::string& name, const std::string& text, const Arm& arm,
                                  bool keep) {
  if (text.empty()) return {};
  const Hook one{name, text, keep, lasting_limit_, keep ? &interrupted_ : nullptr};
  std::optional<Launcher> other;
  if (launcher_.is_lost()) {
    const Result<std::string> path = Launcher::find();
    if (!path) return fail(path.error());
    Result<Launcher> started = Launcher::start(*path);
    if (!started) return fail(started.error());
    other.emplace(std::move(*started));
  }
  const Result<bool> ran = hook(other ? *other : launcher_, one, arm);
  if (!ran) return fail(ran.error());
  if (!*ran) return fail("interrupted during the " + name + " command", text);
  return {};
}

LaunchCommand Runner::command_of(const Arm& arm, const Trial& trial, double limit_s) {
  // With --exact the environment has one length in every run: counts depend on it.
  pad_.assign("ASSAY_PAD=").append(options_.exact ? 0 : std::min(trial.pad, kMostPad), 'x');
  LaunchCommand command;
  command.path = arm.path;
  command.cwd = arm.subject.cwd;
  command.argv = &arm.argv;
  command.env = &arm.env;
  command.last_env = pad_;
  command.stdout_fd = output_.child_end(OutputReader::Stream::out);
  command.stderr_fd = output_.child_end(OutputReader::Stream::err);
  command.pty = options_.line_buffered;
  const double timeout = options_.timeout_s;
  command.timeout = to_nanoseconds(timeout > 0 && limit_s > 0 ? std::min(timeout, limit_s)
                                                              : std::max(timeout, limit_s));
  command.settings = &settings_;
  return command;
}

// The command itself. False when it was interrupted.
Result<bool> Runner::measure(const Arm& arm, double limit_s, Trial& trial) {
  Fd input;
  if (!arm.subject.input.empty()) {
    Result<Fd> opened = open_input(arm.subject);
    if (!opened) return fail(opened.error());
    input = std::move(*opened);
  }
  if (Result<void> opened = output_.open(); !opened) return fail(opened.error());
  LaunchCommand command = command_of(arm, trial, limit_s);
  command.stdin_fd = input ? input.value() : null_.value();
  if (cgroup_) cgroup_->start();
  if (hardware_counter_) (void)hardware_counter_->take();  // what hooks and the helper counted
  contention_.start();
  const Result<LaunchReply> reply =
      execute(launcher_, command, {&output_, &memory_, &interrupted_});
  trial.contention = contention_.stop();
  cgroup_reading_ = cgroup_ ? cgroup_->stop() : std::nullopt;
  if (!reply) {
    Error error = reply.error();
    if (error.where.empty()) error.where = arm.subject.label;
    return fail(std::move(error));
  }
  memory_reading_ = memory_.finish(nanoseconds(reply->start_ns));
  trial.exit = exit_of(*reply);
  const bool clean = trial.exit == Exit{Ending::exited, 0};
  trial.output = output_.finish(!clean);
  if (output_.copy_error()) warn_once(WarningKind::events, output_.copy_error()->to_text());
  if (Result<void> counted = count(*reply); !counted) return fail(counted.error());
  read_values(arm, *reply, trial);
  return reply->ended != kEndedByKill;
}

// Callgrind's count is all that --exact is for: without one there is no point in going on.
Result<void> Runner::count(const LaunchReply& reply) {
  instructions_.reset();
  if (!exact_counter_ && !hardware_counter_) return {};
  const Result<double> counted =
      exact_counter_ ? exact_counter_->collect() : hardware_counter_->take();
  if (counted) {
    instructions_ = *counted;
    return {};
  }
  const bool ended_alone = reply.ended == kEndedAlone && reply.step == kStepNone;
  if (ended_alone && exact_counter_ && WIFEXITED(reply.wait_status))
    return fail(counted.error().within("no instructions were counted"));
  if (ended_alone)
    warn_once(WarningKind::counters, "no instructions: " + counted.error().to_text());
  return {};
}

void Runner::read_values(const Arm& arm, const LaunchReply& reply, Trial& trial) {
  trial.left_behind = reply.left_behind;
  trial.contention.voluntary_switches =
      reply.command.voluntary_switches + reply.adopted.voluntary_switches;
  trial.contention.involuntary_switches =
      reply.command.involuntary_switches + reply.adopted.involuntary_switches;
  if (reply.run_delay_ns >= 0)
    trial.contention.run_delay_s = static_cast<double>(reply.run_delay_ns) * 1e-9;
  trial.memory_samples = memory_reading_.samples;
  trial.memory = std::move(memory_reading_.series);
  std::vector<std::optional<double>> own;
  if (!rules_.empty()) {
    own = rules_.finish();
    for (const std::string& loss : rules_.losses()) warn_once(WarningKind::torn_log, loss);
  }
  std::size_t next = 0;
  const bool started = reply.step == kStepNone;
  // One that was killed, perhaps at its first instruction, says nothing about the command.
  const bool whole = started && reply.ended == kEndedAlone && WIFEXITED(reply.wait_status);
  trial.values.reserve(readers_.size());
  for (const Reader reader : readers_) {
    std::optional<double> value;
    if (reader == Reader::output)
      value = own[next++];
    else if (started)
      value = value_of(reader, reply);
    if (reader == Reader::peak_mem && !value && whole)
      warn_once(WarningKind::host, "peak_mem of " + arm.subject.label + ": a run stayed below " +
                                       format_bytes(static_cast<double>(reply.floor_bytes)) +
                                       ", the least that can be seen here, and has no value");
    trial.values.push_back(value);
  }
}

// Largest process of the tree. The kernel hands the helper's own size down to what it starts, so a
// reading at that floor only says that the truth is below: not obtained. (The kernel adds its page
// counts up late, per CPU: a reading may be off by 128 KiB for each.)
std::optional<double> Runner::peak_memory(const LaunchReply& reply) const {
  const std::int64_t largest = std::max(reply.command.max_rss_bytes, reply.adopted.max_rss_bytes);
  if (largest <= static_cast<std::int64_t>(reply.floor_bytes)) return std::nullopt;
  return static_cast<double>(largest);
}

std::optional<double> Runner::value_of(Reader reader, const LaunchReply& reply) const {
  const LaunchUsage& a = reply.command;
  const LaunchUsage& b = reply.adopted;
  switch (reader) {
    case Reader::wall:
      return static_cast<double>(reply.end_ns - reply.start_ns) * 1e-9;
    case Reader::cpu:
      return seconds_of(a.user_us + a.system_us + b.user_us + b.system_us);
    case Reader::user:
      return seconds_of(a.user_us + b.user_us);
    case Reader::sys:
      return seconds_of(a.system_us + b.system_us);
    case Reader::peak_mem:
      return peak_memory(reply);
    case Reader::tree_mem:
      return memory_reading_.peak_bytes;
    case Reader::cgroup_mem:
      return cgroup_reading_;
    case Reader::page_faults:
      return static_cast<double>(a.minor_faults + a.major_faults + b.minor_faults + b.major_faults);
    case Reader::instructions:
      return instructions_;
    case Reader::output:
      break;
  }
  return std::nullopt;
}

Result<std::optional<Trial>> Runner::run(const Run& run) {
  const Arm& arm = arm_at(run.arm);
  const std::optional<Trial> interrupted;
  Trial trial;
  trial.arm = run.arm;
  trial.block = run.block;
  trial.slot = run.slot;
  trial.pad = run.pad;
  trial.warmup = run.warmup;
  trial.started_at_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  const Result<bool> prepared = hook(
      launcher_, {"prepare", arm.subject.prepare, true, options_.timeout_s, &interrupted_}, arm);
  if (!prepared) return fail(prepared.error());
  const nanoseconds pause = to_nanoseconds(options_.cooldown_s);
  if (!*prepared || !sleep_unless(interrupted_, pause)) return interrupted;
  const Result<bool> measured = measure(arm, run.limit_s, trial);
  if (!measured) return fail(measured.error());
  if (!*measured) return interrupted;
  const Result<bool> concluded = hook(
      launcher_, {"conclude", arm.subject.conclude, false, options_.timeout_s, &interrupted_}, arm);
  if (!concluded) return fail(concluded.error());
  if (!*concluded) return interrupted;
  trial.duration = std::chrono::steady_clock::now() - begin;
  return std::optional<Trial>(std::move(trial));
}

}  // namespace

Result<std::unique_ptr<TrialRunner>> TrialRunner::start(const Plan& plan,
                                                        const std::atomic<bool>& interrupted,
                                                        const OutputCopies& copies) {
  Result<MetricRules> rules = MetricRules::make(plan.metrics);
  if (!rules) return fail(rules.error());
  Result<Isolation> isolation = plan_isolation(plan.run);
  if (!isolation) return fail(isolation.error());
  const Result<std::string> path = Launcher::find();
  if (!path) return fail(path.error());
  Result<Launcher> launcher = Launcher::start(*path);
  if (!launcher) return fail(launcher.error());
  std::unique_ptr<Runner> runner =
      std::make_unique<Runner>(plan, interrupted, std::move(*rules), std::move(*launcher));
  if (Result<void> ready = runner->prepare(plan, std::move(*isolation)); !ready)
    return fail(ready.error());
  runner->copy_output(copies);
  return std::unique_ptr<TrialRunner>(std::move(runner));
}

}  // namespace assay::measure
