// SPDX-License-Identifier: Apache-2.0
// Catch2, versions 2 and 3. Units are test cases; the benchmarks in them are seen only when they
// run. Most programs mix tests and benchmarks: a test case that prints none is no benchmark that
// went missing. They run in the order of their declaration.
#include <algorithm>

#include "base/text.hpp"
#include "suite/adapter.hpp"
#include "suite/convert.hpp"
#include "suite/ids.hpp"

namespace assay::suite {
namespace {

// As a test specification, which gives some characters a meaning.
std::string escape_test(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (std::string_view(",[]\\\"*~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

class Catch2 final : public Adapter {
 public:
  Abilities abilities(const Subject&) const override {
    return {.joins = true, .reorders = false, .repeats = false};
  }

  // Version 2 exits with the number of tests.
  Result<std::vector<Invocation>> listings(const Subject& subject) const override {
    Invocation made{.argv = subject.argv, .any_status = true};
    made.argv.push_back("--list-tests");
    return std::vector<Invocation>{made};
  }

  // Names stand behind two blanks, what a long one goes on with behind four, tags behind six.
  Result<std::vector<SuiteUnit>> read_listing(const Subject& subject,
                                              std::span<const std::string> outputs) const override {
    std::vector<SuiteUnit> units;
    for (const std::string& line : lines_of(outputs.empty() ? std::string() : outputs.front())) {
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      if (indent == 2)
        units.push_back({.name = line.substr(indent)});
      else if (indent == 4 && !units.empty())
        units.back().name += " " + line.substr(indent);
    }
    if (units.empty())
      return fail("it lists no test case", subject.label,
                  "a program with Catch2 prints them with --list-tests");
    return units;
  }

  Result<Invocation> invocation(const Subject& subject, std::span<const SuiteUnit* const> units,
                                const std::string& results) const override {
    std::string names;
    for (const SuiteUnit* unit : units)
      names += (names.empty() ? "" : ",") + escape_test(unit->name);
    Invocation made{.argv = subject.argv};
    made.argv.insert(made.argv.end(), {names, "--reporter", "xml", "--out", results});
    return made;
  }

  Reading read(const Leavings& leavings) const override {
    if (leavings.results.empty() && leavings.exit.how != Ending::exited) return {};
    if (leavings.results.empty()) return {.doubts = {"it wrote no results"}};
    Reading reading = read_results_of_tests(leavings.results, "catch2");
    if (leavings.exit != Exit{}) reading.doubts.clear();
    return reading;
  }
};

}  // namespace

std::unique_ptr<Adapter> make_catch2() { return std::make_unique<Catch2>(); }

}  // namespace assay::suite
