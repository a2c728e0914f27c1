// SPDX-License-Identifier: Apache-2.0
// Any suite that a TOML file describes (toml_rules.hpp).
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "suite/adapter.hpp"
#include "suite/convert.hpp"
#include "suite/ids.hpp"
#include "suite/line_rules.hpp"
#include "suite/toml_rules.hpp"

namespace assay::suite {
namespace {

constexpr double kFarApart = 10;  // repetitions of one benchmark

class TomlAdapter final : public Adapter {
 public:
  TomlAdapter(TomlRules rules, std::unique_ptr<LineRules> lines, std::string file)
      : rules_(std::move(rules)), lines_(std::move(lines)), file_(std::move(file)) {}

  Abilities abilities(const Subject&) const override {
    return {.joins = rules_.joins,
            .reorders = rules_.joins && rules_.reorders,
            .repeats = rules_.joins && rules_.repeats};
  }

  Result<std::vector<Invocation>> listings(const Subject& subject) const override {
    if (rules_.list.empty()) return std::vector<Invocation>();
    return std::vector<Invocation>{
        {.argv = fill_words(rules_, rules_.list, subject.argv, {}, {}), .env = rules_.env}};
  }

  Result<std::vector<SuiteUnit>> read_listing(const Subject&,
                                              std::span<const std::string> outputs) const override {
    std::vector<SuiteUnit> units;
    if (rules_.list.empty()) {
      for (const std::string& name : rules_.units) units.push_back({.name = name});
      return units;
    }
    std::size_t number = 0;
    for (const std::string& line : lines_of(outputs.empty() ? std::string() : outputs.front())) {
      ++number;
      const std::size_t tab = line.find('\t');
      if (tab == 0 || tab + 1 == line.size())
        return fail(
            fmt::format("line {} of what the command of 'list' printed has no {}: {}", number,
                        tab == 0 ? "unit in front of its tab" : "benchmark behind its tab",
                        shorten(printable(line), 80)),
            file_, "it prints a unit a line, or a unit, a tab and a benchmark");
      if (tab != std::string::npos)
        units.push_back({.name = line.substr(0, tab), .ids = {line.substr(tab + 1)}});
      else if (rules_.lines_are == LinesAre::units)
        units.push_back({.name = line});
      else if (rules_.lines_are == LinesAre::ids)
        units.push_back({.name = line, .ids = {line}});
      else
        units.push_back({.name = line.substr(0, line.find('/')), .ids = {line}});
    }
    if (units.empty())
      return fail("the command of 'list' printed no unit", file_,
                  "it prints a unit a line, or a unit, a tab and a benchmark");
    return units;
  }

  Result<Invocation> invocation(const Subject& subject, std::span<const SuiteUnit* const> units,
                                const std::string& results) const override {
    std::vector<std::string> names;
    for (const SuiteUnit* unit : units) names.push_back(unit->name);
    if (names.size() > 1 && !rules_.joins)
      return fail("one process cannot run several units of this suite", file_,
                  "its file says joins = false");
    return Invocation{.argv = fill_words(rules_, rules_.run, subject.argv, names, results),
                      .env = rules_.env};
  }

  // Lines of one name are repetitions; such as these may be two benchmarks instead.
  static void doubt_repetitions(Reading& reading) {
    for (const Measurement& one : reading.measurements) {
      if (one.samples.size() < 2) continue;
      const auto [low, high] = std::ranges::minmax(one.samples);
      if (low <= 0 || high < kFarApart * low) continue;
      reading.doubts.push_back(
          fmt::format("its {} lines of the name {} were taken for repetitions, and differ {:.3g} "
                      "times: if they "
                      "are benchmarks of their own, let the pattern tell them apart",
                      one.samples.size(), printable(one.id), high / low));
    }
  }

  Reading read(const Leavings& leavings) const override {
    const std::string& text = rules_.from == ResultsFrom::file  ? leavings.results
                              : rules_.from == ResultsFrom::err ? leavings.err
                                                                : leavings.out;
    if (text.empty() && leavings.exit.how != Ending::exited) return {};
    if (text.empty())
      return {.measurements = {},
              .doubts = {rules_.from == ResultsFrom::file ? "it wrote no results"
                                                          : "it printed nothing"}};
    Reading reading =
        lines_ ? lines_->read(whole_lines(leavings, text)) : read_results(text, rules_.format);
    if (leavings.exit != Exit{}) reading.doubts.clear();
    if (lines_ && !leavings.twice) doubt_repetitions(reading);
    return reading;
  }

 private:
  TomlRules rules_;
  std::unique_ptr<LineRules> lines_;  // none: a result format reads it
  std::string file_;
};

}  // namespace

Result<std::unique_ptr<Adapter>> make_toml(const SuitePlan& plan) {
  auto rules = parse_toml_rules(plan.rules, plan.rules_name);
  if (!rules) return fail(rules.error());
  std::unique_ptr<LineRules> lines;
  if (!rules->lines.empty()) {
    auto made = LineRules::make(rules->lines, plan.rules, plan.rules_name);
    if (!made) return fail(made.error());
    lines = std::move(*made);
  }
  return std::unique_ptr<Adapter>(
      std::make_unique<TomlAdapter>(std::move(*rules), std::move(lines), plan.rules_name));
}

Result<std::vector<std::string>> command_of_rules(const SuitePlan& plan) {
  if (plan.adapter != "toml") return std::vector<std::string>();
  auto rules = parse_toml_rules(plan.rules, plan.rules_name);
  if (!rules) return fail(rules.error());
  if (!rules->command.empty()) return rules->command;
  // Without {command} the subject is what the file runs.
  const std::string& program = rules->run.front();
  if (program.find('{') != std::string::npos) return std::vector<std::string>();
  return std::vector<std::string>{program};
}

}  // namespace assay::suite
