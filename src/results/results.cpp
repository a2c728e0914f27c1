// SPDX-License-Identifier: Apache-2.0
#include "results/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

// In the order in which they are asked whether a text is theirs.
const std::array kFormats = {kGithubAction, kGbench, kPytest,    kPyperf,    kHyperfine,
                             kCriterion,    kJmh,    kMitata,    kNanobench, kBenchmarkDotNet,
                             kCatch2,       kGo,     kChainsafe, kBencher};

constexpr std::size_t kSortedFrom = 8;  // 8 independent values come sorted once in 40,320

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool comes_sorted(const std::vector<double>& values) {
  return values.size() >= kSortedFrom && values.front() != values.back() &&
         (std::is_sorted(values.begin(), values.end()) ||
          std::is_sorted(values.rbegin(), values.rend()));
}

// What a unit's factor made too large for a number.
void drop_not_finite(File& file) {
  for (Series& series : file.series) {
    std::size_t lost = 0;
    for (Process& process : series.processes) {
      const bool counted = process.iterations.size() == process.values.size();
      if (!counted) process.iterations.clear();
      std::size_t kept = 0;
      for (std::size_t i = 0; i < process.values.size(); ++i) {
        if (!std::isfinite(process.values[i])) continue;
        process.values[kept] = process.values[i];
        if (counted) process.iterations[kept] = process.iterations[i];
        ++kept;
      }
      lost += process.values.size() - kept;
      process.values.resize(kept);
      if (counted) process.iterations.resize(kept);
    }
    for (auto* number : {&series.centre, &series.spread})
      if (*number && !std::isfinite(**number)) {
        number->reset();
        ++lost;
      }
    if (lost > 0)
      series.doubts.push_back({"not-finite", fmt::format("{} values are no numbers", lost)});
  }
}

// What every format can have: an order that is none.
void add_order_doubts(File& file) {
  for (Series& series : file.series) {
    std::vector<double> all;  // of processes with one value each
    bool sorted = false;
    for (const Process& process : series.processes) {
      sorted = sorted || comes_sorted(process.values);
      if (process.values.size() == 1) all.push_back(process.values.front());
    }
    const bool told = std::any_of(series.doubts.begin(), series.doubts.end(),
                                  [](const Doubt& doubt) { return doubt.kind == "sorted"; });
    if ((sorted || comes_sorted(all)) && !told)
      series.doubts.push_back(
          {"sorted",
           "the values come sorted: the order in which they were made is lost, and with "
           "it warm-up, drift and whether they depend on each other"});
  }
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

Result<File> read(std::string_view text, const std::string& name, const std::string& format) {
  if (text.size() > kMostBytes)
    return fail(fmt::format("{} of results, at most {} are read",
                            format_bytes(static_cast<double>(text.size())),
                            format_bytes(static_cast<double>(kMostBytes))),
                name);
  const auto names = names_of_formats();
  const auto found = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& each) {
    return format.empty() ? each.recognise(text) : each.name == format;
  });
  if (found == kFormats.end() && format.empty())
    return fail("no known format of results", name,
                "tried: " + listed(names) + "; name one with --format");
  if (found == kFormats.end()) {
    const auto near = nearest(format, names);
    return fail(fmt::format("'{}' is not a format of results", printable(format)), {},
                near ? fmt::format("did you mean '{}'?", *near) : "there are: " + listed(names));
  }
  auto file = found->read(text, name);
  if (!file) return file;
  file->format = found->name;
  if (file->series.empty()) return fail(fmt::format("no benchmark in it ({})", found->name), name);
  drop_not_finite(*file);
  add_order_doubts(*file);
  return file;
}

}  // namespace assay::results
