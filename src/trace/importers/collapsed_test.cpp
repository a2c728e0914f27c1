// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/collapsed.hpp"

#include <gtest/gtest.h>

#include "trace/importers/importer_lines.hpp"

namespace assay::trace {
namespace {

using testing::import;
using testing::Lines;
using testing::spans_of;

TEST(CollapsedImporter, TheTreeIsLaidOutBySamples) {
  const struct {
    const char* name;
    std::string text;
    Lines expected;
  } cases[] = {
      {"callees one after the other, then the caller's own",
       "main;a 3\nmain;b 4\nmain 2\n",
       {"main service 0..9 all samples derived -", "a service 0..3 all samples derived -",
        "b service 3..7 all samples derived -"}},
      {"equal stacks anywhere are added up",
       "x;y 1\nz 5\nx;y 2\r\n",
       {"x service 0..3 all samples derived -", "y service 0..3 all samples derived -",
        "z service 3..8 all samples derived -"}},
      {"recursion; blanks in frames; a comment",
       "# by perf\nf;f;operator new 7\n",
       {"f service 0..7 all samples derived -", "f service 0..7 all samples derived -",
        "operator new service 0..7 all samples derived -"}},
      {"no samples", "a;b 0\n\n", {}},
      {"the second of two counts",
       "a;b 10 20\na;c 5 0\n",
       {"a service 0..20 all samples derived -", "b service 0..20 all samples derived -"}},
  };
  for (const auto& c : cases) {
    const auto run = import(collapsed_importer(), c.text);
    ASSERT_TRUE(run) << c.name;
    EXPECT_EQ(spans_of(*run), c.expected) << c.name;
    EXPECT_EQ(run->clock.source, "samples");
    EXPECT_EQ(run->warnings.size(), c.text.find("10 20") == std::string::npos ? 0U : 1U);
  }
}

TEST(CollapsedImporter, BadLinesAreCounted) {
  const struct {
    const char* text;
    Loss loss;
    std::uint64_t count;
  } cases[] = {
      {"a;b\n", Loss::malformed_record, 1},
      {"a;b -3\n5\n 5\na;b 1.5\na 99999999999999999999999\n", Loss::malformed_record, 5},
      {"a;\xff 3\n", Loss::bad_bytes, 1},
      {"a;b 3\na;b 12", Loss::torn_line, 1},
  };
  for (const auto& c : cases) {
    const auto run = import(collapsed_importer(), c.text);
    ASSERT_TRUE(run) << c.text;
    EXPECT_EQ(run->lost(c.loss), c.count) << c.text;
  }
  const auto run = import(collapsed_importer(), "a 9223372036854775807\nb 1\n");
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().what.find("2^63"), std::string::npos);
}

TEST(CollapsedImporter, DeepStacksDoNotRecurse) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "f;";
  const auto run = import(collapsed_importer(), text + "g 3\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->spans.size(), 200001U);
  EXPECT_EQ(run->stages.size(), 2U);
}

TEST(CollapsedImporter, Sniffs) {
  EXPECT_GT(collapsed_importer().sniff("main;a 3\nmain;b 4\n"), 50);
  EXPECT_EQ(collapsed_importer().sniff("2024-01-01 started 3\n"), 0);
  EXPECT_EQ(collapsed_importer().sniff("main;a 3\nsomething else\n"), 0);
  EXPECT_EQ(collapsed_importer().sniff(""), 0);
}

}  // namespace
}  // namespace assay::trace
