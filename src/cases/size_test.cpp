// SPDX-License-Identifier: Apache-2.0
#include "cases/size.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::cases {
namespace {

struct SizeCase {
  const char* text;
  Quantity quantity;
  double lo, hi;
  const char* printed;
};

TEST(Size, ReadsWhatPeopleWrite) {
  constexpr double kMi = 1024.0 * 1024, kGi = kMi * 1024;
  const SizeCase cases[] = {
      {"2-5 ms x 10 partitions", Quantity::seconds, 0.02, 0.05, "20.0 to 50.0 ms"},
      {"2 - 5ms", Quantity::seconds, 0.002, 0.005, "2.00 to 5.00 ms"},
      {"2 to 5 us x 3 x 2 jobs", Quantity::seconds, 12e-6, 30e-6, "12.0 to 30.0 us"},
      {"2\u20135 \u00b5s \u00d7 10", Quantity::seconds, 20e-6, 50e-6, "20.0 to 50.0 us"},
      {"40..60MiB", Quantity::bytes, 40 * kMi, 60 * kMi, "40.0 to 60.0 MiB"},
      {"3-4 GiB", Quantity::bytes, 3 * kGi, 4 * kGi, "3.00 to 4.00 GiB"},
      {"900 MiB..1.5 GiB", Quantity::bytes, 900 * kMi, 1.5 * kGi, "0.88 to 1.50 GiB"},
      {"+3%..+5%", Quantity::fraction, 0.03, 0.05, "+3.0 to +5.0 %"},
      {"3 % - 5 %", Quantity::fraction, 0.03, 0.05, "+3.0 to +5.0 %"},
      {"-5..-3 %", Quantity::fraction, -0.05, -0.03, "-5.0 to -3.0 %"},
      {"0.2 s", Quantity::seconds, 0.1, 0.4, "100 to 400 ms"},
      {"about 0.2 s", Quantity::seconds, 0.1, 0.4, "100 to 400 ms"},
      {"-4 ms", Quantity::seconds, -0.008, -0.002, "-8.00 to -2.00 ms"},
      {"at least 1 GiB", Quantity::bytes, kGi, HUGE_VAL, "1.00 GiB or more"},
      {"0-5 ms", Quantity::seconds, 0, 0.005, "0 to 5.00 ms"},
      {"1-2 min", Quantity::seconds, 60, 120, "60 to 120 s"}};
  for (const SizeCase& c : cases) {
    const auto size = parse_size(c.text);
    ASSERT_TRUE(size) << c.text << ": " << size.error().what << " at " << size.error().offset;
    EXPECT_EQ(size->quantity, c.quantity) << c.text;
    EXPECT_DOUBLE_EQ(size->lo, c.lo) << c.text;
    EXPECT_DOUBLE_EQ(size->hi, c.hi) << c.text;
    EXPECT_EQ(to_text(*size), c.printed) << c.text;
  }
  const auto gap = parse_size("12 ms", OneNumber::exact);
  ASSERT_TRUE(gap);
  EXPECT_DOUBLE_EQ(gap->lo, 0.012);
  EXPECT_DOUBLE_EQ(gap->hi, 0.012);
  EXPECT_EQ(to_text(*gap), "12.0 ms");
}

TEST(Size, ReadsShapes) {
  const std::pair<const char*, ShapeClaim> cases[] = {
      {"falls with cap", {ShapeWord::falls, "cap", ""}},
      {" rises with  cap ", {ShapeWord::rises, "cap", ""}},
      {"step at 4", {ShapeWord::step, "", "4"}},
      {"step at cap=4", {ShapeWord::step, "cap", "4"}},
      {"flat", {ShapeWord::flat, "", ""}},
      {"flat over cap", {ShapeWord::flat, "cap", ""}},
      {"falls", {ShapeWord::falls, "", ""}}};
  for (const auto& [text, claim] : cases) {
    const auto found = parse_prediction(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(*found, Prediction(claim)) << text;
    EXPECT_EQ(*parse_prediction(to_text(*found)), *found) << text;
  }
}

struct BadSize {
  const char* text;
  std::size_t offset;
  const char* what;
};

TEST(Size, PointsAtWhatDoesNotFit) {
  const BadSize cases[] = {{"", 0, "nothing is predicted"},
                           {"soon", 0, "there is no number here"},
                           {"2-5", 3, "the unit is missing"},
                           {"2 ms-5", 6, "the unit is missing"},
                           {"5-2 ms", 2, "the range runs backwards"},
                           {"2-5 parsecs", 4, "'parsecs' is no unit of time or memory"},
                           {"2 ms..5 MiB", 6, "one end is a time and the other is not"},
                           {"2-5 ms 10", 7, "this does not belong to a size"},
                           {"2-5 ms x", 8, "a number is missing"},
                           {"2-5 ms x 0 jobs", 9, "something is multiplied by zero"},
                           {"2-5 ms x 10 jobs!", 16, "this does not belong to a size"},
                           {"0 ms", 0, "a size of zero predicts nothing; the shape is \"flat\""},
                           {"1e999 ms", 1, "'e' is no unit of time or memory"},
                           {"falls with", 10, "the name of a parameter is missing"},
                           {"falls with cap size", 10, "one word is expected behind it"},
                           {"step at", 7, "a step needs its level"},
                           {"at least 2-5 ms", 10, "'at least' goes with one number"}};
  for (const BadSize& c : cases) {
    const auto found = parse_prediction(c.text);
    ASSERT_FALSE(found) << c.text;
    EXPECT_EQ(found.error().what, c.what) << c.text;
    EXPECT_EQ(found.error().offset, c.offset) << c.text;
    EXPECT_FALSE(found.error().hint.empty()) << c.text;
  }
}

TEST(Size, PrintsInOneUnit) {
  EXPECT_EQ(signed_text(0.031, Quantity::seconds), "+31.0 ms");
  EXPECT_EQ(signed_text(-4.0 * 1024 * 1024, Quantity::bytes), "-4.00 MiB");
  EXPECT_EQ(signed_text(0.0312, Quantity::fraction), "+3.1 %");
  EXPECT_EQ(signed_text(0, Quantity::seconds), "0 ns");
  EXPECT_EQ(plain_text(0.0031, Quantity::seconds), "3.10 ms");
}

}  // namespace
}  // namespace assay::cases
