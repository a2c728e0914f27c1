// SPDX-License-Identifier: Apache-2.0
// The two curves, by name and by their primes, for those who must tell them apart before any
// arithmetic: files and command lines.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace prover {

enum class CurveId { bn254, bls12_381 };

// Little-endian 64-bit limbs: q is the field of coordinates, r the order of the groups and the
// field of circuits. Source: circom's documentation of --prime; draft-irtf-cfrg-pairing-friendly.
inline constexpr std::array<std::uint64_t, 4> kBn254Q = {0x3c208c16d87cfd47, 0x97816a916871ca8d,
                                                         0xb85045b68181585d, 0x30644e72e131a029};
inline constexpr std::array<std::uint64_t, 4> kBn254R = {0x43e1f593f0000001, 0x2833e84879b97091,
                                                         0xb85045b68181585d, 0x30644e72e131a029};
inline constexpr std::array<std::uint64_t, 6> kBls12_381Q = {
    0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624,
    0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a};
inline constexpr std::array<std::uint64_t, 4> kBls12_381R = {
    0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48};

constexpr std::span<const std::uint64_t> field_prime(CurveId curve) {
  if (curve == CurveId::bn254) return kBn254Q;
  return kBls12_381Q;
}
constexpr std::span<const std::uint64_t> scalar_prime(CurveId curve) {
  if (curve == CurveId::bn254) return kBn254R;
  return kBls12_381R;
}

// "bn254" and "bls12-381": how people write them here.
constexpr std::string_view curve_name(CurveId curve) {
  return curve == CurveId::bn254 ? "bn254" : "bls12-381";
}
// "bn128" and "bls12381": how snarkjs writes them in its JSON files.
constexpr std::string_view snarkjs_curve_name(CurveId curve) {
  return curve == CurveId::bn254 ? "bn128" : "bls12381";
}
// Takes either name.
constexpr std::optional<CurveId> curve_by_name(std::string_view name) {
  for (const CurveId curve : {CurveId::bn254, CurveId::bls12_381})
    if (name == curve_name(curve) || name == snarkjs_curve_name(curve)) return curve;
  return std::nullopt;
}

}  // namespace prover
