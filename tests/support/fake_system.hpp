// SPDX-License-Identifier: Apache-2.0
// A machine made of a map from path to text, with scripted failures.
#pragma once

#include <cerrno>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/system.hpp"

namespace assay {

class FakeSystem final : public System {
 public:
  std::map<std::string, std::string> files;
  std::map<std::string, int> failures;  // path -> errno of every access
  std::set<std::string> writable;
  std::vector<int> cpus = {0, 1};
  int highest_realtime = 0;  // 0 = none permitted
  std::optional<int> nice = 0;
  CounterAccess counters = CounterAccess::no_hardware;
  std::chrono::nanoseconds resolution{1};
  std::chrono::nanoseconds step{25};  // how far the clock moves at every reading

  FakeSystem() = default;
  // FakeSystem{{"/proc/loadavg", "0.1 0.1 0.1 1/9 9\n"}, ...}
  FakeSystem(std::initializer_list<std::pair<const std::string, std::string>> given)
      : files(given) {}

  Result<std::string> read_file(const std::string& path) const override {
    if (const auto bad = failures.find(path); bad != failures.end())
      return fail(system_error("cannot open", bad->second, path));
    const auto found = files.find(path);
    if (found == files.end()) return fail(system_error("cannot open", ENOENT, path));
    return found->second;
  }

  // A folder is there when a file in it is.
  Result<std::vector<std::string>> list_dir(const std::string& path) const override {
    if (const auto bad = failures.find(path); bad != failures.end())
      return fail(system_error("cannot list", bad->second, path));
    std::set<std::string> names;
    const std::string prefix = path + "/";
    for (const auto& [file, text] : files)
      if (file.starts_with(prefix))
        names.insert(file.substr(prefix.size(), file.find('/', prefix.size()) - prefix.size()));
    if (names.empty()) return fail(system_error("cannot list", ENOENT, path));
    return std::vector<std::string>(names.begin(), names.end());
  }

  bool exists(const std::string& path) const override {
    return files.contains(path) || list_dir(path).has_value();
  }
  bool is_writable(const std::string& path) const override { return writable.contains(path); }
  std::chrono::nanoseconds now() const override { return now_ += step; }
  std::chrono::nanoseconds clock_resolution() const override { return resolution; }
  std::vector<int> allowed_cpus() const override { return cpus; }
  bool permits_realtime(int priority) const override { return priority <= highest_realtime; }
  std::optional<int> lowest_nice() const override { return nice; }
  CounterAccess instruction_counter() const override { return counters; }

 private:
  mutable std::chrono::nanoseconds now_{};
};

}  // namespace assay
