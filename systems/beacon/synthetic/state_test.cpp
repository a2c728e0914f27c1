// SPDX-License-Identifier: Apache-2.0
// A state's bytes: there and back, and what is refused.
#include "beacon/synthetic/state.hpp"

#include <gtest/gtest.h>

#include "beacon/base/random.hpp"

namespace beacon::synthetic {
namespace {

spec::BeaconState small(const spec::Spec& spec, Kind kind = Kind::mixed) {
  return make_state({.spec = &spec, .validators = 60, .epoch = 101, .seed = 4, .kind = kind})
      .value();
}

TEST(State, ThereAndBack) {
  for (const spec::Spec* spec : {&spec::minimal(), &spec::mainnet()}) {
    const spec::BeaconState state = small(*spec);
    const auto bytes = encode_state(state);
    const auto back = decode_state(bytes, *spec, "s");
    ASSERT_TRUE(back) << back.error().to_text();
    EXPECT_EQ(encode_state(*back), bytes);
    EXPECT_EQ(root_of(*back), root_of(state));
  }
}

TEST(State, ASeedDecidesIt) {
  const auto make = [](std::uint64_t seed) {
    return root_of(*make_state({.spec = &spec::minimal(), .validators = 40, .seed = seed}));
  };
  EXPECT_EQ(make(1), make(1));
  EXPECT_NE(make(1), make(2));
}

TEST(State, OfTheOtherPresetIsRefused) {
  const auto bytes = encode_state(small(spec::minimal()));
  const auto back = decode_state(bytes, spec::mainnet(), "s");
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().what.find("needs at least"), std::string::npos);
}

TEST(State, ListsOfDifferentLengths) {
  spec::BeaconState state = small(spec::minimal());
  state.inactivity_scores.pop_back();
  const auto back = decode_state(encode_state(state), spec::minimal(), "s");
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().to_text(),
            "s.inactivity_scores: has 59 elements, and there are 60 validators");
}

TEST(State, AnEffectiveBalanceThatIsNone) {
  spec::BeaconState state = small(spec::minimal());
  state.validators[3].effective_balance = 33'000'000'000;
  const auto back = decode_state(encode_state(state), spec::minimal(), "s");
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().to_text(),
            "s.validators[3]: an effective balance of 33000000000 Gwei is none");
}

TEST(State, NumbersThatWouldWrap) {
  const auto refused = [](const auto& change) {
    spec::BeaconState state = small(spec::minimal());
    change(state);
    const auto back = decode_state(encode_state(state), spec::minimal(), "s");
    return back ? std::string() : back.error().to_text();
  };
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  EXPECT_NE(refused([](auto& s) { s.slot = kHuge - 1; }).find("s.slot"), std::string::npos);
  EXPECT_NE(refused([](auto& s) { s.balances[3] = kHuge; }).find("s.balances[3]"),
            std::string::npos);
  EXPECT_NE(refused([](auto& s) { s.inactivity_scores[1] = kHuge; }).find("s.inactivity_scores[1]"),
            std::string::npos);
  EXPECT_NE(
      refused([](auto& s) { s.slashings[0] = s.slashings[1] = kHuge / 20; }).find("s.slashings"),
      std::string::npos);
}

TEST(State, TruncatedAnywhere) {
  const auto bytes = encode_state(small(spec::minimal()));
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    const auto size = random.below(bytes.size());
    const auto back = decode_state(View(bytes).first(size), spec::minimal(), "s");
    EXPECT_FALSE(back) << size;
  }
}

TEST(State, TooManyValidators) {
  spec::BeaconState state = small(spec::minimal());
  state.validators.resize(spec::kMostValidators + 1);
  const auto back = decode_state(encode_state(state), spec::minimal(), "s");
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().to_text(), "s.validators: holds 500001 elements; the limit is 500000");
}

TEST(State, RequestsThatCannotBe) {
  StateRequest request{.spec = &spec::minimal(), .validators = 0};
  EXPECT_FALSE(make_state(request));
  request.validators = spec::kMostValidators + 1;
  EXPECT_FALSE(make_state(request));
  request.validators = 8;
  request.pubkeys.resize(7);
  EXPECT_FALSE(make_state(request));
  request.pubkeys.clear();
  request.epoch = 1;
  EXPECT_FALSE(make_state(request));
}

}  // namespace
}  // namespace beacon::synthetic
