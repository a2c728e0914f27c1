// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/store_access.hpp"
#include "model/words.hpp"
#include "report/plain.hpp"

namespace assay::cli {
namespace {

std::string verdict_word(const history::Summary& summary) {
  if (summary.interrupted) return "interrupted";
  if (summary.kind != PlanKind::compare && summary.kind != PlanKind::sessions) return "-";
  return summary.overall ? std::string(to_word(*summary.overall)) : "-";
}

Json to_json_row(const history::Summary& summary) {
  Json row = Json::object();
  row.set("id", summary.id);
  row.set("created_at_ms", summary.created_at_ms);
  row.set("kind", to_word(summary.kind));
  row.set("title", summary.title);
  row.set("runs", summary.trials);
  row.set("verdict", summary.overall ? Json(to_word(*summary.overall)) : Json());
  row.set("interrupted", summary.interrupted);
  return row;
}

std::string table(std::span<const history::Summary> rows, std::size_t width) {
  constexpr std::size_t kBefore = 59;
  std::string text = fmt::format("{:<8}  {:<16}  {:<9}  {:>5}  {:<11}  {}\n", "ID", "WHEN", "KIND",
                                 "RUNS", "VERDICT", "TITLE");
  for (const history::Summary& row : rows)
    text +=
        fmt::format("{:<8}  {:<16}  {:<9}  {:>5}  {:<11}  {}\n", row.id,
                    local_time(row.created_at_ms), to_word(row.kind), row.trials, verdict_word(row),
                    report::fit(report::plain(row.title), std::max(width, kBefore + 20) - kBefore));
  return text;
}

}  // namespace

const CommandSpec& list_spec() {
  static const CommandSpec kSpec = {
      .name = "list",
      .summary = "List what the store holds, newest first",
      .usage = {"list [options]"},
      .details = {},
      .positionals = {},
      .examples = {{"assay list --limit 5", "The last five experiments"}},
      .flags = {{.name = "limit",
                 .value = "N",
                 .help = "only the newest N",
                 .group = "Choosing",
                 .common = true},
                {.name = "ids",
                 .help = "print the ids alone, one a line",
                 .group = "Reporting",
                 .common = true},
                {.name = "json",
                 .help = "print JSON instead of a table",
                 .group = "Reporting",
                 .common = true}}};
  return kSpec;
}

Result<int> run_list(const Arguments& arguments, Terminal& terminal) {
  const auto limit = arguments.uint("limit", 1, UINT32_MAX);
  if (!limit) return fail(limit.error());
  const auto path = store_path(arguments);
  if (!path) return fail(path.error());

  std::vector<history::Summary> rows;
  std::uint64_t size = 0;
  std::error_code status;
  if (std::filesystem::exists(*path, status)) {
    const auto store = history::open_store(*path);
    if (!store) return fail(store.error());
    auto found = (*store)->list();
    if (!found) return fail(found.error());
    rows = *std::move(found);
    size = (*store)->size_bytes();
  }
  const std::size_t all = rows.size();
  if (*limit && rows.size() > **limit) rows.resize(**limit);

  if (arguments.has("json")) {
    Json document = Json::object();
    document.set("schema_version", 1);
    document.set("kind", "list");
    document.set("store", *path);
    document.set("size_bytes", size);
    Json records = Json::array();
    for (const history::Summary& row : rows) records.push(to_json_row(row));
    document.set("records", std::move(records));
    terminal.print(document.dump(2) + "\n");
  } else if (arguments.has("ids")) {
    for (const history::Summary& row : rows) terminal.print(row.id + "\n");
  } else if (rows.empty()) {
    terminal.note(fmt::format("nothing has been recorded yet in {}", *path));
  } else {
    terminal.print(table(rows, terminal.width()));
    terminal.note(fmt::format("{} record{}, {} in {}", all, all == 1 ? "" : "s",
                              format_bytes(static_cast<double>(size)), *path));
  }
  return kFine;
}

}  // namespace assay::cli
