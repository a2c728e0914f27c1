// SPDX-License-Identifier: Apache-2.0
// The daemon's configuration: a TOML file. Every key stands once, in a table (config_table.cpp; the
// engine's in settings/engine_table.cpp), from which reading, checking and the example come.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prover/base/result.hpp"
#include "prover/settings/engine_table.hpp"
#include "prover/work/circuit.hpp"

namespace prover::daemon {

struct Listen {
  std::string socket;  // of gRPC
  std::uint32_t socket_mode = 0600;
  std::string address;     // HOST:PORT of gRPC on the loopback, or empty
  std::string token_file;  // whose tokens `address` asks for
  std::string http;        // HOST:PORT or unix:PATH, or empty
};

struct Limits {
  std::uint64_t message_bytes = std::uint64_t{64} << 20;
  std::uint32_t queue = 256;                              // jobs that are not done
  std::uint32_t jobs_per_client = 64;                     // of those
  std::uint32_t partitions = 64;                          // of a job
  std::uint64_t witness_bytes = std::uint64_t{64} << 20;  // of all jobs that are not done
  std::optional<std::chrono::milliseconds> deadline;      // of a job that brings none
  std::uint32_t answers = 1000;                           // kept, the youngest
  std::chrono::milliseconds answers_age = std::chrono::hours(24);
  std::chrono::milliseconds drain = std::chrono::seconds(60);  // before jobs are handed back
};

struct Config {
  settings::EngineSettings engine;
  Listen listen;
  Limits limits;
  std::string journal;  // a file, or "memory": jobs then end with the daemon
  std::vector<work::CircuitSource> circuits;
};

// What counts without a file: sockets and journal in the user's folders, no circuits.
Config default_config();
// $XDG_RUNTIME_DIR/prover.sock, or /run/prover/prover.sock.
std::string default_socket();

// Relative paths are taken from the folder of `file`. Errors name file, line and column, and show
// the line.
Result<Config> parse_config(std::string_view text, const std::string& file);
Result<Config> read_config(const std::string& path);
// A complete file: every key with its default, commented. Read back, it is default_config().
std::string example_config();

// One key outside [engine] and [[circuit]].
struct Key {
  const char* section;
  const char* name;
  const char* help;     // one line
  const char* example;  // for keys without a default, as TOML
  bool is_number;       // a whole number may stand without quotes
  Result<void> (*set)(Config& config, const std::string& text);  // errors without `where`
  std::string (*show)(const Config& config);                     // empty: not set
};
std::span<const Key> config_table();

}  // namespace prover::daemon
