// SPDX-License-Identifier: Apache-2.0
// go test -bench. Units are benchmark functions, as `go test -list` names them; what they run below
// themselves is seen only when they run. The order is that of the sources. A binary of
// `go test -c` (X.test) takes the same options with another prefix.
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "suite/adapter.hpp"
#include "suite/convert.hpp"
#include "suite/go_collections.hpp"
#include "suite/ids.hpp"

namespace assay::suite {
namespace {

class GoTest final : public Adapter {
 public:
  Abilities abilities(const Subject&) const override {
    return {.joins = true, .reorders = false, .repeats = false};
  }

  Result<std::vector<Invocation>> listings(const Subject& subject) const override {
    Invocation made{.argv = kept_words(subject)};
    const std::string prefix = option_prefix(subject);
    made.argv.insert(made.argv.end(), {prefix + "list", "^Benchmark"});
    return std::vector<Invocation>{made};
  }

  Result<std::vector<SuiteUnit>> read_listing(const Subject& subject,
                                              std::span<const std::string> outputs) const override {
    std::vector<SuiteUnit> units;
    for (const std::string& line : lines_of(outputs.empty() ? std::string() : outputs.front()))
      if (line.starts_with("Benchmark") && line.find_first_of(" \t") == std::string::npos)
        units.push_back({.name = line});
    if (units.empty())
      return fail("it lists no benchmark", subject.label,
                  "a script around go test hands on what it is given: exec go test \"$@\"");
    return units;
  }

  Result<Invocation> invocation(const Subject& subject, std::span<const SuiteUnit* const> units,
                                const std::string&) const override {
    std::string names;
    for (const SuiteUnit* unit : units)
      names += (names.empty() ? "" : "|") + escape_pattern(unit->name);
    Invocation made{.argv = kept_words(subject)};
    const std::string prefix = option_prefix(subject);
    made.argv.insert(made.argv.end(),
                     {prefix + "run", "^$", prefix + "bench", "^(" + names + ")$"});
    if (prefix == "-" && !has_own_runner(subject))
      made.argv.insert(made.argv.end(), {"-exec", kTracedRun});
    return made;
  }

  Reading read(const Leavings& leavings) const override {
    if (leavings.out.empty()) return {.doubts = {"it printed nothing"}};
    std::map<std::string, GoHeap, std::less<>> heaps;
    Reading reading = read_results(without_collections(leavings.out, heaps), "go");
    for (Measurement& one : reading.measurements) add_heap(heaps, one);
    // What a file of go test does not tell, order and processes, is known of a process of ours.
    if (leavings.exit != Exit{} || !reading.measurements.empty()) reading.doubts.clear();
    return reading;
  }

 private:
  // The binary alone, not go itself, tells what its collector does; its lines come between those of
  // the benchmarks, since go test reads both from one pipe.
  static constexpr const char* kTracedRun =
      R"(sh -c 'GODEBUG="$GODEBUG${GODEBUG:+,}gctrace=1" exec "$0" "$@"')";

  static bool has_own_runner(const Subject& subject) {
    return std::ranges::any_of(subject.argv, [](const std::string& word) {
      const std::string option = word.substr(0, word.find('='));
      return option == "-exec" || option == "--exec";
    });
  }

  // A name is behind its package where there are several.
  static void add_heap(const std::map<std::string, GoHeap, std::less<>>& heaps, Measurement& to) {
    for (const auto& [name, heap] : heaps) {
      if (to.id != name && !to.id.ends_with("." + name)) continue;
      to.gc_s = heap.gc_s;
      to.memory_before = heap.before;
      to.memory_after = heap.after;
      return;
    }
  }

  static constexpr std::string_view kSelecting[] = {"-bench",       "--bench",     "-run",
                                                    "--run",        "-test.bench", "-test.run",
                                                    "--test.bench", "--test.run"};

  static std::string option_prefix(const Subject& subject) {
    for (const std::string& word : subject.argv) {
      if (word == "go" || word.ends_with("/go")) break;
      if (word.ends_with(".test")) return "-test.";
    }
    return "-";
  }

  // Without what says which benchmarks to run.
  static std::vector<std::string> kept_words(const Subject& subject) {
    std::vector<std::string> kept;
    bool skips = false;
    for (const std::string& word : subject.argv) {
      if (skips) {
        skips = false;
        continue;
      }
      const std::string option = word.substr(0, word.find('='));
      const bool selects = std::ranges::find(kSelecting, option) != std::end(kSelecting);
      skips = selects && option.size() == word.size();
      if (!selects) kept.push_back(word);
    }
    return kept;
  }
};

}  // namespace

std::unique_ptr<Adapter> make_go() { return std::make_unique<GoTest>(); }

}  // namespace assay::suite
