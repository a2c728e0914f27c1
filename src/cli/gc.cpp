// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/store_access.hpp"

namespace assay::cli {
namespace {

std::string size_of(const history::Store& store) {
  return format_bytes(static_cast<double>(store.size_bytes()));
}

}  // namespace

const CommandSpec& gc_spec() {
  static const CommandSpec kSpec = {
      .name = "gc",
      .summary = "Compact the store and, when asked, drop old records",
      .usage = {"gc [--older-than AGE] [--dry-run]"},
      .details =
          "Without --older-than no record is dropped. Noise floors are kept. The sizes before and "
          "after are printed.",
      .positionals = {},
      .examples = {{"assay gc --older-than 30d --dry-run", "What would go?"},
                   {"assay gc --older-than 30d", "Drop what is older than thirty days"}},
      .flags = {{.name = "older-than",
                 .value = "AGE",
                 .help = "drop records older than this, such as 30d or 12h",
                 .group = "Choosing",
                 .common = true},
                {.name = "dry-run",
                 .help = "only say what would be dropped",
                 .group = "Choosing",
                 .common = true}}};
  return kSpec;
}

Result<int> run_gc(const Arguments& arguments, Terminal& terminal) {
  const auto age = arguments.duration("older-than");
  if (!age) return fail(age.error());
  const auto store = open_existing_store(arguments);
  if (!store) return fail(store.error());
  const auto records = (*store)->list();
  if (!records) return fail(records.error());

  const std::int64_t before_ms =
      *age ? now_ms() - static_cast<std::int64_t>(**age * 1000) : INT64_MIN;
  std::size_t old = 0;
  for (const history::Summary& record : *records) old += record.created_at_ms < before_ms ? 1 : 0;
  const std::string size = size_of(**store);
  if (arguments.has("dry-run")) {
    terminal.print(fmt::format("would drop {} of {} records; the store {} takes {}\n", old,
                               records->size(), (*store)->location(), size));
    return kFine;
  }
  const auto dropped = (*store)->collect(before_ms);
  if (!dropped) return fail(dropped.error());
  terminal.print(fmt::format("dropped {} of {} records; the store {} took {}, now {}\n", *dropped,
                             records->size(), (*store)->location(), size, size_of(**store)));
  return kFine;
}

}  // namespace assay::cli
