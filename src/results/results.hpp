// SPDX-License-Identifier: Apache-2.0
// Result files of other benchmark tools, as values: what was measured, at which levels it was
// repeated, and what the file cannot say. Pure: text in, values out. A reader a format (formats/).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::results {

enum class Direction { lower, higher };  // is better

// What one value of a Series is: a process; a repetition inside one (the mean of many iterations);
// a single iteration.
enum class Level { process, repetition, iteration };

// One process, its values in the order in which they were made (a Doubt "sorted" says when the tool
// has lost it).
struct Process {
  std::vector<double> values = {};      // base units (s, B, 1/s, 1); one, where Level is process
  std::vector<double> iterations = {};  // behind each value; empty when the file is silent
  std::vector<double> warmups = {};     // values that the tool made and threw away
  std::optional<std::int64_t> started_at_ms = {};  // Unix time; nothing when the file is silent
  std::optional<double> warmup_s = {}, setup_s = {}, total_s = {};
  std::optional<double> peak_memory = {};                       // bytes
  std::optional<double> memory_before = {}, memory_after = {};  // bytes
};

// A number beside a measurement: a counter, a parameter.
struct Field {
  std::string name = {};
  double value = 0;
};

enum class State { ok, failed, skipped };

// A doubt about a file as a whole or one series: what is lost, or known to lie.
struct Doubt {
  std::string kind = {};  // a stable word: "sorted", "shell-zero", "memory-of-later", "truncated"
  std::string text = {};
};

// One metric of one benchmark of one build.
struct Series {
  std::string build = {};       // the commit, where a file holds several builds; else empty
  std::string id = {};          // the benchmark, as the tool writes it
  std::string metric = "time";  // "time", "cpu", "throughput", "memory", or the tool's name
  std::string unit = "s";       // after conversion to base units
  Direction better = Direction::lower;
  Level level = Level::repetition;      // of the values
  std::vector<Process> processes = {};  // in the order in which they ran, as far as it is known
  // Where the file holds a summary alone: its centre, and its spread as the tool means it.
  std::optional<double> centre = {};  // base unit
  std::string centre_is = {};         // "mean", "median", "min"
  std::optional<double> spread = {};  // base unit
  std::string spread_is = {};         // "standard deviation", "99.9 % error", ...
  State state = State::ok;
  std::string message = {};        // failed, skipped: why
  std::vector<Field> fields = {};  // facts and counters; of several repetitions, the first's
  std::string stop = {};           // why it took no more samples, in the tool's words
  std::vector<Doubt> doubts = {};  // about this series alone
};

struct File {
  std::string format = {};          // a format's name: "gbench", "hyperfine"
  std::string version = {};         // of the tool or its schema, as the file says; may be empty
  std::vector<Series> series = {};  // in the file's order
  std::vector<Doubt> doubts = {};
  std::vector<std::pair<std::string, std::string>> context =
      {};  // host, date, compiler: as written
};

struct Format {
  std::string_view name;     // what --format takes
  std::string_view summary;  // for help and lists
  bool (*recognise)(std::string_view text);
  Result<File> (*read)(std::string_view text, const std::string& name);  // errors: NAME:LINE: what
};

std::span<const Format> formats();

// Reads `text` as `format`, or as what it looks like when `format` is empty. Errors: unknown
// format, not recognised (with what was tried), malformed or truncated, with the place; an unknown
// version is read when its members are known, with a Doubt, and refused otherwise.
Result<File> read(std::string_view text, const std::string& name, const std::string& format = {});

}  // namespace assay::results
