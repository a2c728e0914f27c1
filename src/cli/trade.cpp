// SPDX-License-Identifier: Apache-2.0
#include "report/trade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/system.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/report_record.hpp"
#include "cli/standard_input.hpp"
#include "cli/store_access.hpp"
#include "cli/trade_points.hpp"

namespace assay::cli {
namespace {

Result<std::string> read_table(const std::string& path) {
  return path == "-" ? read_standard_input("the table is longer than 64 MiB")
                     : System::real().read_file(path);
}

// The tables that the options select, without their reports.
Result<std::vector<report::TradeView>> views_of_table(const Arguments& arguments,
                                                      std::string& setting) {
  const std::string& path = arguments.positionals.front();
  const auto where = arguments.value("where");
  if (where && where->find('=') == std::string::npos)
    return fail(fmt::format("--where: '{}' is not COLUMN=VALUE", printable(*where)));
  if (where && arguments.has("by"))
    return fail("--where and --by cannot be combined", {}, "--where takes one value, --by all");
  const auto text = read_table(path);
  if (!text) return fail(text.error());
  const std::string name = path == "-" ? "standard input" : path;
  const auto columns = trade_columns(arguments, *text, name);
  if (!columns) return fail(columns.error());
  if (arguments.has("setting")) setting = columns->settings.front();
  auto tables = attribution::parse_trade_csv(*text, name, *columns);
  if (!tables) return fail(tables.error());
  std::vector<report::TradeView> views;
  std::vector<std::string> groups;
  for (attribution::TradeTable& table : *tables) {
    groups.push_back(table.group);
    if (where && table.group != where->substr(where->find('=') + 1)) continue;
    views.push_back(
        {.title = table.group, .points = std::move(table.points), .skipped = table.skipped});
  }
  if (views.empty() && where)
    return fail(fmt::format("no row has {}", printable(*where)), name,
                fmt::format("values: {}", printable(fmt::format("{}", fmt::join(groups, ", ")))));
  return views;
}

Result<std::vector<report::TradeView>> views_of_records(const Arguments& arguments,
                                                        std::string& setting) {
  const auto settings = arguments.list("setting");
  if (!settings.empty()) setting = settings.front();
  const auto store = open_store_to_read(arguments);
  if (!store) return fail(store.error());
  report::TradeView view;
  const std::vector<std::string> ids = arguments.values("record");
  for (const std::string& id : ids) {
    const auto record = (*store)->load(id);
    if (!record) return fail(record.error());
    std::vector<attribution::TradePoint> points = points_of(*record, settings);
    for (attribution::TradePoint& point : points) {
      if (ids.size() > 1) point.label += " (" + record->id + ")";
      view.points.push_back(std::move(point));
    }
  }
  return std::vector<report::TradeView>{std::move(view)};
}

}  // namespace

Result<int> run_trade(const Arguments& arguments, Terminal& terminal) {
  const bool records = arguments.has("record");
  if (records == !arguments.positionals.empty())
    return fail(
        records ? "--record and a table cannot be combined" : "trade needs a table or a record", {},
        "assay trade FILE.csv, or assay trade --record ID");
  const auto budget = arguments.bytes("memory-budget");
  if (!budget) return fail(budget.error());
  exit_on_interrupt();
  std::string setting;  // of the line; empty = the first that varies
  auto views = records ? views_of_records(arguments, setting) : views_of_table(arguments, setting);
  if (!views) return fail(views.error());
  std::size_t points = 0;
  std::set<std::string> told;
  for (report::TradeView& view : *views) {
    points += view.points.size();
    view.trade = attribution::trade(view.points, {.setting = setting, .budget_bytes = *budget});
    for (const std::string& warning : view.trade.warnings)
      if (told.insert(warning).second) terminal.warn(warning);
  }
  if (arguments.has("json")) {
    terminal.print(report::trade_json(*views).dump(2) + "\n");
  } else {
    for (const report::TradeView& view : *views)
      terminal.print((&view == views->data() ? "" : "\n") +
                     report::trade_text(view, text_options(terminal)));
  }
  return points == 0 ? kNotMeasured : kFine;
}

}  // namespace assay::cli
