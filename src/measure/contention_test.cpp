// SPDX-License-Identifier: Apache-2.0
#include "measure/contention.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace assay::measure {
namespace {

TEST(Contention, ParsesPressure) {
  const std::string some = "some avg10=3.88 avg60=1.47 avg300=0.75 total=8427789\n";
  EXPECT_EQ(parse_pressure(some + "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"), 8427789u);
  EXPECT_EQ(parse_pressure("some avg10=0 total=18446744073709551615\n"), UINT64_MAX);
  EXPECT_EQ(parse_pressure("some avg10=0 total=18446744073709551616\n"), std::nullopt);
  EXPECT_EQ(parse_pressure("full avg10=0 total=5\n"), std::nullopt);
  EXPECT_EQ(parse_pressure("some avg10=0\nfull avg10=0 total=5\n"), std::nullopt);
  EXPECT_EQ(parse_pressure("some avg10=0 total=-5\n"), std::nullopt);
  for (std::size_t cut = 0; cut < some.size(); ++cut)
    EXPECT_EQ(parse_pressure(some.substr(0, cut)), std::nullopt) << cut;
}

TEST(Contention, ParsesSteal) {
  const std::string line = "cpu  2903 0 2388 154681 356 0 57 8 0 0\n";
  EXPECT_EQ(parse_steal(line + "cpu0 1 2 3 4 5 6 7 9 0 0\n"), 8u);
  EXPECT_EQ(parse_steal("cpu 1 2 3 4 5 6 7 8\n"), 8u);           // kernels before guest time
  EXPECT_EQ(parse_steal("cpu  1 2 3 4 5 6 7\n"), std::nullopt);  // before steal: absent, not 0
  EXPECT_EQ(parse_steal("cpu0 1 2 3 4 5 6 7 8 9 10\n"), std::nullopt);
  EXPECT_EQ(parse_steal("cpu  1 2 3 x 5 6 7 8 9 10\n"), std::nullopt);
  for (std::size_t cut = 0; cut < line.size(); ++cut)
    EXPECT_EQ(parse_steal(line.substr(0, cut)), std::nullopt) << cut;
}

TEST(Contention, ParsesRunDelay) {
  EXPECT_EQ(parse_run_delay("22066943 4692404 84\n"), std::chrono::nanoseconds(4692404));
  EXPECT_EQ(parse_run_delay("22066943 0 84\n"), std::chrono::nanoseconds(0));
  EXPECT_EQ(parse_run_delay("0 0 0\n"), std::nullopt);
  EXPECT_EQ(parse_run_delay("0 0 1\n"), std::nullopt);
  EXPECT_EQ(parse_run_delay("22066943 4692404"), std::nullopt);
  EXPECT_EQ(parse_run_delay("22066943 18446744073709551615 84\n"), std::nullopt);
  EXPECT_EQ(parse_run_delay(""), std::nullopt);
}

class FakeProc : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "contention_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    std::filesystem::create_directories(root_ + "/proc/pressure");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(root_ + "/proc/" + file, std::ios::trunc) << text;
  }
  static std::string some(int total) {
    return "some avg10=0.00 avg60=0.00 avg300=0.00 total=" + std::to_string(total) + "\n";
  }
  std::string root_;
};

TEST_F(FakeProc, GivesDifferences) {
  write("pressure/cpu", some(1000000));
  write("pressure/memory", some(7));
  write("stat", "cpu  1 2 3 4 5 6 7 10 0 0\n");
  ContentionMeter meter(root_);
  meter.start();
  write("pressure/cpu", some(3500000));
  write("pressure/memory", some(6));  // went back: a container moved to another host
  write("stat", "cpu  1 2 3 4 5 6 7 12 0 0\n");
  const Contention contention = meter.stop();
  EXPECT_DOUBLE_EQ(contention.psi_cpu_s.value(), 2.5);
  EXPECT_EQ(contention.psi_memory_s, std::nullopt);
  EXPECT_EQ(contention.psi_io_s, std::nullopt);  // no such file
  EXPECT_DOUBLE_EQ(contention.steal_s.value(), 2.0 / double(::sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(contention.run_delay_s, std::nullopt);
}

TEST_F(FakeProc, IsAbsentWhereNothingIs) {
  ContentionMeter meter(root_);
  meter.start();
  EXPECT_EQ(meter.stop(), Contention{});
}

TEST(Contention, ReadsThisMachine) {
  ContentionMeter meter;
  meter.start();
  const Contention contention = meter.stop();
  if (std::filesystem::exists("/proc/stat")) {
    EXPECT_TRUE(contention.steal_s.has_value());
  }
  EXPECT_GE(contention.psi_cpu_s.value_or(0), 0);
}

}  // namespace
}  // namespace assay::measure
