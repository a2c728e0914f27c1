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

}  // namespace
}  // namespace assay::attribution
