// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/microbench.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "prover/bench/microbench_kernels.hpp"
#include "prover/field/params.hpp"

namespace prover::bench {
namespace {

const std::vector<Figure> kFigures = {{"product", "bn254 Fq", "gmp", 123.4, 130},
                                      {"product", "bn254 Fq", "portable", 18.26, 19},
                                      {"product", "bn254 Fq", "ifma", 2.299, 2.4},
                                      {"bucket addition", "bn254 G1", "portable", 200, 201}};

TEST(MicrobenchReport, HasARowForEachOperationAndAColumnForEachSet) {
  EXPECT_EQ(microbench_text(kFigures),
            "ns of one, best, one thread            gmp  portable       adx      ifma\n"
            "product, bn254 Fq                      123      18.3         -      2.30\n"
            "bucket addition, bn254 G1                -       200         -         -\n");
}

TEST(MicrobenchReport, IsJson) {
  const auto json = nlohmann::json::parse(microbench_json(kFigures, {}), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["figures"].size(), kFigures.size());
  EXPECT_EQ(json["figures"][2]["by"], "ifma");
  EXPECT_EQ(json["figures"][2]["median_ns"], 2.4);
}

TEST(Microbench, MeasuresWhatThisMachineHas) {
  const auto figures = microbench({.sample_s = 1e-6, .samples = 1});
  ASSERT_TRUE(figures) << figures.error().to_text();
  EXPECT_GE(figures->size(), 4u + 4 + 2);
  for (const Figure& figure : *figures) {
    EXPECT_GT(figure.best_ns, 0) << figure.operation << figure.on << figure.by;
    EXPECT_LE(figure.best_ns, figure.median_ns);
  }
}

TEST(Microbench, StopsWhenTold) {
  int told = 0;
  const auto figures = microbench({.sample_s = 1e-6, .samples = 1, .progress = [&](double) {
                                     ++told;
                                     return false;
                                   }});
  ASSERT_FALSE(figures);
  EXPECT_EQ(figures.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(told, 1);
}

// GMP is compared with only where it computes the same.
TEST(Microbench, GmpMultipliesModuloThePrime) {
  const Gmp gmp;
  if (!gmp.is_there()) GTEST_SKIP() << "no GMP here";
  using F = field::Bls12_381Fq;
  const F a = -F::from_word(5), b = -F::from_word(7);
  const auto x = a.plain(), y = b.plain();
  F::Plain product{};
  gmp.product(product.data(), x.data(), y.data(), F::kModulus);
  EXPECT_EQ(product, (a * b).plain());
}

}  // namespace
}  // namespace prover::bench
