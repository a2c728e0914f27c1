// SPDX-License-Identifier: Apache-2.0
// The only file that includes CLI11.
#include "prover/cli/parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "prover/bench/settings.hpp"
#include "prover/base/text.hpp"

namespace prover::cli {
namespace {

tl::unexpected<Error> unknown(const std::string& word) {
  if (!word.starts_with("-"))
    return fail(ErrorKind::usage, fmt::format("'{}' is no option", printable(word)),
                "prover bench batch",
                "options begin with --; 'prover bench batch --help' lists them");
  std::vector<std::string> known = {"--help"};
  for (const bench::Setting& setting : bench::settings())
    known.push_back(fmt::format("--{}", setting.name));
  const std::string near = nearest(word.substr(0, word.find('=')), known);
  return fail(ErrorKind::usage, fmt::format("there is no option '{}'", printable(word)),
              "prover bench batch",
              near.empty() ? "'prover bench batch --help' lists them"
                           : fmt::format("did you mean '{}'?", near));
}

}  // namespace

Result<bench::BatchOptions> parse_batch(std::span<const std::string> words) {
  const auto rows = bench::settings();
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::vector<std::string>> values(rows.size());
  std::vector<bool> flags(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string names = fmt::format("--{}", rows[i].name);
    if (rows[i].short_name != 0) names += fmt::format(",-{}", rows[i].short_name);
    if (*rows[i].value == '\0') {
      app.add_flag_callback(names, [&flags, i] { flags[i] = true; });
    } else {
      app.add_option(names, values[i])
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  try {
    // CLI11 takes the words from the back.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return fail(ErrorKind::usage, error.what(), "prover bench batch",
                "'prover bench batch --help' explains the options");
  }
  if (const auto extras = app.remaining(); !extras.empty()) return unknown(extras.front());
  bench::BatchOptions options;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (flags[i]) values[i] = {""};
    for (const std::string& value : values[i])
      if (auto done = bench::apply(rows[i], options, value); !done) return fail(done.error());
  }
  if (auto ok = bench::check(options); !ok) return fail(ok.error());
  return options;
}

}  // namespace prover::cli
