// SPDX-License-Identifier: Apache-2.0
// The self-check of finished jobs.
#include <fmt/format.h>

#include <map>

#include "prover/work/groth16_work.hpp"
#include "prover/work/job_state.hpp"
#include "prover/work/part.hpp"
#include "prover/work/state.hpp"

namespace prover::work {
namespace {

using prover::Claim;

Error not_proved(std::uint32_t partition, const std::string& why, const char* hint = "") {
  return {fmt::format("partition {}: {}", partition, why), {}, hint, ErrorKind::self_check};
}

// The parts of one claim, which are about what the job's partitions are about.
template <class C>
Result<std::vector<groth16::Claim<C>>> parts_of(const Groth16Job& job, const Proof& proof) {
  const std::size_t size = part_bytes<C>(job.circuit().publics());
  if (proof.partitions != job.partitions() || proof.bytes.size() != proof.partitions * size)
    return fail(ErrorKind::self_check,
                fmt::format("the proof has {} bytes for {} partitions; the job has {} of {} bytes",
                            proof.bytes.size(), proof.partitions, job.partitions(), size));
  std::vector<groth16::Claim<C>> parts;
  for (std::uint32_t i = 0; i < proof.partitions; ++i) {
    auto part = decode<C>(std::span(proof.bytes).subspan(i * size, size));
    if (!part) return fail(not_proved(i, part.error().what));
    const auto publics = expected_publics<C>(job, i);
    if (!publics) return fail(publics.error());
    if (part->inputs != *publics)
      return fail(not_proved(i, "the proof is about other public values than its witness has"));
    parts.push_back(std::move(*part));
  }
  return parts;
}

// The claims with these indices, all of one circuit.
template <class C>
void check_circuit(const Circuit& circuit, std::span<const Claim> claims,
                   const std::vector<std::size_t>& indices, std::vector<Result<void>>& answers) {
  struct Place {
    std::size_t claim;
    std::uint32_t partition;
  };
  std::vector<groth16::Claim<C>> all;
  std::vector<Place> places;
  for (const std::size_t i : indices) {
    auto parts =
        parts_of<C>(static_cast<const Groth16Job&>(*claims[i].spec.input), claims[i].proof);
    if (!parts) {
      answers[i] = fail(parts.error());
      continue;
    }
    for (std::uint32_t part = 0; part < parts->size(); ++part) {
      all.push_back(std::move((*parts)[part]));
      places.push_back({i, part});
    }
  }
  const auto verdicts = circuit.state().verifier_of<C>().verify_all(all);
  for (std::size_t k = 0; k < places.size(); ++k) {
    Result<void>& answer = answers[places[k].claim];
    if (!answer) continue;
    if (!verdicts)
      answer = fail(verdicts.error());
    else if (!(*verdicts)[k].valid)
      answer = fail(not_proved(
          places[k].partition, "the finished proof does not verify: " + (*verdicts)[k].reason,
          "the witness does not satisfy the circuit, or the key is damaged or of an older version "
          "of it: 'prover prove --check-witness CIRCUIT.r1cs' tells which"));
  }
}

}  // namespace

std::vector<Result<void>> Groth16Work::check(std::span<const Claim> claims) {
  std::vector<Result<void>> answers(claims.size());
  std::map<const Circuit*, std::vector<std::size_t>> by_circuit;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    PROVER_CHECK(claims[i].spec.input != nullptr, "a job of Groth16Work has a Groth16Job");
    by_circuit[&static_cast<const Groth16Job&>(*claims[i].spec.input).circuit()].push_back(i);
  }
  for (const auto& [circuit, indices] : by_circuit)
    with_curve(circuit->curve(), [&, circuit = circuit, &indices = indices](auto curve) {
      check_circuit<typename decltype(curve)::type>(*circuit, claims, indices, answers);
    });
  return answers;
}

}  // namespace prover::work
