// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/report_record.hpp"
#include "cli/store_access.hpp"
#include "report/listing.hpp"

namespace assay::cli {
namespace {

report::ListRow to_row(const history::Summary& summary) {
  return {.id = summary.id,
          .created_at_ms = summary.created_at_ms,
          .kind = summary.kind,
          .title = summary.title,
          .trials = summary.trials,
          .overall = summary.overall,
          .interrupted = summary.interrupted,
          .running = summary.running,
          .answer = summary.answer};
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

  std::vector<report::ListRow> rows;
  std::uint64_t size = 0;
  std::error_code status;
  if (std::filesystem::exists(*path, status)) {
    const auto store = history::open_store_to_read(*path);
    if (!store) return fail(store.error());
    const auto found = (*store)->list();
    if (!found) return fail(found.error());
    for (const history::Summary& summary : *found) rows.push_back(to_row(summary));
    size = (*store)->size_bytes();
  }
  const std::size_t all = rows.size();
  if (*limit && rows.size() > **limit) rows.resize(**limit);

  if (arguments.has("json")) {
    Json document = report::list_json(rows);
    document.set("store", *path);
    document.set("size_bytes", size);
    terminal.print(document.dump(2) + "\n");
  } else if (arguments.has("ids")) {
    for (const report::ListRow& row : rows) terminal.print(printable(row.id) + "\n");
  } else if (rows.empty()) {
    terminal.note(fmt::format("nothing has been recorded yet in {}", *path));
  } else {
    terminal.print(report::list_text(rows, now_ms(), text_options(terminal)));
    terminal.note(fmt::format("{} record{}, {} in {}", all, all == 1 ? "" : "s",
                              format_bytes(static_cast<double>(size)), *path));
  }
  return kFine;
}

}  // namespace assay::cli
