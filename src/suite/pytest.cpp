// SPDX-License-Identifier: Apache-2.0
// pytest-benchmark. Units are files, run in the order of the arguments; what in them is a benchmark
// and what a plain test is seen only when they run.
#include <algorithm>

#include "base/text.hpp"
#include "suite/adapter.hpp"
#include "suite/convert.hpp"
#include "suite/ids.hpp"

namespace assay::suite {
namespace {

constexpr int kNoTests = 5;  // the exit status of pytest for it

// What is collected is said by words that are no options: folders, files, files::tests.
bool is_collected(const std::string& word) {
  return !word.starts_with('-') &&
         (word.ends_with(".py") || word.ends_with('/') || word == "." ||
          word.find(".py::") != std::string::npos || word.find('/') != std::string::npos);
}

class Pytest final : public Adapter {
 public:
  Abilities abilities(const Subject&) const override {
    return {.joins = true, .reorders = true, .repeats = false};
  }

  Result<std::vector<Invocation>> listings(const Subject& subject) const override {
    Invocation made{.argv = subject.argv};
    made.argv.insert(made.argv.end(), {"--collect-only", "-q"});
    return std::vector<Invocation>{made};
  }

  Result<std::vector<SuiteUnit>> read_listing(const Subject& subject,
                                              std::span<const std::string> outputs) const override {
    std::vector<SuiteUnit> units;
    for (const std::string& line : lines_of(outputs.empty() ? std::string() : outputs.front())) {
      const std::size_t end = line.find("::");
      if (end == std::string::npos || line.starts_with(' ')) continue;
      const std::string file = line.substr(0, end);
      if (std::ranges::find(units, file, &SuiteUnit::name) == units.end())
        units.push_back({.name = file});
    }
    if (units.empty()) return fail("pytest collects no test", subject.label);
    return units;
  }

  Result<Invocation> invocation(const Subject& subject, std::span<const SuiteUnit* const> units,
                                const std::string& results) const override {
    Invocation made;
    const std::size_t program = program_words(subject);
    for (std::size_t i = 0; i < subject.argv.size(); ++i)
      if (i < program || !is_collected(subject.argv[i])) made.argv.push_back(subject.argv[i]);
    made.argv.insert(made.argv.end(), {"--benchmark-only", "--benchmark-json=" + results});
    for (const SuiteUnit* unit : units) made.argv.push_back(unit->name);
    return made;
  }

  Reading read(const Leavings& leavings) const override {
    if (leavings.results.empty() && leavings.exit.how != Ending::exited) return {};
    if (leavings.results.empty()) {
      if (leavings.exit == Exit{Ending::exited, kNoTests})
        return {.doubts = {"pytest ran no test in it"}};
      return {.doubts = {"it wrote no results: is pytest-benchmark installed?"}};
    }
    Reading reading = read_results_of_tests(leavings.results, "pytest");
    if (leavings.exit != Exit{}) reading.doubts.clear();
    return reading;
  }

 private:
  // "pytest", "venv/bin/pytest", "python3 -m pytest".
  static std::size_t program_words(const Subject& subject) {
    for (std::size_t i = 0; i < subject.argv.size(); ++i) {
      const std::string& word = subject.argv[i];
      if (word == "pytest" || word.ends_with("/pytest") || word == "py.test") return i + 1;
    }
    return 1;
  }
};

}  // namespace

std::unique_ptr<Adapter> make_pytest() { return std::make_unique<Pytest>(); }

}  // namespace assay::suite
