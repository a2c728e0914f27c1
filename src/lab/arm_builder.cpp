// SPDX-License-Identifier: Apache-2.0
#include "lab/arm_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/check.hpp"
#include "base/text.hpp"
#include "build/build.hpp"

namespace assay::lab {
namespace {

constexpr std::size_t kShortCommit = 10;
constexpr double kMostSeconds = 1e9;

std::optional<std::chrono::steady_clock::time_point> deadline_in(double seconds) {
  if (seconds <= 0 || seconds > kMostSeconds) return std::nullopt;
  return std::chrono::steady_clock::now() +
         std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

}  // namespace

Result<std::optional<Build>> ArmBuilder::build(Plan& plan, std::uint32_t arm, double limit_s,
                                               const std::string& limit) {
  Subject& subject = plan.arms[arm];
  ASSAY_CHECK(subject.build.has_value(), "only a revision is built");
  const BuildSpec& spec = *subject.build;
  std::string what = fmt::format("{} ({})", spec.revision, spec.commit.substr(0, kShortCommit));
  for (const TreeStep& step : spec.steps)
    what += (step.kind == TreeStepKind::revert ? " - " : " + ") + step.what;
  if (events_.on_start) events_.on_start("building " + what);
  auto built = build::build_revision(store_folder_,
                                     {.folder = spec.repository,
                                      .commit = spec.commit,
                                      .command = spec.command,
                                      .steps = spec.steps,
                                      .arm = arm,
                                      .deadline = deadline_in(limit_s)},
                                     interrupted_, [this](std::string_view line) {
                                       if (events_.on_line) events_.on_line(std::string(line));
                                     });
  if (!built) return fail(built.error());
  if (!*built) return std::optional<Build>();
  build::Built& done = **built;
  for (const std::string& text : done.warnings) {
    Warning warning{WarningKind::host, text};
    if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end())
      warnings_.push_back(std::move(warning));
  }
  done.build.commit = spec.commit;
  const double seconds = std::chrono::duration<double>(done.build.duration).count();
  if (!done.build.ok && done.build.reason.empty())
    done.build.reason =
        done.timed_out ? "was not built within " + limit : std::string("does not build");
  if (done.build.ok) {
    subject.cwd = done.cwd;
    in_use_.push_back(done.in_use);
    if (events_.on_end && !done.build.cached && !spec.command.empty())
      events_.on_end(fmt::format("built {} in {}", what, format_duration(seconds)));
  }
  return std::optional(std::move(done.build));
}

}  // namespace assay::lab
