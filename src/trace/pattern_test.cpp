// SPDX-License-Identifier: Apache-2.0
#include "trace/pattern.hpp"

#include <gtest/gtest.h>

#include "trace/regex.hpp"

namespace assay::trace {
namespace {

// "job=a1 d=7000000" of a match, "no", "bad d" or the fault.
std::string matched(const Pattern& pattern, std::string_view line) {
  std::array<FieldValue, Pattern::kMostFields> values;
  std::size_t bad = 0;
  switch (pattern.match(line, values, bad)) {
    case Match::no:
      return "no";
    case Match::bad_field:
      return "bad " + pattern.fields()[bad].name;
    case Match::yes:
      break;
  }
  std::string text;
  for (std::size_t i = 0; i < pattern.fields().size(); ++i) {
    if (values[i].text.data() == nullptr) continue;
    if (!text.empty()) text += ' ';
    const FieldType type = pattern.fields()[i].type;
    const bool timed = type == FieldType::ms || type == FieldType::us || type == FieldType::ns ||
                       type == FieldType::s || type == FieldType::duration ||
                       type == FieldType::iso;
    text += pattern.fields()[i].name + "=" +
            (timed ? std::to_string(values[i].stamp.ns) : std::string(values[i].text));
  }
  return text;
}

TEST(Pattern, Matches) {
  struct Case {
    const char* pattern;
    const char* line;
    const char* expected;
  };
  const Case cases[] = {
      {"TIMELINE,{t:ms},GPU_END,{job},worker={worker},gpu_ms={d:ms}",
       "TIMELINE,12,GPU_END,a1,worker=0,gpu_ms=7", "t=12000000 job=a1 worker=0 d=7000000"},
      {"GPU_END,{job},gpu_ms={d:ms}", "x TIMELINE,1,GPU_END,a1,gpu_ms=7 more", "job=a1 d=7000000"},
      {"GPU_END,{job},gpu_ms={d:ms}", "GPU_END,a1,gpu_ms=abc", "bad d"},
      {"GPU_END,{job},gpu_ms={d:ms}", "GPU_END,a1,cpu_ms=7", "no"},
      {"GPU_END,{job},gpu_ms={d:ms}", "GPU_END,,gpu_ms=7", "bad job"},
      {"{t:iso} start {job}", "2026-03-04 05:06:07 start a1", "t=1772600767000000000 job=a1"},
      {"{job} started", "12:00 worker a1 started", "job=a1"},
      {"^start {job}", "start a1", "job=a1"},
      {"^start {job}", "re start a1", "no"},
      {"start {job}$", "start a1 again", "no"},
      {"start {job}$", "start a1", "job=a1"},
      {"job {job} took {d:duration}", "job a1 took 1h30m6.34s.", "job=a1 d=5406340000000"},
      {"job {job} took {d:duration}", "job a1 took long", "bad d"},
      {"took {d:s} s", "took 1.25 s", "d=1250000000"},
      {"took {d:s} s", "it took ages", "no"},
      {"id={id:hex} n={n:int}", "id=0xfe n=-12", "id=0xfe n=-12"},
      {"load {v:float}%", "load 1.5e3%", "v=1.5e3"},
      {"{{\"a\":{v:int}}}", "{\"a\":5}", "v=5"},
      {"from {a:any} to {b}", "from x y, z to w,v", "a=x y, z b=w"},
      {"from {a:any} to {b}", "from  to w", "a= b=w"},
      {"ab{x}cd", "abab1cd", "x=ab1"},
      {"done {job:word}", "done done a1", "job=done"},
      {"stop", "do stop now", ""},
  };
  for (const Case& c : cases) {
    const auto pattern = Pattern::compile(c.pattern);
    ASSERT_TRUE(pattern) << c.pattern << ": " << pattern.error().what;
    EXPECT_EQ(matched(*pattern, c.line), c.expected) << c.pattern << " | " << c.line;
  }
}

TEST(Pattern, PairsStandInAnyOrder) {
  auto pattern = Pattern::compile("END,{job}");
  ASSERT_TRUE(pattern);
  ASSERT_TRUE(pattern->add_pair("worker={worker}"));
  ASSERT_TRUE(pattern->add_pair("ms={d:ms}"));
  EXPECT_EQ(matched(*pattern, "END,a1,worker=3,ms=7"), "job=a1 worker=3 d=7000000");
  EXPECT_EQ(matched(*pattern, "END,a1,ms=7,x=1,worker=3"), "job=a1 worker=3 d=7000000");
  EXPECT_EQ(matched(*pattern, "END,a1,gpu_ms=7,coworker=3"), "job=a1");
  EXPECT_EQ(matched(*pattern, "END,a1,ms=x"), "bad d");
  EXPECT_EQ(matched(*pattern, "END,a1"), "job=a1");
  EXPECT_EQ(pattern->add_pair("worker={worker}").error().what, "field 'worker' stands twice");
  EXPECT_EQ(pattern->add_pair("{x} y").error().what, "a pair is text and then one field");
}

TEST(Pattern, Faults) {
  struct Case {
    const char* pattern;
    const char* what;
    std::size_t offset;
    const char* remark;
  };
  const Case cases[] = {
      {"GPU {t:dration}", "unknown type 'dration' of field 't'", 7, "did you mean 'duration'?"},
      {"GPU {job", "a field without its closing brace", 4, "write {{ for a brace in the text"},
      {"GPU job}", "a brace that closes nothing", 7, "write }} for a brace in the text"},
      {"GPU {}", "a field needs a name of letters, digits and _", 5, ""},
      {"GPU {a} {a}", "field 'a' stands twice", 9, ""},
      {"GPU {a}{b}", "two fields without text between them", 7, "where would the first one end?"},
      {"{a}-{b}", "no text to search for", 0,
       "a pattern needs two literal characters in a row, so that other lines are passed over"},
      {"GPU\n{a}", "a line break: a pattern matches within one line", 3, ""},
  };
  for (const Case& c : cases) {
    const auto pattern = Pattern::compile(c.pattern);
    ASSERT_FALSE(pattern) << c.pattern;
    EXPECT_EQ(pattern.error().what, c.what);
    EXPECT_EQ(pattern.error().offset, c.offset) << c.pattern;
    EXPECT_EQ(pattern.error().remark, c.remark);
  }
}

TEST(Pattern, RegularExpressions) {
  const auto pattern = Pattern::compile_regex(R"(GPU_END.*job=(?P<job>\w+).*ms=(?P<d_ms>[\d.]+))");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(matched(*pattern, "x GPU_END y job=a1 ms=7.5"), "job=a1 d=7500000");
  EXPECT_EQ(matched(*pattern, "x GPU_END y job=a1"), "no");
  EXPECT_EQ(pattern->literals(), std::vector<std::string>{"GPU_END"});
  const auto broken = Pattern::compile_regex("GPU (?P<job>\\w+");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().what.starts_with("the regular expression does not compile: "));
}

// The literal must be in every match: a wrong one loses lines.
TEST(Pattern, RequiredLiteralOfARegex) {
  const std::pair<const char*, const char*> cases[] = {
      {"abc", "abc"},          {"abc|def", ""},
      {"(abc|def)ghi", "ghi"}, {"abcd?ef", "abc"},
      {"abcd*", "abc"},        {"abcd+ef", "abcd"},
      {"abcd{2,3}ef", "abc"},  {"[abc]def", "def"},
      {"[]abc]def", "def"},    {"[[:alpha:]x]def", "def"},
      {"a\\.b\\d+", "a.b"},    {"(?i)abc", ""},
      {"^abc$", "abc"},        {"a", ""},
      {"(?P<x>a+)bcd", "bcd"}, {"\\x41bc", ""},
      {"abc(de)?", "abc"},     {"\\Qab\\E", ""}};
  for (const auto& [pattern, literal] : cases)
    EXPECT_EQ(required_literal(pattern), literal) << pattern;
}

}  // namespace
}  // namespace assay::trace
