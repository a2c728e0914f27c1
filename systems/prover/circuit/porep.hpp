// SPDX-License-Identifier: Apache-2.0
// A scaled proof of replication of our own: the load of such a proof (SHA-256 labels, Poseidon
// Merkle paths, many partitions of one circuit), not Filecoin's protocol and none of its
// parameters.
//
// A sector has N = 2^depth nodes of data, elements of the field, and an id of 248 bits. Its replica
// is the data plus a label for each node, and labels must be computed one after the other:
//
//   label_j   = the first 248 bits of SHA-256(id | j, 64 bits | label_p(j) | label_q(j)), read as a
//               number, most significant bit first; for j = 0 both parents' labels are 0
//   p(j)      = j - 1
//   q(j)      = (the first 8 bytes of SHA-256("prover porep parent", id's first 8 bytes, j)) mod j
//   replica_j = data_j + label_j
//
// D, L and R are the roots of the binary Poseidon trees over data, labels and replicas. A proof has
// k partitions; partition i answers c challenges j in [1, N), drawn from SHA-256 as q is. Statement
// of a partition, for public id, D, L, R and, for each challenge, j + 2^32 p + 2^64 q:
//
//   for each challenge I know label_j, label_p, label_q and data_j such that
//   - label_j is the hash above of id, j, label_p and label_q,
//   - label_j, label_p and label_q lie at j, p and q under L,
//   - data_j lies at j under D, and data_j + label_j at j under R.
//
// Who verifies works out the challenges and their p and q. The circuit is the same for every
// partition. Publics, in order: id, D, L, R, then the challenges.
#pragma once

#include "prover/circuit/poseidon.hpp"
#include "prover/circuit/sha256.hpp"

namespace prover::circuit {

inline constexpr std::size_t kLabelBits = 248;
inline constexpr std::uint32_t kMostPorepDepth = 20;

// Bits in the order of hashing, most significant first.
using LabelBits = std::array<bool, kLabelBits>;

template <class F>
F label_number(const LabelBits& bits) {
  typename F::Plain limbs{};
  for (std::size_t i = 0; i < bits.size(); ++i)
    limbs[(kLabelBits - 1 - i) / 64] |= std::uint64_t{bits[i]} << ((kLabelBits - 1 - i) % 64);
  return F::from_plain(limbs);
}

struct Parents {
  std::uint32_t p = 0, q = 0;
};

// Every node's label and parents.
struct Labels {
  Digest id{};  // its first 31 bytes count
  std::vector<LabelBits> labels;

  // 2^depth labels, one after the other: about a microsecond each.
  static Labels of(std::uint64_t seed, std::uint32_t depth);
  LabelBits id_bits() const;
  // j >= 1
  Parents parents(std::uint32_t j) const;
  std::uint32_t challenge(std::uint32_t partition, std::uint32_t i) const;
};

// A binary tree of hashes over 2^depth leaves; levels[0] are the leaves.
template <class F>
struct MerkleTree {
  std::vector<std::vector<F>> levels;

  explicit MerkleTree(std::vector<F> leaves) {
    levels.push_back(std::move(leaves));
    while (levels.back().size() > 1) {
      const std::vector<F>& below = levels.back();
      std::vector<F> level(below.size() / 2);
      for (std::size_t i = 0; i < level.size(); ++i)
        level[i] = poseidon_hash(below[2 * i], below[2 * i + 1]);
      levels.push_back(std::move(level));
    }
  }
  const F& root() const { return levels.back().front(); }
  // From the leaves' level up.
  std::vector<F> siblings(std::size_t leaf) const {
    std::vector<F> path;
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) path.push_back(levels[i][leaf >> i ^ 1]);
    return path;
  }
};

template <class F>
struct Sector {
  Labels labels;
  MerkleTree<F> data, label_tree, replica;
  std::uint32_t depth;

  static Sector of(std::uint64_t seed, std::uint32_t depth) {
    Labels labels = Labels::of(seed, depth);
    std::vector<F> numbers, data, replica;
    for (std::uint64_t j = 0; j < labels.labels.size(); ++j) {
      numbers.push_back(label_number<F>(labels.labels[j]));
      data.push_back(element_of<F>("prover porep data", std::array{seed, j}));
      replica.push_back(data.back() + numbers.back());
    }
    return {std::move(labels), MerkleTree<F>(std::move(data)), MerkleTree<F>(std::move(numbers)),
            MerkleTree<F>(std::move(replica)), depth};
  }
};

