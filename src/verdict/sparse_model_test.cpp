// SPDX-License-Identifier: Apache-2.0
#include "verdict/sparse_model.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "base/random.hpp"

namespace assay::verdict {
namespace {

constexpr double kNoise = 0.01;

struct Cause {
  SparseTerm term;
  double effect = 0;
};

double truth(const std::vector<Cause>& causes, std::uint32_t configuration) {
  double sum = 0;
  for (const Cause& cause : causes) sum += cause.term.is_on(configuration) ? cause.effect : 0;
  return sum;
}

// `rounds` full factorials over k changes, each with a level of its own.
SparseModel measured(unsigned k, const std::vector<Cause>& causes, std::uint32_t rounds,
                     std::uint64_t seed, Nuisance nuisance = Nuisance::rounds) {
  SparseModel model(k, {.nuisance = nuisance});
  Random random(seed);
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::uint32_t c = 0; c < (1u << k); ++c)
      model.add(c, -3 + 0.05 * round + truth(causes, c) + kNoise * random.normal(), round);
  model.solve();
  return model;
}

std::set<std::pair<std::uint32_t, bool>> terms_in(const SparseModel& model) {
  std::set<std::pair<std::uint32_t, bool>> in;
  const auto& found = model.posterior();
  for (std::size_t t = 0; t < found.terms.size(); ++t)
    if (model.state(t) == TermState::in) in.insert({found.terms[t].changes, found.terms[t].either});
  return in;
}

TEST(SparseTerms, AreAloneThenAndThenOr) {
  const auto terms = sparse_terms(3);
  ASSERT_EQ(terms.size(), 9u);
  EXPECT_EQ(terms[0], (SparseTerm{1, false}));
  EXPECT_EQ(terms[3], (SparseTerm{3, false}));
  EXPECT_EQ(terms[8], (SparseTerm{6, true}));
  EXPECT_TRUE(terms[8].is_on(2));
  EXPECT_FALSE(terms[5].is_on(2));
  EXPECT_TRUE(terms[5].is_on(6));
}

TEST(SparseModel, NamesWhatWasPlanted) {
  struct Case {
    const char* what;
    unsigned k;
    std::vector<Cause> causes;
  };
  const Case cases[] = {
      {"one", 4, {{{4, false}, 0.04}}},
      {"AND", 4, {{{5, false}, 0.06}}},
      {"OR", 4, {{{5, true}, 0.05}}},
      {"two", 5, {{{1, false}, 0.03}, {{16, false}, 0.03}}},
      {"one helps", 5, {{{2, false}, 0.05}, {{8, false}, -0.03}, {{17, false}, 0.05}}},
      {"five, beyond what is visited all",
       6,
       {{{1, false}, 0.05},
        {{2, false}, -0.04},
        {{4, false}, 0.06},
        {{8, false}, 0.05},
        {{48, false}, 0.07}}},
      {"large", 4, {{{3, false}, 0.5}}},
      {"nothing", 5, {}},
  };
  for (const Case& c : cases) {
    const SparseModel model = measured(c.k, c.causes, 3, 7);
    std::set<std::pair<std::uint32_t, bool>> wanted;
    for (const Cause& cause : c.causes) wanted.insert({cause.term.changes, cause.term.either});
    EXPECT_EQ(terms_in(model), wanted) << c.what;
    const auto& found = model.posterior();
    for (std::size_t t = 0; t < found.terms.size(); ++t)
      for (const Cause& cause : c.causes)
        if (found.terms[t] == cause.term) {
          EXPECT_NEAR(found.effect[t], cause.effect, 0.01) << c.what;
          const Estimate range = found.interval(found.effect[t], found.sd[t]);
          EXPECT_LT(*range.lo, cause.effect) << c.what;
          EXPECT_GT(*range.hi, cause.effect) << c.what;
        }
    EXPECT_NEAR(found.sigma, kNoise, 0.004) << c.what;
  }
}

TEST(SparseModel, OutliersDoNotHideTheCause) {
  int right = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SparseModel model(4, {});
    Random random(seed);
    for (std::uint32_t round = 0; round < 4; ++round)
      for (std::uint32_t c = 0; c < 16; ++c) {
        const double outlier = random.uniform() < 0.06 ? 0.3 + 0.5 * random.uniform() : 0;
        model.add(c, truth({{{6, false}, 0.05}}, c) + outlier + kNoise * random.normal(), round);
      }
    model.solve();
    right += terms_in(model) == std::set<std::pair<std::uint32_t, bool>>{{6, false}};
  }
  EXPECT_GE(right, 19);
}

