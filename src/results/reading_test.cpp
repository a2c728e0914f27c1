// SPDX-License-Identifier: Apache-2.0
#include "results/reading.hpp"

#include <gtest/gtest.h>

#include "results/xml.hpp"

namespace assay::results {
namespace {

TEST(ReadJson, TakesWhatToolsWriteForNumbersThatAreNot) {
  const auto read =
      read_json(R"({"a": NaN, "b": [-Infinity, inf, -nan], "c": "NaN", "d": 1})", "f");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->truncated);
  EXPECT_FALSE(read->json["a"].to_double());
  EXPECT_EQ(read->json["b"].size(), 3u);
  EXPECT_EQ(*read->json["c"].to_string(), "NaN");
  EXPECT_EQ(read->json["d"].to_double(), 1.0);
}

TEST(ReadJson, NamesLineColumnAndOffset) {
  const auto read = read_json("{\n  \"a\": 1,\n  \"b\": nanny\n}", "f.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().where, "f.json:3:9");
  EXPECT_NE(read.error().what.find("offset 21"), std::string::npos) << read.error().what;
}

TEST(ReadJson, KeepsWhatIsWholeOfATextThatEndsInTheMiddle) {
  const auto read = read_json(R"({"context": {}, "list": [{"a": 1}, {"a": 2}, {"a": )", "f");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->truncated);
  EXPECT_EQ(read->json["list"].size(), 2u);
  const auto nothing = read_json(R"({"context": {"a")", "f");
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().what.find("ends in the middle"), std::string::npos);
  EXPECT_FALSE(read_json("", "f"));
  EXPECT_FALSE(read_json(" \n", "f"));
}

TEST(ReadJson, RefusesDepthWithoutEnd) { EXPECT_FALSE(read_json(std::string(100'000, '['), "f")); }

TEST(ReadCsv, QuotedCellsMaySpanLines) {
  const auto rows = read_csv("a,\"b \"\"x\"\"\nnext\",c\r\n\nd,,\n", ',', "f");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].cells, (std::vector<std::string>{"a", "b \"x\"\nnext", "c"}));
  EXPECT_EQ((*rows)[1].cells, (std::vector<std::string>{"d", "", ""}));
  EXPECT_EQ((*rows)[1].line, 4u);
}

TEST(ReadCsv, NamesTheLineOfABadQuote) {
  const auto open = read_csv("a\n\"b\nc", ',', "f");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().where, "f:2");
  EXPECT_FALSE(read_csv("\"a\"b", ',', "f"));
  EXPECT_FALSE(read_csv(std::string(5000, ','), ',', "f"));
}

TEST(BaseUnit, KnowsTheUnitsOfTheField) {
  struct Case {
    std::string_view unit;
    std::string base;
    double factor;
    Direction better;
  };
  for (const Case& each :
       {Case{"ns/op", "s", 1e-9, Direction::lower}, Case{"\xC2\xB5s", "s", 1e-6, Direction::lower},
        Case{"MB/s", "B/s", 1e6, Direction::higher}, Case{"ops/sec", "1/s", 1, Direction::higher},
        Case{"ops/ms", "1/s", 1000, Direction::higher}, Case{"B/op", "B", 1, Direction::lower},
        Case{"KiB", "B", 1024, Direction::lower}, Case{"req/s", "req/s", 1, Direction::higher},
        Case{"allocs/op", "allocs/op", 1, Direction::lower}, Case{"", "", 1, Direction::lower}}) {
    const BaseUnit unit = base_unit(each.unit);
    EXPECT_EQ(unit.unit, each.base) << each.unit;
    EXPECT_DOUBLE_EQ(unit.factor, each.factor) << each.unit;
    EXPECT_EQ(unit.better, each.better) << each.unit;
  }
}

TEST(TimeOfIso, ReadsWhatToolsWrite) {
  EXPECT_EQ(time_of_iso("1970-01-01T00:00:01Z"), 1000);
  EXPECT_EQ(time_of_iso("1970-01-01T02:00:01.250+02:00"), 1250);
  EXPECT_EQ(time_of_iso("1970-01-01 00:00:01.250123"), 1250);
  EXPECT_EQ(time_of_iso("1970-01-01T00:00:00-0100"), 3'600'000);
  for (const char* bad : {"", "1970", "1970-13-01T00:00:00", "1970-01-01", "1970-01-01T00:00:01x",
                          "-970-01-01T00:00:00Z"})
    EXPECT_FALSE(time_of_iso(bad)) << bad;
}

TEST(ReadXml, RefusesWhatCanGrowAndClosesWhatEnds) {
  const auto read = read_xml("<a b=\"1\">t<c/>\n<d><e x='2.5'/>", "f");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->truncated);
  ASSERT_EQ(read->root.children.size(), 2u);
  EXPECT_EQ(read->root.children[1].line, 2u);
  EXPECT_EQ(read->root.children[1].child("e")->number("x"), 2.5);
  EXPECT_FALSE(read_xml("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "f"));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<a>";
  EXPECT_FALSE(read_xml(deep, "f"));
  const auto bad = read_xml("<a>\n<b></c></a>", "f");
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().where.starts_with("f:2:")) << bad.error().where;
  EXPECT_FALSE(read_xml("", "f"));
}

}  // namespace
}  // namespace assay::results
