// SPDX-License-Identifier: Apache-2.0
// How a field is described to the three walks over a container: decode, encode and root.
//
// A container is a struct with
//     static constexpr bool kFixed = true;            // no list in it
//     template <class Self, class F>
//     static void visit(Self& self, const Shape& shape, F&& f) { f("slot", self.slot); ... }
// which names its fields in the order of the specification. Numbers and byte strings are given as
// they are; whatever has a length that the preset decides is wrapped: as_vector(values, length),
// as_list(values, limit), as_bits(bits, length), as_bitlist(bits, limit). Shape is what decides.
// Ref: consensus-specs, ssz/simple-serialize.md.
#pragma once

#include <type_traits>
#include <vector>

#include "beacon/base/bytes.hpp"

namespace beacon::ssz {

// Bits in bytes, the first in the lowest place; unused places of the last byte are zero.
struct Bits {
  std::vector<std::uint8_t> bytes;
  std::uint64_t size = 0;

  static Bits zeros(std::uint64_t size) {
    return {std::vector<std::uint8_t>((size + 7) / 8), size};
  }
  bool test(std::uint64_t i) const { return ((bytes[i / 8] >> (i % 8)) & 1) != 0; }
  void set(std::uint64_t i) { bytes[i / 8] |= static_cast<std::uint8_t>(1u << (i % 8)); }

  bool operator==(const Bits&) const = default;
};

template <class V>
struct Vector {
  V& values;
  std::uint64_t length;
};
template <class V>
struct List {
  V& values;
  std::uint64_t limit;
};
template <class B>
struct BitVector {
  B& bits;
  std::uint64_t length;
};
template <class B>
struct BitList {
  B& bits;
  std::uint64_t limit;
};

template <class V>
Vector<V> as_vector(V& values, std::uint64_t length) {
  return {values, length};
}
template <class V>
List<V> as_list(V& values, std::uint64_t limit) {
  return {values, limit};
}
template <class B>
BitVector<B> as_bits(B& bits, std::uint64_t length) {
  return {bits, length};
}
template <class B>
BitList<B> as_bitlist(B& bits, std::uint64_t limit) {
  return {bits, limit};
}

template <class T>
struct Traits {
  static constexpr bool kNumber = std::is_arithmetic_v<T>, kBytes = false, kVector = false,
                        kList = false, kBits = false, kBitList = false;
};
template <std::size_t N>
struct Traits<Bytes<N>> : Traits<void> {
  static constexpr bool kBytes = true;
  static constexpr std::size_t kSize = N;
};
template <class V>
struct Traits<Vector<V>> : Traits<void> {
  static constexpr bool kVector = true;
  using Element = typename std::remove_const_t<V>::value_type;
};
template <class V>
struct Traits<List<V>> : Traits<void> {
  static constexpr bool kList = true;
  using Element = typename std::remove_const_t<V>::value_type;
};
template <class B>
struct Traits<BitVector<B>> : Traits<void> {
  static constexpr bool kBits = true;
};
template <class B>
struct Traits<BitList<B>> : Traits<void> {
  static constexpr bool kBitList = true;
};

template <class T>
using TraitsOf = Traits<std::remove_cvref_t<T>>;

// Whether its encoding has one size, whatever its value.
template <class T>
constexpr bool is_fixed() {
  using Bare = std::remove_cvref_t<T>;
  using Kind = Traits<Bare>;
  if constexpr (Kind::kNumber || Kind::kBytes || Kind::kBits) {
    return true;
  } else if constexpr (Kind::kList || Kind::kBitList) {
    return false;
  } else if constexpr (Kind::kVector) {
    return is_fixed<typename Kind::Element>();
  } else {
    return Bare::kFixed;
  }
}

// The size of a field whose encoding has one size.
template <class Shape, class T>
std::uint64_t fixed_size(const Shape& shape, const T& field) {
  static_assert(is_fixed<T>());
  using Kind = TraitsOf<T>;
  if constexpr (Kind::kNumber) {
    return sizeof(T);
  } else if constexpr (Kind::kBytes) {
    return Kind::kSize;
  } else if constexpr (Kind::kBits) {
    return (field.length + 7) / 8;
  } else if constexpr (Kind::kVector) {
    return field.length * fixed_size(shape, typename Kind::Element{});
  } else {
    std::uint64_t size = 0;
    T::visit(field, shape,
             [&](std::string_view, const auto& inner) { size += fixed_size(shape, inner); });
    return size;
  }
}

constexpr std::uint64_t kOffsetSize = 4;

}  // namespace beacon::ssz
