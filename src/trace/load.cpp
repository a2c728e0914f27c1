// SPDX-License-Identifier: Apache-2.0
#include "trace/load.hpp"

#include <algorithm>
#include <assay/trace_format.hpp>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/text.hpp"
#include "trace/importers/emitter_files.hpp"
#include "trace/source.hpp"
#include "trace/topology.hpp"

namespace assay::trace {
namespace {

namespace fs = std::filesystem;

// The emitter's files of a folder, plain or compressed, by name.
Result<std::vector<std::string>> event_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code bad;
  for (fs::directory_iterator entry(folder, bad), end; !bad && entry != end; entry.increment(bad)) {
    const std::string name = entry->path().filename();
    for (const std::string ending : {"", ".gz", ".zst"}) {
      if (name.ends_with(emit::format::kFileSuffix + ending)) files.push_back(entry->path());
    }
  }
  if (bad) return fail("the folder cannot be read: " + bad.message(), printable(folder));
  if (files.empty()) {
    return fail("a folder without event files", printable(folder),
                "give the folder that ASSAY_EVENTS named when a program with assay/trace.hpp ran");
  }
  std::ranges::sort(files);
  return files;
}

Result<Trace> load_folder(const std::string& folder, const std::string& format,
                          const ImportOptions& options) {
  if (!format.empty() && format != emitter_importer().name()) {
    return fail("a folder, and only event files of the emitter lie in folders", printable(folder),
                "leave --format away, or name the log itself");
  }
  const auto files = event_files(folder);
  if (!files) return fail(files.error());
  auto trace = read_emitter_files(
      files->size(), [&](std::size_t i) { return open_source((*files)[i]); }, options);
  if (!trace) return trace;
  trace->source = folder;
  if (options.rules != nullptr) lay_topology(*trace, *options.rules);
  warn_of_losses(*trace);
  return trace;
}

}  // namespace

Result<Trace> load_trace(const std::string& path, const std::string& format,
                         const ImportOptions& options) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return load_folder(path, format, options);
  const auto source = open_source(path);
  if (!source) return fail(source.error());
  return import_run(**source, format, options);
}

}  // namespace assay::trace
