// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "prover/base/text.hpp"
#include "prover/settings/values.hpp"

namespace prover::bench {
namespace {

using settings::read_count;
using settings::read_number;
using settings::Row;
using settings::show_count;
using settings::Text;

constexpr double kMostMs = 600000;
constexpr std::uint64_t kMostJobs = 1000000, kMostPartitions = 65536, kMostMib = 1u << 20;
constexpr std::uint64_t kMib = 1u << 20;

Result<void> read_mib(Text text, std::uint64_t& bytes) {
  auto value = parse_count(text, 0, kMostMib);
  if (!value) return fail(value.error());
  bytes = *value * kMib;
  return {};
}

Result<void> read_path(Text text, std::optional<std::string>& out) {
  if (text.empty()) return fail(ErrorKind::usage, "a file is needed", {}, "- is standard output");
  out = text;
  return {};
}

// "synth=+20%" and several of them, separated by commas; later ones win.
Result<void> read_inject(Text text, SyntheticOptions& work) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string one = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = one.find('=');
    const std::string stage = one.substr(0, equals);
    std::string amount = equals == std::string::npos ? "" : one.substr(equals + 1);
    SyntheticStage* target = stage == "synth"    ? &work.synth
                             : stage == "prove"  ? &work.start
                             : stage == "finish" ? &work.finish
                                                 : nullptr;
    if (target == nullptr || amount.size() < 2 || amount.back() != '%')
      return fail(ErrorKind::usage, fmt::format("'{}' is no slow-down", printable(one)), {},
                  "write synth=+20%, prove=-5% or finish=+10%, with commas between several");
    amount.pop_back();
    if (amount.front() == '+') amount.erase(0, 1);
    auto percent = parse_number(amount, -99, 10000);
    if (!percent) return fail(percent.error());
    target->factor = 1 + *percent / 100;
  }
  return {};
}

std::string show_inject(const SyntheticOptions& work) {
  std::string text;
  const auto add = [&](const char* name, double factor) {
    if (factor == 1) return;
    text += fmt::format("{}{}={:+.6g}%", text.empty() ? "" : ",", name, (factor - 1) * 100);
  };
  add("synth", work.synth.factor);
  add("prove", work.start.factor);
  add("finish", work.finish.factor);
  return text.empty() ? "none" : text;
}

std::string show_mib(std::uint64_t bytes) { return fmt::format("{}", bytes / kMib); }

constexpr const char* kLoad = "What is proved";
constexpr const char* kEngine = "Engine";
constexpr const char* kWork = "Synthetic work";
constexpr const char* kOutput = "Output";

using B = BatchOptions;

const Setting kLoadRows[] = {
    {"count", 'c', "N", kLoad, "jobs in all (default 4)",
     [](B& o, Text t) { return read_count(t, 1, kMostJobs, o.jobs); },
     [](const B& o) { return show_count(o.jobs); }},
    {"in-flight", 'j', "N", kLoad, "jobs in flight at once (default: all)",
     [](B& o, Text t) { return read_count(t, 1, kMostJobs, o.at_once.emplace()); },
     [](const B& o) { return show_count(o.jobs_at_once()); }},
    {"partitions", 0, "N", kLoad, "partitions of each job (default 10)",
     [](B& o, Text t) { return read_count(t, 1, kMostPartitions, o.partitions); },
     [](const B& o) { return show_count(o.partitions); }},
    {"work", 0, "KIND", kLoad, "what a partition is: synthetic",
     [](B& o, Text t) -> Result<void> {
       o.work = t;
       return {};
     },
     [](const B& o) { return o.work; }},
    {"seed", 0, "N", kLoad, "of the service times; the same seed, the same work (default 1)",
     [](B& o, Text t) -> Result<void> {
       auto value = parse_count(t, 0, std::numeric_limits<std::uint64_t>::max());
       if (!value) return fail(value.error());
       o.synthetic.seed = *value;
       return {};
     },
     [](const B& o) { return show_count(o.synthetic.seed); }},

};

