// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/text.hpp"
#include "build/cache.hpp"
#include "cli/commands.hpp"
#include "cli/store_access.hpp"
#include "lab/copies.hpp"
#include "lab/events.hpp"

namespace assay::cli {
namespace {

constexpr double kKeepBuilds = 0x1p31;  // 2 GiB

std::string size_of(const history::Store& store) {
  return format_bytes(static_cast<double>(store.size_bytes()));
}

// Builds of revisions and copies of executables lie beside the store. One line about them.
std::string collect_files(const std::string& folder, double keep_builds, std::int64_t before_ms,
                          bool dry_run, Terminal& terminal) {
  const build::Cache before = build::read_cache(folder);
  const std::uint64_t copies = lab::remove_copies(folder, before_ms, dry_run);
  const auto size = [](std::uint64_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  std::string line =
      fmt::format("{} builds of revisions take {}, mirrors of repositories {}",
                  before.builds.size(), size(before.build_bytes()), size(before.mirror_bytes()));
  if (copies > 0)
    line += fmt::format("; {} {} of copied executables", dry_run ? "would remove" : "removed",
                        size(copies));
  if (before.bytes() == 0 && copies == 0) return {};
  if (dry_run) return line + "\n";
  const auto removed =
      build::remove_builds(folder, {.bytes = static_cast<std::uint64_t>(keep_builds)});
  for (const std::string& problem : removed.problems) terminal.warn(problem);
  if (removed.bytes > 0)
    line += fmt::format("; removed {} builds, {}", removed.builds, size(removed.bytes));
  return line + "\n";
}

// Traces of runs whose record is gone. One line about them.
std::string collect_events(history::Store& store) {
  const auto left = store.list();
  if (!left) return {};
  std::set<std::string> ids;
  for (const history::Summary& record : *left) ids.insert(record.id);
  const std::uint64_t bytes = lab::remove_events(
      store.location(), [&](const std::string& id) { return ids.count(id) > 0; }, false);
  if (bytes == 0) return {};
  return fmt::format("removed {} of events of runs\n", format_bytes(static_cast<double>(bytes)));
}

}  // namespace

const CommandSpec& gc_spec() {
  static const CommandSpec kSpec = {
      .name = "gc",
      .summary = "Compact the store and, when asked, drop old records",
      .usage = {"gc [--older-than AGE [--interrupted]] [--dry-run]"},
      .details =
          "Without --older-than no record is dropped, and never one of a running experiment. Noise "
          "floors are kept. Builds of revisions "
          "are kept up to --keep-builds, those used last first; a build that is gone is made again "
          "when it is needed ('assay cache' shows them). The sizes before and after are printed.",
      .positionals = {},
      .examples = {{"assay gc --older-than 30d --dry-run", "What would go?"},
                   {"assay gc --older-than 30d", "Drop what is older than thirty days"}},
      .flags = {{.name = "older-than",
                 .value = "AGE",
                 .help = "drop records older than this, such as 30d or 12h",
                 .group = "Choosing",
                 .common = true},
                {.name = "interrupted",
                 .help = "drop interrupted records too, which could be resumed",
                 .group = "Choosing",
                 .common = true},
                {.name = "keep-builds",
                 .value = "SIZE",
                 .help = "what builds of revisions and mirrors may keep",
                 .fallback = "2GiB",
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
  const bool all = arguments.has("interrupted");
  std::size_t old = 0, kept = 0;
  for (const history::Summary& record : *records) {
    if (record.created_at_ms >= before_ms) continue;
    (record.running || (record.interrupted && !all) ? kept : old) += 1;
  }
  if (kept > 0)
    terminal.note(fmt::format(
        "{} old record{} kept: {}", kept, kept == 1 ? " is" : "s are",
        all ? "still running" : "interrupted or still running; --interrupted drops the former"));
  const std::string size = size_of(**store);
  const auto keep_builds = arguments.bytes("keep-builds");
  if (!keep_builds) return fail(keep_builds.error());
  const std::string folder = std::filesystem::path((*store)->location()).parent_path().string();
  const std::string files = collect_files(folder, keep_builds->value_or(kKeepBuilds), before_ms,
                                          arguments.has("dry-run"), terminal);
  if (arguments.has("dry-run")) {
    terminal.print(fmt::format("would drop {} of {} records; the store {} takes {}\n", old,
                               records->size(), printable((*store)->location()), size) +
                   files);
    return kFine;
  }
  const auto dropped =
      (*store)->collect(before_ms, all ? history::Interrupted::drop : history::Interrupted::keep);
  if (!dropped) return fail(dropped.error());
  const std::string events = collect_events(**store);
  terminal.print(fmt::format("dropped {} of {} records; the store {} took {}, now {}\n", *dropped,
                             records->size(), printable((*store)->location()), size,
                             size_of(**store)) +
                 events + files);
  return kFine;
}

}  // namespace assay::cli
