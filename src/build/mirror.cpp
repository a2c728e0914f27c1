// SPDX-License-Identifier: Apache-2.0
#include "build/mirror.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/digest.hpp"
#include "build/files.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

// The user's side of a fetch runs with these: any commit may be asked for, and a partial clone must
// not fetch what it lacks into the user's .git.
constexpr const char* kUploadPack =
    "--upload-pack=GIT_ALLOW_PROTOCOL=none git -c uploadpack.allowAnySHA1InWant=true upload-pack";

struct Mirror {
  std::string path;
  const std::atomic<bool>& interrupted;
  int hold;

  Result<ProcessResult> git(std::vector<std::string> args) const {
    return run_git({.folder = path,
                    .args = std::move(args),
                    .env = {{"GIT_ALLOW_PROTOCOL", "file"}, {"GIT_DIR", path}},
                    .interrupted = &interrupted,
                    .hold = hold});
  }
};

// Runs git in the mirror. False when interrupted; git's own failure is an Error that begins
// `doing`.
Result<bool> must(const Mirror& mirror, std::vector<std::string> args, const std::string& doing,
                  const std::string& where) {
  const auto result = mirror.git(std::move(args));
  if (!result) return fail(result.error());
  if (result->interrupted) return false;
  if (!result->ok()) return fail(git_error(doing, *result, where));
  return true;
}

Result<bool> fetch(const Mirror& mirror, const Repository& repository, const std::string& commit) {
  const std::string ref = "refs/assay/" + commit;
  std::error_code error;
  if (!fs::exists(mirror.path + "/HEAD", error)) {
    if (auto made = make_folders(mirror.path); !made) return fail(made.error());
    const char* format = commit.size() == 64 ? "--object-format=sha256" : "--object-format=sha1";
    const auto made = must(mirror, {"init", "--quiet", "--bare", "--template=", format},
                           "cannot make a mirror", mirror.path);
    if (!made || !*made) return made;
  }
  // The ref is written when all its objects are there, so it is the proof of a finished fetch.
  const auto known = mirror.git({"rev-parse", "--verify", "--quiet", ref + "^{commit}"});
  if (!known) return fail(known.error());
  if (known->interrupted) return false;
  if (known->ok()) return true;
  const auto result =
      // As one pack, however small: half of it goes as one file.
      mirror.git({"-c", "fetch.unpackLimit=1", "fetch", "--quiet", "--no-auto-gc",
                  "--no-write-fetch-head", "--no-prune", "--recurse-submodules=no",
                  "--update-shallow", kUploadPack, repository.common_dir,
                  fmt::format("+{}:{}", commit, ref)});
  if (!result) return fail(result.error());
  if (result->interrupted) return false;
  if (result->ok()) return true;
  if (result->err.find("not our ref") != std::string::npos)
    return fail(fmt::format("there is no commit {} here", short_commit(commit)),
                repository.common_dir, "'git fetch' may bring it");
  const std::string doing = fmt::format("cannot copy commit {}", short_commit(commit));
  return fail(git_error(doing, *result, repository.common_dir));
}

// Whose mirror it is, and when it was last used: git has a file for a description.
void note_use(const std::string& mirror, const Repository& repository) {
  const std::string path = mirror + "/description";
  std::error_code error;
  if (fs::exists(path, error))
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  else
    (void)write_file(path, repository.common_dir + "\n");
}

// A fetch that did not end, on a full disk say, leaves what it had: nobody else would remove it.
void remove_half_packs(const std::string& mirror) {
  std::vector<std::string> half;
  std::error_code error;
  for (fs::directory_iterator it(mirror + "/objects/pack", error), end; !error && it != end;
       it.increment(error))
    if (it->path().filename().string().starts_with("tmp_")) half.push_back(it->path().string());
  for (const std::string& file : half) (void)remove_tree(file);
}

}  // namespace

std::string mirror_path(const std::string& store_dir, const Repository& repository) {
  return fmt::format("{}/mirrors/{}.git", store_dir, sha256(repository.common_dir).substr(0, 16));
}

Result<bool> check_out(const std::string& store_dir, const Repository& repository,
                       const std::string& commit, const std::vector<std::string>& others,
                       const std::string& tree, int hold, const std::atomic<bool>& interrupted) {
  const std::string path = mirror_path(store_dir, repository);
  if (auto made = make_hidden_folder(store_dir + "/mirrors"); !made) return fail(made.error());
  auto lock = FileLock::open(path + ".lock");
  if (!lock) return fail(lock.error());
  if (!lock->take(FileLock::Mode::exclusive, interrupted, nullptr)) return false;
  const Mirror mirror{path, interrupted, lock->descriptor()};
  std::vector<std::string> needed{commit};
  needed.insert(needed.end(), others.begin(), others.end());
  for (const std::string& one : needed) {
    auto fetched = fetch(mirror, repository, one);
    if (fetched && *fetched) continue;
    remove_half_packs(path);
    return fetched;
  }
  note_use(path, repository);
  if (auto removed = remove_tree(tree); !removed) return fail(removed.error());
  const std::string doing = fmt::format("cannot check out commit {}", short_commit(commit));
  const auto pruned = must(mirror, {"worktree", "prune"}, doing, tree);
  if (!pruned || !*pruned) return pruned;
  // The worktree is large and its lock is `hold`; the mirror is needed for its few lines of
  // metadata.
  const Mirror adding{path, interrupted, hold};
  return must(adding, {"worktree", "add", "--quiet", "--detach", "--force", tree, commit}, doing,
              tree);
}

void prune_mirrors(const std::string& store_dir) {
  const std::atomic<bool> never{false};
  std::error_code error;
  for (fs::directory_iterator it(store_dir + "/mirrors", error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().string();
    if (it->path().extension() != ".git") continue;
    auto lock = FileLock::open(path + ".lock");
    if (!lock || !lock->try_take(FileLock::Mode::exclusive)) continue;
    (void)Mirror{path, never, -1}.git({"worktree", "prune", "--expire=now"});
  }
}

}  // namespace assay::build
