// SPDX-License-Identifier: Apache-2.0
// Written by hand: the layout is snarkjs's (one space a level), and digits need no escaping.
#include <fmt/format.h>

#include "prover/files/json.hpp"
#include "prover/files/output_file.hpp"

namespace prover::files {
namespace {

// A value on its lines, without the indentation of the first.
using Lines = std::string;

Lines in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

Lines list(const std::vector<Lines>& items, int depth) {
  if (items.empty()) return "[]";
  const std::string indent(static_cast<std::size_t>(depth) + 1, ' ');
  Lines text = "[\n";
  for (std::size_t i = 0; i < items.size(); ++i)
    text += indent + items[i] + (i + 1 < items.size() ? ",\n" : "\n");
  return text + std::string(static_cast<std::size_t>(depth), ' ') + "]";
}

Lines number(const Integer& value) { return in_quotes(to_decimal(value)); }

Lines pair(const std::array<Integer, 2>& value, int depth) {
  return list({number(value[0]), number(value[1])}, depth);
}

constexpr Integer kOne = {1};
constexpr Integer kZero = {};

Lines g1(const G1Text& point, int depth) {
  if (point == G1Text{}) return list({number(kZero), number(kOne), number(kZero)}, depth);
  return list({number(point.x), number(point.y), number(kOne)}, depth);
}

Lines g2(const G2Text& point, int depth) {
  constexpr std::array<Integer, 2> one{kOne, kZero};
  constexpr std::array<Integer, 2> zero{kZero, kZero};
  const int inner = depth + 1;
  if (point == G2Text{})
    return list({pair(zero, inner), pair(one, inner), pair(zero, inner)}, depth);
  return list({pair(point.x, inner), pair(point.y, inner), pair(one, inner)}, depth);
}

Lines fq12(const std::array<Integer, 12>& value, int depth) {
  std::vector<Lines> halves;
  for (std::size_t half = 0; half < 2; ++half) {
    std::vector<Lines> parts;
    for (std::size_t part = 0; part < 3; ++part) {
      const std::size_t at = half * 6 + part * 2;
      parts.push_back(pair({value[at], value[at + 1]}, depth + 2));
    }
    halves.push_back(list(parts, depth + 1));
  }
  return list(halves, depth);
}

using Member = std::pair<const char*, Lines>;

std::string object(const std::vector<Member>& members) {
  std::string text = "{\n";
  for (std::size_t i = 0; i < members.size(); ++i)
    text += fmt::format(" \"{}\": {}{}\n", members[i].first, members[i].second,
                        i + 1 < members.size() ? "," : "");
  return text + "}\n";
}

}  // namespace

std::string to_json(const ProofText& proof) {
  return object({{"pi_a", g1(proof.a, 1)},
                 {"pi_b", g2(proof.b, 1)},
                 {"pi_c", g1(proof.c, 1)},
                 {"protocol", in_quotes("groth16")},
                 {"curve", in_quotes(snarkjs_curve_name(proof.curve))}});
}

std::string to_json(std::span<const Integer> publics) {
  std::vector<Lines> items;
  for (const Integer& value : publics) items.push_back(number(value));
  return list(items, 0) + "\n";
}

std::string to_json(const VerificationKeyText& key) {
  PROVER_CHECK(!key.ic.empty(), "publics + 1 points");
  std::vector<Lines> ic;
  for (const G1Text& point : key.ic) ic.push_back(g1(point, 2));
  std::vector<Member> members = {{"protocol", in_quotes("groth16")},
                                 {"curve", in_quotes(snarkjs_curve_name(key.curve))},
                                 {"nPublic", fmt::format("{}", key.ic.size() - 1)},
                                 {"vk_alpha_1", g1(key.alpha1, 1)},
                                 {"vk_beta_2", g2(key.beta2, 1)},
                                 {"vk_gamma_2", g2(key.gamma2, 1)},
                                 {"vk_delta_2", g2(key.delta2, 1)}};
  if (key.alphabeta) members.emplace_back("vk_alphabeta_12", fq12(*key.alphabeta, 1));
  members.emplace_back("IC", list(ic, 1));
  return object(members);
}

Result<void> write_verification_key(const std::string& path, const VerificationKeyText& key) {
  return write_file(path, to_json(key));
}

}  // namespace prover::files
