// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "trace/importer.hpp"
#include "trace/rules.hpp"
#include "trace/source.hpp"

namespace assay::trace {
namespace {

std::string outcome(const std::string& bytes, const std::string& format = "") {
  const auto source = memory_source(bytes, "run.log");
  const auto trace = import_run(*source, format, {});
  if (!trace) return trace.error().to_text();
  return trace->format + (trace->warnings.empty() ? "" : ": " + trace->warnings[0].text);
}

TEST(ImportRun, RefusesWithTheReason) {
  EXPECT_TRUE(outcome("TIMELINE,1,GPU_END,a\n", "timelin")
                  .starts_with("--format: unknown format 'timelin'\n  did you mean 'timeline'?"));
  EXPECT_TRUE(outcome("", "timelin").starts_with("--format: unknown format"));
  EXPECT_TRUE(outcome(std::string("\x7f"
                                  "ELF\2\1\1\0\0\0",
                                  10) +
                      std::string(500, '\1'))
                  .starts_with("run.log: a binary file, and none that is known"));
  EXPECT_TRUE(outcome("hello\nworld\n").starts_with("run.log: no times or durations found"))
      << outcome("hello\nworld\n");
  EXPECT_TRUE(outcome("a 1\n", "rules").starts_with("run.log: the format 'rules' needs rules"));
}

TEST(ImportRun, AnEmptyInputIsAnEmptyRunThatSaysSo) {
  EXPECT_EQ(outcome(""),
            ": the input is empty: nothing was printed, or the program is block-buffered and was "
            "killed: use --line-buffered");
}

TEST(ImportRun, ABinaryFileIsNotReadByRules) {
  const auto rules = parse_rules("[[event]]\nmatch = \"ab\"\nbegin = \"x\"\n", "r.toml");
  ASSERT_TRUE(rules);
  ImportOptions options;
  options.rules = &*rules;
  const auto source = memory_source(std::string(300, '\1'), "core");
  const auto trace = import_run(*source, "", options);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().to_text(),
            "core: a binary file, not a log\n  rules read text; leave --rules away to have its "
            "format recognised");
}

TEST(ImportRun, ExpectedItemsAreCounted) {
  const auto rules = parse_rules(
      "expect = 3\nitem = \"j\"\n[[event]]\nmatch = \"got {j}\"\ninstant = \"got\"\n", "r");
  ASSERT_TRUE(rules);
  ImportOptions options;
  options.rules = &*rules;
  const auto source = memory_source("1.5 got a\n1.6 got b\n");
  const auto trace = import_run(*source, "", options);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->warnings.size(), 1U);
  EXPECT_EQ(trace->warnings[0].kind, TraceWarningKind::counts_disagree);
  EXPECT_TRUE(trace->warnings[0].text.starts_with("3 items expected, 2 in the log"));
}

TEST(ImportRun, NamesAreUnique) {
  for (const Importer* one : importers()) {
    EXPECT_FALSE(one->caveat().empty());
    for (const Importer* other : importers()) {
      EXPECT_TRUE(one == other || one->name() != other->name());
    }
  }
}

}  // namespace
}  // namespace assay::trace
