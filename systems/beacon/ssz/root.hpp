// SPDX-License-Identifier: Apache-2.0
// hash_tree_root of a container. Nothing is cached: every call hashes everything.
#pragma once

#include "beacon/hash/merkle.hpp"
#include "beacon/hash/sha256.hpp"
#include "beacon/ssz/fields.hpp"

namespace beacon::ssz {

constexpr std::size_t kMostFields = 32;

template <class Shape, class T>
Root root(const Shape& shape, const T& field);

namespace detail {

// Of the elements, in a tree with room for `limit` of them.
template <class Shape, class Values>
Root root_of_elements(const Shape& shape, const Values& values, std::uint64_t limit) {
  using Element = typename Values::value_type;
  if constexpr (TraitsOf<Element>::kNumber) {
    const View bytes(reinterpret_cast<const std::uint8_t*>(values.data()),
                     values.size() * sizeof(Element));
    std::vector<Root> leaves = hash::leaves_of(bytes);
    constexpr std::uint64_t kInLeaf = 32 / sizeof(Element);
    return hash::merkleize(leaves, hash::depth_of((limit + kInLeaf - 1) / kInLeaf));
  } else {
    std::vector<Root> leaves(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) leaves[i] = root(shape, values[i]);
    return hash::merkleize(leaves, hash::depth_of(limit));
  }
}

inline Root root_of_bits(const Bits& bits, std::uint64_t limit) {
  std::vector<Root> leaves = hash::leaves_of(bits.bytes);
  return hash::merkleize(leaves, hash::depth_of((limit + 255) / 256));
}

}  // namespace detail

template <class Shape, class T>
Root root(const Shape& shape, const T& field) {
  using Kind = TraitsOf<T>;
  if constexpr (Kind::kNumber) {
    Root leaf{};
    store(std::span(leaf), field);
    return leaf;
  } else if constexpr (Kind::kBytes) {
    std::array<Root, (Kind::kSize + 31) / 32> leaves{};
    std::memcpy(leaves.data(), field.data(), field.size());
    return hash::merkleize(leaves, hash::depth_of(leaves.size()));
  } else if constexpr (Kind::kVector) {
    return detail::root_of_elements(shape, field.values, field.length);
  } else if constexpr (Kind::kList) {
    return hash::mix_in_length(detail::root_of_elements(shape, field.values, field.limit),
                               field.values.size());
  } else if constexpr (Kind::kBits) {
    return detail::root_of_bits(field.bits, field.length);
  } else if constexpr (Kind::kBitList) {
    return hash::mix_in_length(detail::root_of_bits(field.bits, field.limit), field.bits.size);
  } else {
    std::array<Root, kMostFields> roots;
    std::size_t count = 0;
    T::visit(field, shape, [&](std::string_view, const auto& inner) {
      BEACON_CHECK(count < kMostFields, "a container has at most 32 fields");
      roots[count++] = root(shape, inner);
    });
    return hash::merkleize(std::span(roots).first(count), hash::depth_of(count));
  }
}

}  // namespace beacon::ssz
