// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "beacon/base/files.hpp"
#include "beacon/base/random.hpp"

namespace beacon {
namespace {

TEST(Bytes, HexThereAndBack) {
  Random random(7);
  const Root root = random.bytes<32>();
  EXPECT_EQ(root_from_hex(to_hex(root)).value(), root);
  EXPECT_EQ(to_hex(Version{0, 1, 0xab, 0xff}), "0x0001abff");
}

TEST(Bytes, HexThatIsNone) {
  const std::string good(64, 'a');
  for (const std::string& text :
       {std::string(), good.substr(1), good + "a", "0x" + good.substr(1), "g" + good.substr(1)})
    EXPECT_FALSE(root_from_hex(text)) << text;
  EXPECT_TRUE(root_from_hex(good));
}

TEST(Bytes, IntegerSquareRoot) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(integer_square_root(0), 0u);
  EXPECT_EQ(integer_square_root(most), 4294967295u);
  std::vector<std::uint64_t> values = {1, 2, 3, 4, 8, 9, 15, 16, 32, most - 1};
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t root = random.below(4294967296u);
    values.insert(values.end(), {root * root, root * root + 1, random.next()});
    if (root > 0) values.push_back(root * root - 1);
  }
  for (const std::uint64_t value : values) {
    const std::uint64_t root = integer_square_root(value);
    EXPECT_LE(root * root, value);
    // (root + 1)^2 > value, without overflow.
    EXPECT_GT(2 * root + 1, value - root * root) << value;
  }
}

TEST(Files, WholeOrNotAtAll) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("beacon_files_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = folder / "a";
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  ASSERT_TRUE(write_file(path, bytes));
  EXPECT_EQ(read_file(path, 3).value(), bytes);
  const auto large = read_file(path, 2);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().to_text(), path + ": has 3 bytes; at most 2 are read");
  EXPECT_FALSE(read_file(folder / "none", 3));
  const std::string nowhere = folder / "none" / "a";
  EXPECT_EQ(write_file(nowhere, bytes).error().where, nowhere);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(Output, WhatIsLostIsAnError) {
  const auto print_to = [](const char* path) {
    const int file = ::open(path, O_WRONLY);
    ::dup2(file, STDOUT_FILENO);
    std::printf("a root\n");
    std::exit(finish_output() ? 0 : 9);
  };
  EXPECT_EXIT(print_to("/dev/full"), testing::ExitedWithCode(9), "");
  EXPECT_EXIT(print_to("/dev/null"), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace beacon
