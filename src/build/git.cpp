// SPDX-License-Identifier: Apache-2.0
#include "build/git.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.hpp"
#include "build/files.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

// Options of every call. fsmonitor would start a daemon inside .git, gc a process in the
// background.
constexpr const char* kSafeOptions[] = {"--no-optional-locks",
                                        "-c",
                                        "core.fsmonitor=false",
                                        "-c",
                                        "core.hooksPath=/dev/null",
                                        "-c",
                                        "maintenance.auto=false",
                                        "-c",
                                        "gc.auto=0",
                                        "-c",
                                        "core.quotePath=false",
                                        "-c",
                                        "advice.detachedHead=false"};

// Variables of git that say who the user is and how to reach others, not which repository is meant.
constexpr std::string_view kKeptVariables[] = {
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",       "GIT_CONFIG_NOSYSTEM",
    "GIT_EXEC_PATH",     "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"};

// As `git rev-parse --local-env-vars` lists them, and those that a running receive-pack or hook
// adds.
constexpr std::string_view kRepositoryVariables[] = {"GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                                     "GIT_CONFIG",
                                                     "GIT_CONFIG_PARAMETERS",
                                                     "GIT_CONFIG_COUNT",
                                                     "GIT_OBJECT_DIRECTORY",
                                                     "GIT_DIR",
                                                     "GIT_WORK_TREE",
                                                     "GIT_IMPLICIT_WORK_TREE",
                                                     "GIT_GRAFT_FILE",
                                                     "GIT_INDEX_FILE",
                                                     "GIT_NO_REPLACE_OBJECTS",
                                                     "GIT_REPLACE_REF_BASE",
                                                     "GIT_PREFIX",
                                                     "GIT_SHALLOW_FILE",
                                                     "GIT_COMMON_DIR",
                                                     "GIT_INTERNAL_SUPER_PREFIX",
                                                     "GIT_NAMESPACE",
                                                     "GIT_QUARANTINE_PATH"};

Result<std::string> git_answer(const std::string& folder, std::vector<std::string> args) {
  const auto result = run_git({.folder = folder, .args = std::move(args)});
  if (!result) return fail(result.error());
  if (!result->ok()) return fail(git_error("git does not answer", *result, folder));
  return result->out;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text)) lines.emplace_back(line);
  return lines;
}

// The names a user may have meant: local branches, tags, remote branches.
std::vector<std::string> known_names(const std::string& folder) {
  const auto names = git_answer(folder, {"for-each-ref", "--format=%(refname:short)", "refs/heads",
                                         "refs/tags", "refs/remotes"});
  return names ? lines_of(*names) : std::vector<std::string>{};
}

bool names_a_commit(const std::string& folder, const std::string& revision) {
  const auto result = run_git(
      {.folder = folder,
       .args = {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}});
  return result && result->ok();
}

// The way out for a revision that git does not know.
std::string hint_for(const Repository& repository, const std::string& revision) {
  const std::size_t cut = std::min(revision.find_first_of("~^:@"), revision.size());
  const std::string base = revision.substr(0, cut), rest = revision.substr(cut);
  const std::string& folder = repository.git_dir;
  if (revision.find("..") != std::string::npos) return "give one revision, not a range";
  if (!names_a_commit(folder, "HEAD") && base == "HEAD") return "the repository has no commit yet";
  if (!rest.empty() && rest.front() != ':' && names_a_commit(folder, base)) {
    const std::string found = fmt::format("'{}' exists, '{}' behind it does not", base, rest);
    return repository.shallow
               ? found + ": this is a shallow clone; 'git fetch --unshallow' gets the rest"
               : found;
  }
  const std::vector<std::string> names = known_names(folder);
  for (const std::string& name : names)  // only the remote has it
    if (name.ends_with("/" + base)) return fmt::format("did you mean '{}'?", name + rest);
  if (const auto near = nearest(base, names))
    return fmt::format("did you mean '{}'?", *near + rest);
  if (repository.shallow)
    return "this is a shallow clone: 'git fetch --unshallow' gets the rest of its history";
  return "'git branch -a' and 'git tag' list the names";
}

