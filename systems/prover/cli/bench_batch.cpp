// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/bench_batch.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "prover/bench/batch.hpp"
#include "prover/bench/report.hpp"
#include "prover/bench/settings.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/signals.hpp"
#include "prover/cli/terminal.hpp"

namespace prover::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Result<void> write_all(std::FILE* file, const std::string& text, const std::string& name) {
  if (std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0)
    return {};
  return fail(ErrorKind::failed, fmt::format("cannot write: {}", std::strerror(errno)), name);
}

// Opened before the run, so that an hour is not spent for a report that cannot be written.
Result<File> open_json(const bench::BatchOptions& options) {
  if (!options.json || *options.json == "-") return File();
  File file(std::fopen(options.json->c_str(), "we"));
  if (file) return file;
  return fail(ErrorKind::usage, fmt::format("cannot write this file: {}", std::strerror(errno)),
              "--json " + *options.json);
}

Result<void> print(const bench::BatchOptions& options, const bench::BatchResult& result,
                   std::FILE* json_file) {
  const bool json_only = options.json == "-";
  const std::string text = json_only ? report_json(options, result) : report_text(options, result);
  if (auto ok = write_all(stdout, text, "standard output"); !ok) return ok;
  if (json_file != nullptr)
    if (auto ok = write_all(json_file, report_json(options, result), "--json " + *options.json);
        !ok)
      return ok;
  if (!options.assay_metrics) return {};
  return write_all(stdout, assay_lines(options, result), "standard output");
}

int exit_status(const bench::BatchOptions& options, const bench::BatchResult& result,
                const Timeline& timeline) {
  if (result.engine.fatal) return kFailed;
  if (result.signal_number != 0) return kSignalled + result.signal_number;
  if (!counts_of(options, result).complete() || timeline.trouble()) return kFailed;
  return kFine;
}

}  // namespace

Result<bench::BatchOptions> batch_options(const Arguments& arguments) {
  bench::BatchOptions options;
  for (const bench::Setting& setting : bench::settings())
    for (const std::string& value : arguments.values(setting.name))
      if (auto done = bench::apply(setting, options, value); !done) return fail(done.error());
  if (auto ok = bench::check(options); !ok) return fail(ok.error());
  return options;
}

Result<int> run_bench_batch(const Arguments& arguments) {
  auto options = batch_options(arguments);
  if (!options) return fail(options.error());
  auto json = open_json(*options);
  if (!json) return fail(json.error());
  Timeline timeline;
  if (options->timeline)
    if (auto opened = timeline.open(*options->timeline); !opened) return fail(opened.error());

  bench::StopRequests stops;
  const SignalWatch watch([&](int number) {
    stops.request(number);
    tell("prover: {}\n", stops.count() == 1
                             ? "no new jobs; those in flight end (once more cancels them)"
                             : "cancelling what is in flight");
  });
  auto result = run_batch(*options, timeline, stops);
  if (!result) return fail(result.error());
  if (auto printed = print(*options, *result, json->get()); !printed) return fail(printed.error());
  for (const std::string& warning : result->warnings) tell("prover: warning: {}\n", warning);
  if (result->engine.fatal) tell("prover: {}\n", fatal_text(*options, *result->engine.fatal));
  return exit_status(*options, *result, timeline);
}

}  // namespace prover::cli
