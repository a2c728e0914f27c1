// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "prover/files/wtns.hpp"
#include "prover/work/groth16_work.hpp"
#include "prover/work/job_state.hpp"
#include "prover/work/part.hpp"
#include "prover/work/state.hpp"
#include "prover/work/synthesis.hpp"

namespace prover::work {

Groth16Job::Groth16Job() : made_(std::make_shared<Made>()) {}

Result<std::shared_ptr<const Groth16Job>> Groth16Job::from_witnesses(
    std::shared_ptr<const Circuit> circuit, std::vector<WitnessFile> witnesses) {
  if (witnesses.empty())
    return fail(ErrorKind::usage, "the job has no witnesses", {}, "give one for each partition");
  for (std::size_t i = 0; i < witnesses.size(); ++i) {
    const std::string name = fmt::format("witness {}", i);
    if (!witnesses[i]) return fail(ErrorKind::usage, "the witness is missing", name);
    const auto witness = files::Wtns::parse(*witnesses[i], name);
    if (!witness) return fail(witness.error());
    if (witness->curve != circuit->curve())
      return fail(
          ErrorKind::usage,
          fmt::format("the witness is one of {}, circuit '{}' is one of {}",
                      curve_name(witness->curve), circuit->name(), curve_name(circuit->curve())),
          name, "both must come from one circuit");
    if (witness->count != circuit->wires())
      return fail(ErrorKind::usage,
                  fmt::format("the witness has {} wires, circuit '{}' has {}", witness->count,
                              circuit->name(), circuit->wires()),
                  name, "it is the witness of another circuit, or the key is an older one");
  }
  std::shared_ptr<Groth16Job> job(new Groth16Job());
  job->partitions_ = static_cast<std::uint32_t>(witnesses.size());
  job->circuit_ = std::move(circuit);
  job->witnesses_ = std::move(witnesses);
  return std::shared_ptr<const Groth16Job>(std::move(job));
}

Result<std::shared_ptr<const Groth16Job>> Groth16Job::from_seed(
    std::shared_ptr<const Circuit> circuit, std::uint64_t seed, std::uint32_t partitions) {
  if (!circuit->source().builder)
    return fail(ErrorKind::usage,
                fmt::format("circuit '{}' has no builder that could make a witness from a seed",
                            circuit->name()),
                {}, "give a witness for each partition");
  if (partitions == 0) return fail(ErrorKind::usage, "a job needs a partition at least");
  std::shared_ptr<Groth16Job> job(new Groth16Job());
  job->partitions_ = partitions;
  job->circuit_ = std::move(circuit);
  job->seed_ = seed;
  return std::shared_ptr<const Groth16Job>(std::move(job));
}

std::shared_ptr<const Groth16Job> Groth16Job::of_circuit(std::shared_ptr<const Circuit> circuit) {
  std::shared_ptr<Groth16Job> job(new Groth16Job());
  job->circuit_ = std::move(circuit);
  return job;
}

circuit::Request request_of(const Groth16Job& job, std::uint32_t partition) {
  circuit::Request request = *job.circuit().source().builder;
  if (request.kind == circuit::Kind::porep) {
    request.seed = job.seed();
    request.partition = partition;
  } else {
    request.seed = job.seed() + partition;
  }
  return request;
}

template <class Fr>
circuit::SharedSector<Fr> sector_of(const Groth16Job& job) {
  using Sector = circuit::SharedSector<Fr>;
  const circuit::Request request = request_of(job, 0);
  if (request.kind != circuit::Kind::porep) return nullptr;
  const std::lock_guard lock(job.made().mutex);
  auto& sector = job.made().sector;
  if (!std::holds_alternative<Sector>(sector)) sector = circuit::sector_for<Fr>(request);
  return std::get<Sector>(sector);
}

template <class C>
Result<std::vector<msm::Scalar>> expected_publics(const Groth16Job& job, std::uint32_t partition) {
  const std::uint32_t count = job.circuit().publics();
  std::vector<msm::Scalar> publics;
  if (!job.witnesses().empty()) {
    const auto file = files::Wtns::parse(*job.witnesses()[partition], "witness");
    if (!file) return fail(file.error());
    for (std::uint32_t wire = 1; wire <= count; ++wire)
      publics.push_back(field::load_limbs<4>(file->value(wire)));
    return publics;
  }
  {
    const std::lock_guard lock(job.made().mutex);
    const auto at = job.made().publics.find(partition);
    if (at != job.made().publics.end()) return at->second;
  }
  const auto wires = plain_witness<C>(job, partition, {}, {});
  if (!wires) return fail(wires.error());
  publics.assign(wires->begin() + 1, wires->begin() + 1 + count);
  return publics;
}

namespace {

template <class C>
Result<std::vector<PartitionJson>> json_of(const Groth16Job& job, const Proof& proof) {
  const std::size_t size = part_bytes<C>(job.circuit().publics());
  if (proof.partitions != job.partitions() || proof.bytes.size() != size * proof.partitions)
    return fail(ErrorKind::failed,
                fmt::format("{} bytes for {} partitions are no proof of this job, which has {} of "
                            "{} bytes each",
                            proof.bytes.size(), proof.partitions, job.partitions(), size));
  std::vector<PartitionJson> result;
  for (std::uint32_t i = 0; i < proof.partitions; ++i) {
    const auto claim = decode<C>(std::span(proof.bytes).subspan(i * size, size));
    if (!claim) return fail(claim.error());
    std::vector<files::Integer> publics;
    for (const msm::Scalar& value : claim->inputs)
      publics.push_back({value[0], value[1], value[2], value[3], 0, 0});
    result.push_back({files::to_json(groth16::to_text<C>(claim->proof)), files::to_json(publics)});
  }
  return result;
}

}  // namespace

Result<std::vector<PartitionJson>> to_json(const Groth16Job& job, const Proof& proof) {
  return with_curve(job.circuit().curve(), [&](auto curve) {
    return json_of<typename decltype(curve)::type>(job, proof);
  });
}

#define PROVER_INSTANTIATE(C)                                                \
  template circuit::SharedSector<C::Fr> sector_of<C::Fr>(const Groth16Job&); \
  template Result<std::vector<msm::Scalar>> expected_publics<C>(const Groth16Job&, std::uint32_t);
PROVER_INSTANTIATE(curve::Bn254)
PROVER_INSTANTIATE(curve::Bls12_381)
#undef PROVER_INSTANTIATE

}  // namespace prover::work
