// SPDX-License-Identifier: Apache-2.0
#include "attribution/counterfactual.hpp"

#include <gtest/gtest.h>

#include "tests/support/traces.hpp"

namespace assay::attribution {
namespace {

RunModel modelled(const std::vector<testing::SimStage>& stages) {
  const trace::Trace run = testing::trace_of(stages, testing::simulate(stages));
  const auto pipeline = build_pipeline(run);
  EXPECT_TRUE(pipeline);
  auto model = model_of(*pipeline, run);
  EXPECT_TRUE(model) << model.error().to_text();
  return model ? *model : RunModel();
}

std::string names(const Game& game) {
  std::string text;
  for (const Factor& factor : game.factors()) text += (text.empty() ? "" : ", ") + factor.name;
  return text;
}

TEST(Game, OnlyWhatDiffersIsAFactorAndServicesAlways) {
  struct Case {
    const char* expected;
    std::function<void(RunModel&)> change;
  };
  const std::vector<Case> cases = {
      {"synth.service, gpu.service", [](RunModel&) {}},
      {"synth.service, gpu.service, workers of synth",
       [](RunModel& m) { m.stages[0].servers = m.stages[0].permits = 8; }},
      {"synth.service, gpu.service, workers of synth, permits of synth",
       [](RunModel& m) { m.stages[0].servers = 8, m.stages[0].permits = 7; }},
      {"synth.service, gpu.service, permits of synth",
       [](RunModel& m) { m.stages[0].permits = 4; }},
      {"synth.service, gpu.service, workers of gpu, capacity of gpu",
       [](RunModel& m) { m.stages[1].servers = 2, m.stages[1].capacity = 9; }},
      {"synth.service, gpu.service, permit scope of synth",
       [](RunModel& m) { m.stages[0].permit_through_send = false; }},
      {"synth.service, gpu.service, order", [](RunModel& m) { m.stages[1].by_order = true; }},
      {"synth.service, gpu.service, arrivals",
       [](RunModel& m) { m.source.arrival.assign(m.keys.size(), 5); }},
      // A few neighbours changed places, as threads do: no factor.
      {"synth.service, gpu.service", [](RunModel& m) { std::swap(m.keys[3], m.keys[5]); }},
      {"synth.service, gpu.service, order", [](RunModel& m) { std::swap(m.keys[3], m.keys[25]); }},
      {"synth.service, gpu.service, items",
       [](RunModel& m) {
         m.keys.pop_back();
         for (auto& column : m.services) column.pop_back();
       }},
  };
  const RunModel a = modelled(testing::two_stages(60, 5, 3, 1));
  for (const Case& c : cases) {
    RunModel b = a;
    c.change(b);
    for (const bool swapped : {false, true}) {
      const auto game = swapped ? Game::make(b, a) : Game::make(a, b);
      ASSERT_TRUE(game);
      EXPECT_EQ(names(*game), c.expected);
    }
  }
}

TEST(Game, WithNothingAndWithEverythingItIsTheRuns) {
  const RunModel a = modelled(testing::two_stages(100, 5, 3, 1));
  auto changed = testing::two_stages(100, 8, 1, 2);
  changed[0].service_s = testing::scaled(changed[0].service_s, 1.3);
  const RunModel b = modelled(changed);
  auto game = Game::make(a, b);
  ASSERT_TRUE(game);
  const std::uint64_t all = (std::uint64_t{1} << game->factors().size()) - 1;
  EXPECT_NEAR(game->worth(0), double(a.measured) * 1e-9, 1e-6);
  EXPECT_NEAR(game->worth(all), double(b.measured) * 1e-9, 1e-6);
  auto back = Game::make(b, a);
  ASSERT_TRUE(back);
  for (std::uint64_t set = 0; set <= all; ++set)
    EXPECT_EQ(game->worth(set), back->worth(all ^ set));
  // Resampled, and back.
  Random random(1);
  game->resample(random, 5);
  EXPECT_NE(game->worth(0), double(a.measured) * 1e-9);
  game->restore();
  EXPECT_NEAR(game->worth(0), double(a.measured) * 1e-9, 1e-6);
}

TEST(Game, ItemsAreMatchedByKeyElseByPlace) {
  using Keys = std::vector<std::string>;
  const auto some = match_items(Keys{"a", "b", "c"}, Keys{"c", "a", "d"});
  EXPECT_TRUE(some.by_key);
  EXPECT_EQ(some.a, (std::vector<std::uint32_t>{0, 1, 2, kNone}));
  EXPECT_EQ(some.b, (std::vector<std::uint32_t>{1, kNone, 0, 2}));
  EXPECT_NEAR(some.share, 2.0 / 3, 1e-12);
  const auto none = match_items(Keys{"a", "b"}, Keys{"x", "y"});
  EXPECT_FALSE(none.by_key);
  EXPECT_EQ(none.b, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(none.share, 0);
  const auto other = match_items(Keys{"a"}, Keys{"x", "y"});
  EXPECT_TRUE(other.by_key) << "other numbers cannot be matched by place";
  EXPECT_EQ(other.common, 0u);
}

TEST(Game, AnItemOfOneSideTakesTheQuantileOfTheOther) {
  RunModel a;
  a.stage_names = {"work"};
  a.stages.resize(1);
  a.columns = {{0, 0, "work"}};
  a.keys = {"a", "b", "c"};
  a.services = {{10, 20, 30}};
  RunModel b = a;
  b.keys = {"a", "b", "c", "d"};
  b.services = {{100, 200, 300, 400}};  // d is the slowest of B: the slowest of A
  const auto game = Game::make(a, b);
  ASSERT_TRUE(game);
  EXPECT_EQ(names(*game), "work.service, items");
  Game g = *game;
  EXPECT_NEAR(g.worth(0), 60e-9, 1e-15);
  EXPECT_NEAR(g.worth(1), 600e-9, 1e-15);
  EXPECT_NEAR(g.worth(2), 90e-9, 1e-15);  // A's services, B's items
  EXPECT_NEAR(g.worth(3), 1000e-9, 1e-15);
}

TEST(Game, OtherStagesAreRefused) {
  const RunModel a = modelled(testing::two_stages(20, 5, 3, 1));
  RunModel b = a;
  b.stage_names[1] = "cpu";
  const auto game = Game::make(a, b);
  ASSERT_FALSE(game);
  EXPECT_EQ(game.error().what, "the stages differ: synth, gpu and synth, cpu");
}

// What a slower service costs beside hand-overs is what running it slower costs.
TEST(Game, HandOversAreAFactorOfTheirOwn) {
  auto stages = testing::two_stages(60, 5, 3, 1);
  stages[1].hand_over_s = testing::lognormal(60, .8, .5, 7);
  const RunModel a = modelled(stages);
  auto slower = stages;
  slower[1].service_s = testing::scaled(stages[1].service_s, 1.1);
  auto both = slower;
  both[1].hand_over_s = testing::scaled(stages[1].hand_over_s, 1.5);
  const RunModel b = modelled(both);
  auto game = Game::make(a, b);
  ASSERT_TRUE(game);
  EXPECT_EQ(names(*game), "synth.service, gpu.service, hand-over of gpu");
  EXPECT_NEAR(game->worth(0b010), double(modelled(slower).measured) * 1e-9, 1e-6);
  EXPECT_NEAR(game->worth(0b110), double(b.measured) * 1e-9, 1e-6);
  // Only one side's log shows any: the other has none.
  const RunModel none = modelled(testing::two_stages(60, 5, 3, 1));
  auto one = Game::make(none, a);
  ASSERT_TRUE(one);
  EXPECT_EQ(names(*one), "synth.service, gpu.service, hand-over of gpu");
  EXPECT_NEAR(one->worth(0b100), double(a.measured) * 1e-9, 1e-6);
}

TEST(Game, ManyFactorsFoldTheHandOvers) {
  const auto stages = testing::two_stages(60, 5, 3, 1);
  RunModel a = modelled(stages);
  a.hand_over.assign(2, std::vector<Nanos>(60, 1'000));
  a.send_delay[0].assign(60, 1'000);
  RunModel b = a;
  b.stages[0].servers = 8, b.stages[0].permits = 7, b.stages[0].permit_through_send = false;
  b.stages[1].servers = 2, b.stages[1].capacity = 9, b.stages[1].by_order = true;
  for (auto& column : b.hand_over) column.assign(60, 2'000'000'000);
  auto game = Game::make(a, b);
  ASSERT_TRUE(game);
  EXPECT_EQ(names(*game),
            "synth.service, gpu.service, hand-overs, workers of synth, permits of synth, permit "
            "scope of synth, workers of gpu, capacity of gpu, order");
  EXPECT_GT(game->worth(0b100), game->worth(0) + 60);
}

}  // namespace
}  // namespace assay::attribution
