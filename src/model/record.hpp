// SPDX-License-Identifier: Apache-2.0
// What the store keeps of an experiment, in the order it happened.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/conclusion.hpp"
#include "model/plan.hpp"
#include "model/trial.hpp"

namespace assay {

// One build of a subject. A failed build is a result, not an accident.
struct Build {
  std::uint32_t arm = 0;
  std::string commit = {};
  bool ok = false;
  bool cached = false;
  std::chrono::nanoseconds duration{};
  std::string log_tail = {};  // last lines of the build's output when it failed
  std::string reason = {};    // why it failed, a clause: "does not build", "does not apply: ..."

  bool operator==(const Build&) const = default;
};

// Why the asking ended before the experiment had its answer. A Stop counts only while it is the
// last entry: a resumed experiment goes on behind it.
enum class StopReason { interrupted, disk_full };
struct Stop {
  StopReason reason = StopReason::interrupted;
  std::int64_t at_ms = 0;

  bool operator==(const Stop&) const = default;
};

using Entry = std::variant<Trial, Build, Stop>;

// What identifies a machine for noise floors and history, and what a reader wants to know of it.
struct Host {
  std::string fingerprint = {};  // digest of the rest, 16 hex digits
  std::string name{}, cpu{}, kernel{}, governor{};
  std::uint32_t cores = 0;
  std::uint64_t memory_bytes = 0;

  bool operator==(const Host&) const = default;
};

struct Record {
  std::string id = {};             // 8 lower-case letters and digits, unique in a store
  std::int64_t created_at_ms = 0;  // Unix time, milliseconds
  Plan plan = {};
  Host host = {};
  std::vector<Entry> entries = {};
  std::optional<Conclusion> conclusion = {};

  bool operator==(const Record&) const = default;
};

}  // namespace assay
