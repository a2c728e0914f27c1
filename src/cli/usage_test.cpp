// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/text.hpp"
#include "cli/commands.hpp"

namespace assay::cli {
namespace {

TEST(BriefHelp, FitsAScreen) {
  for (const CommandSpec* spec : all_specs()) {
    const std::string text = brief_help(*spec);
    const auto lines = split_lines(text);
    EXPECT_LE(lines.size(), 24u) << text;
    for (const std::string_view line : lines) EXPECT_LE(display_width(line), 80u) << line;
    for (const Flag& flag : spec->flags)
      EXPECT_NE(text.find("--" + std::string(flag.name)), std::string::npos) << flag.name;
  }
}

TEST(FullHelp, ExplainsEveryOptionAndShowsExamples) {
  for (const CommandSpec* spec : all_specs()) {
    const std::string text = full_help(*spec);
    for (const Flag& flag : spec->flags)
      EXPECT_NE(text.find("--" + std::string(flag.name)), std::string::npos) << flag.name;
    for (const Example& example : spec->examples)
      EXPECT_NE(text.find(example.command), std::string::npos) << example.command;
    EXPECT_FALSE(spec->examples.empty()) << spec->name;
  }
}

TEST(Overview, FitsAScreenAndNamesEveryCommand) {
  const std::string text = overview(all_specs());
  const auto lines = split_lines(text);
  EXPECT_LE(lines.size(), 24u);
  for (const std::string_view line : lines) EXPECT_LE(display_width(line), 80u) << line;
  for (const CommandSpec* spec : all_specs())
    EXPECT_TRUE(text.find("\n  " + std::string(spec->name) + " ") != std::string::npos ||
                text.find(" " + std::string(spec->name), text.find("  also:")) != std::string::npos)
        << spec->name;
}

TEST(ReferencePage, IsTheOneInTheManual) {
  std::ifstream file(ASSAY_SOURCE_DIR "/docs/manual/reference.md");
  std::size_t number = 0;
  const std::string page = reference_page(all_specs());
  for (const std::string_view expected : split_lines(page)) {
    std::string line;
    ++number;
    ASSERT_TRUE(std::getline(file, line) && line == expected)
        << "line " << number << ": " << line << "\nshould be: " << expected
        << "\nmake it anew: assay help --markdown > docs/manual/reference.md";
  }
  EXPECT_EQ(file.peek(), std::ifstream::traits_type::eof()) << "lines behind the end";
}

}  // namespace
}  // namespace assay::cli
