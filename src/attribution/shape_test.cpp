// SPDX-License-Identifier: Apache-2.0
#include "attribution/shape.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "tests/support/traces.hpp"

namespace assay::attribution {
namespace {

using testing::lognormal;
using testing::scaled;

std::vector<double> with_some(std::vector<double> values, double share, double factor,
                              std::uint64_t seed) {
  Random random(seed);
  for (double& value : values)
    if (random.uniform() < share) value *= factor;
  return values;
}

TEST(Shape, OfChangesWithAKnownCause) {
  struct Case {
    const char* name;
    std::vector<double> a, b;
    Shape shape;
  };
  const auto base = lognormal(400, 7, .1, 1), other = lognormal(400, 7, .1, 2);
  const Case cases[] = {
      {"the same values", base, base, Shape::same},
      {"another sample", base, other, Shape::same},
      {"all 10 % slower", base, scaled(other, 1.1), Shape::shift},
      {"all 20 % faster", base, scaled(other, .8), Shape::shift},
      {"the slowest twentieth half as slow again", base, with_some(other, .06, 1.5, 3),
       Shape::tail},
      {"a third takes twice as long", base, with_some(other, .33, 2, 4), Shape::mode},
      {"the second group is gone", with_some(base, .33, 2, 5), other, Shape::mode},
      {"the second group grew", with_some(base, .2, 2, 5), with_some(other, .5, 2, 6), Shape::mode},
      {"wide, and the same", lognormal(400, 7, .8, 7), lognormal(400, 7, .8, 8), Shape::same},
      {"nothing", {}, {}, Shape::same},
      {"few, all slower", lognormal(10, 7, .02, 9), lognormal(10, 8, .02, 10), Shape::shift},
      {"constants", std::vector<double>(50, 1.0), std::vector<double>(50, 1.2), Shape::shift},
      {"zeros", std::vector<double>(50, 0.0), std::vector<double>(50, 0.0), Shape::same}};
  for (const Case& c : cases) {
    const ShapeFound found = shape_of(distribution_of(c.a), distribution_of(c.b));
    EXPECT_EQ(to_word(found.shape), to_word(c.shape)) << c.name << ": " << found.sentence;
    if (c.shape != Shape::same) {
      EXPECT_FALSE(found.sentence.empty()) << c.name;
    }
  }
}

TEST(Shape, SentencesGiveTheSize) {
  const auto base = lognormal(400, 7, .1, 1);
  EXPECT_EQ(shape_of(distribution_of(base), distribution_of(scaled(base, 1.09))).sentence,
            "all of them slower by about 9 %");
  EXPECT_EQ(shape_of(distribution_of(base), distribution_of(scaled(base, .75))).sentence,
            "all of them faster by about 25 %");
}

// Two samples of one distribution are SAME nearly always, whatever its form.
TEST(Shape, RarelyFindsWhatIsNotThere) {
  for (const double cv : {.02, .15, .6}) {
    for (const std::size_t n : {30UL, 150UL, 1000UL}) {
      std::size_t found = 0;
      constexpr std::size_t kPairs = 200;
      for (std::uint64_t seed = 1; seed <= kPairs; ++seed) {
        const auto shape = shape_of(distribution_of(lognormal(n, 1, cv, seed)),
                                    distribution_of(lognormal(n, 1, cv, seed + 1000)));
        found += shape.shape != Shape::same ? 1 : 0;
      }
      EXPECT_LE(found, kPairs / 20) << "cv " << cv << ", n " << n;
    }
  }
}

// The word agrees with the interval that stands beside it.
TEST(Shape, AgreesWithTheIntervalOfTheMean) {
  const auto base = lognormal(80, 7, .1, 1), other = lognormal(80, 7, .1, 2);
  // Few and wide: the quantiles allow no word, the items' own differences do.
  const auto wide = lognormal(25, 1, .9, 3);
  const double mean = distribution_of(wide).mean;
  struct Case {
    const char* name;
    std::vector<double> a, b;
    MeanChange mean;
    Shape shape;
    const char* sentence;
  };
  const Case cases[] = {
      {"excludes 0",
       wide,
       scaled(wide, 1.28),
       {.28 * mean, .2, .36},
       Shape::shift,
       "slower by about 28 % in the mean"},
      {"excludes 0, faster",
       wide,
       scaled(wide, .8),
       {-.2 * mean, -.3, -.1},
       Shape::shift,
       "faster by about 20 % in the mean"},
      {"excludes 0 by less than a percent", base, base, {.03, .01, .05}, Shape::same, ""},
      {"contains 0", base, other, {.1, -.3, .5}, Shape::same, ""},
      {"contains 0, and all of them moved",
       base,
       scaled(base, 1.5),
       {3.5, -1, 8},
       Shape::shift,
       "all of them slower by about 50 %"},
      {"no interval",
       base,
       scaled(base, 1.5),
       {3.5, {}, {}},
       Shape::shift,
       "all of them slower by about 50 %"},
      {"from nothing",
       std::vector<double>(50, 0.0),
       with_some(std::vector<double>(50, 0.0), 0, 1, 1),
       {.1, .05, .15},
       Shape::shift,
       "from nothing to 0 s in the mean"}};
  for (const Case& c : cases) {
    const ShapeFound found = shape_of(distribution_of(c.a), distribution_of(c.b), c.mean);
    EXPECT_EQ(to_word(found.shape), to_word(c.shape)) << c.name << ": " << found.sentence;
    EXPECT_EQ(found.sentence, c.sentence) << c.name;
  }
}

// Six of eighty far away are a handful, not a group that the other side lacks for certain; values
// that thin out are no group at all.
TEST(Shape, AGroupNeedsItemsAndAGap) {
  std::vector<double> base(80, 0), few, many, slope;
  for (std::size_t i = 0; i < base.size(); ++i) base[i] = 80 + 20 * static_cast<double>(i % 3);
  few = many = slope = base;
  for (std::size_t i = 0; i < 20; ++i) {
    if (i < 7) few[4 * i] = 470 + static_cast<double>(i);
    many[4 * i] = 470 + static_cast<double>(i);
    slope[4 * i] = 120 + 30 * static_cast<double>(i);
  }
  const auto shape = [&](const std::vector<double>& b) {
    return to_word(shape_of(distribution_of(base), distribution_of(b)).shape);
  };
  EXPECT_NE(shape(few), "MODE");
  EXPECT_EQ(shape(many), "MODE");
  EXPECT_NE(shape(slope), "MODE");
}

}  // namespace
}  // namespace assay::attribution
