// SPDX-License-Identifier: Apache-2.0
// This and inspect_json.cpp alone include nlohmann's JSON.
#include <nlohmann/json.hpp>

#include "prover/base/text.hpp"
#include "prover/bench/critical_path.hpp"
#include "prover/bench/distribution.hpp"
#include "prover/bench/report.hpp"
#include "prover/bench/settings.hpp"

namespace prover::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

const char* word(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::failed:
      return "failed";
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::too_large:
      return "too_large";
    case ErrorKind::out_of_memory:
      return "out_of_memory";
    case ErrorKind::cancelled:
      return "cancelled";
    case ErrorKind::draining:
      return "draining";
    case ErrorKind::deadline:
      return "deadline";
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::exhausted:
      return "exhausted";
    case ErrorKind::self_check:
      return "self_check";
  }
  return "failed";
}

Json error_json(const Error& error) {
  return {{"kind", word(error.kind)},
          {"what", error.what},
          {"where", error.where},
          {"hint", error.hint}};
}

Json flight_json(const FlightCounts& at) {
  return {{"synthesising", at[Place::synthesising]},
          {"unsent", at[Place::unsent]},
          {"queued", at[Place::queued]},
          {"proving", at[Place::proving]}};
}

Json distributions_json(const BatchResult& result) {
  Json all = Json::object();
  for (const Sample& sample : samples_of(result)) {
    const auto found = distribution_of(sample.values);
    Json one = {{"unit", "ms"}, {"n", found ? found->n : 0}};
    if (found) {
      one["mean"] = found->mean;
      one["median"] = found->median;
      one["p90"] = found->p90;
      one["p99"] = found->p99;
      one["max"] = found->max;
    }
    all[sample.name] = std::move(one);
  }
  return all;
}

Json counts_json(const Counts& counts) {
  return {{"jobs_asked", counts.jobs_asked},
          {"partitions_asked", counts.partitions_asked},
          {"proofs", counts.proofs},
          {"partitions_proved", counts.partitions_proved},
          {"partitions_in_proofs", counts.partitions_in_proofs},
          {"complete", counts.complete()}};
}

Json memory_json(const BatchOptions& options, const BatchResult& result) {
  Json budget = {{"reserved_peak", result.engine.reserved_peak},
                 {"reserved_at_end", result.engine.reserved}};
  if (options.settings.engine.memory_budget)
    budget["limit"] = *options.settings.engine.memory_budget;
  return budget;
}

Json cpu_json(const BatchResult& result) {
  Json json = {{"process_s", result.cpu_s}, {"calls", Json::object()}};
  for (std::size_t i = 0; i < kSteps; ++i)
    if (result.cpus[i].calls > 0)
      json["calls"][kStepNames[i]] = {{"n", result.cpus[i].calls}, {"s", result.cpus[i].seconds}};
  return json;
}

Json cache_json(const CacheCounts& cache) {
  return {{"loads", cache.loads},
          {"failed_loads", cache.failed_loads},
          {"hits", cache.hits},
          {"evictions", cache.evictions}};
}

Json path_json(const JobOutcome& outcome) {
  Json json = Json::array();
  for (const PathPart& part : critical_path(outcome))
    json.push_back({{"part", part.name}, {"n", part.n}, {"ms", part.ms}});
  return json;
}

const char* kind_of(Command command) {
  return command == Command::loop     ? "prover-bench-loop"
         : command == Command::single ? "prover-bench-single"
                                      : "prover-bench-batch";
}

}  // namespace

std::string report_json(const BatchOptions& options, const BatchResult& result) {
  const Counts counts = counts_of(options, result);
  const double seconds = result.makespan_s();
  Json json = {{"schema_version", kSchemaVersion}, {"kind", kind_of(options.command)}};
  json["seed"] = options.load.seed;
  json["settings"] = Json::object();
  for (const auto& [name, value] : effective_settings(options)) json["settings"][name] = value;
  json["counts"] = counts_json(counts);
  json["makespan_s"] = seconds;
  json["throughput"] = Json::object();
  if (counts.proofs > 0 && seconds > 0)
    json["throughput"] = {
        {"partitions_per_s", static_cast<double>(counts.partitions_in_proofs) / seconds},
        {"proofs_per_s", static_cast<double>(counts.proofs) / seconds}};
  json["distributions"] = distributions_json(result);
  json["cpu"] = cpu_json(result);
  if (options.command == Command::single && !result.outcomes.empty())
    json["critical_path"] = path_json(result.outcomes.front());
  json["peak_memory"] = {{"bytes", result.peak.bytes},
                         {"method", result.peak.method},
                         {"samples", result.peak.samples}};
  json["budget"] = memory_json(options, result);
  json["cache"] = cache_json(result.engine.cache);
  json["in_flight"] = {{"peak_before_proving", result.engine.peaks.before_proving},
                       {"peak_total", result.engine.peaks.total},
                       {"peak_at", flight_json(result.engine.peaks.at)},
                       {"at_end", result.engine.in_flight.total()}};
  json["errors"] = Json::array();
  for (const JobOutcome& outcome : result.outcomes) {
    if (!outcome.error) continue;
    Json error = error_json(*outcome.error);
    error["job"] = static_cast<std::uint64_t>(outcome.job);
    json["errors"].push_back(std::move(error));
  }
  if (const auto& fatal = result.engine.fatal)
    json["fatal"] = {{"error", error_json(fatal->error)},
                     {"in_flight", flight_json(fatal->held.in_flight)},
                     {"resident", fatal->held.resident},
                     {"reserved", fatal->held.reserved}};
  if (result.signal_number != 0) json["signal"] = result.signal_number;
  json["warnings"] = result.warnings;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace prover::bench
