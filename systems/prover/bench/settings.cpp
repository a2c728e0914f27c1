// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "prover/base/text.hpp"
#include "prover/bench/settings_rows.hpp"

namespace prover::bench {
namespace {

using settings::Part;
using settings::Row;
using Text = const std::string&;
using B = BatchOptions;

constexpr const char* kEngine = "Engine";
constexpr const char* kProving = "Groth16 partitions";
constexpr const char* kOutput = "Output";

Result<void> read_path(Text text, std::optional<std::string>& out) {
  if (text.empty()) return fail(ErrorKind::usage, "a file is needed", {}, "- is standard output");
  out = text;
  return {};
}

// Where an option of the engine's table makes sense: what is done to a partition does without the
// engine too.
Commands commands_of(const Row& row) {
  switch (row.part) {
    case Part::engine:
      return kThroughEngine;
    case Part::synthesis:
      return kEach;
    case Part::proving:
      return kEach & ~only(Command::synth);
  }
  return 0;
}

std::vector<Setting> engine_rows() {
  std::vector<Setting> all;
  for (const bool of_engine : {true, false})
    for (const Row& row : settings::engine_table()) {
      if ((row.part == Part::engine) != of_engine) continue;
      all.push_back({row.name, 0, row.value, of_engine ? kEngine : kProving, row.help,
                     [&row](B& o, Text t) { return row.set(o.settings, t); },
                     [&row](const B& o) { return row.effective(o.settings); }, commands_of(row),
                     of_engine ? nullptr : &kRealWork});
    }
  return all;
}

std::vector<Setting> all_settings() {
  std::vector<Setting> all = load_rows();
  for (auto part : {engine_rows(), synthetic_rows(), output_rows()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

std::vector<Setting> output_rows() {
  return {
      {"timeline", 0, "FILE|-", kOutput, "write TIMELINE lines, one per event",
       [](B& o, Text t) { return read_path(t, o.timeline); }, nullptr, kThroughEngine},
      {"json", 0, "FILE|-", kOutput, "write the report as JSON; - writes it instead of the text",
       [](B& o, Text t) { return read_path(t, o.json); }, nullptr},
      {"assay-metrics", 0, "", kOutput, "end with lines 'ASSAY name=value unit' for assay compare",
       [](B& o, Text) -> Result<void> {
         o.assay_metrics = true;
         return {};
       },
       nullptr},
  };
}

std::span<const Setting> settings() {
  static const std::vector<Setting> all = all_settings();
  return all;
}

Result<void> apply(const Setting& setting, BatchOptions& options, const std::string& text) {
  auto done = setting.set(options, text);
  if (!done) done.error().where = fmt::format("--{} {}", setting.name, printable(text));
  return done;
}

Result<void> check_given(const BatchOptions& options,
                         const std::function<bool(const Setting&)>& given) {
  for (const Setting& setting : settings())
    if (setting.is_of(options.command) && !setting.applies(options) && given(setting))
      return fail(ErrorKind::usage,
                  fmt::format("it is an option of {}, and the work is {}", setting.belongs->to,
                              options.load.name()),
                  fmt::format("--{}", setting.name),
                  fmt::format("leave it out, or choose other work with --work"));
  return {};
}

std::vector<std::pair<std::string, std::string>> effective_settings(const BatchOptions& options) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Setting& setting : settings())
    if (setting.effective != nullptr && setting.applies(options)) {
      std::string key = setting.name;
      std::replace(key.begin(), key.end(), '-', '_');
      all.emplace_back(std::move(key), setting.effective(options));
    }
  return all;
}

}  // namespace prover::bench
