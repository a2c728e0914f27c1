// SPDX-License-Identifier: Apache-2.0
// SSZ bytes as a container. Whatever comes in: a size is held against the bytes that are there, and
// against the limit of the list, before anything is allocated; offsets must begin behind the fixed
// part, never go back and end within the bytes; no byte is left over.
#pragma once

#include <string>

#include "beacon/ssz/fields.hpp"

namespace beacon::ssz {
namespace detail {

// Reads fields whose sizes are known to be there; `bad` says that a value is none.
struct FixedReader {
  const std::uint8_t* at;
  bool bad = false;

  void copy(void* to, std::size_t size) {
    std::memcpy(to, at, size);
    at += size;
  }

  template <class Shape, class T>
  void read(const Shape& shape, T&& field) {
    using Bare = std::remove_cvref_t<T>;
    using Kind = Traits<Bare>;
    if constexpr (std::is_same_v<Bare, bool>) {
      bad = bad || *at > 1;
      field = *at++ == 1;
    } else if constexpr (Kind::kNumber || Kind::kBytes) {
      copy(&field, sizeof(Bare));
    } else if constexpr (Kind::kBits) {
      field.bits = Bits::zeros(field.length);
      copy(field.bits.bytes.data(), field.bits.bytes.size());
      if (field.length % 8 != 0) bad = bad || (field.bits.bytes.back() >> (field.length % 8)) != 0;
    } else if constexpr (Kind::kVector) {
      field.values.resize(field.length);
      for (auto& value : field.values) read(shape, value);
    } else {
      Bare::visit(field, shape, [&](std::string_view, auto&& inner) { read(shape, inner); });
    }
  }
};

inline tl::unexpected<Error> bad_value(const std::string& where) {
  return fail("a byte that must be 0 or 1 is neither, or a bit behind the end is set", where);
}

template <class Shape, class T>
Status decode_container(View bytes, const Shape& shape, T& value, const std::string& where);

template <class Shape, class V>
Status decode_list_of_fixed(View bytes, const Shape& shape, List<V> field,
                            const std::string& where) {
  using Element = typename V::value_type;
  const std::uint64_t size = fixed_size(shape, Element{});
  if (bytes.size() % size != 0)
    return fail(std::to_string(bytes.size()) + " bytes are no whole number of elements of " +
                    std::to_string(size),
                where);
  const std::uint64_t count = bytes.size() / size;
  if (count > field.limit)
    return fail(
        "holds " + std::to_string(count) + " elements; the limit is " + std::to_string(field.limit),
        where);
  field.values.resize(count);
  if constexpr (TraitsOf<Element>::kNumber || TraitsOf<Element>::kBytes) {
    if (count > 0) std::memcpy(field.values.data(), bytes.data(), bytes.size());
  } else {
    FixedReader reader{bytes.data()};
    for (std::uint64_t i = 0; i < count; ++i) {
      reader.read(shape, field.values[i]);
      if (reader.bad) return bad_value(where + "[" + std::to_string(i) + "]");
    }
  }
  return {};
}

template <class Shape, class V>
Status decode_list_of_variable(View bytes, const Shape& shape, List<V> field,
                               const std::string& where) {
  field.values.clear();
  if (bytes.empty()) return {};
  if (bytes.size() < kOffsetSize) return fail("ends within its first offset", where);
  const std::uint64_t first = load<std::uint32_t>(bytes), count = first / kOffsetSize;
  if (first % kOffsetSize != 0 || count == 0 || first > bytes.size())
    return fail("the first offset, " + std::to_string(first) + ", is none", where);
  if (count > field.limit)
    return fail(
        "holds " + std::to_string(count) + " elements; the limit is " + std::to_string(field.limit),
        where);
  field.values.resize(count);
  for (std::uint64_t i = 0, from = first; i < count; ++i) {
    const std::uint64_t to =
        i + 1 < count ? load<std::uint32_t>(bytes.subspan(4 * (i + 1))) : bytes.size();
    const std::string here = where + "[" + std::to_string(i) + "]";
    if (to < from || to > bytes.size())
      return fail("its bytes " + std::to_string(from) + " to " + std::to_string(to) + " are none",
                  here);
    if (auto done = decode_container(bytes.subspan(from, to - from), shape, field.values[i], here);
        !done)
      return done;
    from = to;
  }
  return {};
}

template <class B>
Status decode_bitlist(View bytes, BitList<B> field, const std::string& where) {
  if (bytes.empty() || bytes.back() == 0) return fail("a list of bits without its last bit", where);
  const auto last = static_cast<std::uint64_t>(std::bit_width(bytes.back())) - 1;
  const std::uint64_t count = (bytes.size() - 1) * 8 + last;
  if (count > field.limit)
    return fail(
        "holds " + std::to_string(count) + " bits; the limit is " + std::to_string(field.limit),
        where);
  field.bits = Bits::zeros(count);
  if (count > 0) std::memcpy(field.bits.bytes.data(), bytes.data(), field.bits.bytes.size());
  if (count % 8 != 0) field.bits.bytes.back() &= static_cast<std::uint8_t>((1u << (count % 8)) - 1);
  return {};
}

template <class Shape, class T>
Status decode_variable(View bytes, const Shape& shape, T& field, const std::string& where) {
  using Kind = TraitsOf<T>;
  if constexpr (Kind::kBitList) {
    return decode_bitlist(bytes, field, where);
  } else if constexpr (Kind::kList) {
    if constexpr (is_fixed<typename Kind::Element>()) {
      return decode_list_of_fixed(bytes, shape, field, where);
    } else {
      return decode_list_of_variable(bytes, shape, field, where);
    }
  } else {
    return decode_container(bytes, shape, field, where);
  }
}

template <class Shape, class T>
Status decode_container(View bytes, const Shape& shape, T& value, const std::string& where) {
  std::uint64_t head = 0;
  std::size_t lists = 0;
  T::visit(value, shape, [&](std::string_view, auto&& field) {
    if constexpr (is_fixed<decltype(field)>()) {
      head += fixed_size(shape, field);
    } else {
      head += kOffsetSize;
      ++lists;
    }
  });
  if (bytes.size() < head || (lists == 0 && bytes.size() > head))
    return fail("has " + std::to_string(bytes.size()) + " bytes and needs " +
                    (lists == 0 ? "" : "at least ") + std::to_string(head),
                where);
  std::vector<std::uint64_t> offsets;
  FixedReader reader{bytes.data()};
  T::visit(value, shape, [&](std::string_view, auto&& field) {
    if constexpr (is_fixed<decltype(field)>()) {
      reader.read(shape, field);
    } else {
      std::uint32_t offset = 0;
      reader.copy(&offset, sizeof offset);
      offsets.push_back(offset);
    }
  });
  if (reader.bad) return bad_value(where);
  offsets.push_back(bytes.size());
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i] > offsets[i + 1] || (i == 0 && offsets[0] != head))
      return fail("offset " + std::to_string(i + 1) + " of " + std::to_string(lists) + " is " +
                      std::to_string(offsets[i]) + ", between " + std::to_string(head) + " and " +
                      std::to_string(offsets[i + 1]) + " expected",
                  where);
  Status status;
  std::size_t next = 0;
  T::visit(value, shape, [&](std::string_view name, auto&& field) {
    if constexpr (!is_fixed<decltype(field)>()) {
      const std::uint64_t from = offsets[next], to = offsets[next + 1];
      ++next;
      if (status)
        status = decode_variable(bytes.subspan(from, to - from), shape, field,
                                 where + "." + std::string(name));
    }
  });
  return status;
}

}  // namespace detail

// `name` begins the `where` of every error.
template <class T, class Shape>
Result<T> decode(View bytes, const Shape& shape, const std::string& name) {
  T value{};
  if (auto done = detail::decode_container(bytes, shape, value, name); !done)
    return fail(done.error());
  return value;
}

}  // namespace beacon::ssz
