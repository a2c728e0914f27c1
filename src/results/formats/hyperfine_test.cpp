// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

std::string hyperfine_text(const std::string& results) {
  return "{\"results\": [" + results + "]}";
}

std::string hyperfine_command(const char* command, const char* times, const char* rest = "") {
  return std::string(R"({"command": ")") + command +
         R"(", "mean": 0.2, "stddev": 0.01, "median": 0.2, "user": 0.1, "system": 0.05, "min": 0.1,
            "max": 0.3, "times": )" +
         times + rest + "}";
}

TEST(Hyperfine, EveryTimeIsAProcess) {
  const auto file = read(hyperfine_text(hyperfine_command("./a 1", "[0.2, 0.1, 0.3]")), "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "hyperfine");
  const Series* time = find_series(*file, "./a 1");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->level, Level::process);
  ASSERT_EQ(time->processes.size(), 3u);
  EXPECT_EQ(time->processes[1].values, std::vector<double>{0.1});
  EXPECT_EQ(find_series(*file, "./a 1", "user")->centre, 0.1);
  EXPECT_TRUE(find_series(*file, "./a 1", "user")->processes.empty());
  EXPECT_TRUE(time->doubts.empty());
}

TEST(Hyperfine, NamesTheMemoryOfLaterCommands) {
  const auto file =
      read(hyperfine_text(
               hyperfine_command("big", "[0.2]", R"(, "memory_usage_byte": [200000000])") + "," +
               hyperfine_command("small", "[0.2]", R"(, "memory_usage_byte": [200000000])") + "," +
               hyperfine_command("larger", "[0.2]", R"(, "memory_usage_byte": [300000000])")),
           "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_TRUE(find_series(*file, "big", "memory")->doubts.empty());
  const Series* small = find_series(*file, "small", "memory");
  ASSERT_TRUE(has_doubt(small->doubts, "memory-of-later"));
  EXPECT_NE(small->doubts[0].text.find("may be the memory of another command"), std::string::npos);
  EXPECT_NE(find_series(*file, "larger", "memory")->doubts[0].text.find("upper bound"),
            std::string::npos);
}

TEST(Hyperfine, NamesShellZerosFailedRunsAndSortedTimes) {
  const auto file = read(hyperfine_text(hyperfine_command("true", "[0.0, 0.0001, 0.0]",
                                                          R"(, "exit_codes": [0, 1, 0])") +
                                        "," + hyperfine_command("short", "[0.001, 0.002]") + "," +
                                        hyperfine_command("sorted", "[1, 2, 3, 4, 5, 6, 7, 8]")),
                         "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_TRUE(has_doubt(find_series(*file, "true")->doubts, "shell-zero"));
  EXPECT_TRUE(has_doubt(find_series(*file, "true")->doubts, "failed-runs"));
  EXPECT_TRUE(has_doubt(find_series(*file, "short")->doubts, "shell-corrected"));
  EXPECT_TRUE(has_doubt(find_series(*file, "sorted")->doubts, "sorted"));
}

TEST(Hyperfine, WhatIsWrongIsNamed) {
  EXPECT_EQ(error_of(hyperfine_text(hyperfine_command("a", "[0.1, \"b\"]"))),
            "f: results[0].times[1]: not a number");
  EXPECT_EQ(error_of(R"({"results": [{"command": "a", "stddev": null, "system": 1}]})"),
            "f: results[0].mean: not a number");
}

TEST(Hyperfine, AFileOfTheToolItself) {
  const auto file = read(data_file("hyperfine.json"), "hyperfine.json");
  ASSERT_TRUE(file) << file.error().to_text();
  const Series* time = find_series(*file, "sleep 0.02");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->processes.size(), 10u);
}

}  // namespace
}  // namespace assay::results
