// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/bench_output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "prover/bench/settings.hpp"
#include "prover/cli/terminal.hpp"

namespace prover::cli {

Result<bench::BatchOptions> bench_options(bench::Command command, const Arguments& arguments) {
  bench::BatchOptions options = bench::defaults_of(command);
  for (const bench::Setting& setting : bench::settings()) {
    if (!setting.is_of(command)) continue;
    for (const std::string& value : arguments.values(setting.name))
      if (auto done = bench::apply(setting, options, value); !done) return fail(done.error());
  }
  const auto given = [&](const bench::Setting& setting) { return arguments.has(setting.name); };
  if (auto ok = bench::check_given(options, given); !ok) return fail(ok.error());
  if (auto ok = bench::check(options); !ok) return fail(ok.error());
  return options;
}

Result<std::unique_ptr<bench::Load>> open_load(const bench::BatchOptions& options) {
  Progress progress("making the key");
  auto load = bench::Load::open(options.load, options.settings.work, [&](double part) {
    progress.show(part);
    return true;
  });
  progress.clear();
  return load;
}

Result<BenchOutput> BenchOutput::open(const bench::BatchOptions& options) {
  BenchOutput output;
  if (!options.json || *options.json == "-") return output;
  output.json_.reset(std::fopen(options.json->c_str(), "we"));
  if (output.json_) return output;
  return fail(ErrorKind::usage, fmt::format("cannot write this file: {}", std::strerror(errno)),
              "--json " + *options.json);
}

Result<void> BenchOutput::write(const bench::BatchOptions& options, const std::string& text,
                                const std::string& json, const std::string& lines) const {
  const auto write_all = [](std::FILE* file, const std::string& all,
                            const std::string& name) -> Result<void> {
    if (std::fwrite(all.data(), 1, all.size(), file) == all.size() && std::fflush(file) == 0)
      return {};
    return fail(ErrorKind::failed, fmt::format("cannot write: {}", std::strerror(errno)), name);
  };
  const std::string out = options.json == "-" ? json : text;
  if (auto ok = write_all(stdout, out, "standard output"); !ok) return ok;
  if (json_)
    if (auto ok = write_all(json_.get(), json, "--json " + *options.json); !ok) return ok;
  if (!options.assay_metrics) return {};
  return write_all(stdout, lines, "standard output");
}

}  // namespace prover::cli
