// SPDX-License-Identifier: Apache-2.0
#include "cases/case_file.hpp"

#include <gtest/gtest.h>

namespace assay::cases {
namespace {

constexpr std::string_view kWhole = R"(# by hand
question = "Why 12 ms longer?"
opened = "2026-11-30"
gap-record = "k3v9x2ab"
gap-removes = true
metric = "cpu"

[[record]]
id = "ab12cd34"
for = "spill"      # stands above what it names
removes = true
part = "pin+presize"
note = "on the quiet machine"

[[hypothesis]]
id = "spill"
mechanism = "every partition \"spills\"\tits buffer"
predict = "2-5 ms x 10 partitions"
test = "assay compare './a' './b'"
price = "1 minute"

[[hypothesis]]
id = "cap"
mechanism = "the inline capacity"
predict = "falls with cap"

[[round]]
date = "2026-11-30 10:42"
text = "cap=2 instead of 4"
record = "q7w8e9r0"
result = "EQUIVALENT"

[[round]]
text = "and pinned"
)";

std::string message(std::string_view text) {
  const auto made = parse_case(text, "c.toml", "c");
  return made ? "parsed" : made.error().to_text();
}

TEST(CaseFile, ReadsAndWritesTheSame) {
  const auto made = parse_case(kWhole, "c.toml", "c");
  ASSERT_TRUE(made) << made.error().to_text();
  EXPECT_EQ(made->question, "Why 12 ms longer?");
  EXPECT_EQ(made->gap_record, "k3v9x2ab");
  EXPECT_TRUE(made->gap_removes);
  ASSERT_EQ(made->hypotheses.size(), 2u);
  EXPECT_EQ(made->hypotheses[0].mechanism, "every partition \"spills\"\tits buffer");
  EXPECT_DOUBLE_EQ(std::get<Size>(made->hypotheses[0].prediction).lo, 0.02);
  EXPECT_EQ(std::get<ShapeClaim>(made->hypotheses[1].prediction).parameter, "cap");
  ASSERT_EQ(made->evidence.size(), 1u);
  EXPECT_TRUE(made->evidence[0].removes);
  ASSERT_EQ(made->rounds.size(), 2u);
  EXPECT_EQ(made->rounds[1].date, "");
  const auto again = parse_case(to_toml(*made), "c.toml", "c");
  ASSERT_TRUE(again) << again.error().to_text();
  EXPECT_EQ(*again, *made);
}

TEST(CaseFile, TablesPutBehindAFileAreRead) {
  Case made{.name = "c", .question = "Why?\n\"\\", .gap_text = "12 ms"};
  std::string text = to_toml(made);
  const Hypothesis hypothesis{
      .id = "a+b", .mechanism = "\x01\x7f", .predict = "3 GiB", .test = "assay"};
  text += to_toml(hypothesis);
  text += to_toml(Evidence{.record = "ab12cd34", .hypothesis = "a+b"});
  text += to_toml(Round{.date = "d", .text = "t"});
  const auto read = parse_case(text, "c.toml", "c");
  ASSERT_TRUE(read) << read.error().to_text();
  EXPECT_EQ(read->question, made.question);
  EXPECT_EQ(read->hypotheses.at(0).mechanism, hypothesis.mechanism);
  EXPECT_EQ(read->gap_size->lo, read->gap_size->hi);
}

TEST(CaseFile, ErrorsPointAtThePlace) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "c.toml:1:1: a case has no 'question'"},
      {"question = 3", "c.toml:1:12: 'question' must be a string, not a number"},
      {"question = \"\"", "c.toml:1:12: 'question' is empty"},
      {"question = \"q\"\nqap = \"2 ms\"", "c.toml:2:1: unknown key 'qap' of a case"},
      {"question = \"q\"\ngap = \"2 ms\"\ngap-record = \"a\"",
       "c.toml:2:1: 'gap' and 'gap-record' exclude each other"},
      {"question = \"q\"\ngap = \"2 mss\"",
       "c.toml:2:10: 'gap': 'mss' is no unit of time or memory\n  gap = \"2 mss\"\n           ^"},
      {"question = \"q\"\ngap-part = \"x\"", "c.toml:2:1: 'gap-part' belongs to a 'gap-record'"},
      {"question = \"q\"\nhypothesis = \"h\"",
       "c.toml:2:1: 'hypothesis' must be a list of tables, not a string"},
      {"question = \"q\"\nround = [1]", "c.toml:2:10: a round must be a table, not a number"},
      {"question = \"q\"\n[[hypothesis]]\nid = \"a\"\nmechanism = \"m\"",
       "a hypothesis has no 'predict'"},
      {"question = \"q\"\n[[hypothesis]]\nid = \"a b\"\nmechanism = \"m\"\npredict = \"1 s\"",
       "c.toml:3:6: 'a b' cannot name a hypothesis"},
      {"question = \"q\"\n[[hypothesis]]\nid = \"a\"\nmechanism = \"m\"\npredict = \"1-3 x\"",
       "c.toml:5:16: 'predict': the unit is missing"},
      {"question = \"q\"\n[[record]]\nid = \"a\"\nfor = \"spil\"\n[[hypothesis]]\nid = "
       "\"spill\"\nmechanism = \"m\"\npredict = \"1 s\"",
       "c.toml:4:7: no hypothesis is called 'spil'"},
      {"question = \"q\"\n[[record]]\nid = \"a\"\nremoves = \"yes\"",
       "c.toml:4:11: 'removes' must be true or false, not a string"},
      {"question = \"q\"\n[[round]]\ntext = \"torn", "c.toml:3"}};
  for (const auto& [text, wanted] : cases)
    EXPECT_NE(message(text).find(wanted), std::string::npos) << message(text);
}

TEST(CaseFile, Names) {
  for (const char* good : {"a", "slow-2.0_x", "A"}) EXPECT_TRUE(is_case_name(good)) << good;
  for (const char* bad : {"", ".", "..", "-a", "a/b", "a b", "a+b"})
    EXPECT_FALSE(is_case_name(bad)) << bad;
  EXPECT_FALSE(is_case_name(std::string(65, 'a')));
  EXPECT_TRUE(is_hypothesis_name("pin+presize"));
}

}  // namespace
}  // namespace assay::cases
