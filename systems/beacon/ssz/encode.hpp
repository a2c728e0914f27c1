// SPDX-License-Identifier: Apache-2.0
// A container as SSZ bytes: the fixed part, with an offset in the place of each list, then the
// lists.
#pragma once

#include "beacon/ssz/fields.hpp"

namespace beacon::ssz {

using Output = std::vector<std::uint8_t>;

namespace detail {

inline void append(Output& out, const void* from, std::size_t size) {
  const std::size_t at = out.size();
  out.resize(at + size);
  if (size > 0) std::memcpy(out.data() + at, from, size);
}

template <class Shape, class T>
void encode(Output& out, const Shape& shape, const T& field);

// Elements one behind another; offsets, from their first byte on, before those of several sizes.
template <class Shape, class Values>
void encode_elements(Output& out, const Shape& shape, const Values& values) {
  using Element = typename Values::value_type;
  if constexpr (TraitsOf<Element>::kNumber || TraitsOf<Element>::kBytes) {
    append(out, values.data(), values.size() * sizeof(Element));
  } else if constexpr (is_fixed<Element>()) {
    for (const Element& value : values) encode(out, shape, value);
  } else {
    const std::size_t start = out.size();
    out.resize(start + kOffsetSize * values.size());
    std::size_t place = start;
    for (const Element& value : values) {
      store(std::span(out).subspan(place), static_cast<std::uint32_t>(out.size() - start));
      place += kOffsetSize;
      encode(out, shape, value);
    }
  }
}

template <class Shape, class T>
void encode(Output& out, const Shape& shape, const T& field) {
  using Kind = TraitsOf<T>;
  if constexpr (Kind::kNumber || Kind::kBytes) {
    append(out, &field, sizeof(T));
  } else if constexpr (Kind::kVector) {
    BEACON_CHECK(field.values.size() == field.length, "a vector has the length of its preset");
    encode_elements(out, shape, field.values);
  } else if constexpr (Kind::kList) {
    encode_elements(out, shape, field.values);
  } else if constexpr (Kind::kBits) {
    BEACON_CHECK(field.bits.size == field.length, "a bit vector has the length of its preset");
    append(out, field.bits.bytes.data(), field.bits.bytes.size());
  } else if constexpr (Kind::kBitList) {
    // One more bit tells where the list ends.
    Bits ended = field.bits;
    ended.bytes.resize(ended.size / 8 + 1);
    ended.set(ended.size);
    append(out, ended.bytes.data(), ended.bytes.size());
  } else {
    const std::size_t start = out.size();
    std::vector<std::size_t> places;
    T::visit(field, shape, [&](std::string_view, const auto& inner) {
      if constexpr (is_fixed<decltype(inner)>()) {
        encode(out, shape, inner);
      } else {
        places.push_back(out.size());
        out.resize(out.size() + kOffsetSize);
      }
    });
    std::size_t next = 0;
    T::visit(field, shape, [&](std::string_view, const auto& inner) {
      if constexpr (!is_fixed<decltype(inner)>()) {
        store(std::span(out).subspan(places[next++]),
              static_cast<std::uint32_t>(out.size() - start));
        encode(out, shape, inner);
      }
    });
  }
}

}  // namespace detail

// `size_hint` is what is reserved at once.
template <class Shape, class T>
Output encode(const Shape& shape, const T& value, std::size_t size_hint = 0) {
  Output out;
  out.reserve(size_hint);
  detail::encode(out, shape, value);
  return out;
}

}  // namespace beacon::ssz