const Setting kWorkRows[] = {
    {"synth-ms", 0, "MS", kWork, "mean time of a synthesis (default 80)",
     [](B& o, Text t) { return read_number(t, 0, kMostMs, o.synthetic.synth.mean_ms); },
     [](const B& o) { return show_number(o.synthetic.synth.mean_ms); }},
    {"prove-ms", 0, "MS", kWork, "mean time of a start on the device (default 25)",
     [](B& o, Text t) { return read_number(t, 0, kMostMs, o.synthetic.start.mean_ms); },
     [](const B& o) { return show_number(o.synthetic.start.mean_ms); }},
    {"finish-ms", 0, "MS", kWork, "mean time of a finish, off the device (default 10)",
     [](B& o, Text t) { return read_number(t, 0, kMostMs, o.synthetic.finish.mean_ms); },
     [](const B& o) { return show_number(o.synthetic.finish.mean_ms); }},
    {"cv", 0, "F", kWork, "coefficient of variation of all times, log-normal (default 0.1)",
     [](B& o, Text t) { return read_number(t, 0, 3, o.synthetic.cv); },
     [](const B& o) { return show_number(o.synthetic.cv); }},
    {"synth-cpu", 0, "F", kWork,
     "part of a synthesis that burns CPU, 0 to 1; the rest sleeps (default 0.1)",
     [](B& o, Text t) { return read_number(t, 0, 1, o.synthetic.synth.cpu); },
     [](const B& o) { return show_number(o.synthetic.synth.cpu); }},
    {"prove-cpu", 0, "F", kWork, "the same of start and finish (default 0.1)",
     [](B& o, Text t) {
       auto ok = read_number(t, 0, 1, o.synthetic.start.cpu);
       o.synthetic.finish.cpu = o.synthetic.start.cpu;
       return ok;
     },
     [](const B& o) { return show_number(o.synthetic.start.cpu); }},
    {"inject", 0, "STAGE=+P%", kWork,
     "slow a stage down: synth=+20%, prove=+10%, finish=+5%, with commas between several",
     [](B& o, Text t) { return t == "none" ? Result<void>() : read_inject(t, o.synthetic); },
     [](const B& o) { return show_inject(o.synthetic); }},
    {"partition-mib", 0, "MIB", kWork, "a, b, c of a partition, freed after start (default 8)",
     [](B& o, Text t) { return read_mib(t, o.synthetic.vectors); },
     [](const B& o) { return show_mib(o.synthetic.vectors); }},
    {"witness-mib", 0, "MIB", kWork, "what a partition keeps until it is proved (default 2)",
     [](B& o, Text t) { return read_mib(t, o.synthetic.witness); },
     [](const B& o) { return show_mib(o.synthetic.witness); }},
    {"srs-mib", 0, "MIB", kWork, "resident as long as the program runs (default 16)",
     [](B& o, Text t) { return read_mib(t, o.synthetic.srs); },
     [](const B& o) { return show_mib(o.synthetic.srs); }},

};

const Setting kOutputRows[] = {
    {"timeline", 0, "FILE|-", kOutput, "write TIMELINE lines, one per event",
     [](B& o, Text t) { return read_path(t, o.timeline); }, nullptr},
    {"json", 0, "FILE|-", kOutput, "write the report as JSON; - writes it instead of the text",
     [](B& o, Text t) { return read_path(t, o.json); }, nullptr},
    {"assay-metrics", 0, "", kOutput, "end with lines 'ASSAY name=value unit' for assay compare",
     [](B& o, Text) -> Result<void> {
       o.assay_metrics = true;
       return {};
     },
     nullptr},
};

std::vector<Setting> all_settings() {
  std::vector<Setting> all(std::begin(kLoadRows), std::end(kLoadRows));
  for (const Row& row : settings::engine_table())
    all.push_back({row.name, 0, row.value, kEngine, row.help,
                   [&row](B& o, Text t) { return row.set(o.settings, t); },
                   [&row](const B& o) { return row.effective(o.settings); }});
  all.insert(all.end(), std::begin(kWorkRows), std::end(kWorkRows));
  all.insert(all.end(), std::begin(kOutputRows), std::end(kOutputRows));
  return all;
}

}  // namespace

std::span<const Setting> settings() {
  static const std::vector<Setting> all = all_settings();
  return all;
}

Result<void> apply(const Setting& setting, BatchOptions& options, const std::string& text) {
  auto done = setting.set(options, text);
  if (!done) done.error().where = fmt::format("--{} {}", setting.name, printable(text));
  return done;
}

std::vector<std::pair<std::string, std::string>> effective_settings(const BatchOptions& options) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Setting& setting : settings())
    if (setting.effective != nullptr) {
      std::string key = setting.name;
      std::replace(key.begin(), key.end(), '-', '_');
      all.emplace_back(std::move(key), setting.effective(options));
    }
  return all;
}

}  // namespace prover::bench