bool is_commit_name(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Switches off every clean filter that is configured: they may write into .git (LFS does).
Result<std::vector<std::string>> without_filters(const std::string& folder) {
  const auto found =
      run_git({.folder = folder, .args = {"config", "--name-only", "--get-regexp", "^filter\\."}});
  if (!found) return fail(found.error());
  std::vector<std::string> options;
  for (const std::string& key : lines_of(found->out)) {
    const std::string driver = key.substr(0, key.rfind('.'));
    for (const char* off : {".clean=", ".process=", ".required=false"}) {
      options.emplace_back("-c");
      options.push_back(driver + off);
    }
  }
  return options;
}

// Reading a split index freshens the time of its shared part. So git gets a git folder of its own,
// with copies of the index files, that borrows everything else.
Result<std::optional<TemporaryFolder>> private_git_dir(const Repository& repository) {
  std::error_code error;
  bool split = false;
  for (fs::directory_iterator it(repository.git_dir, error), end; !error && it != end;
       it.increment(error))
    split |= it->path().filename().string().starts_with("sharedindex.");
  if (!split) return std::optional<TemporaryFolder>{};
  auto folder = TemporaryFolder::make();
  if (!folder) return fail(folder.error());
  for (fs::directory_iterator it(repository.git_dir, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name == "HEAD" || name == "index" || name.starts_with("sharedindex."))
      fs::copy_file(it->path(), folder->path() + "/" + name, error);
  }
  if (auto written = write_file(folder->path() + "/commondir", repository.common_dir + "\n");
      !written)
    return fail(written.error());
  return std::optional<TemporaryFolder>(std::move(*folder));
}

}  // namespace

std::string short_commit(std::string_view commit) { return std::string(commit.substr(0, 10)); }

void remove_repository_variables(std::vector<std::string>& env) {
  for (const std::string_view name : kRepositoryVariables) unset_variable(env, name);
}

std::vector<std::string> git_environment() {
  std::vector<std::string> env = current_environment();
  std::erase_if(env, [](const std::string& entry) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    return name.starts_with("GIT_") &&
           std::ranges::find(kKeptVariables, name) == std::end(kKeptVariables);
  });
  set_variable(env, "LC_ALL", "C");
  unset_variable(env, "LANGUAGE");
  set_variable(env, "GIT_TERMINAL_PROMPT", "0");
  set_variable(env, "GIT_OPTIONAL_LOCKS", "0");
  set_variable(env, "GIT_NO_LAZY_FETCH", "1");
  set_variable(env, "GIT_ALLOW_PROTOCOL", "none");  // before git 2.45 the only stop to lazy fetches
  set_variable(env, "GIT_LFS_SKIP_SMUDGE", "1");
  return env;
}

Result<ProcessResult> run_git(const GitRun& run) {
  ProcessRequest request;
  request.argv = {"git"};
  request.argv.insert(request.argv.end(), std::begin(kSafeOptions), std::end(kSafeOptions));
  request.argv.insert(request.argv.end(), run.args.begin(), run.args.end());
  request.cwd = run.folder;
  request.env = git_environment();
  for (const auto& [name, value] : run.env) set_variable(*request.env, name, value);
  request.interrupted = run.interrupted;
  request.hold = run.hold;
  request.keep_bytes = run.keep_bytes;
  request.deadline = run.deadline;
  auto result = run_process(request);
  if (!result && !find_program("git", find_variable(*request.env, "PATH").value_or("")))
    return fail("git is needed to compare revisions, and it was not found on PATH", {},
                "install it (on Debian: apt install git), or compare commands");
  return result;
}

