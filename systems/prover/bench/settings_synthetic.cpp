// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "prover/base/text.hpp"
#include "prover/bench/settings_rows.hpp"
#include "prover/settings/values.hpp"

namespace prover::bench {
namespace {

using settings::read_number;
using settings::Text;

constexpr double kMostMs = 600000;
constexpr std::uint64_t kMostMib = 1u << 20, kMib = 1u << 20;
constexpr const char* kWork = "Synthetic work";
constexpr Commands kWhere = kThroughEngine | only(Command::loop);

using B = BatchOptions;

Result<void> read_mib(Text text, std::uint64_t& bytes) {
  auto value = parse_count(text, 0, kMostMib);
  if (!value) return fail(value.error());
  bytes = *value * kMib;
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

}  // namespace

std::vector<Setting> synthetic_rows() {
  std::vector<Setting> rows = {
      {"synth-ms", 0, "MS", kWork, "mean time of a synthesis (default 80)",
       [](B& o, Text t) { return read_number(t, 0, kMostMs, o.load.synthetic.synth.mean_ms); },
       [](const B& o) { return show_number(o.load.synthetic.synth.mean_ms); }},
      {"prove-ms", 0, "MS", kWork, "mean time of a start on the device (default 25)",
       [](B& o, Text t) { return read_number(t, 0, kMostMs, o.load.synthetic.start.mean_ms); },
       [](const B& o) { return show_number(o.load.synthetic.start.mean_ms); }},
      {"finish-ms", 0, "MS", kWork, "mean time of a finish, off the device (default 10)",
       [](B& o, Text t) { return read_number(t, 0, kMostMs, o.load.synthetic.finish.mean_ms); },
       [](const B& o) { return show_number(o.load.synthetic.finish.mean_ms); }},
      {"cv", 0, "F", kWork, "coefficient of variation of all times, log-normal (default 0.1)",
       [](B& o, Text t) { return read_number(t, 0, 3, o.load.synthetic.cv); },
       [](const B& o) { return show_number(o.load.synthetic.cv); }},
      {"synth-cpu", 0, "F", kWork,
       "part of a synthesis that burns CPU, 0 to 1; the rest sleeps (default 0.1)",
       [](B& o, Text t) { return read_number(t, 0, 1, o.load.synthetic.synth.cpu); },
       [](const B& o) { return show_number(o.load.synthetic.synth.cpu); }},
      {"prove-cpu", 0, "F", kWork, "the same of start and finish (default 0.1)",
       [](B& o, Text t) {
         auto ok = read_number(t, 0, 1, o.load.synthetic.start.cpu);
         o.load.synthetic.finish.cpu = o.load.synthetic.start.cpu;
         return ok;
       },
       [](const B& o) { return show_number(o.load.synthetic.start.cpu); }},
      {"inject", 0, "STAGE=+P%", kWork,
       "slow a stage down: synth=+20%, prove=+10%, finish=+5%, with commas between several",
       [](B& o, Text t) { return t == "none" ? Result<void>() : read_inject(t, o.load.synthetic); },
       [](const B& o) { return show_inject(o.load.synthetic); }},
      {"partition-mib", 0, "MIB", kWork, "a, b, c of a partition, freed after start (default 8)",
       [](B& o, Text t) { return read_mib(t, o.load.synthetic.vectors); },
       [](const B& o) { return show_mib(o.load.synthetic.vectors); }},
      {"witness-mib", 0, "MIB", kWork, "what a partition keeps until it is proved (default 2)",
       [](B& o, Text t) { return read_mib(t, o.load.synthetic.witness); },
       [](const B& o) { return show_mib(o.load.synthetic.witness); }},
      {"srs-mib", 0, "MIB", kWork, "resident as long as the program runs (default 16)",
       [](B& o, Text t) { return read_mib(t, o.load.synthetic.srs); },
       [](const B& o) { return show_mib(o.load.synthetic.srs); }},
  };
  for (Setting& row : rows) {
    row.commands = kWhere;
    row.belongs = &kSyntheticWork;
  }
  return rows;
}

}  // namespace prover::bench
