// SPDX-License-Identifier: Apache-2.0
// Wording, from results made by hand.
#include "prover/bench/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace prover::bench {
namespace {

BatchOptions two_jobs() {
  BatchOptions options;
  options.load.circuit.reset();
  options.jobs = 2;
  options.partitions = 3;
  return options;
}

BatchResult two_proofs() {
  BatchResult result;
  for (std::uint64_t id = 1; id <= 2; ++id) {
    JobOutcome outcome;
    outcome.job = JobId{id};
    outcome.proof = Proof{JobId{id}, 3, {}};
    outcome.submitted = TimePoint() + std::chrono::seconds(1);
    outcome.done = TimePoint() + std::chrono::seconds(1 + id);
    outcome.times.resize(3);
    outcome.partitions_proved = 3;
    result.outcomes.push_back(outcome);
  }
  result.submitted = 2;
  result.begin = TimePoint() + std::chrono::seconds(1);
  result.end = TimePoint() + std::chrono::seconds(3);
  result.engine.jobs_done = 2;
  result.engine.partitions_proved = 6;
  result.engine.peaks.before_proving = 4;
  result.engine.peaks.total = 5;
  result.engine.reserved_peak = 48u << 20;
  result.peak = {60u << 20, "a ruler", 12};
  return result;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Report, SaysThatTheCountsAgree) {
  const std::string text = report_text(two_jobs(), two_proofs());
  EXPECT_TRUE(has(text,
                  "proofs      2 of 2, each checked\n"
                  "partitions  2 x 3 = 6 asked, 6 proved, 6 in the proofs: complete\n"
                  "makespan    2 s   1 proofs/s   3 partitions/s\n"))
      << text;
  EXPECT_TRUE(has(text,
                  "peak memory 60 MiB (a ruler)\n"
                  "reserved    48 MiB at most, of no budget\n"
                  "in flight   4 at most before the prove workers (permits 4 + capacity 1), 5 "
                  "with those being proved\n"))
      << text;
  EXPECT_TRUE(has(text, " permit_scope=send")) << text;
}

TEST(Report, SaysWhatIsMissingAndWhy) {
  BatchResult result = two_proofs();
  result.outcomes[1].proof.reset();
  result.outcomes[1].error =
      Error{"the witness is wrong", "synthesis of partition 1", "look at it"};
  result.engine.partitions_proved = 4;
  const std::string text = report_text(two_jobs(), result);
  EXPECT_TRUE(has(text,
                  "proofs      1 of 2, each checked\n"
                  "partitions  2 x 3 = 6 asked, 4 proved, 3 in the proofs: INCOMPLETE\n"))
      << text;
  EXPECT_TRUE(has(text, "1 job: synthesis of partition 1: the witness is wrong\n  look at it\n"));
}

TEST(Report, OfNoProofHasNoThroughput) {
  BatchResult result = two_proofs();
  result.outcomes.clear();
  EXPECT_FALSE(has(report_text(two_jobs(), result), "proofs/s"));
  EXPECT_EQ(assay_lines(two_jobs(), result), "ASSAY peak_memory=62914560 B\n");
}

TEST(Report, AssayLinesAreNamesValuesAndUnits) {
  EXPECT_EQ(assay_lines(two_jobs(), two_proofs()),
            "ASSAY throughput=3 partitions/s\n"
            "ASSAY proof_throughput=1 proofs/s\n"
            "ASSAY makespan=2 s\n"
            "ASSAY proof_latency=1.5 s\n"
            "ASSAY peak_memory=62914560 B\n");
}

TEST(Report, HasCpuTimeWhereItWasMetered) {
  BatchResult result = two_proofs();
  result.cpu_s = 0.75;
  result.cpus[static_cast<std::size_t>(Step::synth)] = {0.1875, 6};
  result.cpus[static_cast<std::size_t>(Step::start)] = {0.375, 6};
  result.cpus[static_cast<std::size_t>(Step::finish)] = {0.09375, 6};
  EXPECT_TRUE(has(report_text(two_jobs(), result),
                  "cpu         750 ms, 125 ms a partition; of it, by the threads that call: "
                  "synthesis 31.2 ms start 62.5 ms finish 15.6 ms\n"))
      << report_text(two_jobs(), result);
  EXPECT_TRUE(
      has(assay_lines(two_jobs(), result),
          "ASSAY partition_cpu=0.125 s\nASSAY synth_cpu=0.03125 s\nASSAY prove_cpu=0.078125 s\n"))
      << assay_lines(two_jobs(), result);
}

TEST(Report, OfASingleJobHasItsPath) {
  BatchOptions options = two_jobs();
  options.command = Command::single;
  options.jobs = 1;
  const std::string text = report_text(options, two_proofs());
  EXPECT_TRUE(has(text, "prover bench single: 1 job x 3 partitions, 1 at once, synthetic work\n"));
  EXPECT_TRUE(has(text, "critical path, from the submission to the checked proof:\n")) << text;
  const auto json = nlohmann::json::parse(report_json(options, two_proofs()), nullptr, false);
  EXPECT_EQ(json["kind"], "prover-bench-single");
  EXPECT_EQ(json["critical_path"].size(), 6u);
}

TEST(Report, OfALoopHasNoEngine) {
  BatchOptions options = two_jobs();
  options.command = Command::loop;
  const std::string text = report_text(options, two_proofs());
  EXPECT_TRUE(has(text, "peak memory 60 MiB (a ruler)\n"));
  EXPECT_FALSE(has(text, "in flight"));
  EXPECT_FALSE(has(text, "reserved"));
}

TEST(Report, JsonHasTheSameAndItsSchema) {
  BatchResult result = two_proofs();
  result.warnings = {"mind the \xff gap"};
  const auto json = nlohmann::json::parse(report_json(two_jobs(), result), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["kind"], "prover-bench-batch");
  EXPECT_EQ(json["seed"], 1);
  EXPECT_EQ(json["settings"]["partition_workers"], "4");
  EXPECT_EQ(json["settings"]["permit_scope"], "send");
  EXPECT_EQ(json["counts"]["partitions_in_proofs"], 6);
  EXPECT_EQ(json["counts"]["complete"], true);
  EXPECT_EQ(json["throughput"]["partitions_per_s"], 3.0);
  EXPECT_EQ(json["peak_memory"]["bytes"], 62914560);
  EXPECT_EQ(json["peak_memory"]["method"], "a ruler");
  EXPECT_EQ(json["distributions"]["proof_latency"]["n"], 2);
  EXPECT_EQ(json["distributions"]["proof_latency"]["max"], 2000.0);
  EXPECT_EQ(json["distributions"]["inter_completion"]["n"], 1);
  EXPECT_EQ(json["in_flight"]["peak_before_proving"], 4);
  EXPECT_FALSE(json.contains("fatal"));
  EXPECT_EQ(json["warnings"].size(), 1u);
}

TEST(Report, TheEndForWantOfMemorySaysWhatWasHeldAndWhatBoundsIt) {
  BatchOptions options = two_jobs();
  options.settings.engine.permit_scope = PermitScope::synthesis;
  Fatal fatal{{"cannot allocate 8 MiB for a, b, c: Cannot allocate memory",
               "synthesis of partition 1 of job 00000002",
               {},
               ErrorKind::out_of_memory},
              {.in_flight = {{3, 9, 1, 1}}, .reserved = 150u << 20, .resident = 140u << 20}};
  EXPECT_EQ(fatal_text(options, fatal),
            "out of memory: synthesis of partition 1 of job 00000002: cannot allocate 8 MiB for a, "
            "b, c: Cannot allocate memory\n"
            "  held at that moment: 140 MiB resident, 150 MiB reserved\n"
            "  in flight: 3 being synthesised, 9 finished and not sent, 1 queued, 1 being proved\n"
            "  finished partitions wait in their sends without a permit: --permit-scope send stops "
            "the synthesis instead\n"
            "  what bounds it: --memory-budget BYTES, fewer --partition-workers, a smaller "
            "--channel or --lookahead, --early-free on");
  BatchResult result = two_proofs();
  result.engine.fatal = fatal;
  const auto json = nlohmann::json::parse(report_json(options, result), nullptr, false);
  EXPECT_EQ(json["fatal"]["error"]["kind"], "out_of_memory");
  EXPECT_EQ(json["fatal"]["in_flight"]["unsent"], 9);
}

}  // namespace
}  // namespace prover::bench
