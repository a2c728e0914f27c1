// SPDX-License-Identifier: Apache-2.0
// The wording of an audit's report, from findings built by hand.
#include "report/suite_audit.hpp"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

Record audited_record() {
  Record record;
  record.id = "r1";
  record.plan.kind = PlanKind::suite_audit;
  record.plan.arms = {Subject{.label = "bench", .argv = {"bench"}}};
  record.plan.suite = SuitePlan{.adapter = "gbench", .memory_budget = 1024.0 * 1024 * 1024};
  for (const char* name : {"load", "clear_cache", "process_epoch", "warm"})
    record.plan.suite->units.push_back({name, {std::string(name) + "/250000"}});
  AuditVictim victim{.unit = 2, .id = "process_epoch/250000"};
  victim.alone_s = 4.1e-3;
  victim.behind_s = 0.41;
  victim.factor = 100;
  victim.alone_n = 170;
  victim.behind_n = 1;
  victim.polluters = {{.units = {1}, .factor = 101, .runs = 3, .confirmed = true}};
  victim.cleaners = {{3}};
  victim.mechanism = Mechanism::workload;
  victim.evidence = "rebuilds 0 -> 1";
  AuditFinding found{.benchmarks = 4, .judged = 4, .spread = 0.012, .suite_s = 8};
  found.victims = {victim};
  found.missing = {{.unit = 3, .id = "warm/250000", .in_suite = true, .exit_zero = true}};
  found.open = {{.unit = 0, .id = "load/250000", .factor = 0.03, .why = "n = 1 alone"}};
  found.memory = {{.unit = 0, .retained = 9e8, .held = 9.5e8, .fills = true},
                  {.unit = 1, .retained = -1e6, .held = 9.4e8},
                  {.unit = 2, .retained = 2e8, .held = 1.2e9, .crosses = true}};
  found.costs = {{"pairs", 15, 60}, {"search", 9, 20}};
  found.left_out = {"orders: this suite runs its units in its own order only"};
  record.conclusion = Conclusion{};
  record.conclusion->overall = Verdict::slower;
  record.conclusion->audit = found;
  return record;
}

TEST(SuiteAuditReport, SaysWhoByWhomAndHow) {
  const Record record = audited_record();
  const std::string text =
      suite_audit_text(record, *record.conclusion, {.unicode = false, .width = 0}).out;
  for (const char* part :
       {"4 benchmarks of 4 judged: 1 slower behind others than alone (VICTIM) and 1 did not come "
        "out (MISSING).",
        "by clear_cache (x 101, 3 + 3 fresh runs); undone by warm; mechanism another workload: "
        "rebuilds 0 -> 1; n = 1 of 170 iterations alone",
        "in the suite; the process ended with status 0", "OVER",
        "With process_epoch the suite goes over 1.00 GiB.",
        "What fills it, by what stays behind: load (858 MiB).",
        "load/250000: n = 1 alone (0.03 times alone)",
        "orders: this suite runs its units in its own order only",
        "24 processes in 1 min 20 s, 10 times the suite's own 8.00 s; the search took 2.5 times "
        "it."})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(SuiteAuditReport, ADoubtThatManyShareIsOneLine) {
  Record record = audited_record();
  AuditFinding& found = *record.conclusion->audit;
  for (const char* name : {"a", "b", "c", "d", "e"})
    found.doubts.push_back({DoubtKind::facts, 0, name, 16, "its workload changes"});
  found.doubts.push_back({DoubtKind::single, 0, "e", 1, "n = 1"});
  found.doubts.push_back({DoubtKind::skewed, 0, "e", 2, "skewed"});
  const std::string text =
      suite_audit_text(record, *record.conclusion, {.unicode = false, .width = 0}).out;
  for (const char* line : {"\n  e: n = 1; skewed\n", "\n  a and 4 more: its workload changes\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(text.find("  b:"), std::string::npos) << text;
}

TEST(SuiteAuditReport, JsonIsTheDocumentedOne) {
  const Record record = audited_record();
  const Json json = suite_audit_json(record, *record.conclusion);
  EXPECT_EQ(*json["kind"].to_string(), "audit");
  const Json& victim = json["victims"].items()[0];
  EXPECT_EQ(*victim["id"].to_string(), "process_epoch/250000");
  EXPECT_EQ(*victim["direction"].to_string(), "slower");
  EXPECT_EQ(*victim["factor"].to_double(), 100);
  EXPECT_EQ(*victim["polluters"].items()[0].items()[0].to_string(), "clear_cache");
  EXPECT_EQ(*victim["cleaners"].items()[0].items()[0].to_string(), "warm");
  EXPECT_EQ(*victim["mechanism"].to_string(), "workload");
  EXPECT_EQ(*victim["evidence"].to_string(), "rebuilds 0 -> 1");
  EXPECT_EQ(*json["missing"].items()[0]["exit_zero"].to_bool(), true);
  EXPECT_EQ(*json["memory"].items()[2]["crosses"].to_bool(), true);
  EXPECT_EQ(*json["costs"].items()[1]["suites"].to_double(), 2.5);
}

TEST(SuiteAuditReport, NamesFromOutsideCannotSpoilIt) {
  Record record = audited_record();
  record.plan.suite->units[1].name = "evil\x1b[31m\nname";
  record.conclusion->audit->victims[0].id = "a\nb\x1b[0m";
  const std::string text =
      suite_audit_text(record, *record.conclusion, {.unicode = false, .width = 80}).out;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(SuiteAuditReport, NothingFoundIsOneSentence) {
  Record record = audited_record();
  record.conclusion->audit = AuditFinding{.benchmarks = 4, .judged = 4};
  const std::string text = suite_audit_text(record, *record.conclusion, {.width = 0}).out;
  EXPECT_NE(text.find("4 benchmarks of 4 judged: none depends on what ran before it."),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace assay::report
