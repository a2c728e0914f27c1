// SPDX-License-Identifier: Apache-2.0
// From logs to cause, against the truth: tests/tools/pipeline_logs.py (another simulator, another
// language) writes logs of pipelines whose change is known, and what each cause really cost.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "attribution/delta.hpp"
#include "base/json.hpp"
#include "trace/load.hpp"
#include "trace/rules.hpp"

namespace assay::attribution {
namespace {

const std::string kFolder = ASSAY_PIPELINE_LOGS;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

trace::Trace load(const std::string& run, bool with_rules = true) {
  trace::ImportOptions options;
  const auto rules = trace::parse_rules(read_file(kFolder + "/" + run + ".toml"), run + ".toml");
  EXPECT_TRUE(rules) << rules.error().to_text();
  if (rules && with_rules) options.rules = &*rules;
  auto trace = trace::load_trace(kFolder + "/" + run + ".log", "", options);
  EXPECT_TRUE(trace) << trace.error().to_text();
  return trace ? std::move(*trace) : trace::Trace();
}

DeltaDescription explained(const trace::Trace& a, const trace::Trace& b) {
  const trace::Trace* runs[2] = {&a, &b};
  DeltaOptions options;
  options.bootstrap = 20;
  return explain_delta({runs, 1}, {runs + 1, 1}, options);
}

// The seconds of a factor; 0 when it has no part.
double part(const Attribution& attribution, std::string_view factor) {
  for (const Part& each : attribution.parts) {
    if (each.factor == factor) return each.seconds;
  }
  return 0;
}

TEST(Truth, EveryCauseWithinFivePercentOrASecond) {
  const std::string text = read_file(kFolder + "/truth.json");
  const auto truth = parse_json(text);
  ASSERT_TRUE(truth);
  ASSERT_EQ(truth->size(), 6u);
  const std::pair<const char*, const char*> names[] = {{"make", "synth.service"},
                                                       {"prove", "gpu.service"},
                                                       {"producers", "workers of synth"},
                                                       {"places", "capacity of gpu"},
                                                       {"provers", "workers of gpu"}};
  for (const auto& [name, expected] : truth->members()) {
    const DeltaDescription delta = explained(load(name + ".before"), load(name + ".after"));
    ASSERT_TRUE(delta.attribution) << name;
    const Attribution& found = *delta.attribution;
    ASSERT_FALSE(found.refused) << name << ": " << found.refused_because;
    EXPECT_NEAR(found.delta_s, *expected["delta_s"].to_double(), 0.01) << name;
    double total = found.remainder_s;
    for (const Part& each : found.parts) total += each.seconds;
    EXPECT_NEAR(total, found.delta_s, 1e-9) << name;
    EXPECT_LT(std::abs(found.remainder_s), 0.2) << name;
    for (const auto& [cause, factor] : names) {
      const double seconds = *expected["shapley_s"][cause].to_double();
      EXPECT_NEAR(part(found, factor), seconds, std::max(1.0, 0.05 * std::abs(seconds)))
          << name << ": " << factor;
    }
  }
}

TEST(Truth, LostEventsAreNoAttribution) {
  const DeltaDescription delta = explained(load("lost.before"), load("lost.after"));
  ASSERT_TRUE(delta.attribution);
  EXPECT_TRUE(delta.attribution->refused);
  EXPECT_FALSE(delta.comparability.comparable);
  EXPECT_NE(delta.attribution->refused_because.find("events were lost"), std::string::npos);
}

TEST(Truth, WithoutSendsTheReplayDerivesTheBlocking) {
  const DeltaDescription delta = explained(load("nochan.before"), load("nochan.after"));
  ASSERT_TRUE(delta.attribution);
  ASSERT_FALSE(delta.attribution->refused) << delta.attribution->refused_because;
  EXPECT_EQ(delta.attribution->parts.front().factor, "gpu.service");
  EXPECT_NEAR(delta.attribution->parts.front().seconds, delta.attribution->delta_s, 1);
  for (const StageDelta& row : delta.stages) {
    EXPECT_NE(row.kind, trace::SpanKind::blocked_send) << "no event says so";
  }
}

TEST(Truth, WithoutATopologyTheRulesAreAskedFor) {
  const DeltaDescription delta =
      explained(load("slack_20.before", false), load("slack_20.after", false));
  ASSERT_TRUE(delta.attribution);
  EXPECT_TRUE(delta.attribution->refused);
  EXPECT_NE(delta.attribution->refused_because.find("--rules"), std::string::npos)
      << delta.attribution->refused_because;
  EXPECT_FALSE(delta.stages.empty()) << "distributions per stage are there all the same";
}

}  // namespace
}  // namespace assay::attribution
