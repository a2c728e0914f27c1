// SPDX-License-Identifier: Apache-2.0
// The transition on states that a seed decides: its parts against the specification's own
// sentences, written out here validator by validator, and what must hold on every chain. That it is
// the specification's is shown beside another client (tests/interop-beacon).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "beacon/synthetic/block.hpp"
#include "beacon/synthetic/state.hpp"
#include "beacon/transition/blocks_of_state.hpp"
#include "beacon/transition/epoch.hpp"
#include "beacon/transition/validators.hpp"

namespace beacon::synthetic {
namespace {

using transition::CachedState;
using transition::Epoch;
using transition::Gwei;

CachedState cached_state(Kind kind, std::uint64_t seed = 1, std::uint64_t validators = 300,
                         const spec::Spec& spec = spec::minimal()) {
  return transition::derive(*make_state({.spec = &spec,
                                         .validators = validators,
                                         .epoch = 1001,
                                         .seed = seed,
                                         .kind = kind}))
      .value();
}

constexpr Kind kKinds[] = {Kind::healthy, Kind::mixed, Kind::leak};

// get_flag_index_deltas and get_inactivity_penalty_deltas, as they are written.
std::vector<Gwei> rewarded_by_definition(const CachedState& cached) {
  const spec::BeaconState& state = cached.state;
  const spec::Spec& spec = cached.spec();
  const Epoch previous = state.previous_epoch();
  const std::size_t count = state.validators.size();
  const auto took_part = [&](std::size_t i, unsigned flag) {
    return state.validators[i].is_active(previous) && !state.validators[i].slashed &&
           ((state.previous_epoch_participation[i] >> flag) & 1);
  };
  const auto eligible = [&](std::size_t i) {
    return state.validators[i].is_active(previous) ||
           (state.validators[i].slashed && previous + 1 < state.validators[i].withdrawable_epoch);
  };
  Gwei total = 0;
  for (const auto& validator : state.validators)
    if (validator.is_active(state.current_epoch())) total += validator.effective_balance;
  const Gwei step = spec.effective_balance_increment;
  const Gwei per_increment = step * spec.base_reward_factor / integer_square_root(total);
  const bool leak = transition::is_in_inactivity_leak(state);
  std::vector<Gwei> balances = state.balances;
  const auto apply = [&](const std::vector<Gwei>& rewards, const std::vector<Gwei>& penalties) {
    for (std::size_t i = 0; i < count; ++i) {
      balances[i] += rewards[i];
      balances[i] = penalties[i] > balances[i] ? 0 : balances[i] - penalties[i];
    }
  };
  for (unsigned flag = 0; flag < 3; ++flag) {
    Gwei participating = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (took_part(i, flag)) participating += state.validators[i].effective_balance;
    participating = std::max(participating, step);
    std::vector<Gwei> rewards(count), penalties(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!eligible(i)) continue;
      const Gwei base = state.validators[i].effective_balance / step * per_increment;
      const std::uint64_t weight = spec::kFlagWeights[flag];
      if (took_part(i, flag)) {
        if (!leak) rewards[i] = base * weight * (participating / step) / (total / step * 64);
      } else if (flag != spec::kTimelyHead) {
        penalties[i] = base * weight / 64;
      }
    }
    apply(rewards, penalties);
  }
  std::vector<Gwei> penalties(count);
  for (std::size_t i = 0; i < count; ++i)
    if (eligible(i) && !took_part(i, spec::kTimelyTarget))
      penalties[i] = state.validators[i].effective_balance * state.inactivity_scores[i] /
                     (spec.inactivity_score_bias * spec.inactivity_penalty_quotient);
  apply(std::vector<Gwei>(count), penalties);
  return balances;
}

TEST(Epoch, RewardsAsDefined) {
  for (const Kind kind : kKinds)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CachedState cached = cached_state(kind, seed);
      const std::vector<Gwei> expected = rewarded_by_definition(cached);
      process_rewards_and_penalties(cached, find_epoch_facts(cached));
      EXPECT_EQ(cached.state.balances, expected) << static_cast<int>(kind) << " " << seed;
    }
}

TEST(Epoch, InactivityScores) {
  for (const Kind kind : kKinds) {
    CachedState cached = cached_state(kind);
    const spec::BeaconState before = cached.state;
    const auto facts = find_epoch_facts(cached);
    process_inactivity_updates(cached, facts);
    for (std::size_t i = 0; i < before.validators.size(); ++i) {
      std::uint64_t expected = before.inactivity_scores[i];
      if (facts.status[i] & transition::kEligible) {
        expected = facts.status[i] & transition::kUnslashedTarget
                       ? expected - std::min<std::uint64_t>(1, expected)
                       : expected + 4;
        if (kind != Kind::leak) expected -= std::min<std::uint64_t>(16, expected);
      }
      EXPECT_EQ(cached.state.inactivity_scores[i], expected);
    }
  }
}

