// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/registry.hpp"

#include <fmt/format.h>

#include "prover/base/text.hpp"

namespace prover::daemon {

Result<std::unique_ptr<Registry>> Registry::open(std::span<const work::CircuitSource> sources) {
  auto registry = std::make_unique<Registry>();
  for (const work::CircuitSource& source : sources) {
    auto circuit = work::Circuit::open(source);
    if (!circuit) {
      Error error = circuit.error();
      error.what = fmt::format("circuit '{}': {}", source.name, error.to_text());
      error.where.clear();
      error.hint.clear();
      return fail(std::move(error));
    }
    registry->circuits_[source.name] = std::move(*circuit);
  }
  return registry;
}

Result<Registry::CircuitPtr> Registry::find(const std::string& name) const {
  const auto found = circuits_.find(name);
  if (found != circuits_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, circuit] : circuits_) names.push_back(known);
  const std::string near = nearest(name, names);
  return fail(ErrorKind::not_found, fmt::format("there is no circuit '{}'", printable(name)), {},
              !near.empty()   ? fmt::format("did you mean '{}'?", near)
              : names.empty() ? "the daemon's configuration names none: [[circuit]]"
                              : "'prover status' lists them");
}

Result<JobSpec> Registry::spec_of(const JobRequest& request) const {
  auto circuit = find(request.circuit);
  if (!circuit) return fail(circuit.error());
  auto job = request.seed ? work::Groth16Job::from_seed(*circuit, *request.seed, request.partitions)
                          : work::Groth16Job::from_witnesses(*circuit, request.witnesses);
  if (!job) return fail(job.error());
  return JobSpec{.partitions = (*job)->partitions(), .input = *job};
}

Result<JobSpec> Registry::resources_of(const std::string& name) const {
  auto circuit = find(name);
  if (!circuit) return fail(circuit.error());
  return JobSpec{.input = work::Groth16Job::of_circuit(*circuit)};
}

Result<std::vector<work::PartitionJson>> Registry::answers(const JobSpec& spec,
                                                           const Proof& proof) const {
  return work::to_json(static_cast<const work::Groth16Job&>(*spec.input), proof);
}

std::vector<CircuitStatus> Registry::list() const {
  std::vector<CircuitStatus> all;
  for (const auto& [name, circuit] : circuits_)
    all.push_back({.name = name,
                   .curve = std::string(curve_name(circuit->curve())),
                   .domain = circuit->domain(),
                   .key_bytes = circuit->key_bytes(),
                   .insecure = circuit->is_insecure(),
                   .builder = circuit->source().builder.has_value()});
  return all;
}

}  // namespace prover::daemon
