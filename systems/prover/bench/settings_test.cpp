// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/settings.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace prover::bench {
namespace {

const Setting& find(const std::string& name) {
  for (const Setting& setting : settings())
    if (name == setting.name) return setting;
  throw std::out_of_range(name);
}

// Whether it is one of the engine's, which are tested with their table.
bool is_of_engine(const Setting& setting) {
  for (const settings::Row& row : settings::engine_table())
    if (std::string(row.name) == setting.name) return true;
  return false;
}

using Given = std::vector<std::pair<const char*, const char*>>;

BatchOptions with(const Given& given) {
  BatchOptions options;
  for (const auto& [name, value] : given) {
    const auto done = apply(find(name), options, value);
    EXPECT_TRUE(done) << done.error().to_text();
  }
  return options;
}

// Every option of the work is given another value than its default, is echoed, and the echo is read
// back as the same.
void expect_echoes(const Given& given) {
  const BatchOptions options = with(given);
  BatchOptions plain, again;
  plain.load.circuit = again.load.circuit = options.load.circuit;
  std::size_t echoed = 0;
  for (const Setting& setting : settings()) {
    if (setting.effective == nullptr || is_of_engine(setting) || !setting.applies(options))
      continue;
    ++echoed;
    ASSERT_TRUE(apply(setting, again, setting.effective(options))) << setting.name;
    EXPECT_EQ(setting.effective(again), setting.effective(options)) << setting.name;
    if (std::string(setting.name) != "work") {
      EXPECT_NE(setting.effective(options), setting.effective(plain)) << setting.name;
    }
  }
  EXPECT_EQ(echoed, given.size());
}

const Given kSyntheticGiven = {
    {"count", "15"},       {"in-flight", "12"},    {"partitions", "9"},
    {"seed", "77"},        {"synth-ms", "12.5"},   {"prove-ms", "7"},
    {"finish-ms", "0.25"}, {"cv", "0.5"},          {"synth-cpu", "1"},
    {"prove-cpu", "0.75"}, {"partition-mib", "3"}, {"inject", "synth=+20%,prove=-5%"},
    {"witness-mib", "1"},  {"srs-mib", "0"},       {"work", "synthetic"}};

TEST(Settings, WhatIsEchoedIsReadBackAsTheSame) {
  const Given load = {{"count", "15"},
                      {"in-flight", "12"},
                      {"partitions", "9"},
                      {"seed", "77"},
                      {"curve", "bls12-381"}};
  const auto of = [&](const char* work, Given own) {
    own.insert(own.end(), load.begin(), load.end());
    own.emplace_back("work", work);
    return own;
  };
  expect_echoes(kSyntheticGiven);
  expect_echoes(of("dense", {{"constraints", "100"}}));
  expect_echoes(of("poseidon", {{"constraints", "900"}, {"depth", "3"}}));
  expect_echoes(of("sha256", {{"bits", "8"}}));
  expect_echoes(of("porep", {{"depth", "2"}, {"challenges", "3"}}));
}

TEST(Settings, OfSyntheticWorkReachIt) {
  const BatchOptions options = with(kSyntheticGiven);
  EXPECT_DOUBLE_EQ(options.load.synthetic.synth.factor, 1.2);
  EXPECT_DOUBLE_EQ(options.load.synthetic.start.factor, 0.95);
  EXPECT_DOUBLE_EQ(options.load.synthetic.finish.cpu, 0.75);
}

TEST(Settings, EachCommandHasItsOwn) {
  const struct {
    const char* name;
    Commands commands;
  } cases[] = {
      {"count", only(Command::batch) | only(Command::loop)},
      {"in-flight", only(Command::batch)},
      {"partitions", kEach},
      {"memory-budget", kThroughEngine},
      {"synth-ms", kThroughEngine | only(Command::loop)},
      {"compiled", kEach},
      {"window", kEach & ~only(Command::synth)},
      {"timeline", kThroughEngine},
      {"json", kEach},
  };
  for (const auto& one : cases) EXPECT_EQ(find(one.name).commands, one.commands) << one.name;
}

TEST(Settings, DefaultsAreReadBackToo) {
  for (const Setting& setting : settings()) {
    if (setting.effective == nullptr) continue;
    BatchOptions options;
    EXPECT_TRUE(apply(setting, options, setting.effective(BatchOptions{}))) << setting.name;
  }
}

TEST(Settings, BadValuesNameTheOptionAndTheWayOut) {
  const struct {
    const char* name;
    const char* value;
    const char* text;
  } cases[] = {
      {"count", "0", "--count 0: 0 is out of range\n  give a number from 1 to 1000000"},
      {"count", "x", "--count x: 'x' is no whole number\n  give a number from 1 to 1000000"},
      {"channel", "0",
       "--channel 0: 0 is out of range\n  give a number from 1 to 1048576, or auto"},
      {"order", "lifo",
       "--order lifo: 'lifo' is neither priority nor fifo\n  did you mean 'fifo'?"},
      {"early-free", "yes", "--early-free yes: 'yes' is neither on nor off"},
      {"memory-budget", "4GB",
       "--memory-budget 4GB: 'GB' is no unit of a size\n  sizes are in B, KiB, MiB, GiB or TiB: "
       "powers of two, so that nobody has to guess"},
      {"synth-cpu", "1.5", "--synth-cpu 1.5: 1.5 is out of range\n  give a number from 0 to 1"},
      {"inject", "gpu=+10%",
       "--inject gpu=+10%: 'gpu=+10%' is no slow-down\n  write synth=+20%, prove=-5% or "
       "finish=+10%, with commas between several"},
      {"timeline", "", "--timeline : a file is needed\n  - is standard output"},
  };
  for (const auto& one : cases) {
    BatchOptions options;
    const auto done = apply(find(one.name), options, one.value);
    ASSERT_FALSE(done) << one.text;
    EXPECT_EQ(done.error().to_text(), one.text);
    EXPECT_EQ(done.error().kind, ErrorKind::usage);
  }
  BatchOptions options;
  for (const char* bad :
       {"synth", "synth=", "synth=20", "synth=%", "synth=+x%", "", ",", "synth=+1%,"})
    EXPECT_FALSE(apply(find("inject"), options, bad)) << bad;
}

TEST(Settings, NamesAreUniqueAndTheReadmeHasThemAll) {
  std::ifstream file(PROVER_README);
  std::stringstream readme;
  readme << file.rdbuf();
  ASSERT_FALSE(readme.str().empty());
  std::set<std::string> names;
  for (const Setting& setting : settings()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_NE(readme.str().find("`--" + std::string(setting.name)), std::string::npos)
        << "README.md does not explain --" << setting.name;
  }
}

}  // namespace
}  // namespace prover::bench
