// SPDX-License-Identifier: Apache-2.0
#include "base/document.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string error_of(std::string_view text) {
  const auto document = Document::parse(text, "f.toml");
  return document ? "" : document.error().to_text();
}

TEST(Document, PointsAtWhatIsWrong) {
  const std::string message = error_of("a = 1\nb 2\n");
  EXPECT_TRUE(message.starts_with("f.toml:2:3: not valid TOML: ")) << message;
  EXPECT_TRUE(message.ends_with("\n  b 2\n    ^")) << message;
  const auto document = Document::parse("t = { \"\xc3\xa9\" = 1 }", "f.toml");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().to_table()->size(), 1u);
  EXPECT_EQ(document->error({1, 13}, "here", "mark", "way out").to_text(),
            "f.toml:1:13: here\n  t = { \"\xc3\xa9\" = 1 }\n              ^ mark\n  way out");
}

TEST(Document, SaysWhatItRefuses) {
  EXPECT_EQ(error_of(std::string((1 << 20) + 1, '\n')),
            "f.toml: longer than 1.00 MiB\n  is this the right file?");
  std::string dots = "a";
  for (int i = 0; i < 300; ++i) dots += ".a";
  EXPECT_EQ(error_of("\n" + dots + " = 1"),
            "f.toml:2: more than 250 dots between words in one line\n  "
            "break a long command up: a \"\"\"string\"\"\" may go on after a \\ at the end of a "
            "line");
}

}  // namespace
}  // namespace assay
