// SPDX-License-Identifier: Apache-2.0
#include "prover/settings/engine_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace prover::settings {
namespace {

// A value of each option that is not its default.
const std::map<std::string, std::string> kOther = {
    {"partition-workers", "6"},
    {"prove-workers", "2"},
    {"prove-threads", "3"},
    {"synthesis-jobs", "2"},
    {"slots", "7"},
    {"lookahead", "3"},
    {"channel", "5"},
    {"order", "fifo"},
    {"permit-scope", "synthesis"},
    {"split", "off"},
    {"early-free", "off"},
    {"async-free", "on"},
    {"batch", "2"},
    {"batch-wait", "30"},
    {"srs", "per-job"},
    {"memory-budget", "4GiB"},
    {"log-sink", "async"},
    {"compiled", "off"},
    {"lc-pool", "off"},
    {"lc-inline", "2"},
    {"presize", "off"},
    {"pin", "on"},
    {"g2", "parallel"},
    {"window", "9"},
};

TEST(EngineTable, WhatIsEchoedIsReadBackAsTheSame) {
  EngineSettings given;
  for (const Row& row : engine_table()) {
    const auto done = row.set(given, kOther.at(row.name));
    ASSERT_TRUE(done) << row.name << ": " << done.error().to_text();
  }
  EngineSettings again;
  for (const Row& row : engine_table()) {
    EXPECT_NE(row.effective(given), row.effective(EngineSettings{})) << row.name;
    ASSERT_TRUE(row.set(again, row.effective(given))) << row.name;
    EXPECT_EQ(row.effective(again), row.effective(given)) << row.name;
  }
  EXPECT_EQ(engine_table().size(), kOther.size());
  EXPECT_EQ(*again.engine.memory_budget, 4ull << 30);
}

TEST(EngineTable, RefusesWhatItDoesNotKnow) {
  const std::map<std::string, std::string> bad = {
      {"lc-inline", "3"}, {"pin", "yes"},         {"window", "1"},    {"slots", "0"},
      {"batch", "0"},     {"log-sink", "syslog"}, {"channel", "all"}, {"memory-budget", "1XB"}};
  for (const Row& row : engine_table()) {
    const auto found = bad.find(row.name);
    if (found == bad.end()) continue;
    EngineSettings settings;
    const auto done = row.set(settings, found->second);
    ASSERT_FALSE(done) << row.name;
    EXPECT_EQ(done.error().kind, ErrorKind::usage) << row.name;
    EXPECT_FALSE(done.error().hint.empty() && done.error().what.empty()) << row.name;
  }
}

}  // namespace
}  // namespace prover::settings
