// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/options.hpp"

#include <fmt/format.h>

namespace prover::bench {
namespace {

constexpr std::uint32_t kDefaultConstraints = (1u << 13) - 2;

bool goes_through_the_engine(Command command) {
  return command == Command::batch || command == Command::single;
}

Result<void> check_outputs(const BatchOptions& options) {
  if (options.json != "-") return {};
  const auto both = [](const char* which) {
    return fail(ErrorKind::usage, "both want the standard output",
                fmt::format("--json and --{}", which), "give one of them a file");
  };
  if (options.timeline == "-") return both("timeline");
  if (options.assay_metrics)
    return fail(ErrorKind::usage, "both want the standard output", "--json and --assay-metrics",
                "give --json a file");
  return {};
}

}  // namespace

const char* command_name(Command command) {
  switch (command) {
    case Command::batch:
      return "bench batch";
    case Command::single:
      return "bench single";
    case Command::loop:
      return "bench loop";
    case Command::synth:
      return "bench synth-only";
    case Command::stages:
      return "bench stages";
  }
  return "bench";
}

const char* LoadOptions::name() const {
  return circuit ? circuit::kind_name(*circuit).data() : "synthetic";
}

circuit::Request LoadOptions::request() const {
  circuit::Request request;
  request.kind = circuit.value_or(circuit::Kind::dense);
  request.curve = curve;
  request.seed = seed;
  request.constraints = constraints.value_or(kDefaultConstraints);
  request.depth = depth;
  if (bits) request.bits = *bits;
  if (challenges) request.challenges = *challenges;
  return request;
}

BatchOptions defaults_of(Command command) {
  BatchOptions options;
  options.command = command;
  if (command != Command::batch && command != Command::loop) options.jobs = 1;
  return options;
}

Result<void> check(const BatchOptions& options) {
  if (options.at_once && *options.at_once > options.jobs)
    return fail(ErrorKind::usage,
                fmt::format("{} jobs cannot be in flight when there are {} in all",
                            *options.at_once, options.jobs),
                "--in-flight", "give -j at most as many as -c");
  if (auto ok = check_outputs(options); !ok) return ok;
  if (!options.load.is_synthetic()) {
    if (auto ok = circuit::check(options.load.request()); !ok) return ok;
  } else if (options.command == Command::synth || options.command == Command::stages) {
    return fail(ErrorKind::usage, "synthetic work has nothing to look into", "--work",
                "dense, poseidon, sha256 and porep have");
  }
  if (!goes_through_the_engine(options.command)) return {};
  return settings::check(options.settings);
}

}  // namespace prover::bench