TEST(Epoch, AHealthyChainIsFinal) {
  CachedState cached = cached_state(Kind::healthy);
  const Epoch current = cached.state.current_epoch();
  ASSERT_TRUE(process_epoch(cached));
  EXPECT_EQ(cached.state.current_justified_checkpoint.epoch, current);
  EXPECT_EQ(cached.state.finalized_checkpoint.epoch, current - 1);
}

TEST(Epoch, NoMoreLeaveThanTheQueueTakes) {
  CachedState cached = cached_state(Kind::mixed, 3, 2000);
  for (auto& validator : cached.state.validators)
    if (validator.is_active(cached.state.current_epoch()))
      validator.effective_balance = 16'000'000'000;
  process_registry_updates(cached);
  std::map<Epoch, std::uint64_t> leaving;
  for (const auto& validator : cached.state.validators)
    if (validator.exit_epoch != spec::kFarFutureEpoch &&
        validator.exit_epoch > cached.state.current_epoch() + 9)
      ++leaving[validator.exit_epoch];
  ASSERT_FALSE(leaving.empty());
  const std::uint64_t limit = transition::churn_limit(cached);
  for (const auto& [epoch, count] : leaving)
    EXPECT_EQ(count, epoch == leaving.rbegin()->first ? count : limit) << epoch;
  EXPECT_LE(leaving.rbegin()->second, limit);
}

TEST(Caches, RotatedAsDerived) {
  for (const Kind kind : kKinds) {
    CachedState cached = cached_state(kind, 2);
    ASSERT_TRUE(process_slots(cached, cached.state.slot + 2));
    const CachedState fresh = transition::derive(cached.state).value();
    const transition::Caches &a = *cached.caches, &b = *fresh.caches;
    for (const auto place :
         {&transition::Caches::previous, &transition::Caches::current, &transition::Caches::next}) {
      EXPECT_EQ((a.*place)->epoch, (b.*place)->epoch);
      EXPECT_EQ((a.*place)->shuffled, (b.*place)->shuffled);
    }
    EXPECT_EQ(a.proposers, b.proposers);
    EXPECT_EQ(a.sync_committee, b.sync_committee);
    EXPECT_EQ(a.effective_increments, b.effective_increments);
    EXPECT_EQ(a.total_active_balance, b.total_active_balance);
  }
}

TEST(Caches, ACopyWithCachesIsTheSame) {
  CachedState one = cached_state(Kind::mixed, 5), two = clone_with_caches(one);
  EXPECT_NE(one.caches, two.caches);
  EXPECT_EQ(clone(one).caches, one.caches);
  ASSERT_TRUE(process_slots(one, one.state.slot + 20));
  ASSERT_TRUE(process_slots(two, two.state.slot + 20));
  EXPECT_EQ(root_of(one.state), root_of(two.state));
}

TEST(Caches, WhatCannotBeDerived) {
  spec::BeaconState nobody = cached_state(Kind::healthy).state;
  for (auto& validator : nobody.validators) validator.activation_epoch = spec::kFarFutureEpoch;
  EXPECT_FALSE(transition::derive(nobody));
  spec::BeaconState twins = cached_state(Kind::healthy).state;
  twins.validators[1].pubkey = twins.validators[0].pubkey;
  EXPECT_EQ(transition::derive(twins).error().to_text(),
            "validators[1]: has the public key of validator 0");
  spec::BeaconState stranger = cached_state(Kind::healthy).state;
  stranger.current_sync_committee.pubkeys[0] = Pubkey{};
  EXPECT_FALSE(transition::derive(stranger));
}

TEST(Attestation, CountsOnce) {
  CachedState cached = cached_state(Kind::healthy);
  std::fill(cached.state.current_epoch_participation.begin(),
            cached.state.current_epoch_participation.end(), std::uint8_t{0});
  Random random(1);
  const auto attestation = make_attestation(cached, cached.state.slot - 1, 0, 100, random);
  const Gwei before = cached.state.balances[cached.proposer()];
  ASSERT_TRUE(process_attestation(cached, attestation));
  const spec::BeaconState once = cached.state;
  EXPECT_GT(once.balances[cached.proposer()], before);
  ASSERT_TRUE(process_attestation(cached, attestation));
  EXPECT_EQ(root_of(cached.state), root_of(once));
}

