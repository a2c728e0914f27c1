// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.hpp"
#include "build/git.hpp"
#include "build/history.hpp"
#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/plan_options.hpp"
#include "plan/change.hpp"

namespace assay::cli {
namespace {

using plan::ChangeSpec;

constexpr std::size_t kMostFile = std::size_t{1} << 20;   // of changes
constexpr std::size_t kMostPatch = std::size_t{8} << 20;  // of a patch
constexpr std::uint64_t kMostRuns = 100'000;

Result<std::string> read_file(const std::string& path, const std::string& what, std::size_t most) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return fail(fmt::format("{} is a folder", what), path);
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return fail(fmt::format("{} is not a file", what), path);
  std::ifstream in(path, std::ios::binary);
  std::string text;
  if (in) {
    text.resize(most + 1);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
  }
  if (!in && !in.eof()) return fail(fmt::format("{} cannot be read", what), path);
  if (text.size() > most)
    return fail(fmt::format("{} is longer than {}", what, format_bytes(static_cast<double>(most))),
                path);
  return text;
}

Result<std::vector<ChangeSpec>> changes_of(const Arguments& arguments) {
  std::vector<ChangeSpec> changes;
  for (const std::string& text : arguments.values("change")) {
    auto change = plan::parse_change(text);
    if (!change) return fail(change.error());
    changes.push_back(std::move(*change));
  }
  if (const auto file = arguments.value("plan")) {
    const auto text = read_file(*file, "the file of changes", kMostFile);
    if (!text) return fail(text.error());
    auto more = plan::parse_changes(*text, *file);
    if (!more) return fail(more.error());
    std::ranges::move(*more, std::back_inserter(changes));
  }
  if (auto valid = plan::check_changes(changes); !valid) return fail(valid.error());
  return changes;
}

Error error_of(const ChangeSpec& spec, const Error& error) {
  return {fmt::format("change '{}': {}", printable(spec.change.name), error.what),
          spec.where.empty() ? error.where : spec.where, error.hint};
}

// Reads patches, and finds out of each commit whether the base has it.
Result<void> prepare_steps(std::vector<ChangeSpec>& changes, const Subject& base) {
  for (ChangeSpec& spec : changes) {
    if (spec.change.kind == ChangeKind::patch) {
      auto text = read_file(spec.on, "the patch", kMostPatch);
      if (!text) return fail(error_of(spec, text.error()));
      if (text->empty()) return fail(error_of(spec, {"the patch is empty", spec.on, {}}));
      spec.when_on = TreeStep{TreeStepKind::patch, spec.on, std::move(*text)};
      spec.order = 2 * plan::kMostChanges;  // onto what the commits make
    }
    if (spec.change.kind != ChangeKind::commit || !base.build) continue;
    auto commit = build::resolve_revision(current_folder(), spec.on);
    if (!commit) return fail(error_of(spec, commit.error()));
    const auto contained = build::is_ancestor(current_folder(), *commit, base.build->commit);
    if (!contained) return fail(error_of(spec, contained.error()));
    if (*contained)
      spec.when_off = TreeStep{TreeStepKind::revert, spec.on, *commit};
    else
      spec.when_on = TreeStep{TreeStepKind::pick, spec.on, *commit};
  }
  return {};
}

// Later commits are reverted in front of earlier ones and picked behind them.
Result<void> order_commits(std::vector<ChangeSpec>& changes) {
  for (ChangeSpec& spec : changes) {
    if (spec.change.kind != ChangeKind::commit) continue;
    const bool reverted = spec.when_off.has_value();
    const std::string& commit = (reverted ? spec.when_off : spec.when_on)->data;
    std::size_t contains = 0;  // other listed commits
    for (const ChangeSpec& other : changes) {
      if (other.change.kind != ChangeKind::commit || &other == &spec) continue;
      const std::string& id = (other.when_off ? other.when_off : other.when_on)->data;
      if (id == commit)
        return fail(error_of(spec, {fmt::format("it is the same commit as '{}'", other.change.name),
                                    {},
                                    "leave one of them out"}));
      const auto contained = build::is_ancestor(current_folder(), id, commit);
      if (!contained) return fail(error_of(spec, contained.error()));
      contains += *contained ? 1 : 0;
    }
    spec.order = reverted ? plan::kMostChanges - contains : plan::kMostChanges + contains;
  }
  return {};
}

Result<Subject> base_of(const Arguments& arguments, const std::vector<ChangeSpec>& changes) {
  auto subject = only_subject(arguments);
  if (!subject) return subject;
  auto env = arguments.assignments("env");
  if (!env) return fail(env.error());
  subject->env = std::move(*env);
  const bool needs_tree = std::ranges::any_of(changes, [](const ChangeSpec& spec) {
    return spec.change.kind == ChangeKind::commit || spec.change.kind == ChangeKind::patch;
  });
  if (!arguments.has("build") && !arguments.has("rev") && !needs_tree) return subject;
  auto build = build_of(arguments);
  if (!build) return fail(build.error());
  subject->build = std::move(*build);
  return subject;
}

Result<Plan> plan_of(const Arguments& arguments) {
  auto plan = design_plan(PlanKind::ablate, arguments);
  if (!plan) return plan;
  const auto runs = arguments.uint("max-runs", 1, kMostRuns);
  if (!runs) return fail(runs.error());
  plan->runs = static_cast<std::uint32_t>(runs->value_or(0));
  const auto timeout = build_timeout_of(arguments);
  if (!timeout) return fail(timeout.error());
  auto changes = changes_of(arguments);
  if (!changes) return fail(changes.error());
  auto base = base_of(arguments, *changes);
  if (!base) return fail(base.error());
  if (auto done = prepare_steps(*changes, *base); !done) return fail(done.error());
  if (auto done = order_commits(*changes); !done) return fail(done.error());
  plan->id_for_order = base->label;
  Design design{.anyway = arguments.has("anyway"),
                .adaptive = arguments.has("adaptive"),
                .build_timeout_s = *timeout};
  for (const ChangeSpec& spec : *changes) design.changes.push_back(spec.change);
  plan->design = std::move(design);
  auto arms = plan::configurations(*base, *changes);
  if (!arms) return fail(arms.error());
  plan->arms = std::move(*arms);
  return plan;
}

}  // namespace

Result<int> run_ablate(const Arguments& arguments, Terminal& terminal) {
  auto plan = plan_of(arguments);
  if (!plan) return fail(plan.error());
  warn_of_unexpanded(arguments, terminal);
  return run_or_dry_run(std::move(*plan), arguments, terminal);
}

}  // namespace assay::cli
