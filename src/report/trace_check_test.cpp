// SPDX-License-Identifier: Apache-2.0
#include "report/trace_check.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace assay::report {
namespace {

trace::Trace checked_run() {
  trace::Trace run;
  run.source = "run.log";
  run.format = "rules";
  run.bytes_read = 2048;
  run.lines_read = 40;
  run.lines_matched = 10;
  const std::uint32_t gpu = run.stage_id("gpu\x1b[2J");
  const std::uint32_t worker = run.worker_id(gpu, "0");
  run.spans.push(0, 10, trace::kNone, gpu, worker, trace::SpanKind::service, trace::Quality::exact);
  run.spans.push(10, 12, trace::kNone, gpu, worker, trace::SpanKind::lock_wait,
                 trace::Quality::exact);
  run.lost(trace::Loss::torn_line) = 1;
  run.set("lookahead", "2");
  run.warn(trace::TraceWarningKind::torn, "the last line is torn");
  return run;
}

TEST(TraceCheck, SaysWhatWasReadAndLost) {
  EXPECT_EQ(check_text(checked_run(), std::nullopt, {.width = 100}),
            "run.log: rules, 2.00 KiB, 40 lines, 10 matched (25 %); 2 spans, 0 items\n"
            "\n"
            "spans       service  lock  workers\n"
            "gpu\\x1b[2J        1     1        1\n"
            "\n"
            "settings: lookahead = 2\n"
            "\n"
            "lost or mended  n\n"
            "torn last line  1\n");
}

TEST(TraceCheck, NamesTheRulesWithTheirLines) {
  const auto rules = trace::parse_rules(
      "[[event]]\nmatch = \"START,{t:ms},\"\ninstant = \"start\"\n[[event]]\nmatch = "
      "\"END,{t:ms},\"\ninstant = \"end\"\n",
      "r.toml");
  ASSERT_TRUE(rules.has_value()) << rules.error().to_text();
  const RuleMatches matches{.rules = &*rules, .lines = {7, 0}};
  const std::string text = check_text(checked_run(), matches, {.width = 100});
  EXPECT_NE(text.find("              7  START,{t:ms},\n"), std::string::npos) << text;
  EXPECT_NE(text.find("              0  END,{t:ms},\n"), std::string::npos) << text;
  const Json json = check_json(checked_run(), matches);
  EXPECT_EQ(json["rules"].items()[0]["lines"].to_uint(), 7U);
  EXPECT_EQ(json["losses"]["torn last line"].to_uint(), 1U);
  EXPECT_EQ(json["spans"].items()[1]["kind"], Json("lock_wait"));
  EXPECT_EQ(json["warnings"].items()[0]["kind"], Json("torn"));
}

TEST(TraceFormats, EveryImporterHasItsCaveat) {
  const std::string text = formats_text({.width = 80});
  const Json json = formats_json();
  EXPECT_EQ(json["formats"].size(), trace::importers().size());
  for (const trace::Importer* importer : trace::importers()) {
    EXPECT_NE(text.find(std::string(importer->name()) + " "), std::string::npos);
    EXPECT_FALSE(importer->caveat().empty()) << importer->name();
  }
  for (const std::string_view line : split_lines(text)) EXPECT_LE(display_width(line), 80U);
}

}  // namespace
}  // namespace assay::report
