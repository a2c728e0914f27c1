// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace assay::report {
namespace {

const std::vector<Column> kColumns = {
    {.head = "stage", .left = true}, {.head = "mean"}, {.head = "lock"}, {.head = "blocked"}};

std::vector<TableRow> rows() {
  return {{.cells = {"synth", "29.0 s", "-", "2.00 s"}, .note = "slow"},
          {.cells = {"gpu", "7.05 s", "-", "-"}}};
}

TEST(Table, AlignsAndLeavesOutWhatIsEmpty) {
  EXPECT_EQ(draw_table(kColumns, rows(), {.width = 60}),
            "stage    mean  blocked\n"
            "synth  29.0 s   2.00 s  slow\n"
            "gpu    7.05 s        -\n");
}

TEST(Table, ClosesUpBeforeItBreaks) {
  std::vector<TableRow> wide = {{.cells = {"a stage called synth", "1.00 s", "1.00 s", "1.00 s"}}};
  EXPECT_EQ(draw_table(kColumns, wide, {.width = 43}),
            "stage                  mean   lock blocked\n"
            "a stage called synth 1.00 s 1.00 s  1.00 s\n");
}

TEST(Table, WhatDoesNotFitStandsBelowWithItsHead) {
  std::vector<TableRow> wide = {
      {.cells = {"a stage called synthesis", "1.00 s", "1.00 s", "1.00 s"}, .note = "a note"}};
  EXPECT_EQ(draw_table(kColumns, wide, {.width = 40}),
            "stage                       mean    lock\n"
            "a stage called synthesis  1.00 s  1.00 s\n"
            "    blocked 1.00 s  a note\n");
}

TEST(Table, LongNamesStandWholeWhereThereIsRoom) {
  const std::string name(52, 'n');
  const auto drawn = [&](std::size_t width) {
    return draw_table(kColumns, {{.cells = {name, "1.00 s", "-", "-"}, .note = "slow"}},
                      {.width = width});
  };
  EXPECT_EQ(drawn(120).find(name + "  1.00 s  slow\n"), drawn(120).find('\n') + 1);
  EXPECT_EQ(drawn(66).find(name + "  1.00 s  slow\n"), drawn(66).find('\n') + 1);
  EXPECT_EQ(drawn(65).find(name), std::string::npos) << "the note stays on its line";
  EXPECT_NE(drawn(65).find("  1.00 s  slow\n"), std::string::npos);
}

TEST(Table, NoLineIsTooLongWhateverTheNames) {
  std::vector<TableRow> hostile = {
      {.cells = {std::string(500, 'x'), std::string(90, '9'), "-", "1 s"},
       .note = std::string(300, 'n')}};
  for (const std::size_t width : {40U, 60U, 100U}) {
    const std::string text = draw_table(kColumns, hostile, {.width = width});
    for (const std::string_view line : split_lines(text))
      EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(Table, ColoursOnlyTheText) {
  const std::vector<TableRow> painted = {{.cells = {{"gpu", Tone::strong}, "1 s", "-", "-"}}};
  EXPECT_EQ(draw_table(kColumns, painted, {.colour = true, .width = 60}),
            "stage  mean\n\x1b[1mgpu\x1b[0m     1 s\n");
}

TEST(Table, NothingWithoutRows) { EXPECT_EQ(draw_table(kColumns, {}, {}), ""); }

}  // namespace
}  // namespace assay::report
