// SPDX-License-Identifier: Apache-2.0
// SHA-256 as a circuit, with circomlib's shape: two constraints for each exclusive or of three and
// each majority, one for each choice and each bit of a sum. About 30,000 constraints a block; what
// is constant (the start, the padding) is worked out while the circuit is written. Source: FIPS
// 180-4.
#pragma once

#include <vector>

#include "prover/circuit/bits.hpp"
#include "prover/circuit/sha256_native.hpp"

namespace prover::circuit {

using HashState = std::array<Word, 8>;

namespace sha256_parts {

template <ConstraintSystem Cs>
std::array<Word, 64> schedule(Cs& cs, std::span<const Bit> block) {
  std::array<Word, 64> w;
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 32; ++j) w[i][j] = block[32 * i + 31 - j];
  for (std::size_t i = 16; i < w.size(); ++i) {
    const Word &x = w[i - 15], &y = w[i - 2];
    const std::array<Word, 4> parts = {
        word_xor(cs, rotated_right(y, 17), rotated_right(y, 19), shifted_right(y, 10)), w[i - 7],
        word_xor(cs, rotated_right(x, 7), rotated_right(x, 18), shifted_right(x, 3)), w[i - 16]};
    w[i] = word_sum(cs, parts);
  }
  return w;
}

template <ConstraintSystem Cs>
void round(Cs& cs, HashState& s, const Word& w, std::uint32_t k) {
  auto& [a, b, c, d, e, f, g, h] = s;
  Word choice, majority;
  for (std::size_t i = 0; i < 32; ++i) {
    choice[i] = bit_choose(cs, e[i], f[i], g[i]);
    majority[i] = bit_majority(cs, a[i], b[i], c[i]);
  }
  const Word s1 = word_xor(cs, rotated_right(e, 6), rotated_right(e, 11), rotated_right(e, 25));
  const Word s0 = word_xor(cs, rotated_right(a, 2), rotated_right(a, 13), rotated_right(a, 22));
  const Word t1 = word_sum(cs, std::array{h, s1, choice, constant_word(k), w});
  const Word t2 = word_sum(cs, std::array{s0, majority});
  s = {word_sum(cs, std::array{t1, t2}), a, b, c, word_sum(cs, std::array{d, t1}), e, f, g};
}

}  // namespace sha256_parts

// One block of 512 bits. `is_public`: the resulting words are allocated as publics.
template <ConstraintSystem Cs>
HashState sha256_compress(Cs& cs, const HashState& start, std::span<const Bit> block,
                          bool is_public) {
  const std::array<Word, 64> w = sha256_parts::schedule(cs, block);
  HashState state = start;
  for (std::size_t i = 0; i < w.size(); ++i) sha256_parts::round(cs, state, w[i], kSha256K[i]);
  for (std::size_t i = 0; i < state.size(); ++i)
    state[i] = word_sum(cs, std::array{start[i], state[i]}, is_public);
  return state;
}

// The 256 bits of the digest, most significant of the first byte first, as the message's bits are.
template <ConstraintSystem Cs>
std::vector<Bit> sha256_bits(Cs& cs, std::vector<Bit> message, bool is_public) {
  const std::uint64_t size = message.size();
  message.push_back(Bit::constant(true));
  while (message.size() % 512 != 448) message.push_back(Bit::constant(false));
  for (int i = 63; i >= 0; --i) message.push_back(Bit::constant((size >> i & 1) != 0));
  HashState state;
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = constant_word(kSha256Start[i]);
  for (std::size_t at = 0; at < message.size(); at += 512)
    state = sha256_compress(cs, state, std::span(message).subspan(at, 512),
                            is_public && at + 512 == message.size());
  std::vector<Bit> digest;
  digest.reserve(256);
  for (const Word& word : state) digest.insert(digest.end(), word.rbegin(), word.rend());
  return digest;
}

// Statement: I know a message of so many bits with this digest. Publics: the 256 bits of the
// digest.
template <ConstraintSystem Cs>
void sha256_circuit(Cs& cs, const std::vector<bool>& message) {
  std::vector<Bit> bits;
  bits.reserve(message.size() + 1024);
  for (const bool value : message) bits.push_back(allocate_bit(cs, value));
  sha256_bits(cs, std::move(bits), true);
}

}  // namespace prover::circuit
