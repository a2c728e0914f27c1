// SPDX-License-Identifier: Apache-2.0
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

TEST(Json, RoundTripsText) {
  for (const char* text :
       {"null", "true", "-7", "18446744073709551615", "0.1", "1e-300", "\"a\\\"\\u0001\xc3\xa9\"",
        "[]", "{}", R"({"b":1,"a":[1,2.5,{"x":null}]})"}) {
    const auto value = parse_json(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(value->dump(), text);
  }
}

TEST(Json, KeepsDoublesExactly) {
  for (const double x : {0.1, 1.0 / 3, 1e22, 5e-324, 123456789.0}) {
    const auto back = parse_json(Json(x).dump());
    ASSERT_TRUE(back);
    EXPECT_EQ(back->to_double(), x);
  }
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(2.0).dump(), "2.0");
}

TEST(Json, ReadsByKeyTypeAndPointer) {
  const auto json = parse_json(R"({"a":{"b":[10,"x"]},"c/d":true})");
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["a"]["b"].size(), 2u);
  EXPECT_EQ(json->at_pointer("/a/b/0")->to_int(), 10);
  EXPECT_EQ(json->at_pointer("/c~1d")->to_bool(), true);
  EXPECT_EQ(json->at_pointer("/a/b/7"), nullptr);
  EXPECT_TRUE((*json)["none"]["deeper"].is_null());
  EXPECT_EQ((*json)["a"].to_double(), std::nullopt);
}

TEST(Json, KeepsTheLastValueOfAKeyAtItsFirstPlace) {
  const auto json = parse_json(R"({"a":1,"b":2,"a":{"c":3,"c":4}})");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->dump(), R"({"a":{"c":4},"b":2})");
}

TEST(Json, ReplacesInvalidUtf8) { EXPECT_EQ(Json("a\xff").dump(), "\"a\xEF\xBF\xBD\""); }

TEST(Json, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Json("\x7f\xc2\x9b[2J\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9").dump(),
            "\"\\u007f\\u009b[2J\xc2\xa0\\u2028\\u2029\"");
  for (const char* text : {"\x7f", "\xc2\x80", "\xc2\x9f", "\xe2\x80\xa9", "caf\xc3\xa9"})
    EXPECT_EQ(*parse_json(Json(text).dump())->to_string(), text);
}

TEST(Json, NamesTheOffsetOfAnError) {
  const auto bad = parse_json("{\"a\":1,}", "file.json");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().where, "file.json");
  EXPECT_NE(bad.error().what.find("offset 8"), std::string::npos) << bad.error().what;
  EXPECT_FALSE(parse_json(std::string(5000, '[')));
  EXPECT_FALSE(parse_json(""));
  EXPECT_FALSE(parse_json("1e999"));
}

}  // namespace
}  // namespace assay
