// SPDX-License-Identifier: Apache-2.0
#include "diverge/step_reader.hpp"

#include <gtest/gtest.h>

#include "trace/source.hpp"

namespace assay::diverge {
namespace {

struct Read {
  std::vector<Observation> answers = {};
  Lines lines = {};
};

Read read_all(const std::string& text) {
  const LineFields fields = LineFields::make({}).value();
  const trace::ImportOptions options;
  StepReader reader(trace::memory_source(text), fields, options);
  Read read;
  for (auto seen = reader.next(); seen.value(); seen = reader.next())
    read.answers.push_back(**seen);
  read.lines = reader.lines();
  return read;
}

TEST(StepReader, CountsWhatItSkips) {
  const Read read = read_all(
      "starting\n"
      "{\"slot\":1,\"state_root\":\"a\"}\r\n"
      "slot=2 state_root=b\n"
      "\n"
      "slot=three state_root=c\n"
      "slot=4\n"
      "{\"slot\":5,\n"
      "slot=6 state_root=f\n"
      "slot=7 state_ro");
  ASSERT_EQ(read.answers.size(), 3U);
  EXPECT_EQ(read.answers[0].value, "a");
  EXPECT_EQ(read.answers[0].line, 2U);
  EXPECT_EQ(read.answers[2].step, 6);
  EXPECT_EQ(read.answers[2].line, 8U);
  EXPECT_EQ(read.lines.lines, 8U);
  EXPECT_EQ(read.lines.bad_step, 1U);
  EXPECT_EQ(read.lines.first_bad_step, 5U);
  EXPECT_EQ(read.lines.no_value, 1U);
  EXPECT_EQ(read.lines.bad_json, 1U);
  EXPECT_EQ(read.lines.first_bad_json, 7U);
  EXPECT_TRUE(read.lines.torn);
}

TEST(StepReader, NothingInNothing) {
  EXPECT_TRUE(read_all("").answers.empty());
  EXPECT_FALSE(read_all("").lines.torn);
  EXPECT_FALSE(read_all("slot=1 state_root=a\n").lines.torn);
}

// Line numbers stay right over the blocks in which a long file is read.
TEST(StepReader, NumbersLinesOverBlocks) {
  std::string text;
  const std::string filler(200, 'x');
  for (int i = 1; i <= 20'000; ++i)
    text += "slot=" + std::to_string(i) + " state_root=" + filler + "\n";
  const Read read = read_all(text);
  ASSERT_EQ(read.answers.size(), 20'000U);
  for (const Observation& seen : read.answers)
    ASSERT_EQ(seen.line, static_cast<std::uint64_t>(seen.step));
}

TEST(ReadAround, GivesTheLinesAround) {
  std::string text;
  for (int i = 1; i <= 9; ++i) text += "line " + std::to_string(i) + "\n";
  const auto around = [&](std::uint64_t line, std::uint64_t count) {
    return read_around(*trace::memory_source(text), line, count).value();
  };
  EXPECT_EQ(around(5, 1).first_line, 4U);
  EXPECT_EQ(around(5, 1).lines, (std::vector<std::string>{"line 4", "line 5", "line 6"}));
  EXPECT_EQ(around(1, 2).lines.size(), 3U);
  EXPECT_EQ(around(9, 2).lines.size(), 3U);
  EXPECT_EQ(around(3, 0).lines, std::vector<std::string>{"line 3"});
}

}  // namespace
}  // namespace assay::diverge
