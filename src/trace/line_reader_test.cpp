// SPDX-License-Identifier: Apache-2.0
#include "trace/line_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "trace/source.hpp"

namespace assay::trace {
namespace {

// Gives its bytes in pieces of random size.
class Trickle final : public ByteSource {
 public:
  Trickle(std::string bytes, std::uint64_t seed) : bytes_(std::move(bytes)), random_(seed) {}
  const std::string& name() const override { return name_; }
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count =
        std::min({into.size(), bytes_.size() - at_, std::size_t{1} + random_.below(5000)});
    std::copy_n(bytes_.data() + at_, count, into.data());
    at_ += count;
    return count;
  }

 private:
  std::string bytes_, name_ = "trickle";
  Random random_;
  std::size_t at_ = 0;
};

TEST(LineReader, GivesWholeLinesHoweverTheyArrive) {
  Random random(3);
  for (std::uint64_t round = 0; round < 60; ++round) {
    std::string text;
    std::uint64_t lines = 0;
    while (text.size() < 40'000 + random.below(2'000'000)) {
      text.append(random.below(20) == 0 ? random.below(300'000) : random.below(90), 'x');
      text += '\n';
      ++lines;
    }
    const std::string torn = random.below(2) == 0 ? "" : "torn";
    Trickle source(text + torn, round);
    const ImportOptions options;
    LineReader reader(source, options);
    std::string joined;
    for (;;) {
      const auto block = reader.next();
      ASSERT_TRUE(block);
      if (block->empty()) break;
      ASSERT_TRUE(block->ends_with('\n'));
      ASSERT_EQ(reader.first_line(), 1U + std::uint64_t(std::ranges::count(joined, '\n')));
      joined += *block;
    }
    EXPECT_EQ(joined, text);
    EXPECT_EQ(reader.torn(), torn);
    EXPECT_EQ(reader.first_line(), lines + 1);
    EXPECT_EQ(reader.bytes(), text.size() + torn.size());
  }
}

TEST(LineReader, SkipsALineOverTheLimitAndGoesOn) {
  for (const bool ends : {true, false}) {
    std::string text = "first\n" + std::string(100'000'000, 'x');
    if (ends) text += "\nlast\n";
    const auto source = memory_source(std::move(text));
    const ImportOptions options;
    LineReader reader(*source, options);
    std::string joined;
    std::uint64_t last_line = 0;
    for (;;) {
      const auto block = reader.next();
      ASSERT_TRUE(block);
      if (block->empty()) break;
      last_line = reader.first_line();
      joined += *block;
    }
    EXPECT_EQ(joined, ends ? "first\nlast\n" : "first\n");
    EXPECT_EQ(last_line, ends ? 3U : 1U);
    EXPECT_EQ(reader.long_lines(), 1U);
    EXPECT_EQ(reader.torn(), "");
  }
}

TEST(LineReader, StopsAtTheLimitAndWhenAsked) {
  ImportOptions options;
  options.most_bytes = 10;
  const auto source = memory_source("0123456789\nmore\n", "big.log");
  LineReader reader(*source, options);
  const auto block = reader.next();
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().to_text(),
            "big.log: more than 10 B of text\n  cut the part of interest out of it first");
  ImportOptions stopping;
  stopping.progress = [](std::uint64_t) { return false; };
  const auto again = memory_source("a\n");
  LineReader stopped(*again, stopping);
  const auto none = stopped.next();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "interrupted");
}

}  // namespace
}  // namespace assay::trace
