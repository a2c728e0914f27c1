// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

std::string dotnet_text(const std::string& benchmark) {
  return R"({"Title": "T", "HostEnvironmentInfo": {"BenchmarkDotNetVersion": "0.13.12",
    "Configuration": "RELEASE"}, "Benchmarks": [)" +
         benchmark + "]}";
}

std::string dotnet_measurement(const char* stage, int launch, int nanoseconds) {
  return std::string(R"({"IterationMode": "Workload", "IterationStage": ")") + stage +
         R"(", "LaunchIndex": )" + std::to_string(launch) +
         R"(, "IterationIndex": 1, "Operations": 10, "Nanoseconds": )" +
         std::to_string(nanoseconds) + "}";
}

TEST(BenchmarkDotNet, LaunchesAreProcesses) {
  const auto file = read(
      dotnet_text(
          R"j({"FullName": "N.C.M(size: 10)", "Memory": {"BytesAllocatedPerOperation": 24},
        "Statistics": {"Median": 11}, "Measurements": [)j" +
          dotnet_measurement("Warmup", 1, 900) + "," + dotnet_measurement("Actual", 1, 100) + "," +
          dotnet_measurement("Actual", 2, 120) + "," + dotnet_measurement("Actual", 2, 110) + "," +
          dotnet_measurement("Result", 1, 90) + "]}"),
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "benchmarkdotnet");
  EXPECT_EQ(file->version, "0.13.12");
  const Series* series = find_series(*file, "N.C.M(size: 10)");
  ASSERT_NE(series, nullptr);
  ASSERT_EQ(series->processes.size(), 2u);
  EXPECT_DOUBLE_EQ(series->processes[0].values[0], 10e-9);
  EXPECT_EQ(series->processes[0].warmups.size(), 1u);
  EXPECT_EQ(series->processes[1].values.size(), 2u);
  EXPECT_EQ(find_series(*file, "N.C.M(size: 10)", "allocated")->centre, 24.0);
}

TEST(BenchmarkDotNet, BriefFilesAreSummaries) {
  const auto file =
      read(dotnet_text(R"({"FullName": "M", "Statistics": {"Median": 11, "StandardDeviation": 1}},
                          {"FullName": "F", "Statistics": null})"),
           "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_DOUBLE_EQ(*find_series(*file, "M")->centre, 11e-9);
  EXPECT_TRUE(has_doubt(find_series(*file, "M")->doubts, "summary-only"));
  EXPECT_EQ(find_series(*file, "F")->state, State::failed);
}

}  // namespace
}  // namespace assay::results
