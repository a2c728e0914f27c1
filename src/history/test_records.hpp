// SPDX-License-Identifier: Apache-2.0
// Records and folders for the tests of the store.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "model/record.hpp"

namespace assay::history {

// A folder that is gone with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-store-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
    EXPECT_FALSE(path_.empty());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
}

// A plan of two arms and two gates.
inline Record sample_header(std::int64_t created_at_ms = 1000) {
  Record record;
  record.created_at_ms = created_at_ms;
  record.plan.seed = 42;
  record.plan.arms.resize(2);
  record.plan.arms[0].label = "encode -6";
  record.plan.arms[0].argv = {"./encode", "-6", "in.bin"};
  record.plan.arms[1].label = "encode -7";
  record.plan.arms[1].argv = {"./encode", "-7", "in.bin"};
  record.plan.metrics.resize(3);
  record.plan.metrics[0] = {"wall", "s", Better::lower, true, MetricOrigin::builtin, "", "clock"};
  record.plan.metrics[1] = {"cpu", "s", Better::lower, true, MetricOrigin::builtin, "", "wait4"};
  record.plan.metrics[2] = {"peak_mem", "B", Better::lower, false, MetricOrigin::builtin, "", ""};
  record.host.fingerprint = "0123456789abcdef";
  record.host.name = "bench-1";
  record.host.cores = 8;
  return record;
}

// Trial number `i` of a plan of two arms; its values tell it apart.
inline Trial sample_trial(std::uint32_t i) {
  Trial trial;
  trial.arm = i % 2;
  trial.block = i < 2 ? 0 : 1 + (i - 2) / 12;
  trial.slot = i < 2 ? i : (i - 2) % 12;
  trial.pad = i * 37 % 4096;
  trial.warmup = i < 2;
  trial.started_at_ms = 1700000000000 + i * 40;
  trial.duration = std::chrono::microseconds(38000 + i);
  trial.values = {0.038 + i * 1e-6, 0.0181, std::nullopt};
  trial.contention.psi_cpu_s = 0.0012;
  trial.contention.voluntary_switches = 3;
  trial.contention.involuntary_switches = 11;
  trial.output.digest = "3fa1c0de3fa1c0de3fa1c0de3fa1c0de3fa1c0de3fa1c0de3fa1c0de3fa1c0de";
  trial.output.bytes = 1234567;
  trial.memory_samples = 2;
  trial.memory = {{std::chrono::milliseconds(10), 1 << 20},
                  {std::chrono::milliseconds(20), 3 << 20}};
  return trial;
}

inline Conclusion sample_conclusion(double p_wall = 0.003, double p_memory = 1e-9) {
  Conclusion conclusion;
  conclusion.overall = Verdict::slower;
  conclusion.findings.resize(2);
  conclusion.findings[0].verdict = Verdict::slower;
  conclusion.findings[0].reason = Reason::decided;
  conclusion.findings[0].reading.runs = 18;
  conclusion.findings[0].reading.estimate = 0.067;
  conclusion.findings[0].reading.p_seq = p_wall;
  conclusion.findings[1].metric = 2;  // not a gate
  conclusion.findings[1].reading.p_seq = p_memory;
  return conclusion;
}

}  // namespace assay::history
