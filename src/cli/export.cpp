// SPDX-License-Identifier: Apache-2.0
// JSON lines: a header, every entry in the order in which it happened, the conclusion.
#include <pwd.h>
#include <unistd.h>

#include <optional>

#include "cli/commands.hpp"
#include "cli/redact.hpp"
#include "cli/store_access.hpp"
#include "model/codec.hpp"

namespace assay::cli {
namespace {

void export_record(const Record& record, Redactor* redactor, std::string& out) {
  const auto line = [&](const Json& value) {
    out += (redactor != nullptr ? redactor->hide(value) : value).dump() + "\n";
  };
  Json header = Json::object();
  header.set("type", "record");
  header.set("schema_version", 1);
  header.set("id", record.id);
  header.set("created_at_ms", record.created_at_ms);
  header.set("plan", to_json(record.plan));
  header.set("host", to_json(record.host));
  line(header);
  for (const Entry& entry : record.entries) line(to_json(entry));
  if (!record.conclusion) return;
  Json last = Json::object();
  last.set("type", "conclusion");
  last.set("conclusion", to_json(*record.conclusion));
  line(last);
}

std::string user_name() {
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_name : "";
}

}  // namespace

const CommandSpec& export_spec() {
  static const CommandSpec kSpec = {
      .name = "export",
      .summary = "Write a record as JSON lines, every run in order",
      .usage = {"export [options] ID"},
      .details =
          "The first line is the plan and the host, then come the runs, builds and stops as they "
          "happened, last the conclusion. The shapes are described in docs/record_format.md.",
      .positionals = {{.name = "ID",
                       .help = "the record, or the first characters of its id",
                       .at_least = 1,
                       .at_most = 1,
                       .complete = Complete::record}},
      .examples = {{"assay export --redact --output runs.jsonl k3f9a2bc",
                    "Something to attach to a bug report"}},
      .flags = {{.name = "output",
                 .short_name = 'o',
                 .value = "FILE",
                 .help = "write to this file instead of stdout",
                 .group = "Export",
                 .complete = Complete::file,
                 .common = true},
                {.name = "redact",
                 .help = "hide environment values, paths, hosts, users and patches",
                 .details = "A path becomes <path-1>, <path-2>, ...; equal paths keep equal names.",
                 .group = "Export",
                 .common = true}}};
  return kSpec;
}

Result<int> run_export(const Arguments& arguments, Terminal& terminal) {
  const auto store = open_store_to_read(arguments);
  if (!store) return fail(store.error());
  auto record = (*store)->load(arguments.positionals.front());
  if (!record) return fail(record.error());

  std::optional<Redactor> redactor;
  if (arguments.has("redact")) {
    redactor.emplace(*record, user_name());
    *record = redactor->hide(*record);
  }
  std::string text;
  export_record(*record, redactor ? &*redactor : nullptr, text);
  const auto written = write_result(arguments.value("output").value_or("-"), text, terminal);
  if (!written) return terminal.error(written.error(), kNotMeasured);
  return kFine;
}

}  // namespace assay::cli
