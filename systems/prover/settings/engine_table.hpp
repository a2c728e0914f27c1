// SPDX-License-Identifier: Apache-2.0
// Every option of the engine and of the proving in it, once: from this table come the options of
// `prover bench`, the keys of the daemon's configuration, the settings that reports, timelines and
// traces echo, and the check that the documentation names them all.
#pragma once

#include <span>
#include <string>

#include "prover/engine/options.hpp"
#include "prover/work/settings.hpp"

namespace prover::settings {

struct EngineSettings {
  Options engine;
  work::Settings work;
};

// What an option is about: how partitions travel, or what is done to one of them.
enum class Part { engine, synthesis, proving };

struct Row {
  const char* name;   // without dashes: "partition-workers"
  const char* value;  // placeholder: "N", "on|off"
  const char* help;   // one line
  // Errors without `where`.
  Result<void> (*set)(EngineSettings& settings, const std::string& text);
  // The value in force, as text that set() reads.
  std::string (*effective)(const EngineSettings& settings);
  Part part = Part::engine;
};

std::span<const Row> engine_table();

// Whether the values go together. Errors name the option.
Result<void> check(const EngineSettings& settings);

}  // namespace prover::settings
