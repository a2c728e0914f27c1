// SPDX-License-Identifier: Apache-2.0
#include "document/document.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace document {
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
  const auto root = parse(text);
  return root ? shape(*root) : root.error().what;
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

TEST(Document, KnowsThePlaceOfWhatIsNotToml) {
  const std::tuple<std::string, std::uint32_t, std::uint32_t> cases[] = {
      {"a = 1\nb 2\n", 2, 3},
      {"a = \"open\nb = 1\n", 1, 10},
      {"[t\n", 1, 3},
      {"a = 1\na = 2\n", 2, 5},
      {"[t]\nx = 1\n[t]\n", 3, 1},
      {"= 1", 1, 1},
      {"\xc3\xa9t\xc3\xa9 = 1", 1, 1},
      {"a = 0.02\xc3\xa9", 1, 9},
      {std::string("[\0\n", 3), 1, 2},
      {"a = 'x\xff'", 1, 6}};
  for (const auto& [text, line, column] : cases) {
    const auto root = parse(text);
    ASSERT_FALSE(root) << text;
    EXPECT_EQ(root.error().kind, Problem::Kind::not_toml) << text;
    EXPECT_TRUE(root.error().what.starts_with("not valid TOML: ")) << root.error().what;
    EXPECT_EQ(root.error().at.line, line) << text;
    EXPECT_EQ(root.error().at.column, column) << text;
  }
}

TEST(Document, ExcerptsOfALine) {
  const std::string text = "a = 1\nt = { \"\xc3\xa9\" = 1 }\nb = 2";
  const Excerpt inside = excerpt(text, {2, 10});  // columns are code points
  EXPECT_EQ(inside.text, "t = { \"\xc3\xa9\" = 1 }");
  EXPECT_EQ(inside.text.substr(inside.offset), " = 1 }");
  const Excerpt behind = excerpt(text, {9, 9});
  EXPECT_EQ(behind.text, "b = 2");
  EXPECT_EQ(behind.offset, 5u);
  const std::string line = "k = '" + std::string(5000, 'a') + "' b";
  const Excerpt part = excerpt(line, {1, 5008});
  EXPECT_LT(part.text.size(), 200u);
  EXPECT_EQ(part.text.substr(part.offset), "b");
}

TEST(Document, RefusesWhatWouldExhaustMemoryOrStack) {
  std::string dots = "a";
  for (int i = 0; i < 300000; ++i) dots += ".a";
  std::string quoted = "\"=\"";
  for (int i = 0; i < 100000; ++i) quoted += " . \"=\"";
  const std::pair<std::string, std::uint32_t> deep[] = {
      {dots + " = 1", 1}, {"\n" + quoted + " = 1", 2}, {"[" + dots + "]", 1}};
  for (const auto& [text, line] : deep) {
    const auto root = parse(text);
    ASSERT_FALSE(root);
    EXPECT_EQ(root.error().kind, Problem::Kind::too_deep);
    EXPECT_EQ(root.error().what, "more than 250 dots between words in one line");
    EXPECT_EQ(root.error().at.line, line);
  }
  const auto longer = parse(std::string(kLongestText + 1, '\n'));
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().kind, Problem::Kind::too_long);
  const auto lists = parse("a = " + std::string(200000, '['));
  ASSERT_FALSE(lists);
  EXPECT_EQ(lists.error().at.line, 1u);
  EXPECT_EQ(parsed(std::string(kLongestText, '\n')), "{}");
  // Many file names in one command are no nesting.
  std::string files = "k = '";
  for (int i = 0; i < 249; ++i) files += "f.c ";
  EXPECT_TRUE(parsed(files + "'").starts_with("{k="));
}

}  // namespace
}  // namespace document
