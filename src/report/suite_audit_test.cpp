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

std::string text_of(const Record& record) {
  return suite_audit_text(record, *record.conclusion, {.unicode = false, .width = 0}).out;
}

TEST(SuiteAuditReport, NothingFoundSaysWhatWouldNotHaveBeenSeen) {
  Record record = audited_record();
  record.conclusion->audit = AuditFinding{.benchmarks = 4,
                                          .judged = 4,
                                          .spread = 0.5,
                                          .least_seen = 4.5,
                                          .more_repeats = 12,
                                          .least_seen_then = 2.1};
  EXPECT_EQ(text_of(record),
            "4 benchmarks of 4 judged: nothing found.\n"
            "A difference below x 4.5 would not have been seen (with --repeats 12, unless single "
            "runs are far off, one below about x 2.1): between runs of the same kind the typical "
            "benchmark differs by 64.9 %.\n"
            "In the suite the typical benchmark takes as long as alone.\n\n"
            "The suite stays within 1.00 GiB.\n");
}

TEST(SuiteAuditReport, AnAuditThatWasEndedSaysSoFirst) {
  Record record = audited_record();
  record.conclusion->ended_by = EndedBy::time_budget;
  record.conclusion->audit = AuditFinding{.benchmarks = 4, .unfinished = "after 2 of 3 rounds"};
  record.conclusion->audit->open = {
      {.unit = 1, .id = "clear_cache/250000", .factor = 0.5, .why = "looks faster"},
      {.unit = 2, .id = "process_epoch/250000", .factor = 1012.4, .why = "looks slower"}};
  const std::string text = text_of(record);
  EXPECT_TRUE(text.starts_with(
      "UNFINISHED: process_epoch/250000 looks 1010 times slower behind others than alone, not "
      "confirmed (and 1 more). The time budget ended it after 2 of 3 rounds.\n"))
      << text;
  EXPECT_EQ(text.find("judged"), std::string::npos) << text;
  EXPECT_NE(text.find("process_epoch/250000: looks slower (1010 times alone)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("Run it again with a longer --time-budget."), std::string::npos) << text;
  record.conclusion->ended_by = EndedBy::interrupted;
  record.conclusion->audit = AuditFinding{.unfinished = "after 0 of 3 rounds"};
  EXPECT_TRUE(text_of(record).starts_with("UNFINISHED: It was stopped after 0 of 3 rounds.\n"));
}

TEST(SuiteAuditReport, AnotherWorkloadIsNamedInTheHeadlineAndInATable) {
  Record record = audited_record();
  AuditFinding& found = *record.conclusion->audit;
  found.missing.clear();
  for (const std::uint32_t unit : {0u, 3u})
    found.changed.push_back({.unit = unit,
                             .id = record.plan.suite->units[unit].ids[0],
                             .text = "validators 4096 -> 256",
                             .behind = {1},
                             .changed = 5,
                             .same = 4});
  const std::string text = text_of(record);
  for (const char* part :
       {"1 slower behind others than alone (VICTIM) and 2 more measured another workload behind "
        "clear_cache (WORKLOAD: validators 4096 -> 256).",
        "load/250000       validators 4096 -> 256  clear_cache  WORKLOAD"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(SuiteAuditReport, ListsGiveNamesWhole) {
  Record record = audited_record();
  const std::string id = "process_inactivity_updates_of_all_validators/normalcase/vc:4096";
  record.conclusion->audit->doubts = {{DoubtKind::single, 0, id, 1, "n = 1"}};
  record.conclusion->audit->open = {{.unit = 0, .id = id, .why = "n = 1 alone"}};
  const std::string text =
      suite_audit_text(record, *record.conclusion, {.unicode = false, .width = 80}).out;
  EXPECT_NE(text.find("\n  " + id + ": n = 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  " + id + ": n = 1 alone\n"), std::string::npos) << text;
}

TEST(SuiteAuditReport, JsonListsEveryBenchmark) {
  Record record = audited_record();
  record.conclusion->audit->times = {
      {.unit = 0, .id = "load/250000", .alone_s = 2.0, .behind_s = 1.0, .alone_runs = 3},
      {.unit = 2, .id = "process_epoch/250000", .alone_s = 1.0, .alone_n = 170, .judged = true}};
  const Json json = suite_audit_json(record, *record.conclusion);
  EXPECT_EQ(*json["compared"].to_double(), 4);
  const auto& all = json["benchmarks"].items();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(*all[0]["factor"].to_double(), 0.5);
  EXPECT_TRUE(all[0]["alone_n"].is_null());
  EXPECT_TRUE(all[1]["factor"].is_null());
  EXPECT_EQ(*all[1]["alone_n"].to_double(), 170);
  EXPECT_EQ(*all[1]["word"].to_string(), "VICTIM");
}

}  // namespace
}  // namespace assay::report
