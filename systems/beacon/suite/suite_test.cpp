// SPDX-License-Identifier: Apache-2.0
// The fixtures and the switches: what is shared, what is cleared, what is measured then.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "beacon/suite/units.hpp"

namespace beacon::suite {
namespace {

class Suite : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("beacon_suite_" + std::to_string(getpid()));
    settings_.validators = 256 * 38;
    settings_.state_folder = folder_;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Runs the cases once each; the number of validators of the first.
  std::uint64_t run(Fixtures& fixtures, const std::string& unit_name) {
    const std::vector<Unit> units = make_units(settings_);
    for (const Unit& unit : units) {
      if (unit.name != unit_name) continue;
      std::uint64_t validators = 0;
      for (const BenchmarkCase& one : unit.cases) {
        const auto prepared = one.set_up(fixtures);
        EXPECT_TRUE(prepared) << prepared.error().to_text();
        prepared->iteration.prepare();
        prepared->iteration.work();
        if (validators == 0) validators = prepared->validators;
      }
      if (unit.tear_down) unit.tear_down(fixtures);
      return validators;
    }
    ADD_FAILURE() << "no unit " << unit_name;
    return 0;
  }

  std::filesystem::path folder_;
  Settings settings_;
};

TEST_F(Suite, EveryUnitRuns) {
  Fixtures fixtures(settings_);
  ASSERT_TRUE(fixtures.begin());
  std::set<std::string> names;
  for (const Unit& unit : make_units(settings_)) {
    EXPECT_TRUE(names.insert(unit.name).second);
    EXPECT_GT(run(fixtures, unit.name), 0u) << unit.name;
  }
}

TEST_F(Suite, WhatIsClearedComesBackWithoutCaches) {
  settings_.switches.clear_in_teardown = true;
  Fixtures fixtures(settings_);
  ASSERT_TRUE(fixtures.begin());
  EXPECT_TRUE((*fixtures.large())->caches);
  run(fixtures, "set_status");
  EXPECT_TRUE((*fixtures.large())->caches);
  run(fixtures, "state_root");
  EXPECT_FALSE((*fixtures.large())->caches);
  run(fixtures, "process_inactivity_updates");
  EXPECT_FALSE((*fixtures.large())->caches);  // derived in the copies, and lost with them
  run(fixtures, "clones");
  EXPECT_TRUE((*fixtures.large())->caches);
}

TEST_F(Suite, ASmallStateUnderALargeName) {
  settings_.switches.small_under_large = true;
  Fixtures fixtures(settings_);
  ASSERT_TRUE(fixtures.begin());
  EXPECT_EQ(run(fixtures, "process_epoch"), settings_.validators);
  EXPECT_EQ(run(fixtures, "small_state"), 256u);
  EXPECT_EQ(run(fixtures, "process_epoch"), 256u);
}

TEST_F(Suite, WhatIsKept) {
  Fixtures fixtures(settings_);
  ASSERT_TRUE(fixtures.begin());
  EXPECT_EQ(*fixtures.large(), *fixtures.large());
  EXPECT_EQ(*fixtures.small(), *fixtures.small());
  EXPECT_NE(*fixtures.forks(), *fixtures.forks());
  settings_.switches.only_default_cached = settings_.switches.resident_forks = true;
  Fixtures others(settings_);
  EXPECT_NE(*others.small(), *others.small());
  EXPECT_EQ(*others.forks(), *others.forks());
  settings_.switches.release_after_setup = true;
  Fixtures none(settings_);
  EXPECT_NE(*none.large(), *none.large());
  EXPECT_TRUE((*none.large())->caches);
}

TEST_F(Suite, CopiesAsTheSwitchSays) {
  Fixtures fixtures(settings_);
  ASSERT_TRUE(fixtures.begin());
  const auto fixture = *fixtures.large();
  EXPECT_EQ(fixtures.copy(*fixture).caches, fixture->caches);
  settings_.switches.copies = Copies::with_caches;
  EXPECT_NE(fixtures.copy(*fixture).caches, fixture->caches);
  EXPECT_TRUE(fixtures.copy(*fixture).caches);
  settings_.switches.copies = Copies::without_caches;
  EXPECT_FALSE(fixtures.copy(*fixture).caches);
}

TEST_F(Suite, AFileThatIsNoState) {
  Fixtures fixtures(settings_);
  ASSERT_TRUE(fixtures.begin());
  std::ofstream(fixtures.path_of(settings_.validators)) << "no state";
  Fixtures again(settings_);
  const auto begun = again.begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().where, fixtures.path_of(settings_.validators));
  EXPECT_EQ(begun.error().hint, "remove the file: it is made anew");
}

TEST(SuiteSettings, StepsAndWords) {
  std::vector<std::string> words = {"--step=4", "--units=a,b,a", "--benchmark_out=x",
                                    "--validators=4096"};
  const auto settings = take_settings(words);
  ASSERT_TRUE(settings);
  EXPECT_EQ(words, std::vector<std::string>{"--benchmark_out=x"});
  EXPECT_EQ(settings->units, (std::vector<std::string>{"a", "b", "a"}));
  EXPECT_TRUE(settings->switches.clear_in_teardown);
  EXPECT_TRUE(settings->switches.resident_forks);
  EXPECT_EQ(*switches_of_step(0), Switches{});
  for (unsigned step = 1; step <= kSteps; ++step)
    EXPECT_FALSE(*switches_of_step(step) == *switches_of_step(step - 1)) << step;
  for (const std::string bad : {"--step=8", "--step=", "--validators=511", "--validators=500001",
                                "--validators=4k", "--iterations=0", "--clock=sun"}) {
    std::vector<std::string> one = {bad};
    const auto refused = take_settings(one);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().where, bad.substr(0, bad.find('='))) << bad;
  }
}

}  // namespace
}  // namespace beacon::suite
