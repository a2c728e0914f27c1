// SPDX-License-Identifier: Apache-2.0
#include "trace/events.hpp"

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

TEST(Strings, EachDistinctTextHasOneIdAndStaysWhereItIs) {
  Strings strings;
  const std::string_view first = strings.at(strings.intern("synth"));
  for (int i = 0; i < 20000; ++i) strings.intern("key " + std::to_string(i));
  EXPECT_EQ(strings.intern("synth"), 0U);
  EXPECT_EQ(strings.at(0).data(), first.data());
  EXPECT_EQ(strings.size(), 20001U);
  EXPECT_EQ(strings.find("key 7"), 8U);
  EXPECT_EQ(strings.find("absent"), kNone);
  const std::string big(100000, 'x');
  EXPECT_EQ(strings.at(strings.intern(big)), big);
  EXPECT_EQ(strings.at(strings.intern("")), "");
}

TEST(Items, AKeyIsOneItem) {
  Items items;
  EXPECT_EQ(items.intern(5), 0U);
  EXPECT_EQ(items.intern(0), 1U);
  EXPECT_EQ(items.intern(5), 0U);
  EXPECT_EQ(items.size(), 2U);
}

TEST(Trace, SettingsKeepTheLastValueAndSayThatItChanged) {
  Trace run;
  run.set("workers", "2");
  run.set("workers", "2");
  EXPECT_FALSE(run.find_setting("workers")->changed);
  run.set("workers", "3");
  EXPECT_TRUE(run.find_setting("workers")->changed);
  EXPECT_EQ(run.find_setting("workers")->value, "3");
  EXPECT_EQ(run.find_setting("other"), nullptr);
}

TEST(Words, EveryKindHasItsWordAndComesBack) {
  for (std::size_t i = 0; i < kSpanKinds; ++i) {
    const auto kind = static_cast<SpanKind>(i);
    EXPECT_EQ(span_kind(to_word(kind)), kind);
  }
  EXPECT_EQ(span_kind("idle"), std::nullopt);
  EXPECT_EQ(to_text(Loss::malformed_record), "malformed record");
  EXPECT_EQ(to_word(TraceWarningKind::other), "other");
}

}  // namespace
}  // namespace assay::trace
