// SPDX-License-Identifier: Apache-2.0
// What the commands that measure have in common: reading their options, opening their work, and
// where their reports go.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "prover/bench/load.hpp"
#include "prover/bench/options.hpp"
#include "prover/cli/command.hpp"

namespace prover::cli {

// The options that the command line gives, checked; they count in the order of the table, each
// option's in the order in which they were given. Errors are of the kind usage or too_large.
Result<bench::BatchOptions> bench_options(bench::Command command, const Arguments& arguments);

// Opens what is proved, with a line of progress while a key is made; Ctrl-C ends that.
Result<std::unique_ptr<bench::Load>> open_load(const bench::BatchOptions& options);

// A report, as text, as JSON and as ASSAY lines, and where each goes.
class BenchOutput {
 public:
  // Opens --json's file before the run, so that an hour is not spent for a report that cannot be
  // written.
  static Result<BenchOutput> open(const bench::BatchOptions& options);
  Result<void> write(const bench::BatchOptions& options, const std::string& text,
                     const std::string& json, const std::string& lines) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> json_;
};

}  // namespace prover::cli