TEST(SparseModel, ATrendIsNoCause) {
  SparseModel model(4, {.nuisance = Nuisance::trend});
  Random random(3);
  // Changes 0 and 1 are on mostly late, while the machine slows down by a third.
  for (int i = 0; i < 60; ++i) {
    const auto c = static_cast<std::uint32_t>(
        random.below(4) << 2 | (random.below(60) < static_cast<std::uint64_t>(i) ? 3 : 0));
    model.add(c, 0.005 * i + kNoise * random.normal(), 0);
  }
  model.solve();
  EXPECT_TRUE(terms_in(model).empty());
}

TEST(SparseModel, DeterministicValuesAreFine) {
  SparseModel model(3, {});
  for (std::uint32_t c = 0; c < 8; ++c) model.add(c, 1, 0);
  model.solve();
  EXPECT_TRUE(terms_in(model).empty());
  SparseModel exact(3, {});
  for (std::uint32_t round = 0; round < 2; ++round)
    for (std::uint32_t c = 0; c < 8; ++c) exact.add(c, c == 7 || c == 3 ? 0.1 : 0, round);
  exact.solve();
  EXPECT_EQ(terms_in(exact), (std::set<std::pair<std::uint32_t, bool>>{{3, false}}));
}

TEST(SparseModel, WhatAliasesIsNotNamed) {
  SparseModel model(5, {});  // all on and all off only: nothing tells the changes apart
  Random random(1);
  for (int i = 0; i < 24; ++i)
    model.add(i % 2 ? 31 : 0, (i % 2 ? 0.05 : 0) + kNoise * random.normal(), 0);
  model.solve();
  EXPECT_TRUE(terms_in(model).empty());
  EXPECT_FALSE(model.is_settled());
  EXPECT_GT(model.posterior().contrast(31, 0).value, 0.03);
}

TEST(SparseModel, AContrastOfConfigurationsCoversTheTruth) {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::vector<Cause> causes = {{{1, false}, 0.06}, {{6, false}, -0.05}};
    const SparseModel model = measured(4, causes, 2, seed);
    const auto contrast = model.posterior().contrast(15, 0);
    const Estimate range = model.posterior().interval(contrast.value, contrast.sd);
    covered += *range.lo <= 0.01 && *range.hi >= 0.01;
  }
  EXPECT_GE(covered, 95);
}

// A model by brute force: the weight of every set of up to two terms by its own regression agrees
// with the search's.
TEST(SparseModel, SearchAgreesWithItself) {
  SparseSums sums{.terms = 4, .gram = {}, .xy = {1, 2, -1, 0.5}, .yy = 9, .freedom = 20};
  Random random(5);
  std::vector<double> factor(16);
  for (double& x : factor) x = random.normal();
  sums.gram.assign(16, 0);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int l = 0; l < 4; ++l) sums.gram[i * 4 + j] += factor[i * 4 + l] * factor[j * 4 + l];
  const std::vector<double> odds(4, -1.0);
  const std::vector<std::vector<bool>> excludes(4, std::vector<bool>(4, false));
  const auto all = search_models(sums, odds, excludes, {.exhaustive = 4});
  const auto beam = search_models(sums, odds, excludes, {.exhaustive = 1, .beam = 100});
  ASSERT_EQ(all.size(), 16u);
  ASSERT_EQ(beam.size(), 16u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].set, beam[i].set);
    EXPECT_NEAR(all[i].weight, beam[i].weight, 1e-9);
    EXPECT_NEAR(all[i].rss, beam[i].rss, 1e-9);
  }
}

TEST(SparseModel, InformationSplitsTheHypotheses) {
  SparseModel model(4, {.nuisance = Nuisance::trend});
  Random random(2);
  for (int i = 0; i < 24; ++i)
    model.add(i % 2 ? 15 : 0, (i % 2 ? 0.05 : 0) + kNoise * random.normal(), 0);
  const auto known = information(model.solve(), 4);
  ASSERT_EQ(known.size(), 16u);
  // What was run already tells least; half of the changes on tells more than one of them.
  EXPECT_LT(known[0], known[3]);
  EXPECT_LT(known[15], known[3]);
  EXPECT_LT(known[1], known[3]);
}

TEST(SparseModel, RunsNeededGrowWithTheNoise) {
  const auto needed = [](double noise) {
    SparseModel model(4, {});
    model.expect_something();
    Random random(4);
    for (std::uint32_t round = 0; round < 2; ++round)
      for (std::uint32_t c = 0; c < 16; ++c)
        model.add(c, truth({{{1, false}, 0.05}}, c) + noise * random.normal(), round);
    model.solve();
    return model.runs_needed();
  };
  EXPECT_EQ(needed(0.001), 32u);
  EXPECT_GT(needed(0.06), 40u);
}

}  // namespace
}  // namespace assay::verdict
