// SPDX-License-Identifier: Apache-2.0
#include "report/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/plain.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kAnswerWidth = 28;

// Nothing while not concluded, and where nothing is judged; a failure is one everywhere.
std::optional<Verdict> verdict_of(const ListRow& row) {
  const bool judges = row.kind == PlanKind::compare || row.kind == PlanKind::sessions;
  return judges || row.overall == Verdict::failed ? row.overall : std::nullopt;
}

std::string state(const ListRow& row) {
  if (row.running) return "running";
  if (row.interrupted) return "interrupted";
  if (!row.overall) return "unfinished";
  const auto verdict = verdict_of(row);
  if (verdict) return std::string(to_word(*verdict));
  return row.answer.empty() ? "done" : fit(plain(row.answer), kAnswerWidth);
}

Tone state_tone(const ListRow& row) {
  const auto verdict = verdict_of(row);
  return verdict && !row.interrupted && !row.running ? tone_of(*verdict) : Tone::neutral;
}

}  // namespace

std::string age_text(std::int64_t created_at_ms, std::int64_t now_ms) {
  const double seconds = static_cast<double>(now_ms - created_at_ms) / 1000;
  if (seconds >= 0 && seconds < 30 * 86400.0) {
    if (seconds < 1) return "now";
    if (seconds < 60) return fmt::format("{:.0f} s ago", seconds);
    if (seconds < 3600) return fmt::format("{:.0f} min ago", std::floor(seconds / 60));
    if (seconds < 2 * 86400) return fmt::format("{:.0f} h ago", std::floor(seconds / 3600));
    return fmt::format("{:.0f} d ago", std::floor(seconds / 86400));
  }
  using namespace std::chrono;
  const sys_time<milliseconds> instant{milliseconds(created_at_ms)};
  const year_month_day day{floor<days>(instant)};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::string list_text(std::span<const ListRow> rows, std::int64_t now_ms,
                      const TextOptions& options) {
  if (rows.empty()) return "Nothing has been recorded yet.\n";
  constexpr std::size_t kRuns = 3, kState = 4;
  std::vector<std::array<std::string, 5>> lines = {{"id", "when", "kind", "runs", "verdict"}};
  for (const ListRow& row : rows)
    lines.push_back({fit(plain(row.id), 12), age_text(row.created_at_ms, now_ms),
                     std::string(to_word(row.kind)), fmt::format("{}", row.trials), state(row)});
  std::array<std::size_t, 5> widths{};
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], display_width(line[i]));
  const std::size_t width = columns(options);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line;
    std::size_t used = 0;
    for (std::size_t j = 0; j < lines[i].size(); ++j) {
      const std::string& cell = lines[i][j];
      const std::string blanks(widths[j] - display_width(cell), ' ');
      const Tone tone = j == kState && i > 0 ? state_tone(rows[i - 1]) : Tone::neutral;
      line += j == kRuns ? blanks + cell : paint(cell, tone, options.colour) + blanks;
      line += "  ";
      used += widths[j] + 2;
    }
    const std::string title = i == 0 ? "what" : plain(rows[i - 1].title);
    if (width == 0)
      out += line + title;
    else if (used + 8 <= width)
      out += line + fit(title, width - used);
    else
      out += line;
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += '\n';
  }
  return out;
}

Json list_json(std::span<const ListRow> rows) {
  Json records = Json::array();
  for (const ListRow& row : rows) {
    Json record = Json::object();
    record.set("id", row.id);
    record.set("created_at_ms", row.created_at_ms);
    record.set("kind", to_word(row.kind));
    record.set("title", row.title);
    record.set("runs", row.trials);
    const auto verdict = verdict_of(row);
    record.set("verdict", verdict ? Json(to_word(*verdict)) : Json());
    if (!row.answer.empty()) record.set("answer", row.answer);
    record.set("interrupted", row.interrupted);
    record.set("running", row.running);
    records.push(std::move(record));
  }
  Json json = Json::object();
  json.set("schema_version", kSchemaVersion);
  json.set("kind", "list");
  json.set("records", std::move(records));
  return json;
}

}  // namespace assay::report
