// SPDX-License-Identifier: Apache-2.0
#include "cli/simulate_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/check.hpp"
#include "base/text.hpp"

namespace assay::cli {
namespace {

constexpr std::uint64_t kMostReps = 100'000'000;
constexpr std::uint64_t kMostThreads = 256;
constexpr auto kProgressEvery = std::chrono::milliseconds(200);

}  // namespace

Result<experiment::SimulateOptions> simulate_options(const Arguments& arguments) {
  experiment::SimulateOptions options;
  const auto reps = arguments.uint("reps", 1, kMostReps);
  if (!reps) return fail(reps.error());
  options.repetitions = reps->value_or(options.repetitions);
  const auto seed = arguments.uint("seed", 0, INT64_MAX);
  if (!seed) return fail(seed.error());
  options.seed = seed->value_or(options.seed);
  const auto threads = arguments.uint("threads", 1, kMostThreads);
  if (!threads) return fail(threads.error());
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  options.threads = static_cast<unsigned>(threads->value_or(cores));
  return options;
}

std::string percent_cell(std::uint64_t count, std::uint64_t of, int decimals) {
  return fmt::format("{:.{}f}", 100 * static_cast<double>(count) / static_cast<double>(of),
                     decimals);
}

std::string rate_cell(std::uint64_t count, std::uint64_t of, int decimals) {
  const auto interval = experiment::rate_interval(count, of);
  return fmt::format("{0} [{1:.{3}f}, {2:.{3}f}]", percent_cell(count, of, decimals),
                     100 * interval.lo, 100 * interval.hi, decimals);
}

void set_rate(Json& json, const std::string& name, std::uint64_t count, std::uint64_t of) {
  const auto interval = experiment::rate_interval(count, of);
  json.set(name, static_cast<double>(count) / static_cast<double>(of));
  json.set(name + "_lo95", interval.lo);
  json.set(name + "_hi95", interval.hi);
}

MarkdownTable::MarkdownTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.width = std::max(column.width, column.head.size());
}

std::string MarkdownTable::head() const {
  std::vector<std::string> heads;
  for (const Column& column : columns_) heads.push_back(column.head);
  std::string text = line(heads);
  for (const Column& column : columns_)
    text += column.left ? fmt::format("|:{:-<{}}", "", column.width + 1)
                        : fmt::format("|{:-<{}}:", "", column.width + 1);
  return text + "|\n";
}

std::string MarkdownTable::line(const std::vector<std::string>& cells) const {
  ASSAY_CHECK(cells.size() == columns_.size(), "a row has a cell for every column");
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += columns_[i].left ? fmt::format("| {:<{}} ", cells[i], columns_[i].width)
                             : fmt::format("| {:>{}} ", cells[i], columns_[i].width);
  return text + "|\n";
}

std::string noise_list(const std::vector<experiment::NoiseModel>& noises) {
  std::string text;
  std::vector<std::string> seen;
  for (const experiment::NoiseModel& noise : noises) {
    if (std::find(seen.begin(), seen.end(), noise.name) != seen.end()) continue;
    seen.push_back(noise.name);
    text += fmt::format("- {}: {}\n", noise.name, noise.about);
  }
  return text;
}

Meter::Meter(Terminal& terminal, std::size_t rows, std::uint64_t repetitions)
    : terminal_(terminal),
      rows_(rows),
      repetitions_(repetitions),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

void Meter::tell(std::string_view what, std::size_t row, std::uint64_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kProgressEvery) return;
  last_ = now;
  const double share =
      (static_cast<double>(row) + static_cast<double>(done) / static_cast<double>(repetitions_)) /
      static_cast<double>(rows_);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      seconds > 1 ? fmt::format(", about {} left", format_duration(seconds / share - seconds)) : "";
  terminal_.progress(
      fmt::format("row {} of {}: {}, {} of {}{}", row + 1, rows_, what, done, repetitions_, left));
}

}  // namespace assay::cli
