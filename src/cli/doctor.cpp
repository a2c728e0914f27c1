// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/random.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "lab/self_test.hpp"
#include "measure/host.hpp"
#include "model/codec.hpp"

namespace assay::cli {
namespace {

constexpr std::uint32_t kBurnRounds = 30'000'000;           // some 60 ms of one core
constexpr const char* kBurnVariable = "ASSAY_DOCTOR_BURN";  // set: we are the test program
constexpr double kWorthIsolating = 0.7;                     // of the spread without it

// The work of the self test: integer arithmetic, no memory, no system calls.
int burn() {
  std::uint64_t x = 0x9E3779B97F4A7C15u;
  for (std::uint32_t i = 0; i < kBurnRounds; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x == 0 ? kNotMeasured : kFine;  // never 0: keeps the loop from being left out
}

std::string probe_lines(const measure::Probe& probe, std::size_t name_width) {
  std::string text = fmt::format("{:<{}}  {:<11}  {}\n", probe.name, name_width,
                                 measure::to_word(probe.state), probe.value);
  const std::string indent(name_width + 15, ' ');
  if (!probe.effect.empty()) text += indent + probe.effect + "\n";
  if (!probe.mend.empty()) text += indent + "mend: " + probe.mend + "\n";
  return text;
}

std::string probes_text(const std::vector<measure::Probe>& probes) {
  std::size_t width = 0;
  for (const auto& probe : probes) width = std::max(width, probe.name.size());
  std::string text;
  for (const auto& probe : probes) text += probe_lines(probe, width);
  return text;
}

const lab::SelfTest* find(const std::vector<lab::SelfTest>& tests, std::string_view metric,
                          bool isolated) {
  for (const lab::SelfTest& test : tests)
    if (test.metric == metric && test.isolated == isolated) return &test;
  return nullptr;
}

std::string advice(const std::vector<lab::SelfTest>& tests) {
  const auto* plain = find(tests, "wall", false);
  const auto* isolated = find(tests, "wall", true);
  if (plain == nullptr || isolated == nullptr) return {};
  if (isolated->sigma < kWorthIsolating * plain->sigma)
    return fmt::format("Use --isolate here: wall time varies {:.1f} times less with it.\n",
                       plain->sigma / std::max(isolated->sigma, 1e-6));
  return "--isolate gains little here at the moment.\n";
}

std::string self_test_text(const std::vector<lab::SelfTest>& tests) {
  std::string text = fmt::format(
      "\nA test program against itself, {} + {} runs; the smallest slowdown that so many runs show "
      "four times in five:\n",
      lab::kSelfTestRuns, lab::kSelfTestRuns);
  for (const lab::SelfTest& test : tests)
    text += fmt::format("  {:<5} {:<14} {:>7.2f} %   (a run varies by {:.2f} % around {})\n",
                        test.metric, test.isolated ? "with --isolate" : "plain",
                        100 * test.smallest_difference, 100 * std::expm1(test.sigma / 1.41421356),
                        format_seconds(test.median));
  return text + advice(tests);
}

Json to_json(const std::vector<measure::Probe>& probes) {
  Json list = Json::array();
  for (const auto& probe : probes)
    list.push(Json::object()
                  .set("name", probe.name)
                  .set("state", measure::to_word(probe.state))
                  .set("value", probe.value)
                  .set("effect", probe.effect)
                  .set("mend", probe.mend));
  return list;
}

Json to_json(const std::vector<lab::SelfTest>& tests) {
  Json list = Json::array();
  for (const auto& test : tests)
    list.push(Json::object()
                  .set("metric", test.metric)
                  .set("isolated", test.isolated)
                  .set("runs", lab::kSelfTestRuns)
                  .set("median_s", test.median)
                  .set("pair_sigma", test.sigma)
                  .set("smallest_difference", test.smallest_difference));
  return list;
}

// Both self tests; what isolation cannot do goes to `warnings`. Nothing when interrupted.
Result<std::optional<std::vector<lab::SelfTest>>> run_self_tests(Terminal& terminal,
                                                                 std::vector<Warning>& warnings) {
  std::error_code status;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", status).string();
  if (status)
    return fail(
        system_error("cannot tell which program this is", status.value(), "/proc/self/exe"));
  const Subject subject{
      .label = "test program", .argv = {self, "doctor"}, .env = {{kBurnVariable, "1"}}};
  std::vector<lab::SelfTest> tests;
  for (const bool isolated : {false, true}) {
    auto report = lab::self_test(
        subject, isolated, random_seed(), watch_interrupts(),
        [&](std::uint32_t done, std::uint32_t all) {
          terminal.progress(fmt::format("comparing a test program with itself{}: block {} of {}",
                                        isolated ? ", isolated" : "", done, all));
        });
    if (!report) return fail(report.error());
    if (!*report) return std::optional<std::vector<lab::SelfTest>>();
    tests.insert(tests.end(), (*report)->tests.begin(), (*report)->tests.end());
    warnings.insert(warnings.end(), (*report)->warnings.begin(), (*report)->warnings.end());
  }
  return std::optional(std::move(tests));
}

}  // namespace

Result<int> run_doctor(const Arguments& arguments, Terminal& terminal) {
  if (std::getenv(kBurnVariable) != nullptr) return burn();
  const auto probes = measure::examine_host();
  const bool as_json = arguments.has("json");
  if (!as_json) terminal.print(probes_text(probes));
  std::vector<lab::SelfTest> tests;
  std::vector<Warning> warnings;
  if (!arguments.has("quick")) {
    auto done = run_self_tests(terminal, warnings);
    if (!done) return terminal.error(done.error(), kNotMeasured);
    if (!*done) return kInterrupted;
    tests = std::move(**done);
    terminal.clear_progress();
  }
  for (const Warning& warning : warnings) terminal.warn(warning.text);
  if (!as_json) {
    if (!tests.empty()) terminal.print(self_test_text(tests));
    return kFine;
  }
  Json document = Json::object();
  document.set("schema_version", 1)
      .set("kind", "doctor")
      .set("host", assay::to_json(measure::read_host()));
  document.set("probes", to_json(probes)).set("self_tests", to_json(tests));
  terminal.print(document.dump(2) + "\n");
  return kFine;
}

}  // namespace assay::cli
