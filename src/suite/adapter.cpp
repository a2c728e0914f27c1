// SPDX-License-Identifier: Apache-2.0
#include "suite/adapter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace assay::suite {

std::string_view whole_lines(const Leavings& leavings, std::string_view text) {
  return leavings.cut ? text.substr(0, text.rfind('\n') + 1) : text;
}

namespace {

constexpr std::array kAdapters = {
    AdapterName{"gbench", "Google Benchmark binaries"},
    AdapterName{"chainsafe", "@chainsafe/benchmark on Node: files of benchmarks"},
    AdapterName{"catch2", "programs with Catch2: test cases with BENCHMARKs"},
    AdapterName{"go", "go test -bench: functions"},
    AdapterName{"pytest", "pytest-benchmark: files of tests"},
};

}  // namespace

std::span<const AdapterName> adapter_names() { return kAdapters; }

std::string_view guess_adapter(const std::vector<std::string>& argv) {
  if (argv.size() >= 2 && argv[0] == "go" && argv[1] == "test") return "go";
  for (const std::string& word : argv)
    if (word == "pytest" || word.ends_with("/pytest") || word == "py.test") return "pytest";
  for (const std::string& word : argv) {
    if (word.starts_with('-')) continue;
    const std::string_view name = std::string_view(word).substr(word.rfind('/') + 1);
    if (name == "npx" || name == "node" || name == "yarn" || name == "pnpm" ||
        name == "benchmark" || word.find("@chainsafe/benchmark") != std::string::npos)
      return "chainsafe";
    return "gbench";  // the program is the first word
  }
  return "gbench";
}

Result<std::unique_ptr<Adapter>> make_adapter(const SuitePlan& plan) {
  if (plan.adapter == "gbench") return make_gbench(plan);
  if (plan.adapter == "chainsafe") return make_chainsafe(plan);
  if (plan.adapter == "catch2") return make_catch2();
  if (plan.adapter == "go") return make_go();
  if (plan.adapter == "pytest") return make_pytest();
  if (plan.adapter == "toml") return make_toml(plan);
  std::vector<std::string> names;
  for (const AdapterName& one : kAdapters) names.emplace_back(one.name);
  const auto near = nearest(plan.adapter, names);
  return fail(fmt::format("'{}' is no adapter", printable(plan.adapter)), "--adapter",
              near ? fmt::format("did you mean '{}'?", *near)
                   : fmt::format("{} or a file FILE.toml", fmt::join(names, ", ")));
}

}  // namespace assay::suite
