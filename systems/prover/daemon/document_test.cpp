// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/document.hpp"

#include <gtest/gtest.h>

namespace prover::daemon {
namespace {

// A tree in one line, keys in the order of the text.
std::string shape(const Node& node) {
  if (const auto* text = node.to_string()) return "'" + *text + "'";
  if (const auto* truth = node.to_bool()) return *truth ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return std::to_string(*whole);
  if (const auto* items = node.to_array()) {
    std::string list = "[";
    for (const Node& item : *items) list += shape(item) + " ";
    return list + "]";
  }
  if (const auto* table = node.to_table()) {
    std::string members = "{";
    for (const Node::Member& member : *table)
      members += member.key + "=" + shape(member.value) + " ";
    return members + "}";
  }
  return std::string(node.kind());
}

std::string parsed(std::string_view text) {
  const auto document = Document::parse(text, "f.toml");
  return document ? shape(document->root()) : document.error().to_text();
}

TEST(Document, KeepsValuesInOrder) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "{}"},
      {"\xef\xbb\xbf# a byte order mark\n", "{}"},
      {"b = 1\na = 'x'\n", "{b=1 a='x' }"},
      {"[t.z]\nk = true\n[t.a]\nl = [1, 'two', [3]]\n",
       "{t={z={k=true } a={l=[1 'two' [3 ] ] } } }"},
      {"d = 2026-01-02\nf = 1.5\n", "{d=a date f=a number }"},
      {"s = \"\"\"one \\\n   two\"\"\"\r\nu = \"\\u00e9\"", "{s='one two' u='\xc3\xa9' }"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(parsed(text), expected) << text;
}

TEST(Document, PointsAtWhatIsNotToml) {
  struct Case {
    std::string text, where, snippet;
  };
  const Case cases[] = {
      {"a = 1\nb 2\n", "f.toml:2:3", "\n  b 2\n    ^"},
      {"a = \"open\nb = 1\n", "f.toml:1:10", "\n  a = \"open\n           ^"},
      {"[t\n", "f.toml:1:3", "\n  [t\n    ^"},
      {"a = 1\na = 2\n", "f.toml:2:5", "\n  a = 2\n      ^"},
      {"[t]\nx = 1\n[t]\n", "f.toml:3:1", "\n  [t]\n  ^"},
      {"= 1", "f.toml:1:1", "\n  = 1\n  ^"},
      {"\xc3\xa9t\xc3\xa9 = 1", "f.toml:1:1", "\n  \\xc3\\xa9t\\xc3\\xa9 = 1\n  ^"},
      {"a = 0.02\xc3\xa9", "f.toml:1:9", "\n  a = 0.02\\xc3\\xa9\n          ^"},
      {std::string("[\0\n", 3), "f.toml:1:2", "\n  [\\x00\n   ^"},
      {"a = 'x\xff'", "f.toml:1:6", ""}};
  for (const Case& c : cases) {
    const auto document = Document::parse(c.text, "f.toml");
    ASSERT_FALSE(document) << c.text;
    const Error& error = document.error();
    EXPECT_EQ(error.where, c.where) << c.text;
    EXPECT_TRUE(error.what.starts_with("not valid TOML: ")) << error.what;
    EXPECT_TRUE(error.what.ends_with(c.snippet)) << error.what;
  }
}

TEST(Document, CountsColumnsInCodePoints) {
  const auto document = Document::parse("t = { \"\xc3\xa9\" = 1 }", "f.toml");
  ASSERT_TRUE(document);
  EXPECT_EQ(
      document->error({1, 13}, "here", "mark", "way out").to_text(),
      "f.toml:1:13: here\n  t = { \"\\xc3\\xa9\" = 1 }\n                     ^ mark\n  way out");
  EXPECT_EQ(document->error({9, 9}, "behind the end").what,
            "behind the end\n  t = { \"\\xc3\\xa9\" = 1 }\n                        ^");
}

TEST(Document, ShowsOnlyAPartOfALongLine) {
  const std::string text = "k = '" + std::string(5000, 'a') + "' b";
  const auto document = Document::parse(text, "f.toml");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().where, "f.toml:1:5008");
  EXPECT_LT(document.error().what.size(), 500u);
}

TEST(Document, RefusesWhatWouldExhaustMemoryOrStack) {
  std::string dots = "a";
  for (int i = 0; i < 300000; ++i) dots += ".a";
  std::string quoted = "\"=\"";
  for (int i = 0; i < 100000; ++i) quoted += " . \"=\"";
  const std::string lists = "a = " + std::string(200000, '[');
  const std::string dot_hint =
      "more than 250 dots between words in one line\n  is this the right file?";
  const std::pair<std::string, std::string> cases[] = {
      {std::string((1 << 20) + 1, '\n'), "f.toml: longer than 1 MiB\n  is this the right file?"},
      {dots + " = 1", "f.toml:1: " + dot_hint},
      {"\n" + quoted + " = 1", "f.toml:2: " + dot_hint},
      {"[" + dots + "]", "f.toml:1: " + dot_hint}};
  for (const auto& [text, message] : cases) EXPECT_EQ(parsed(text), message);
  EXPECT_TRUE(parsed(lists).starts_with("f.toml:1:2")) << parsed(lists).substr(0, 200);
  EXPECT_EQ(parsed(std::string(1 << 20, '\n')), "{}");
  // Dots inside a string are no nesting.
  std::string files = "k = '";
  for (int i = 0; i < 249; ++i) files += "f.c ";
  EXPECT_TRUE(parsed(files + "'").starts_with("{k="));
}

}  // namespace
}  // namespace prover::daemon
