// SPDX-License-Identifier: Apache-2.0
#include "experiment/timeline.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "build/git.hpp"
#include "build/history.hpp"
#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/plan_options.hpp"
#include "verdict/sweep.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kLabelWidth = 60, kSubjectWidth = 40;

Result<std::vector<Commit>> commits_of_range(const std::string& first, const std::string& last) {
  const std::string folder = current_folder();
  const auto from = build::resolve_revision(folder, first);
  if (!from) return fail(from.error());
  const auto to = build::resolve_revision(folder, last);
  if (!to) return fail(to.error());
  if (*from == *to)
    return fail(fmt::format("{} and {} are the same commit {}", printable(first), printable(last),
                            build::short_commit(*from)),
                {}, "a timeline compares two commits at least");
  if (const auto swapped = build::is_ancestor(folder, *to, *from); swapped && *swapped)
    return fail(fmt::format("the range is the wrong way round: {} came before {}", printable(last),
                            printable(first)),
                {}, fmt::format("{}..{}", printable(last), printable(first)));
  return build::commits_between(folder, first, last, build::Follow::first_parent);
}

// The commits that were asked for, the oldest first.
Result<std::vector<Commit>> commits_of(const Arguments& arguments) {
  const std::string hint =
      "assay timeline v1.2..main --build make -- ./bench, or --commits v1.0,v1.1,main";
  const bool listed = arguments.has("commits");
  if (listed == !arguments.positionals.empty())
    return fail(listed ? "both a range and --commits are given" : "no commits were given", {},
                listed ? "one of them says which commits to run" : hint);
  if (listed) return build::listed_commits(current_folder(), arguments.list("commits"));
  const std::string& range = arguments.positionals.front();
  const std::size_t dots = range.find("..");
  if (dots == std::string::npos || dots == 0)
    return fail(fmt::format("'{}' is no range of revisions", printable(range)), {}, hint);
  const std::string first = range.substr(0, dots);
  const std::string last = range.substr(dots + 2);
  if (last.starts_with('.'))
    return fail(fmt::format("'{}': a range has two dots here", printable(range)), {},
                fmt::format("{}..{}", printable(first), printable(last.substr(1))));
  return commits_of_range(first, last.empty() ? "HEAD" : last);
}

void add_arms(const Subject& subject, const std::string& build_command, Plan& plan) {
  for (const Commit& commit : plan.design->commits) {
    const std::string name = build::short_commit(commit.id);
    Subject arm = subject;
    arm.label = shorten(name + " " + commit.subject, kLabelWidth);
    arm.build = BuildSpec{
        .repository = current_folder(),
        .revision = commit.subject.empty() ? name : shorten(commit.subject, kSubjectWidth),
        .commit = commit.id,
        .command = build_command};
    plan.arms.push_back(std::move(arm));
  }
}

Result<Plan> plan_of(const Arguments& arguments) {
  if (arguments.trailing.empty())
    return fail("no command was given", {},
                "it stands behind --: assay timeline v1.2..main --build make -- ./bench");
  auto plan = design_plan(PlanKind::timeline, arguments);
  if (!plan) return fail(plan.error());
  const auto rounds = arguments.uint("rounds", verdict::kMinSweepRounds, verdict::kMaxSweepRounds);
  if (!rounds) return fail(rounds.error());
  plan->runs = static_cast<std::uint32_t>(rounds->value_or(experiment::kTimelineRounds));
  const auto timeout = build_timeout_of(arguments);
  if (!timeout) return fail(timeout.error());
  auto commits = commits_of(arguments);
  if (!commits) return fail(commits.error());
  if (commits->size() < 2) return fail("one commit is given, and a timeline compares two at least");
  if (commits->size() > experiment::kMostTimelineCommits)
    return fail(fmt::format("{} commits, at most {} are run one by one", commits->size(),
                            experiment::kMostTimelineCommits),
                {},
                "'assay bisect' finds a change in a long range with far fewer builds; --commits "
                "takes some of them");
  auto subject = subject_of(arguments.trailing, arguments);
  if (!subject) return fail(subject.error());
  plan->id_for_order = plan->name + '\n' + subject->label;
  plan->design = Design{.commits = std::move(*commits), .build_timeout_s = *timeout};
  add_arms(*subject, arguments.value("build").value_or(""), *plan);
  return plan;
}

}  // namespace

Result<int> run_timeline(const Arguments& arguments, Terminal& terminal) {
  auto plan = plan_of(arguments);
  if (!plan) return fail(plan.error());
  return run_or_dry_run(std::move(*plan), arguments, terminal);
}

}  // namespace assay::cli
