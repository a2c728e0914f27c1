// SPDX-License-Identifier: Apache-2.0
// For the tests of measure: a folder that vanishes, plans of one command, waiting for processes.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "measure/trial_runner.hpp"

namespace assay::measure {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-test-XXXXXX").string();
    if (!::mkdtemp(name.data())) std::abort();
    path_ = std::filesystem::canonical(name).string();
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text,
                    bool executable = false) const {
    const std::string path = path_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    if (executable) std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

 private:
  std::string path_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<pid_t> read_pids(const std::string& path) {
  std::vector<pid_t> pids;
  std::ifstream file(path);
  for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
  return pids;
}

// Waits for an event, generously; false when it never came.
inline bool comes(const std::function<bool()>& event) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!event()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// No such process, or one that has ended and that nobody has reaped yet (not every init does so
// soon).
inline bool is_gone(pid_t pid) {
  if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
  const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name = stat.rfind(')');
  return name == std::string::npos || stat.compare(name, 4, ") Z ") == 0;
}

inline bool all_gone(const std::vector<pid_t>& pids) {
  return comes([&] {
    for (const pid_t pid : pids)
      if (!is_gone(pid)) return false;
    return true;
  });
}

// A plan to run `argv` and read the built-in metrics `names`.
inline Plan plan_of(std::vector<std::string> argv,
                    const std::vector<std::string>& names = {"wall", "cpu"}) {
  Plan plan;
  Subject& subject = plan.arms.emplace_back();
  subject.label = argv.empty() ? "" : argv.front();
  subject.argv = std::move(argv);
  for (const std::string& name : names) plan.metrics.push_back(*builtin_metric(name));
  return plan;
}

// A plan to run the test program `measure_subject`.
inline Plan subject_plan(const std::vector<std::string>& words,
                         const std::vector<std::string>& names = {"wall", "cpu"}) {
  std::vector<std::string> argv = {MEASURE_SUBJECT};
  argv.insert(argv.end(), words.begin(), words.end());
  return plan_of(argv, names);
}

inline const std::atomic<bool>& never() {
  static const std::atomic<bool> flag{false};
  return flag;
}

// One run of arm 0, which must come about.
inline Trial run_once(const Plan& plan, std::vector<Warning>* warnings = nullptr) {
  auto runner = TrialRunner::start(plan, never());
  if (!runner) {
    ADD_FAILURE() << runner.error().to_text();
    return {};
  }
  auto trial = (*runner)->run({0, 1, 0, 0, false});
  if (!trial || !*trial) {
    ADD_FAILURE() << (trial ? "interrupted" : trial.error().to_text());
    return {};
  }
  if (warnings) *warnings = (*runner)->warnings();
  return std::move(**trial);
}

// What the command of `plan` prints, by way of a shell that sends it to a file.
inline std::string printed_by(Plan plan) {
  const TempFolder folder;
  std::string words = join_command(plan.arms[0].argv);
  plan.arms[0].argv = {"/bin/sh", "-c", "exec " + words + " >" + (folder / "out") + " 2>&1"};
  run_once(plan);
  return read_text(folder / "out");
}

}  // namespace assay::measure
