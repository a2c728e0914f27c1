// SPDX-License-Identifier: Apache-2.0
// `assay import`: result files of other tools into the store, and what they hold and cannot say.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/import_files.hpp"
#include "cli/report_record.hpp"
#include "cli/store_access.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kMostBytesOfRecord = std::size_t{128} << 20;

std::vector<std::string_view> format_choices() {
  std::vector<std::string_view> names;
  for (const results::Format& format : results::formats()) names.push_back(format.name);
  return names;
}

// The record: one side, with the command that made it as its only arm.
Record record_of(std::vector<ImportedFile> files, const Arguments& arguments) {
  Record record;
  Plan& plan = record.plan;
  plan.kind = PlanKind::imported;
  plan.name = arguments.value("name").value_or("");
  Subject& arm = plan.arms.emplace_back();
  arm.argv = {"assay", "import"};
  for (const ImportedFile& file : files) {
    arm.argv.push_back(file.name);
    arm.label += (arm.label.empty() ? "" : " ") + file.name;
  }
  plan.imported = std::move(files);
  record.created_at_ms = now_ms();
  return record;
}

Conclusion conclusion_of(const std::vector<report::ImportedSource>& sources) {
  std::size_t series = 0;
  for (const report::ImportedSource& source : sources) series += source.file.series.size();
  Conclusion conclusion;
  conclusion.ended_by = EndedBy::runs_done;
  conclusion.answer =
      fmt::format("{} of {}: {} series",
                  sources.size() == 1 ? "1 file" : fmt::format("{} files", sources.size()),
                  sources.front().file.format, series);
  return conclusion;
}

Result<std::string> store_record(const Record& record, const Conclusion& conclusion,
                                 const Arguments& arguments) {
  const auto store = open_or_create_store(arguments);
  if (!store) return fail(store.error());
  auto id = (*store)->create(record);
  if (!id) return fail(id.error());
  if (auto done = (*store)->conclude(*id, conclusion); !done) return fail(done.error());
  if (auto done = (*store)->make_durable(); !done) return fail(done.error());
  return id;
}

}  // namespace

const CommandSpec& import_spec() {
  static const CommandSpec kSpec = {
      .name = "import",
      .summary = "Read result files of other benchmark tools into the store",
      .usage = {"import [options] FILE..."},
      .details =
          "Reads what hyperfine, Google Benchmark, criterion, Go, pyperf, pytest-benchmark, JMH, "
          "Catch2, @chainsafe/benchmark, nanobench, mitata, BenchmarkDotNet, Bencher and "
          "github-action-benchmark write, shows what is in it at which level (process, repetition, "
          "sample), and says what each file cannot say. All files together become one record: "
          "one "
          "side of a comparison, with as many processes as the files have. The files' own bytes "
          "are "
          "kept. FILE may be criterion's folder, or - for standard input.",
      .positionals = {{.name = "FILE",
                       .help = "result files of one build",
                       .at_least = 1,
                       .at_most = Positional::kAny,
                       .complete = Complete::file}},
      .examples = {{"assay import old.json", "What a file holds, and into the store"},
                   {"assay import --name v1.2 v12-run1.json v12-run2.json v12-run3.json",
                    "Three processes of one build as one side"},
                   {"assay import --no-store target/criterion", "A look, nothing kept"}},
      .flags = {
          {.name = "format",
           .value = "NAME",
           .help = "read the files as this, instead of by content",
           .group = "Reading",
           .choices = format_choices(),
           .common = true},
          {.name = "name", .value = "TEXT", .help = "a name for the record", .group = "Reporting"},
          {.name = "no-store",
           .help = "show what is there, store nothing",
           .group = "Reporting",
           .common = true},
          {.name = "json",
           .value = "FILE",
           .help = "write all that was read as JSON; alone: to stdout, without the text",
           .group = "Reporting",
           .complete = Complete::file,
           .or_stdout = true,
           .common = true}}};
  return kSpec;
}

Result<int> run_import(const Arguments& arguments, Terminal& terminal) {
  std::vector<ImportedFile> files;
  std::vector<report::ImportedSource> sources;
  std::size_t bytes = 0;
  for (const std::string& path : arguments.positionals) {
    auto loaded = load_results(path, arguments.value("format").value_or(""));
    if (!loaded) return fail(loaded.error());
    bytes += loaded->stored.text.size();
    if (bytes > kMostBytesOfRecord)
      return fail("more than 128 MiB of results in one record", path, "import fewer files at once");
    sources.push_back({loaded->stored.name, std::move(loaded->file)});
    files.push_back(std::move(loaded->stored));
  }
  std::string id;
  if (!arguments.has("no-store")) {
    auto stored =
        store_record(record_of(std::move(files), arguments), conclusion_of(sources), arguments);
    if (!stored) return fail(stored.error());
    id = *stored;
  }
  const auto json_file = arguments.value("json");
  if (json_file != "-") terminal.print(report::imported_text(sources, text_options(terminal)).out);
  if (json_file) {
    Json json = report::imported_json(sources);
    if (!id.empty()) json.set("id", id);
    if (auto done = write_result(*json_file, json.dump(2) + "\n", terminal); !done)
      return fail(done.error());
  }
  if (!id.empty() && json_file != "-")
    terminal.note(
        fmt::format("record {}; against another one: assay compare --imported {} OTHER", id, id));
  return kFine;
}

}  // namespace assay::cli
