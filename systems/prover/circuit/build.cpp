// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/build.hpp"

#include <fmt/format.h>

#include <bit>

#include "prover/circuit/builder.hpp"
#include "prover/circuit/r1cs_recorder.hpp"

namespace prover::circuit {
namespace {

template <class Fr>
Result<Size> write(const Request& request, const std::optional<std::string>& r1cs,
                   const std::optional<std::string>& wtns, const std::function<bool()>& go_on) {
  if (r1cs) {
    R1csRecorder<Fr> recorder;
    build(recorder, request);
    if (auto done = recorder.write_r1cs(*r1cs, go_on); !done) return fail(done.error());
    if (wtns)
      if (auto done = recorder.write_wtns(*wtns); !done) return fail(done.error());
    return Size{recorder.constraints(), recorder.wires(), recorder.publics()};
  }
  if (wtns) {
    WitnessOnly<Fr> values;
    build(values, request);
    if (auto done = write_witness(*wtns, values); !done) return fail(done.error());
  }
  Counter<Fr> counter;
  build(counter, request);
  return Size{counter.constraints(), counter.wires(), counter.publics()};
}

Result<void> in_range(std::string_view name, std::uint64_t value, std::uint64_t low,
                      std::uint64_t high) {
  if (value >= low && value <= high) return {};
  return fail(ErrorKind::usage, fmt::format("{} is out of range", value), std::string(name),
              fmt::format("give a number from {} to {}", low, high));
}

}  // namespace

std::uint32_t Size::domain() const { return std::bit_ceil(constraints + publics + 1); }

Result<void> check(const Request& request) {
  switch (request.kind) {
    case Kind::dense:
      return in_range("--constraints", request.constraints, 1, kMostConstraints);
    case Kind::poseidon:
      if (request.depth)
        return in_range("--depth", *request.depth, 1, kMostConstraints / kMerklePathConstraints);
      return in_range("--constraints", request.constraints, kMerklePathConstraints,
                      kMostConstraints);
    case Kind::sha256:
      return in_range("--bits", request.bits, 0, kMostHashedBits);
    case Kind::porep:
      if (auto ok = in_range("--depth", request.depth.value_or(kPorepDepth), 1, kMostPorepDepth);
          !ok)
        return ok;
      return in_range("--challenges", request.challenges, 1, 256);
  }
  return {};
}

Result<Size> size_of(const Request& request) { return write_circuit(request, {}, {}); }

Result<Size> write_circuit(const Request& request, const std::optional<std::string>& r1cs,
                           const std::optional<std::string>& wtns,
                           const std::function<bool()>& go_on) {
  if (auto ok = check(request); !ok) return fail(ok.error());
  return request.curve == CurveId::bn254 ? write<field::Bn254Fr>(request, r1cs, wtns, go_on)
                                         : write<field::Bls12_381Fr>(request, r1cs, wtns, go_on);
}

}  // namespace prover::circuit
