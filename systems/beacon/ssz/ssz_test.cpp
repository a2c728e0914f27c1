// SPDX-License-Identifier: Apache-2.0
// On a small container with every kind of field.
#include <gtest/gtest.h>

#include "beacon/base/random.hpp"
#include "beacon/ssz/decode.hpp"
#include "beacon/ssz/encode.hpp"
#include "beacon/ssz/root.hpp"

namespace beacon::ssz {
namespace {

struct Shape {};

struct Point {
  std::uint64_t x = 0;
  bool up = false;

  bool operator==(const Point&) const = default;
  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Shape&, F&& f) {
    f("x", self.x);
    f("up", self.up);
  }
};

struct Word {
  Bits letters;
  std::uint8_t mark = 0;

  bool operator==(const Word&) const = default;
  static constexpr bool kFixed = false;
  template <class Self, class F>
  static void visit(Self& self, const Shape&, F&& f) {
    f("letters", as_bitlist(self.letters, 20));
    f("mark", self.mark);
  }
};

struct All {
  std::uint64_t number = 0;
  std::vector<std::uint64_t> numbers;
  Bytes<4> bytes{};
  std::vector<Point> points;
  std::vector<Root> roots = std::vector<Root>(3);
  std::vector<Word> words;
  Bits bits = Bits::zeros(11);
  Word word;

  bool operator==(const All&) const = default;
  [[maybe_unused]] static constexpr bool kFixed = false;
  template <class Self, class F>
  static void visit(Self& self, const Shape&, F&& f) {
    f("number", self.number);
    f("numbers", as_list(self.numbers, 10));
    f("bytes", self.bytes);
    f("points", as_list(self.points, 5));
    f("roots", as_vector(self.roots, 3));
    f("words", as_list(self.words, 4));
    f("bits", as_bits(self.bits, 11));
    f("word", self.word);
  }
};

Bits any_bits(std::uint64_t size, Random& random) {
  Bits bits = Bits::zeros(size);
  for (std::uint64_t i = 0; i < size; ++i)
    if (random.percent(50)) bits.set(i);
  return bits;
}

All any(std::uint64_t seed) {
  Random random(seed);
  All made;
  made.number = random.next();
  for (std::uint64_t i = random.below(11); i > 0; --i) made.numbers.push_back(random.next());
  made.bytes = random.bytes<4>();
  for (std::uint64_t i = random.below(6); i > 0; --i)
    made.points.push_back({random.next(), random.percent(50)});
  for (Root& root : made.roots) root = random.bytes<32>();
  for (std::uint64_t i = random.below(5); i > 0; --i)
    made.words.push_back({any_bits(random.below(21), random), 7});
  made.bits = any_bits(11, random);
  made.word = {any_bits(random.below(21), random), 9};
  return made;
}

Result<All> decoded(View bytes) { return decode<All>(bytes, Shape{}, "all"); }

TEST(Ssz, ThereAndBack) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const All value = any(seed);
    const auto back = decoded(encode(Shape{}, value));
    ASSERT_TRUE(back) << back.error().to_text();
    EXPECT_EQ(*back, value);
  }
}

TEST(Ssz, BytesOfASmallContainer) {
  Word word{Bits::zeros(3), 0xaa};
  word.letters.set(0);
  // An offset of 5, the mark, and the bits 1, 0, 0 with the one that ends them.
  EXPECT_EQ(encode(Shape{}, word), (Output{5, 0, 0, 0, 0xaa, 0b1001}));
  word.letters = Bits::zeros(8);
  EXPECT_EQ(encode(Shape{}, word), (Output{5, 0, 0, 0, 0xaa, 0, 1}));
}

TEST(Ssz, NoPrefixIsAValue) {
  const Output bytes = encode(Shape{}, any(11));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto short_one = decoded(View(bytes).first(size));
    if (!short_one) continue;
    // A shorter list may end where a value can end; then it says so again.
    EXPECT_EQ(encode(Shape{}, *short_one), Output(bytes.begin(), bytes.begin() + size));
  }
}

// Whatever is decoded is encoded to the same bytes: there is one encoding of a value.
TEST(Ssz, OneEncodingOfAValue) {
  Random random(17);
  std::size_t refused = 0, taken = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Output bytes = encode(Shape{}, any(i % 50));
    for (std::uint64_t k = 1 + random.below(3); k > 0; --k)
      bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1u << random.below(8));
    const auto value = decoded(bytes);
    ++(value ? taken : refused);
    if (value) {
      EXPECT_EQ(encode(Shape{}, *value), bytes);
    } else {
      EXPECT_TRUE(value.error().where.starts_with("all"));
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(taken, 1000u);
}

TEST(Ssz, WhatIsRefused) {
  All value = any(3);
  value.points = {{1, true}};
  const Output good = encode(Shape{}, value);
  // number 8, numbers' offset 4, bytes 4, points' offset 4, roots 96, words' offset 4, bits 2,
  // word's 4.
  const std::size_t numbers = 8, points = 16, bits = 16 + 4 + 96 + 4;
  const auto refused = [&](auto change) {
    Output bytes = good;
    change(bytes);
    const auto back = decoded(bytes);
    return back ? std::string("taken") : back.error().to_text();
  };
  EXPECT_EQ(refused([&](Output& b) { b.resize(20); }), "all: has 20 bytes and needs at least 126");
  EXPECT_EQ(refused([&](Output& b) { b[bits + 1] |= 0x80; }),
            "all: a byte that must be 0 or 1 is neither, or a bit behind the end is set");
  EXPECT_NE(refused([&](Output& b) { b[numbers] += 8; }).find("all: offset 1 of 4 is 134"),
            std::string::npos);
  EXPECT_NE(refused([&](Output& b) { b[points + 3] = 0xff; }).find("all: offset 2 of 4 is"),
            std::string::npos);
  EXPECT_EQ(refused([&](Output& b) { b[load<std::uint32_t>(View(b).subspan(points)) + 8] = 2; }),
            "all.points[0]: a byte that must be 0 or 1 is neither, or a bit behind the end is set");
  EXPECT_EQ(refused([&](Output& b) { b.back() = 0; }).substr(0, 8), "all.word");
  All many = value;
  many.numbers.resize(11);
  EXPECT_EQ(decoded(encode(Shape{}, many)).error().to_text(),
            "all.numbers: holds 11 elements; the limit is 10");
}

// By hand, from the definition: leaves, a tree, the length.
TEST(Ssz, Roots) {
  const Point point{3, true};
  Root x{}, up{};
  x[0] = 3;
  up[0] = 1;
  EXPECT_EQ(root(Shape{}, point), hash::sha256({x, up}));
  Root numbers{}, length{};
  numbers[0] = 1;
  numbers[8] = 2;
  length[0] = 2;
  const std::vector<std::uint64_t> list = {1, 2};
  // Ten numbers are three leaves, in a tree of four.
  const Root zero = hash::sha256({Root{}, Root{}});
  const Root tree = hash::sha256({hash::sha256({numbers, Root{}}), zero});
  EXPECT_EQ(root(Shape{}, as_list(list, 10)), hash::sha256({tree, length}));
  Bytes<48> key{};
  key[0] = 1;
  key[32] = 2;
  Root low{}, high{};
  low[0] = 1;
  high[0] = 2;
  EXPECT_EQ(root(Shape{}, key), hash::sha256({low, high}));
}

}  // namespace
}  // namespace beacon::ssz
