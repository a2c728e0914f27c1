// SPDX-License-Identifier: Apache-2.0
// `assay compare --imported X Y`: two sides of result files, judged as far as they carry it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/import_files.hpp"
#include "cli/report_record.hpp"
#include "cli/store_access.hpp"

namespace assay::cli {
namespace {

// What stands beside --imported; everything else is about runs.
constexpr std::array<std::string_view, 4> kBesideImported = {"imported", "tolerance", "json",
                                                             "strict"};

Result<void> check_alone(const Arguments& arguments) {
  for (const Flag& flag : arguments.spec().flags)
    if (arguments.has(flag.name) && std::find(kBesideImported.begin(), kBesideImported.end(),
                                              flag.name) == kBesideImported.end())
      return fail(fmt::format("--{} is about runs, and --imported runs nothing", flag.name), {},
                  "with --imported go --tolerance, --json FILE and --strict");
  if (arguments.positionals.size() != 2 || !arguments.trailing.empty())
    return fail("--imported compares two sides, each a file or an imported record", {},
                "assay compare --imported old.json new.json");
  return {};
}

Result<std::unique_ptr<history::Store>> store_if_there(const Arguments& arguments) {
  const auto path = store_path(arguments);
  if (!path) return fail(path.error());
  std::error_code ignored;
  if (!std::filesystem::exists(*path, ignored)) return std::unique_ptr<history::Store>();
  return history::open_store_to_read(*path);
}

int code_of(const verdict::ImportedComparison& found, bool strict) {
  bool slower = false, open = found.rows.empty(), broken = false;
  for (const verdict::ImportedRow& row : found.rows) {
    broken = broken || !row.trouble.empty() ||
             (!row.summary && row.verdict.standing == verdict::Standing::non_positive);
    if (!row.summary && row.verdict.standing == verdict::Standing::both_zero) continue;
    if (row.verdict.standing == verdict::Standing::judged) {
      slower = slower || row.verdict.decision.verdict == Verdict::slower;
      open = open || row.verdict.decision.verdict == Verdict::undecided;
    } else {
      open = true;
    }
  }
  if (broken) return kNotMeasured;
  if (slower) return kRegression;
  return open && strict ? kUndecided : kFine;
}

}  // namespace

Result<int> run_compare_imported(const Arguments& arguments, Terminal& terminal) {
  if (auto alone = check_alone(arguments); !alone) return fail(alone.error());
  const auto tolerance = arguments.fraction("tolerance");
  if (!tolerance) return fail(tolerance.error());
  const double tau = tolerance->value_or(Plan{}.tolerance);
  if (!(tau > 0 && tau < 1))
    return fail("the tolerance must lie above 0 % and below 100 %", {}, "such as --tolerance 2%");
  const auto store = store_if_there(arguments);
  if (!store) return fail(store.error());
  auto baseline = load_side(arguments.positionals[0], store->get(), {});
  if (!baseline) return fail(baseline.error());
  auto candidate = load_side(arguments.positionals[1], store->get(), {});
  if (!candidate) return fail(candidate.error());
  const auto found = verdict::compare_imported(*baseline, *candidate, tau);
  if (!found) return fail(found.error());
  const auto json = arguments.value("json");
  if (json != "-")
    terminal.print(
        report::imported_compare_text(*found, *baseline, *candidate, tau, text_options(terminal))
            .out);
  if (json) {
    const std::string text =
        report::imported_compare_json(*found, *baseline, *candidate, tau).dump(2) + "\n";
    if (auto done = write_result(*json, text, terminal); !done) return fail(done.error());
  }
  return code_of(*found, arguments.has("strict"));
}

}  // namespace assay::cli
