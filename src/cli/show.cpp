// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/report_record.hpp"
#include "cli/store_access.hpp"

namespace assay::cli {

const CommandSpec& show_spec() {
  static const CommandSpec kSpec = {
      .name = "show",
      .summary = "Print the report of a record again",
      .usage = {"show [options] [ID]"},
      .details = "Without ID: the newest record.",
      .positionals = {{.name = "ID",
                       .help = "the record, or the first characters of its id",
                       .at_most = 1,
                       .complete = Complete::record}},
      .examples = {{"assay show", "The last report"},
                   {"assay show --json k3f9a2bc", "One conclusion, for a script"}},
      .flags = {{.name = "json",
                 .value = "FILE",
                 .help = "write the conclusion as JSON; alone: to stdout, without the text",
                 .group = "Reporting",
                 .complete = Complete::file,
                 .or_stdout = true,
                 .common = true},
                {.name = "markdown",
                 .help = "print it as a comment for a pull request",
                 .group = "Reporting",
                 .common = true},
                {.name = "html",
                 .value = "FILE",
                 .help = "write the report as a page; - is stdout",
                 .group = "Reporting",
                 .complete = Complete::file,
                 .common = true}}};
  return kSpec;
}

namespace {

// The record that was asked for, or the newest.
Result<Record> find_record(history::Store& store, const std::vector<std::string>& asked) {
  if (!asked.empty()) return store.load(asked.front());
  const auto all = store.list();
  if (!all) return fail(all.error());
  if (all->empty())
    return fail("the store holds no record", store.location(), "run 'assay compare A B' first");
  return store.load(all->front().id);
}

tl::unexpected<Error> unfinished(history::Store& store, const std::string& id) {
  const auto all = store.list();
  if (!all) return fail(all.error());
  for (const history::Summary& summary : *all)
    if (summary.id == id && summary.running)
      return fail("this experiment is still running", id, "it prints its own report at the end");
  return fail("this experiment was interrupted and has no conclusion yet", id,
              "go on with it: assay resume " + id);
}

}  // namespace

Result<int> run_show(const Arguments& arguments, Terminal& terminal) {
  const auto store = open_store_to_read(arguments);
  if (!store) return fail(store.error());
  const auto record = find_record(**store, arguments.positionals);
  if (!record) return fail(record.error());
  if (!record->conclusion) return unfinished(**store, record->id);
  ReportFiles files;
  files.store = (*store)->location();
  files.html = arguments.value("html");
  files.json = arguments.value("json");
  if (arguments.has("markdown")) files.markdown = "-";
  if (const auto writable = check_report_files(files); !writable) return fail(writable.error());
  if (const auto written = write_reports(*record, files, terminal); !written)
    return fail(written.error());
  return kFine;
}

}  // namespace assay::cli
