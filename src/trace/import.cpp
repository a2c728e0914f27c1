// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "trace/importer.hpp"
#include "trace/importers/chrome.hpp"
#include "trace/importers/collapsed.hpp"
#include "trace/importers/csv.hpp"
#include "trace/importers/emitter_files.hpp"
#include "trace/importers/otlp.hpp"
#include "trace/importers/perf_script.hpp"
#include "trace/importers/structured.hpp"
#include "trace/importers/text.hpp"
#include "trace/importers/timeline.hpp"
#include "trace/importers/trace_json.hpp"
#include "trace/importers/tracy_csv.hpp"
#include "trace/peek.hpp"
#include "trace/rules.hpp"
#include "trace/scanner.hpp"
#include "trace/topology.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;

std::string known_names() {
  std::string names;
  for (const Importer* importer : importers())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", importer->name());
  return names;
}

Result<const Importer*> by_name(const std::string& format) {
  std::vector<std::string> names;
  for (const Importer* importer : importers()) {
    if (importer->name() == format) return importer;
    names.emplace_back(importer->name());
  }
  const auto near = nearest(format, names);
  return fail(fmt::format("unknown format '{}'", printable(format)), "--format",
              near ? fmt::format("did you mean '{}'?", *near)
                   : fmt::format("formats are {}", known_names()));
}

// Bytes that text does not have: NULs, control characters other than blanks and ESC.
bool is_binary(std::string_view head) {
  const auto odd = std::ranges::count_if(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r' && byte != 0x1b &&
           byte != '\f' && byte != '\b';
  });
  // A log with a hole (NULs where a crash left unwritten blocks) still has lines.
  return odd > 0 && (static_cast<std::size_t>(odd) * 10 > head.size() ||
                     head.find('\n') == std::string_view::npos ||
                     head.starts_with("\x7f"
                                      "ELF"));
}

Result<const Importer*> by_content(std::string_view head, const std::string& source) {
  if (const Importer* best = recognise(head)) return best;
  if (is_binary(head))
    return fail("a binary file, and none that is known", source,
                fmt::format("read so far: {}; is this the log?", known_names()));
  return fail("no times or durations found in the first 64 KiB", source,
              fmt::format("tried {}. Say what its lines mean with --rules FILE ('assay trace rules "
                          "--suggest LOG' proposes rules), or name a format with --format",
                          known_names()));
}

Result<const Importer*> choose(std::string_view head, const std::string& source,
                               const std::string& format, const Rules* rules) {
  if (!format.empty()) return by_name(format);
  if (rules != nullptr && !rules->events.empty()) return &rules_importer();
  if (rules != nullptr && !rules->format.empty()) return by_name(rules->format);
  return by_content(head, source);
}

}  // namespace

std::span<const Importer* const> importers() {
  static const std::array kAll = {
      &emitter_importer(),   &trace_json_importer(),  &chrome_importer(),    &otlp_importer(),
      &tracy_csv_importer(), &perf_script_importer(), &collapsed_importer(), &timeline_importer(),
      &rules_importer(),     &tracing_importer(),     &csv_importer(),       &guessing_importer(),
  };
  return kAll;
}

const Importer* recognise(std::string_view head) {
  const Importer* best = nullptr;
  int best_sure = 0;
  for (const Importer* importer : importers()) {
    const int sure = importer->sniff(head.substr(0, kHead));
    if (sure <= best_sure) continue;
    best = importer;
    best_sure = sure;
  }
  return best;
}

Result<Trace> import_run(ByteSource& source, const std::string& format,
                         const ImportOptions& options) {
  auto head = read_head(source, kHead);
  if (!head) return fail(head.error());
  Result<Trace> trace;
  if (head->empty()) {
    if (!format.empty())
      if (const auto known = by_name(format); !known) return fail(known.error());
    trace->source = source.name();
    trace->format = format;
  } else {
    const auto importer = choose(*head, printable(source.name()), format, options.rules);
    if (!importer) return fail(importer.error());
    if ((*importer)->name() == "rules" && is_binary(*head))
      return fail("a binary file, not a log", printable(source.name()),
                  "rules read text; leave --rules away to have its format recognised");
    HeadedSource whole(std::move(*head), source);
    trace = (*importer)->read(whole, options);
    if (!trace) return trace;
  }
  if (options.rules != nullptr) lay_topology(*trace, *options.rules);
  warn_of_losses(*trace);
  return trace;
}

}  // namespace assay::trace
