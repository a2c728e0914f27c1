// SPDX-License-Identifier: Apache-2.0
// The circuits that come with the prover, by name, and their files. Everything in them follows from
// the curve, the size and the seed: the same request writes the same bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "prover/base/result.hpp"
#include "prover/field/curve_id.hpp"

namespace prover::circuit {

enum class Kind { dense, poseidon, sha256, porep };

inline constexpr std::array<Kind, 4> kKinds = {Kind::dense, Kind::poseidon, Kind::sha256,
                                               Kind::porep};

constexpr std::string_view kind_name(Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"dense", "poseidon", "sha256", "porep"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline constexpr std::uint32_t kMostConstraints = std::uint32_t{1} << 26;
inline constexpr std::uint32_t kMostHashedBits = std::uint32_t{1} << 20;

struct Request {
  Kind kind = Kind::dense;
  CurveId curve = CurveId::bn254;
  std::uint64_t seed = 1;
  std::uint32_t constraints = 65534;   // dense: exactly; poseidon: at most, when depth is not given
  std::optional<std::uint32_t> depth;  // poseidon: levels of the path; porep: 2^depth nodes
  std::uint32_t bits = 512;            // sha256: of the message
  std::uint32_t challenges = 1;        // porep: of a partition
  std::uint32_t partition = 0;         // porep: whose witness
};

inline constexpr std::uint32_t kPorepDepth = 10;  // when Request::depth is not given

struct Size {
  std::uint32_t constraints = 0;
  std::uint32_t wires = 0;
  std::uint32_t publics = 0;  // without the constant 1
  // Of a proof: the smallest power of two with room for the constraints, the publics and the 1.
  std::uint32_t domain() const;
};

// Refuses a size that is out of range, with the range.
Result<void> check(const Request& request);
Result<Size> size_of(const Request& request);
// Writes what is asked for and tells its size. `go_on` is asked now and then whether to; when not,
// the error is ErrorKind::cancelled and nothing is left of an unfinished file.
Result<Size> write_circuit(
    const Request& request, const std::optional<std::string>& r1cs,
    const std::optional<std::string>& wtns,
    const std::function<bool()>& go_on = [] { return true; });

}  // namespace prover::circuit
