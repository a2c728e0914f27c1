// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/porep.hpp"

namespace prover::circuit {
namespace {

constexpr std::size_t kLabelBytes = kLabelBits / 8;

std::uint64_t first_word(std::span<const std::uint8_t> bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) word = word << 8 | bytes[i];
  return word;
}

LabelBits bits_of(const Digest& digest) {
  LabelBits bits{};
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = (digest[i / 8] >> (7 - i % 8) & 1) != 0;
  return bits;
}

}  // namespace

Labels Labels::of(std::uint64_t seed, std::uint32_t depth) {
  Labels result;
  result.id = sha256("prover porep id", std::array{seed});
  const std::size_t nodes = std::size_t{1} << depth;
  std::vector<Digest> digests(nodes);
  std::vector<std::uint8_t> message(kLabelBytes + 8 + 2 * kLabelBytes);
  std::copy_n(result.id.begin(), kLabelBytes, message.begin());
  for (std::size_t j = 0; j < nodes; ++j) {
    for (std::size_t i = 0; i < 8; ++i)
      message[kLabelBytes + i] = static_cast<std::uint8_t>(std::uint64_t{j} >> (56 - 8 * i));
    if (j > 0) {
      const Parents parents = result.parents(static_cast<std::uint32_t>(j));
      const auto at = message.begin() + kLabelBytes + 8;
      std::copy_n(digests[parents.p].begin(), kLabelBytes, at);
      std::copy_n(digests[parents.q].begin(), kLabelBytes, at + kLabelBytes);
    }
    digests[j] = sha256(message);
    result.labels.push_back(bits_of(digests[j]));
  }
  return result;
}

LabelBits Labels::id_bits() const { return bits_of(id); }

Parents Labels::parents(std::uint32_t j) const {
  const Digest draw = sha256("prover porep parent", std::array{first_word(id), std::uint64_t{j}});
  return {j - 1, static_cast<std::uint32_t>(first_word(draw) % j)};
}

std::uint32_t Labels::challenge(std::uint32_t partition, std::uint32_t i) const {
  const Digest draw =
      sha256("prover porep challenge",
             std::array{first_word(id), std::uint64_t{partition}, std::uint64_t{i}});
  return 1 + static_cast<std::uint32_t>(first_word(draw) % (labels.size() - 1));
}

}  // namespace prover::circuit
