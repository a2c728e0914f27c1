// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "prover/bench/inspect.hpp"
#include "prover/bench/settings.hpp"

namespace prover::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json begin_json(const char* kind, const BatchOptions& options) {
  Json json = {{"schema_version", kSchemaVersion}, {"kind", kind}, {"seed", options.load.seed}};
  json["settings"] = Json::object();
  for (const auto& [name, value] : effective_settings(options)) json["settings"][name] = value;
  return json;
}

std::string end_json(Json json, const PeakMemory& peak, const std::vector<std::string>& warnings) {
  json["peak_memory"] = {{"bytes", peak.bytes}, {"method", peak.method}, {"samples", peak.samples}};
  json["warnings"] = warnings;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string synthesis_json(const BatchOptions& options, const SynthesisResult& result) {
  Json json = begin_json("prover-bench-synth-only", options);
  json["footprint"] = {{"vectors", result.footprint.vectors}, {"rest", result.footprint.rest}};
  json["partition"] = Json::object();
  for (const auto& [name, found] : distributions_of(result))
    json["partition"][name] = {{"n", found.n},     {"mean", found.mean}, {"median", found.median},
                               {"p90", found.p90}, {"p99", found.p99},   {"max", found.max}};
  return end_json(std::move(json), result.peak, result.warnings);
}

std::string stages_json(const BatchOptions& options, const StagesResult& result) {
  Json json = begin_json("prover-bench-stages", options);
  json["cpu_ms"] = result.cpu_ms();
  json["stages"] = Json::array();
  for (const StageRow& row : result.rows)
    json["stages"].push_back({{"name", row.name},
                              {"depth", row.depth},
                              {"n", row.n},
                              {"cpu_ms", row.cpu_ms},
                              {"wall_ms", row.wall_ms}});
  return end_json(std::move(json), result.peak, result.warnings);
}

}  // namespace prover::bench
