// SPDX-License-Identifier: Apache-2.0
#include "build/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "build/files.hpp"
#include "build/git.hpp"

namespace assay::build {
namespace {

constexpr std::size_t kNameColumns = 100;
constexpr std::size_t kMostLines = 20;  // of what git said

// On top of the options of every call.
constexpr const char* kOptions[] = {"-c", "rerere.enabled=false",  "-c", "commit.gpgSign=false",
                                    "-c", "apply.whitespace=warn", "-c", "core.editor=true"};

bool is_commit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string quoted_name(std::string_view name) { return shorten(printable(name), kNameColumns); }

// What git printed of a failure, its last lines.
std::string lines_of(const ProcessResult& result) {
  std::vector<std::string> lines;
  for (const std::string* text : {&result.out, &result.err})
    for (const std::string_view line : split_lines(*text))
      if (!line.empty() && !line.starts_with("hint:")) lines.push_back(printable(line));
  if (lines.size() > kMostLines)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kMostLines));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// Where a patch fails: git says "error: patch failed: FILE:LINE" or "error: FILE: REASON".
std::string place_in(std::string_view err) {
  constexpr std::string_view kFailed = "error: patch failed: ", kError = "error: ";
  std::string other;
  for (const std::string_view line : split_lines(err)) {
    if (line.starts_with(kFailed)) {
      const std::string_view place = line.substr(kFailed.size());
      return "conflict in " + quoted_name(place.substr(0, place.rfind(':')));
    }
    if (other.empty() && line.starts_with(kError)) other = quoted_name(line.substr(kError.size()));
  }
  return other.empty() ? "git refuses it" : other;
}

class Steps {
 public:
  Steps(const std::string& tree, const std::string& draft, int hold,
        const std::atomic<bool>& interrupted,
        std::optional<std::chrono::steady_clock::time_point> deadline)
      : tree_(tree), draft_(draft), hold_(hold), interrupted_(interrupted), deadline_(deadline) {}

  Result<StepsEnd> run(const TreeStep& step) {
    const bool patch = step.kind == TreeStepKind::patch;
    if (!patch && !is_commit(step.data))
      return fail(fmt::format("the {} names no commit", step_name(step)));
    auto before = patch ? Result<std::string>(std::string()) : index_tree();
    if (!before) return fail(before.error());
    auto result = patch ? apply(step.data) : move(step);
    if (!result) return fail(result.error());
    StepsEnd end;
    end.interrupted = result->interrupted;
    end.timed_out = result->timed_out;
    if (end.interrupted || end.timed_out) return end;
    const std::string doing = fmt::format("cannot do the {}", step_name(step));
    if (result->signalled || says_disk_full(result->err))
      return fail(git_error(doing, *result, tree_));
    const auto refuse = [&](const std::string& why) {
      end.refused = fmt::format("does not apply: {} ({})", step_name(step), why);
      end.output = lines_of(*result);
      return end;
    };
    if (!result->ok()) return refuse(patch ? place_in(result->err) : conflict(*result));
    if (patch) return end;
    const auto after = index_tree();
    if (!after) return fail(after.error());
    if (*after == *before && !interrupted_.load())
      return refuse(step.kind == TreeStepKind::pick ? "what it changes is here already"
                                                    : "what it changed is not here");
    return end;
  }

 private:
  Result<ProcessResult> git(std::vector<std::string> args) const {
    GitRun run{.folder = tree_,
               .args = {std::begin(kOptions), std::end(kOptions)},
               .env = {{"GIT_ALLOW_PROTOCOL", "file"},
                       {"GIT_AUTHOR_NAME", "assay"},
                       {"GIT_AUTHOR_EMAIL", "assay@localhost"},
                       {"GIT_COMMITTER_NAME", "assay"},
                       {"GIT_COMMITTER_EMAIL", "assay@localhost"},
                       {"GIT_EDITOR", "true"},
                       {"GIT_SEQUENCE_EDITOR", "true"}},
               .interrupted = &interrupted_,
               .hold = hold_,
               .deadline = deadline_};
    run.args.insert(run.args.end(), args.begin(), args.end());
    return run_git(run);
  }

  // What the index holds, as a tree.
  Result<std::string> index_tree() const {
    const auto result = git({"write-tree"});
    if (!result) return fail(result.error());
    if (!result->ok() && !result->interrupted && !result->timed_out)
      return fail(git_error("cannot read the tree", *result, tree_));
    return result->out;
  }

  Result<ProcessResult> apply(const std::string& text) const {
    if (auto written = write_file(draft_, text); !written) return fail(written.error());
    auto result = git({"apply", "--index", "--", draft_});
    (void)remove_tree(draft_);
    return result;
  }

  // Picks or reverts a commit.
  Result<ProcessResult> move(const TreeStep& step) const {
    std::vector<std::string> args{step.kind == TreeStepKind::pick ? "cherry-pick" : "revert",
                                  "--no-commit"};
    auto second = git({"rev-parse", "--verify", "--quiet", step.data + "^2"});
    if (!second || second->interrupted || second->timed_out) return second;
    if (second->ok()) args.insert(args.end(), {"-m", "1"});
    args.push_back(step.data);
    return git(std::move(args));
  }

  // What a pick or a revert that failed left unmerged.
  std::string conflict(const ProcessResult& result) const {
    const auto unmerged = git({"diff", "--name-only", "--diff-filter=U", "-z"});
    const std::string names = unmerged && unmerged->ok() ? unmerged->out : "";
    if (names.empty()) return place_in(result.err);
    const auto count = std::count(names.begin(), names.end(), '\0');
    std::string text = "conflict in " + quoted_name(names.substr(0, names.find('\0')));
    if (count > 1) text += fmt::format(" and {} more", count - 1);
    return text;
  }

  const std::string& tree_;
  const std::string& draft_;
  int hold_;
  const std::atomic<bool>& interrupted_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

}  // namespace

std::vector<std::string> commits_of(const std::vector<TreeStep>& steps) {
  std::vector<std::string> commits;
  for (const TreeStep& step : steps)
    if (step.kind != TreeStepKind::patch && is_commit(step.data)) commits.push_back(step.data);
  return commits;
}

std::string step_name(const TreeStep& step) {
  const bool patch = step.kind == TreeStepKind::patch;
  const std::string name =
      quoted_name(step.what.empty() && !patch ? short_commit(step.data) : step.what);
  switch (step.kind) {
    case TreeStepKind::patch:
      return "patch " + name;
    case TreeStepKind::pick:
      return "pick of " + name;
    case TreeStepKind::revert:
      return "revert of " + name;
  }
  return name;
}

Result<StepsEnd> do_steps(const std::vector<TreeStep>& steps, const std::string& tree,
                          const std::string& draft, int hold, const std::atomic<bool>& interrupted,
                          std::optional<std::chrono::steady_clock::time_point> deadline) {
  Steps doer(tree, draft, hold, interrupted, deadline);
  for (const TreeStep& step : steps) {
    auto end = doer.run(step);
    if (!end || !end->done()) return end;
  }
  return StepsEnd{};
}

}  // namespace assay::build