namespace porep_parts {

template <ConstraintSystem Cs>
std::vector<Bit> allocate_bits(Cs& cs, std::span<const bool> values) {
  std::vector<Bit> bits;
  for (const bool value : values) bits.push_back(allocate_bit(cs, value));
  return bits;
}

// The bits of an index, least significant first.
template <ConstraintSystem Cs>
std::vector<Bit> index_bits(Cs& cs, std::uint32_t index, std::uint32_t depth) {
  std::vector<Bit> bits;
  for (std::uint32_t i = 0; i < depth; ++i) bits.push_back(allocate_bit(cs, (index >> i & 1) != 0));
  return bits;
}

template <ConstraintSystem Cs>
Number<Cs> label_of(std::span<const Bit> bits) {
  const std::vector<Bit> reversed(bits.rbegin(), bits.rend());
  return packed<Cs>(reversed);
}

// `node` lies at the index under the root.
template <ConstraintSystem Cs>
void enforce_path(Cs& cs, const Number<Cs>& node, std::span<const Bit> index,
                  const MerkleTree<typename Cs::Fr>& tree, std::uint32_t leaf,
                  const Number<Cs>& root) {
  enforce_equal(cs, merkle_root<Cs>(cs, node, index, tree.siblings(leaf)), root);
}

// The publics that all challenges share.
template <class Cs>
struct Roots {
  std::vector<Bit> id;
  Number<Cs> data, labels, replica;
};

template <ConstraintSystem Cs>
void challenge(Cs& cs, const Sector<typename Cs::Fr>& sector, const Roots<Cs>& roots,
               std::uint32_t j, const Number<Cs>& public_indices) {
  using Fr = typename Cs::Fr;
  const Parents parents = sector.labels.parents(j);
  const auto& labels = sector.labels.labels;
  const std::vector<Bit> at_j = index_bits(cs, j, sector.depth),
                         at_p = index_bits(cs, parents.p, sector.depth),
                         at_q = index_bits(cs, parents.q, sector.depth);
  const Fr two32 = Fr::from_word(std::uint64_t{1} << 32);
  Number<Cs> indices = packed<Cs>(at_j);
  indices.add(packed<Cs>(at_p), two32).add(packed<Cs>(at_q), two32.squared());
  enforce_equal(cs, indices, public_indices);

  const std::vector<Bit> label_p = allocate_bits(cs, std::span<const bool>(labels[parents.p])),
                         label_q = allocate_bits(cs, std::span<const bool>(labels[parents.q]));
  std::vector<Bit> message = roots.id;
  message.insert(message.end(), 64 - sector.depth, Bit::constant(false));
  message.insert(message.end(), at_j.rbegin(), at_j.rend());
  message.insert(message.end(), label_p.begin(), label_p.end());
  message.insert(message.end(), label_q.begin(), label_q.end());
  std::vector<Bit> digest = sha256_bits(cs, std::move(message), false);
  digest.resize(kLabelBits);

  const Number<Cs> label = label_of<Cs>(digest);
  enforce_path(cs, label, at_j, sector.label_tree, j, roots.labels);
  enforce_path(cs, label_of<Cs>(label_p), at_p, sector.label_tree, parents.p, roots.labels);
  enforce_path(cs, label_of<Cs>(label_q), at_q, sector.label_tree, parents.q, roots.labels);
  const Fr data_value = sector.data.levels[0][j];
  const auto data = Number<Cs>::wire(cs.allocate(data_value), data_value);
  enforce_path(cs, data, at_j, sector.data, j, roots.data);
  Number<Cs> replica = label;
  replica.add(data);
  enforce_path(cs, replica, at_j, sector.replica, j, roots.replica);
}

}  // namespace porep_parts

// One partition with so many challenges.
template <ConstraintSystem Cs>
void porep(Cs& cs, const Sector<typename Cs::Fr>& sector, std::uint32_t partition,
           std::uint32_t challenges) {
  using Fr = typename Cs::Fr;
  const auto publish = [&](const Fr& value) {
    return Number<Cs>::wire(cs.allocate_public(value), value);
  };
  const LabelBits id = sector.labels.id_bits();
  const Number<Cs> public_id = publish(label_number<Fr>(id));
  porep_parts::Roots<Cs> roots{{},
                               publish(sector.data.root()),
                               publish(sector.label_tree.root()),
                               publish(sector.replica.root())};
  roots.id = porep_parts::allocate_bits(cs, std::span<const bool>(id));
  enforce_equal(cs, porep_parts::label_of<Cs>(roots.id), public_id);
  for (std::uint32_t i = 0; i < challenges; ++i) {
    const std::uint32_t j = sector.labels.challenge(partition, i);
    const Parents parents = sector.labels.parents(j);
    const Fr indices = Fr::from_plain({j | std::uint64_t{parents.p} << 32, parents.q, 0, 0});
    porep_parts::challenge(cs, sector, roots, j, publish(indices));
  }
}

}  // namespace prover::circuit
