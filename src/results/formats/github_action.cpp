// SPDX-License-Identifier: Apache-2.0
// github-action-benchmark: data.js ("window.BENCHMARK_DATA = {...}") or its JSON. An entry is a
// build (a commit) and has one number a benchmark; `range` is what the tool behind it printed.
// Which way is better follows from the tool and the unit. Cannot say: repetitions, order, how many
// processes; that two entries were made by the same machine.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

constexpr std::string_view kDataMark = "window.BENCHMARK_DATA";

bool is_github_action(std::string_view text) {
  return text.substr(0, 4096).find(kDataMark) != std::string_view::npos ||
         (text.find("\"benches\"") != std::string_view::npos &&
          text.find("\"entries\"") != std::string_view::npos);
}

// The number in "± 12.5", "± 4%", "+/- 3": with whether it is a share.
std::optional<std::pair<double, bool>> range_of(const std::string& text) {
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.,eE", begin), text.size());
  std::string digits = text.substr(begin, end - begin);
  std::erase(digits, ',');
  const auto number = parse_number(digits);
  if (!number) return std::nullopt;
  return {{*number, text.find('%', end) != std::string::npos}};
}

Result<void> action_bench(const Json& bench, const std::string& id_prefix, const std::string& tool,
                          const std::string& commit, const std::string& path,
                          const std::string& name, SeriesTable& table) {
  const std::string* called = bench["name"].to_string();
  if (called == nullptr) return fail(wrong_member(name, path + ".name", "not text"));
  auto value = bench["value"].to_double();
  if (!value && bench["value"].to_string()) value = parse_number(*bench["value"].to_string());
  if (!value) return fail(wrong_member(name, path + ".value", "not a number"));
  const std::string* unit = bench["unit"].to_string();
  const BaseUnit base = base_unit(unit ? *unit : "");
  Series& series = table.at(id_prefix + *called, metric_of_unit(base.unit), commit);
  if (series.centre)
    series.doubts.push_back({"duplicate-id",
                             "the same name stands twice for one commit: the last "
                             "one counts"});
  series.unit = base.unit.empty() ? "1" : base.unit;
  series.better = tool == "customBiggerIsBetter"    ? Direction::higher
                  : tool == "customSmallerIsBetter" ? Direction::lower
                                                    : base.better;
  series.centre = *value * base.factor;
  series.centre_is = "value";
  if (const std::string* range = bench["range"].to_string())
    if (const auto spread = range_of(*range)) {
      series.spread =
          spread->second ? *series.centre * spread->first / 100 : spread->first * base.factor;
      series.spread_is = "range as the tool prints it";
    }
  return {};
}

Result<File> read_github_action(std::string_view text, const std::string& name) {
  const std::size_t mark = text.substr(0, 4096).find(kDataMark);
  std::string copy(text);
  if (mark != std::string_view::npos) {
    const std::size_t begin = std::min(text.find('{', mark), text.size());
    // Blanks instead, so that offsets stay those of the file.
    for (std::size_t i = 0; i < begin; ++i)
      if (copy[i] != '\n') copy[i] = ' ';
    const std::size_t end = copy.find_last_not_of(" \t\r\n;");
    copy.resize(end == std::string::npos ? 0 : end + 1);
  }
  const auto parsed = read_json(copy, name);
  if (!parsed) return fail(parsed.error());
  const Json& entries = parsed->json["entries"];
  if (!entries.is_object()) return fail(wrong_member(name, "entries", "not an object"));
  File file;
  SeriesTable table(file);
  add_context(file, parsed->json, {"lastUpdate", "repoUrl"});
  for (const auto& [suite, builds] : entries.members())
    for (std::size_t i = 0; i < builds.size(); ++i) {
      const Json& build = builds.items()[i];
      const std::string* commit = build["commit"]["id"].to_string();
      const std::string* tool = build["tool"].to_string();
      const std::string prefix = entries.size() > 1 ? suite + "/" : "";
      for (std::size_t j = 0; j < build["benches"].size(); ++j)
        if (auto done =
                action_bench(build["benches"].items()[j], prefix, tool ? *tool : "",
                             commit ? *commit : fmt::format("entry {}", i),
                             fmt::format("entries.{}[{}].benches[{}]", suite, i, j), name, table);
            !done)
          return fail(done.error());
    }
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  if (parsed->truncated)
    file.doubts.push_back({"truncated", "the file ends in the middle: later entries are gone"});
  file.doubts.push_back({"single-number",
                         "one number a benchmark and commit, each from another machine of the CI, "
                         "perhaps: how it was repeated is not here"});
  return file;
}

}  // namespace

constinit const Format kGithubAction = {"github-action", "github-action-benchmark, data.js or JSON",
                                        is_github_action, read_github_action};

}  // namespace assay::results
