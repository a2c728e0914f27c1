// SPDX-License-Identifier: Apache-2.0
// Google Benchmark. A binary runs its benchmarks in the order in which they were registered, each
// once, and can only be told which to leave out: units of one binary are groups of its benchmarks
// (by default families, the part of the name in front of the first '/'), selected by a filter. Of
// several binaries each is a unit; no process can run two. The results come from a JSON file, so
// that whatever else the program prints does no harm. A name is matched as a whole: "BM_Sort" does
// not run "BM_SortAll".
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "suite/adapter.hpp"
#include "suite/convert.hpp"
#include "suite/ids.hpp"

namespace assay::suite {
namespace {

// Below what one argument of a program may be long on Linux (128 KiB).
constexpr std::size_t kLongestFilter = 100'000;

std::string family_of(std::string_view id) { return std::string(id.substr(0, id.find('/'))); }

class GoogleBenchmark final : public Adapter {
 public:
  explicit GoogleBenchmark(const SuitePlan& plan)
      : by_(plan.unit_by), picked_(!plan.only.empty()) {}

  Abilities abilities(const Subject& subject) const override {
    const bool several = binaries_of(subject).size() > 1;
    return {.joins = !several, .reorders = false, .repeats = false};
  }

  Result<std::vector<Invocation>> listings(const Subject& subject) const override {
    const std::vector<std::string> binaries = binaries_of(subject);
    if (binaries.size() > 1 && !by_.empty() && by_ != "binary")
      return fail(fmt::format("--unit-by {}: with {} binaries each of them is a unit", by_,
                              binaries.size()),
                  {}, "leave --unit-by out, or run the binaries one by one");
    std::vector<Invocation> all;
    for (const std::string& binary : binaries) {
      Invocation one = command(subject, binary);
      one.argv.push_back("--benchmark_list_tests=true");
      all.push_back(std::move(one));
    }
    return all;
  }

  Result<std::vector<SuiteUnit>> read_listing(const Subject& subject,
                                              std::span<const std::string> outputs) const override {
    const std::vector<std::string> binaries = binaries_of(subject);
    std::vector<SuiteUnit> units;
    for (std::size_t i = 0; i < outputs.size() && i < binaries.size(); ++i) {
      const std::vector<std::string> ids = lines_of(outputs[i]);
      if (ids.empty())
        return fail("it lists no benchmark", binaries[i],
                    "a Google Benchmark binary prints its benchmarks with --benchmark_list_tests; "
                    "for other tools: --adapter");
      if (by_ == "binary" || binaries.size() > 1) {
        units.push_back({.name = binaries[i], .ids = ids});
        continue;
      }
      for (const std::string& id : ids)
        units.push_back({.name = by_ == "id" ? id : family_of(id), .ids = {id}});
    }
    return units;
  }

  Result<Invocation> invocation(const Subject& subject, std::span<const SuiteUnit* const> units,
                                const std::string& results) const override {
    const std::vector<std::string> binaries = binaries_of(subject);
    std::string binary = binaries.front();
    if (binaries.size() > 1) {
      if (units.size() != 1) return fail("one process cannot run several binaries", subject.label);
      binary = units.front()->name;
    }
    Invocation made = command(subject, binary);
    if (const std::string filter = filter_of(units, binaries.size() > 1); !filter.empty()) {
      if (filter.size() > kLongestFilter)
        return fail(fmt::format("a filter for {} units is {} bytes long, and a program takes {}",
                                units.size(), filter.size(), kLongestFilter),
                    subject.label, "--unit-by family makes fewer and larger units");
      made.argv.push_back("--benchmark_filter=" + filter);
    }
    made.argv.push_back("--benchmark_out=" + results);
    made.argv.push_back("--benchmark_out_format=json");
    return made;
  }

  Reading read(const Leavings& leavings) const override {
    if (leavings.results.empty() && leavings.exit.how != Ending::exited) return {};
    if (leavings.results.empty())
      return {.measurements = {},
              .doubts = {"it wrote no results: does its main() call benchmark::Initialize?"}};
    Reading reading = read_results(leavings.results, "gbench");
    // That a file was cut is no news of a process that died: what is missing is named.
    if (leavings.exit != Exit{}) reading.doubts.clear();
    return reading;
  }

 private:
  // Words in front of the first option: a binary of this tool takes no other words.
  static std::vector<std::string> binaries_of(const Subject& subject) {
    std::vector<std::string> binaries;
    for (const std::string& word : subject.argv) {
      if (!binaries.empty() && word.starts_with('-')) break;
      binaries.push_back(word);
    }
    return binaries;
  }

  static Invocation command(const Subject& subject, const std::string& binary) {
    Invocation made{.argv = {binary}, .env = {}};
    const std::size_t binaries = binaries_of(subject).size();
    made.argv.insert(made.argv.end(), subject.argv.begin() + std::ptrdiff_t(binaries),
                     subject.argv.end());
    return made;
  }

  // Families as families, so that a benchmark that the listing does not have is seen; empty = all.
  std::string filter_of(std::span<const SuiteUnit* const> units, bool several) const {
    const bool whole = by_ == "binary" || several;
    if (whole && !picked_) return {};
    const bool families = !whole && by_ != "id" && !picked_;
    std::string names;
    for (const SuiteUnit* unit : units) {
      if (families) {
        names += (names.empty() ? "" : "|") + escape_pattern(unit->name);
        continue;
      }
      for (const std::string& id : unit->ids)
        names += (names.empty() ? "" : "|") + escape_pattern(without_number(id));
    }
    return "^(" + names + (families ? ")(/.*)?$" : ")$");
  }

  // As the binary knows it: a second one of the same name was numbered by us.
  static std::string without_number(const std::string& id) {
    const std::size_t mark = id.rfind('#');
    if (mark == std::string::npos || mark + 1 == id.size() ||
        id.find_first_not_of("0123456789", mark + 1) != std::string::npos)
      return id;
    return id.substr(0, mark);
  }

  std::string by_;
  bool picked_;  // only some ids: each is named
};

}  // namespace

std::unique_ptr<Adapter> make_gbench(const SuitePlan& plan) {
  return std::make_unique<GoogleBenchmark>(plan);
}

}  // namespace assay::suite