TEST(Attestation, WhatIsRefused) {
  const CachedState cached = cached_state(Kind::healthy);
  Random random(1);
  const auto good = make_attestation(cached, cached.state.slot - 1, 0, 100, random);
  const auto refused = [&](auto change) {
    spec::Attestation attestation = good;
    change(attestation);
    CachedState copy = clone(cached);
    const auto done = process_attestation(copy, attestation);
    EXPECT_EQ(root_of(copy.state), root_of(cached.state));
    return done ? std::string("taken") : done.error().what;
  };
  EXPECT_EQ(refused([](auto& a) { a.data.target.epoch -= 2; }),
            "its target is of epoch 999, neither the previous nor the current one");
  EXPECT_EQ(refused([](auto& a) { a.data.slot -= 100; }),
            "its slot 7914 is not in the epoch of its target");
  EXPECT_EQ(refused([](auto& a) { a.data.slot += 1; }),
            "of slot 8015, it is not valid in slot 8015");
  EXPECT_EQ(refused([](auto& a) { a.data.index = 9; }),
            "there is no committee 9 among the 4 of its slot");
  EXPECT_EQ(refused([](auto& a) { a.aggregation_bits = ssz::Bits::zeros(3); }),
            "it has 3 bits for a committee of " + std::to_string(good.aggregation_bits.size));
  EXPECT_EQ(
      refused([](auto& a) { a.aggregation_bits = ssz::Bits::zeros(a.aggregation_bits.size); }),
      "nobody attests");
  EXPECT_EQ(refused([](auto& a) { a.data.source.epoch -= 1; }),
            "its source is not the justified checkpoint");
}

TEST(Block, AChainOfBlocks) {
  for (const Kind kind : kKinds) {
    CachedState builder = cached_state(kind, 7), reader = clone(builder);
    Random random(9);
    for (int i = 0; i < 20; ++i) {
      BlockRequest request{.skipped_slots = random.below(2), .slashings_and_exits = i % 3 == 0};
      const auto block = extend(builder, request, random);
      ASSERT_TRUE(block) << block.error().to_text();
      const auto bytes = encode_block(*block, builder.spec());
      const auto back = spec::decode_block(bytes, builder.spec(), "block");
      ASSERT_TRUE(back) << back.error().to_text();
      const auto done = apply_block(reader, *back);
      ASSERT_TRUE(done) << done.error().to_text();
      ASSERT_EQ(root_of(reader.state), block->message.state_root);
    }
  }
}

TEST(Block, WhatIsRefused) {
  CachedState builder = cached_state(Kind::healthy);
  const CachedState before = clone(builder);
  Random random(1);
  const auto good = extend(builder, {}, random).value();
  const auto refused = [&](auto change) {
    spec::SignedBlock block = good;
    change(block.message);
    CachedState copy = clone(before);
    const auto done = apply_block(copy, block);
    return done ? std::string("taken") : done.error().what;
  };
  EXPECT_EQ(refused([](auto&) {}), "taken");
  EXPECT_EQ(refused([](auto& b) { b.slot -= 1; }), "the state is of slot 8015 already");
  EXPECT_NE(refused([](auto& b) { b.proposer_index += 1; }).find("was to propose"),
            std::string::npos);
  EXPECT_EQ(refused([](auto& b) { b.parent_root[0] ^= 1; }), "its parent is not the latest block");
  EXPECT_NE(refused([](auto& b) { b.body.graffiti[0] ^= 1; }).find("the block says"),
            std::string::npos);
  EXPECT_EQ(refused([](auto& b) {
              b.body.deposits.resize(1);
              b.body.deposits[0].proof.resize(33);
            }),
            "the block has 1 deposits, and 0 are due");
}

TEST(SyncCommittee, TheEndOfAPeriodNeedsBls) {
  CachedState cached =
      transition::derive(*make_state({.spec = &spec::minimal(), .validators = 100, .epoch = 1007}))
          .value();
  const auto done = process_epoch(cached);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().what.find("BLS12-381"), std::string::npos);
  cached =
      transition::derive(*make_state({.spec = &spec::minimal(), .validators = 100, .epoch = 1007}))
          .value();
  cached.aggregate_pubkeys = [](std::span<const Pubkey> keys) -> Result<Pubkey> { return keys[0]; };
  const auto next = cached.state.next_sync_committee.pubkeys;
  ASSERT_TRUE(process_epoch(cached));
  EXPECT_EQ(cached.state.current_sync_committee.pubkeys, next);
  EXPECT_EQ(cached.state.next_sync_committee.pubkeys.size(), 32u);
}

}  // namespace
}  // namespace beacon::synthetic