Error git_error(const std::string& doing, const ProcessResult& result, const std::string& where) {
  const auto has = [&](const char* text) { return result.err.find(text) != std::string::npos; };
  if (has("not a git repository"))
    return {"not a git repository", where,
            "run assay inside a checkout, or compare commands instead of revisions"};
  if (has("dubious ownership"))
    return {"git does not trust this repository: it belongs to another user", where,
            fmt::format("if you do: git config --global --add safe.directory '{}'", where)};
  std::string message;
  for (const std::string_view line : split_lines(result.err))
    if (!line.empty()) message += "\n  " + printable(line);
  if (message.empty()) message = "git " + result.describe_end();
  return {doing + ": " + message, where, says_disk_full(result.err) ? kFreeSpace : ""};
}

Result<Repository> find_repository(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return fail("no such folder", folder);
  const auto answer =
      git_answer(folder, {"rev-parse", "--is-bare-repository", "--is-inside-work-tree",
                          "--is-shallow-repository", "--absolute-git-dir", "--git-common-dir"});
  if (!answer) return fail(answer.error());
  const std::vector<std::string> lines = lines_of(*answer);
  if (lines.size() != 5) return fail("the paths of this repository cannot be read", folder);
  Repository repository;
  repository.bare = lines[0] == "true";
  repository.shallow = lines[2] == "true";
  repository.git_dir = lines[3];
  repository.common_dir = fs::weakly_canonical(fs::absolute(folder) / lines[4], error).string();
  repository.top = repository.git_dir;
  if (lines[1] != "true") return repository;
  const auto place = git_answer(folder, {"rev-parse", "--show-toplevel", "--show-prefix"});
  if (!place) return fail(place.error());
  const std::vector<std::string> paths = lines_of(*place);
  if (paths.size() != 2) return fail("the paths of this repository cannot be read", folder);
  repository.top = paths[0];
  repository.subdir = paths[1];
  while (repository.subdir.ends_with('/')) repository.subdir.pop_back();
  return repository;
}

Result<std::string> resolve_revision(const std::string& folder, const std::string& revision) {
  const auto repository = find_repository(folder);
  if (!repository) return fail(repository.error());
  const std::string shown = printable(revision);
  if (revision.empty())
    return fail("the revision is empty", {}, "name a branch, a tag or a commit");
  if (revision.front() == '-' || revision.find('\0') != std::string::npos)
    return fail(fmt::format("'{}' is not a revision", shown), {},
                "name a branch, a tag or a commit");
  const auto result =
      run_git({.folder = folder,
               .args = {"rev-parse", "--verify", "--end-of-options", revision + "^{commit}"}});
  if (!result) return fail(result.error());
  const auto lines = lines_of(result->out);
  if (result->ok() && !lines.empty() && is_commit_name(lines.back())) return lines.back();
  if (result->err.find("is ambiguous") != std::string::npos)
    return fail(fmt::format("the abbreviation '{}' fits several objects", shown), folder,
                "give more digits");
  if (const auto type = git_answer(folder, {"cat-file", "-t", revision});
      type && *type != "commit\n")
    return fail(
        fmt::format("'{}' names a {}, not a commit", shown, type->substr(0, type->size() - 1)),
        folder, "name a branch, a tag or a commit");
  return fail(fmt::format("unknown revision '{}'", shown), folder, hint_for(*repository, revision));
}

Result<bool> is_dirty(const std::string& folder) {
  const auto repository = find_repository(folder);
  if (!repository) return fail(repository.error());
  if (repository->bare || !names_a_commit(folder, "HEAD")) return false;
  auto args = without_filters(folder);
  if (!args) return fail(args.error());
  const auto copy = private_git_dir(*repository);
  if (!copy) return fail(copy.error());
  for (const char* arg :
       {"status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty"})
    args->emplace_back(arg);
  GitRun run{.folder = repository->top, .args = std::move(*args)};
  if (*copy) run.env = {{"GIT_DIR", (*copy)->path()}, {"GIT_WORK_TREE", repository->top}};
  const auto result = run_git(run);
  if (!result) return fail(result.error());
  if (!result->ok()) return fail(git_error("git cannot tell what changed", *result, folder));
  return !result->out.empty();
}

}  // namespace assay::build
