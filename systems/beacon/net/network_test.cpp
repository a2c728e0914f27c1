// SPDX-License-Identifier: Apache-2.0
#include "beacon/net/network.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace beacon::net {
namespace {

// Reports by slot.
std::map<spec::Slot, std::vector<Report>> run(const NetworkRequest& request) {
  std::map<spec::Slot, std::vector<Report>> reports;
  const auto done = run_network(request, [&](const Report& report) -> Status {
    reports[report.slot].push_back(report);
    return {};
  });
  EXPECT_TRUE(done) << done.error().to_text();
  return reports;
}

// The first slot at whose end not all say the same; 0 when there is none. From then on exactly the
// kinds differ.
spec::Slot first_split(const NetworkRequest& request) {
  spec::Slot split = 0;
  for (const auto& [slot, reports] : run(request)) {
    std::map<char, std::set<Root>> by_kind;
    for (const Report& report : reports) by_kind[report.kind].insert(report.state_root);
    std::set<Root> all;
    for (const auto& [kind, roots] : by_kind) {
      EXPECT_EQ(roots.size(), 1u) << kind << " at " << slot;
      all.insert(roots.begin(), roots.end());
    }
    if (all.size() > 1 && split == 0) split = slot;
    EXPECT_EQ(all.size(), split == 0 ? 1u : by_kind.size()) << slot;
  }
  return split;
}

TEST(Network, AgreesWithoutADifference) {
  EXPECT_EQ(first_split({.difference = Difference::none}), 0u);
  EXPECT_EQ(first_split({.kinds = "BBB"}), 0u);
  EXPECT_EQ(first_split({.kinds = "AAA"}), 0u);
}

TEST(Network, SplitsAtTheFork) {
  // A changes its rules at the first slot of epoch 1003, B an epoch later.
  EXPECT_EQ(first_split({.difference = Difference::late_fork}), 1003u * 8);
}

TEST(Network, SplitsWhereTheForgottenRuleCounts) {
  // The penalty is first taken at the end of the fork's first epoch.
  EXPECT_EQ(first_split({.difference = Difference::old_penalty}), 1004u * 8);
}

TEST(Network, GoesOverTheEndOfASyncCommittee) {
  EXPECT_EQ(first_split({.slots = 80, .first_epoch = 1004, .fork_epoch = 1012}), 1012u * 8);
}

TEST(Network, BlocksAreTakenUntilTheSplit) {
  std::size_t applied = 0, refused = 0;
  for (const auto& [slot, reports] : run({}))
    for (const Report& report : reports) {
      if (report.block == "applied") ++applied;
      if (report.block != "refused") continue;
      ++refused;
      EXPECT_GE(slot, 1003u * 8);
    }
  EXPECT_GT(applied, 40u);
  EXPECT_GT(refused, 20u);
}

TEST(Network, ASeedDecidesIt) {
  const auto last = [](std::uint64_t seed) {
    return to_json(run({.slots = 9, .seed = seed}).rbegin()->second.front());
  };
  EXPECT_EQ(last(1), last(1));
  EXPECT_NE(last(1), last(2));
}

TEST(Network, RequestsThatMakeNone) {
  for (const NetworkRequest& request :
       {NetworkRequest{.kinds = ""}, NetworkRequest{.kinds = "AC"}, NetworkRequest{.slots = 0},
        NetworkRequest{.fork_epoch = 1001}, NetworkRequest{.validators = 0}})
    EXPECT_FALSE(run_network(request, [](const Report&) -> Status { return {}; }));
}

}  // namespace
}  // namespace beacon::net
