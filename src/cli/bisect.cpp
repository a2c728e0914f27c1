// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "build/git.hpp"
#include "build/history.hpp"
#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/plan_options.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kLikelier = 10;  // what --likely multiplies a commit's weight by
constexpr std::size_t kLabelWidth = 60, kSubjectWidth = 40;

Result<std::optional<double>> expected_ratio(const Arguments& arguments) {
  const auto change = arguments.fraction("expect");
  if (!change) return fail(change.error());
  if (!*change) return std::optional<double>();
  if (**change == 0 || **change <= -1)
    return fail(fmt::format("--expect {}: the ends must be reported to differ, by more than -100 %",
                            arguments.value("expect").value_or("")),
                {}, "such as --expect +5%, or --expect=-5% for what became faster");
  return std::optional(1 + **change);
}

// `path` as git stores it, from the top of the repository.
std::string from_top(const std::string& path, const std::string& subdir) {
  std::string joined = (fs::path(subdir) / path).lexically_normal().generic_string();
  while (joined.size() > 1 && joined.ends_with('/')) joined.pop_back();
  return joined;
}

bool lies_in(const std::string& file, const std::string& path) {
  return path == "." || file == path || file.starts_with(path + "/");
}

Result<void> weigh(const Arguments& arguments, const std::string& folder,
                   std::vector<Commit>& commits, Terminal& terminal) {
  if (!arguments.has("likely")) return {};
  const auto repository = build::find_repository(folder);
  if (!repository) return fail(repository.error());
  std::vector<std::string> ids;
  for (const Commit& commit : commits) ids.push_back(commit.id);
  const auto touched = build::touched_paths(folder, ids);
  if (!touched) return fail(touched.error());
  for (const std::string& path : arguments.values("likely")) {
    const std::string wanted = from_top(path, repository->subdir);
    std::size_t count = 0;
    for (std::size_t i = 1; i < commits.size(); ++i) {
      // A merge carries the weights of what it brings.
      const bool touches = commits[i].parents.size() < 2 &&
                           std::ranges::any_of((*touched)[i], [&](const std::string& file) {
                             return lies_in(file, wanted);
                           });
      if (!touches) continue;
      ++count;
      commits[i].weight = kLikelier;
    }
    if (count == 0) terminal.warn("no commit of the range touches '" + printable(path) + "'");
  }
  return {};
}

// Arm i = commit i, arm N + i = the bad end with commit i reverted.
void add_arms(const Subject& subject, const std::string& build_command, const std::string& folder,
              Plan& plan) {
  const std::vector<Commit>& commits = plan.design->commits;
  const std::string bad = build::short_commit(commits.back().id);
  for (const bool reverted : {false, true})
    for (const Commit& commit : commits) {
      const std::string name = build::short_commit(commit.id);
      Subject arm = subject;
      arm.label =
          reverted ? bad + " without " + name : shorten(name + " " + commit.subject, kLabelWidth);
      arm.build =
          BuildSpec{.repository = folder,
                    .revision = reverted                 ? bad
                                : commit.subject.empty() ? name
                                                         : shorten(commit.subject, kSubjectWidth),
                    .commit = reverted ? commits.back().id : commit.id,
                    .command = build_command};
      if (reverted)
        arm.build->steps = {{.kind = TreeStepKind::revert, .what = name, .data = commit.id}};
      plan.arms.push_back(std::move(arm));
    }
}

Result<Plan> plan_of(const Arguments& arguments, Terminal& terminal) {
  const auto good = arguments.value("good");
  if (!good)
    return fail("--good names no revision", {},
                "assay bisect --good v1.2 --bad main --build make -- ./bench");
  if (arguments.trailing.empty())
    return fail("no command was given", {},
                "it stands behind --: assay bisect --good v1.2 --build make -- ./bench");
  auto plan = design_plan(PlanKind::bisect, arguments);
  if (!plan) return fail(plan.error());
  const auto timeout = build_timeout_of(arguments);
  if (!timeout) return fail(timeout.error());
  const auto expect = expected_ratio(arguments);
  if (!expect) return fail(expect.error());
  const std::string folder = current_folder();
  auto commits = build::commits_between(
      folder, *good, arguments.value("bad").value_or("HEAD"),
      arguments.has("first-parent") ? build::Follow::first_parent : build::Follow::every_parent);
  if (!commits) return fail(commits.error());
  if (auto weighed = weigh(arguments, folder, *commits, terminal); !weighed)
    return fail(weighed.error());
  auto subject = subject_of(arguments.trailing, arguments);
  if (!subject) return fail(subject.error());
  plan->id_for_order = plan->name + '\n' + subject->label;
  plan->design =
      Design{.commits = std::move(*commits), .expect = *expect, .build_timeout_s = *timeout};
  add_arms(*subject, arguments.value("build").value_or(""), folder, *plan);
  return plan;
}

}  // namespace

Result<int> run_bisect(const Arguments& arguments, Terminal& terminal) {
  auto plan = plan_of(arguments, terminal);
  if (!plan) return fail(plan.error());
  return run_or_dry_run(std::move(*plan), arguments, terminal);
}

}  // namespace assay::cli
