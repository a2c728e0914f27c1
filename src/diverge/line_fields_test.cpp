// SPDX-License-Identifier: Apache-2.0
#include "diverge/line_fields.hpp"

#include <gtest/gtest.h>

namespace assay::diverge {
namespace {

LineFields fields_for(FieldOptions options) { return LineFields::make(std::move(options)).value(); }

TEST(ParseStep, Table) {
  const struct {
    std::string_view text;
    std::optional<std::int64_t> step;
  } kCases[] = {{"8", 8},    {" 8 ", 8},    {"0x1F", 31},
                {"-3", -3},  {"+4", 4},     {"9223372036854775807", INT64_MAX},
                {"", {}},    {"8.0", {}},   {"9223372036854775808", {}},
                {"0x", {}},  {"1,000", {}}, {"eight", {}},
                {"--8", {}}, {"1_000", {}}, {"8 9", {}}};
  for (const auto& c : kCases) EXPECT_EQ(parse_step(c.text), c.step) << c.text;
}

TEST(Comparable, HexHasNoCase) {
  const struct {
    std::string_view value;
    bool bare_hex;
    std::string form;
  } kCases[] = {{"0xABcd", false, "0xabcd"},
                {"0Xab", false, "0xab"},
                {"ABCD", false, "ABCD"},  // a word, for all we know
                {"ABCDEF0123456789", false, "abcdef0123456789"},
                {"ABCD", true, "0xabcd"},
                {"0xABCD", true, "0xabcd"},
                {"0xnothex", true, "0xnothex"},
                {"Valid", true, "Valid"},
                {" ok ", false, "ok"}};
  for (const auto& c : kCases) EXPECT_EQ(comparable(c.value, c.bare_hex), c.form) << c.value;
}

TEST(Comparable, LongAnswersBecomeTheirDigest) {
  const std::string a(300, 'a'), b = std::string(299, 'a') + "b";
  EXPECT_LT(comparable(a, false).size(), 100U);
  EXPECT_NE(comparable(a, false), comparable(b, false));
  EXPECT_EQ(comparable("0x" + std::string(300, 'A'), false), comparable("0x" + a, false));
}

TEST(TextField, Table) {
  const struct {
    std::string_view line;
    std::optional<std::string> value;
  } kCases[] = {{"imported slot=8 root=0xab", "8"},
                {"imported slot: 8, root: 0xab", "8"},
                {"slot = 8", "8"},
                {"head_slot=7 slot=8", "8"},
                {"slots=7", {}},
                {"INFO {\"slot\":8,\"root\":\"0xab\"}", "8"},
                {"INFO {\"slot\": \"8\"}", "8"},
                {"slot='a b'", "a b"},
                {"slot=\"a \\\" b\"", "a \" b"},
                {"(slot=8)", "8"},
                {"[slot:8]", "8"},
                {"slot 8", {}},
                {"slot=", {}},
                {"slot", {}},
                {"no slot here, slot=5", "5"},
                {"slot=\"8", "8"}};
  for (const auto& c : kCases) EXPECT_EQ(text_field(c.line, "slot"), c.value) << c.line;
}

TEST(LineFields, JsonLines) {
  const LineFields fields = fields_for({});
  const struct {
    std::string_view line;
    LineKind kind;
    std::int64_t step;
    std::string value;
  } kCases[] = {{R"({"slot":8,"state_root":"0xAB"})", LineKind::answer, 8, "0xab"},
                {R"({"slot":"8","state_root":12})", LineKind::answer, 8, "12"},
                {R"(  {"state_root":"x","slot":9})", LineKind::answer, 9, "x"},
                {R"({"slot":8})", LineKind::no_value, 8, ""},
                {R"({"slot":8,"state_root":null})", LineKind::no_value, 8, ""},
                {R"({"slot":8,"state_root":""})", LineKind::no_value, 8, ""},
                {R"({"slot":8.5,"state_root":"x"})", LineKind::bad_step, 0, ""},
                {R"({"slot":{},"state_root":"x"})", LineKind::bad_step, 0, ""},
                {R"({"slot":8,"state_root":"x")", LineKind::bad_json, 0, ""},
                {R"({"data":{"slot":8}})", LineKind::other, 0, ""},
                {R"({"epoch":8})", LineKind::other, 0, ""},
                {R"({"epoch":8)", LineKind::other, 0, ""},  // not about a slot: not looked at
                {R"({"sl\u006ft":8,"state_root":"x"})", LineKind::answer, 8, "x"},
                {"", LineKind::other, 0, ""}};
  for (const auto& c : kCases) {
    const LineReading reading = fields.read(c.line);
    EXPECT_EQ(reading.kind, c.kind) << c.line;
    EXPECT_EQ(reading.step, c.step) << c.line;
    EXPECT_EQ(reading.value, c.value) << c.line;
  }
}

TEST(LineFields, PointersReachNestedMembers) {
  const LineFields fields = fields_for({.key = "/data/slot", .value = "/data/roots/0"});
  const LineReading reading = fields.read(R"({"data":{"slot":"3","roots":["0xAA","0xBB"]}})");
  EXPECT_EQ(reading.kind, LineKind::answer);
  EXPECT_EQ(reading.step, 3);
  EXPECT_EQ(reading.value, "0xaa");
}

TEST(LineFields, WhereKeepsOthersOut) {
  const LineFields fields = fields_for({.where = {{"event", "block"}}});
  EXPECT_EQ(fields.read(R"({"event":"block","slot":1,"state_root":"a"})").kind, LineKind::answer);
  EXPECT_EQ(fields.read(R"({"event":"head","slot":1,"state_root":"a"})").kind, LineKind::other);
  EXPECT_EQ(fields.read("event=block slot=1 state_root=a").kind, LineKind::answer);
  EXPECT_EQ(fields.read("slot=1 state_root=a").kind, LineKind::other);
}

TEST(LineFields, PatternHasNamedGroups) {
  const LineFields fields =
      fields_for({.pattern = R"((?P<e>\w+) block (?P<slot>\d+) -> (?P<state_root>\S*))",
                  .where = {{"e", "new"}}});
  EXPECT_EQ(fields.read("12:00 new block 8 -> 0xAB").value, "0xab");
  EXPECT_EQ(fields.read("12:00 old block 8 -> 0xAB").kind, LineKind::other);
  EXPECT_EQ(fields.read("12:00 new block 8 -> ").kind, LineKind::no_value);
  EXPECT_EQ(fields.read("slot=8 state_root=0xab").kind, LineKind::other);
}

TEST(LineFields, ErrorsSayWhatIsMissing) {
  EXPECT_NE(LineFields::make({.pattern = "(?P<slot>\\d+)"}).error().what.find("'state_root'"),
            std::string::npos);
  EXPECT_NE(LineFields::make({.pattern = "("}).error().what.find("--pattern"), std::string::npos);
  EXPECT_FALSE(LineFields::make({.key = ""}).has_value());
}

TEST(NamesIn, WhatALineOffers) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_in(R"({"height":1,"data":{"root":"x","deep":{"n":2}},"list":[1],"none":null})"),
            (Names{"height", "/data/root", "/data/deep/n"}));
  EXPECT_EQ(names_in("12:00:00 imported height=8, root: 0xab \"by\": \"me\" empty="),
            (Names{"height", "root", "by"}));
  EXPECT_EQ(names_in("{half"), Names());
  EXPECT_EQ(names_in("nothing at all"), Names());
}

}  // namespace
}  // namespace assay::diverge
