// SPDX-License-Identifier: Apache-2.0
#include "build/cache.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/report_record.hpp"
#include "cli/store_access.hpp"
#include "report/listing.hpp"
#include "report/table.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kShortCommit = 10;
constexpr std::size_t kCommandWidth = 40;

std::string size_of(std::uint64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

std::string count(std::uint64_t n, const std::string& thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

Result<build::Keep> read_keep(const Arguments& arguments) {
  build::Keep keep;
  const auto limit = arguments.bytes("limit");
  if (!limit) return fail(limit.error());
  const auto age = arguments.duration("older");
  if (!age) return fail(age.error());
  if (const auto text = arguments.value("older"); text && parse_number(*text))
    return fail("--older needs a unit", *text, "such as --older 30d, or 12h");
  if (arguments.has("clear") && (*limit || *age))
    return fail("--clear removes all builds, so --limit and --older have nothing to say", {},
                "give one of them");
  if (*limit && (**limit < 0 || **limit >= 0x1p63))
    return fail("--limit is no size that a disk could have", {}, "such as --limit 5GiB");
  if (*limit) keep.bytes = static_cast<std::uint64_t>(**limit);
  if (*age) keep.used_since_ms = now_ms() - static_cast<std::int64_t>(**age * 1000);
  if (arguments.has("clear")) keep.bytes = 0;
  return keep;
}

bool removes(const Arguments& arguments) {
  return arguments.has("limit") || arguments.has("older") || arguments.has("clear");
}

std::string what_of(const build::StoredBuild& build) {
  if (build.finished) return build.commit.substr(0, kShortCommit);
  return build.in_use ? "being built" : "failed";
}

std::string builds_table(const build::Cache& cache, Terminal& terminal) {
  std::vector<report::TableRow> rows;
  for (const build::StoredBuild& build : cache.builds) {
    std::string steps;
    for (const std::string& step : build.steps) steps += (steps.empty() ? "" : ", ") + step;
    rows.push_back({{what_of(build), printable(steps),
                     shorten(printable(build.command), kCommandWidth), size_of(build.bytes),
                     report::age_text(build.used_at_ms, now_ms()), build.in_use ? "in use" : ""},
                    {}});
  }
  return report::draw_table({{"commit", true, false},
                             {"steps", true},
                             {"build command", true},
                             {"size"},
                             {"last use", true},
                             {"", true}},
                            rows, text_options(terminal));
}

std::string mirrors_table(const build::Cache& cache, Terminal& terminal) {
  std::vector<report::TableRow> rows;
  for (const build::StoredMirror& mirror : cache.mirrors)
    rows.push_back({{printable(mirror.repository.empty() ? mirror.key : mirror.repository),
                     fmt::format("{}", mirror.builds), size_of(mirror.bytes),
                     report::age_text(mirror.used_at_ms, now_ms())},
                    {}});
  return report::draw_table(
      {{"mirror of", true, false}, {"builds", false, false}, {"size"}, {"last use", true}}, rows,
      text_options(terminal));
}

std::string total_line(const build::Cache& cache, std::uint64_t bound) {
  return fmt::format("{}, {}; {}, {}; together {} of at most {}\n",
                     count(cache.builds.size(), "build"), size_of(cache.build_bytes()),
                     count(cache.mirrors.size(), "mirror"), size_of(cache.mirror_bytes()),
                     size_of(cache.bytes()), size_of(bound));
}

std::string removed_line(const build::Removed& removed, bool dry_run) {
  std::string line = fmt::format("{} {}, {}: {}", dry_run ? "would remove" : "removed",
                                 count(removed.builds, "build"), count(removed.mirrors, "mirror"),
                                 size_of(removed.bytes));
  if (removed.in_use > 0) line += fmt::format("; {} in use stay", removed.in_use);
  return line + "\n";
}

Json cache_json(const build::Cache& cache, std::uint64_t bound, const std::string& folder) {
  Json builds = Json::array(), mirrors = Json::array();
  for (const build::StoredBuild& build : cache.builds) {
    Json steps = Json::array();
    for (const std::string& step : build.steps) steps.push(step);
    Json row = Json::object();
    row.set("key", build.key);
    row.set("finished", build.finished);
    row.set("in_use", build.in_use);
    row.set("commit", build.finished ? Json(build.commit) : Json());
    row.set("steps", std::move(steps));
    row.set("command", build.finished ? Json(build.command) : Json());
    row.set("subfolder", build.subfolder);
    row.set("repository", build.finished ? Json(build.repository) : Json());
    row.set("bytes", build.bytes);
    row.set("used_at_ms", build.used_at_ms);
    builds.push(std::move(row));
  }
  for (const build::StoredMirror& mirror : cache.mirrors) {
    Json row = Json::object();
    row.set("key", mirror.key);
    row.set("repository", mirror.repository.empty() ? Json() : Json(mirror.repository));
    row.set("builds", mirror.builds);
    row.set("bytes", mirror.bytes);
    row.set("used_at_ms", mirror.used_at_ms);
    mirrors.push(std::move(row));
  }
  Json json = Json::object();
  json.set("schema_version", 1);
  json.set("kind", "cache");
  json.set("folder", folder);
  json.set("build_bytes", cache.build_bytes());
  json.set("mirror_bytes", cache.mirror_bytes());
  json.set("bytes", cache.bytes());
  json.set("bound_bytes", bound);
  json.set("builds", std::move(builds));
  json.set("mirrors", std::move(mirrors));
  return json;
}

Json removed_json(const build::Removed& removed, bool dry_run) {
  Json problems = Json::array();
  for (const std::string& problem : removed.problems) problems.push(problem);
  Json json = Json::object();
  json.set("dry_run", dry_run);
  json.set("builds", removed.builds);
  json.set("mirrors", removed.mirrors);
  json.set("bytes", removed.bytes);
  json.set("in_use", removed.in_use);
  json.set("problems", std::move(problems));
  return json;
}

}  // namespace

const CommandSpec& cache_spec() {
  static const CommandSpec kSpec = {
      .name = "cache",
      .summary = "Show the builds of revisions, and bound what they take",
      .usage = {"cache [--json]", "cache --limit SIZE | --older AGE | --clear [--dry-run]"},
      .details =
          "Revisions are built once and kept in builds/ beside the store, with a mirror of each "
          "repository that they come from in mirrors/. Without an option that removes, this lists "
          "them, those used last first. A removal takes what was cut short, then what was not used "
          "for longest, then mirrors on which no build hangs any more; what a running experiment "
          "uses stays, and what is gone is built again when it is needed. After an experiment that "
          "built something the same is done down to 10 GiB, or to what ASSAY_CACHE_LIMIT says.",
      .positionals = {},
      .examples = {{"assay cache", "What do builds take?"},
                   {"assay cache --limit 5GiB", "Make room, the longest unused first"},
                   {"assay cache --older 30d --dry-run", "What would go?"}},
      .flags = {{.name = "limit",
                 .value = "SIZE",
                 .help = "remove until builds and mirrors together fit, such as 5GiB",
                 .group = "Removing",
                 .common = true},
                {.name = "older",
                 .value = "AGE",
                 .help = "remove what was not used since, such as 30d",
                 .group = "Removing",
                 .common = true},
                {.name = "clear", .help = "remove all of it", .group = "Removing", .common = true},
                {.name = "dry-run",
                 .help = "only say what would be removed",
                 .group = "Removing",
                 .common = true},
                {.name = "json",
                 .help = "print JSON instead of tables",
                 .group = "Reporting",
                 .common = true}}};
  return kSpec;
}

Result<int> run_cache(const Arguments& arguments, Terminal& terminal) {
  const auto keep = read_keep(arguments);
  if (!keep) return fail(keep.error());
  const auto bound = build::cache_bound();
  if (!bound) return fail(bound.error());
  const auto path = store_path(arguments);
  if (!path) return fail(path.error());
  const std::string folder = std::filesystem::path(*path).parent_path().string();
  const bool dry_run = arguments.has("dry-run"), json = arguments.has("json");
  build::Removed removed;
  if (removes(arguments)) {
    removed = dry_run ? build::plan_removal(folder, *keep) : build::remove_builds(folder, *keep);
    for (const std::string& problem : removed.problems) terminal.warn(problem);
  } else if (dry_run) {
    return fail("--dry-run says what would be removed, and nothing is to be", {},
                "give it with --limit, --older or --clear");
  }
  const build::Cache cache = build::read_cache(folder);
  if (json) {
    Json document = cache_json(cache, *bound, folder);
    if (removes(arguments)) document.set("removed", removed_json(removed, dry_run));
    terminal.print(document.dump(2) + "\n");
  } else if (removes(arguments)) {
    terminal.print(removed_line(removed, dry_run) + total_line(cache, *bound));
  } else if (cache.builds.empty() && cache.mirrors.empty()) {
    terminal.note(fmt::format("no revision has been built in {}", folder));
  } else {
    terminal.print(builds_table(cache, terminal) + (cache.builds.empty() ? "" : "\n") +
                   mirrors_table(cache, terminal) + "\n" + total_line(cache, *bound));
  }
  return removed.problems.empty() ? kFine : kNotMeasured;
}

}  // namespace assay::cli
