// SPDX-License-Identifier: Apache-2.0
// What the builds of a store take on disk, and making room.
#include <algorithm>
#include <filesystem>

#include "build/build.hpp"
#include "build/files.hpp"
#include "build/mirror.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

struct Stored {
  std::string folder;
  bool done = false;
  fs::file_time_type used_at;
  std::uint64_t bytes = 0;
};

// All builds, those to remove first in front: unfinished ones, then the longest unused.
std::vector<Stored> stored_builds(const std::string& store_dir) {
  std::vector<Stored> builds;
  std::error_code error;
  for (fs::directory_iterator it(store_dir + "/builds", error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (!it->is_directory(ignored) || it->is_symlink(ignored)) continue;
    Stored build;
    build.folder = it->path().string();
    const std::string done = build.folder + "/done";
    build.done = fs::exists(done, ignored);
    build.used_at = fs::last_write_time(build.done ? done : build.folder, ignored);
    build.bytes = disk_bytes(build.folder);
    builds.push_back(std::move(build));
  }
  std::ranges::sort(builds, [](const Stored& a, const Stored& b) {
    return a.done != b.done ? !a.done : a.used_at < b.used_at;
  });
  return builds;
}

// The marker goes first, so that a removal cut short leaves an unfinished build and not half of
// one.
bool remove_build(const Stored& build, Removed& removed) {
  auto lock = FileLock::open(build.folder + ".lock");
  if (lock && !lock->try_take(FileLock::Mode::exclusive)) {
    ++removed.in_use;
    return false;
  }
  auto gone = lock ? remove_tree(build.folder + "/done") : Result<void>(fail(lock.error()));
  if (gone) gone = remove_tree(build.folder);
  if (!gone) {
    removed.problems.push_back(gone.error().to_text());
    return false;
  }
  ++removed.builds;
  removed.bytes += build.bytes;
  return true;
}

void remove_mirrors(const std::string& store_dir, Removed& removed) {
  std::vector<std::string> mirrors;
  std::error_code error;
  for (fs::directory_iterator it(store_dir + "/mirrors", error), end; !error && it != end;
       it.increment(error))
    if (it->path().extension() == ".git") mirrors.push_back(it->path().string());
  for (const std::string& mirror : mirrors) {
    auto lock = FileLock::open(mirror + ".lock");
    if (!lock || !lock->try_take(FileLock::Mode::exclusive)) continue;
    const std::uint64_t bytes = disk_bytes(mirror);
    if (auto gone = remove_tree(mirror); !gone)
      removed.problems.push_back(gone.error().to_text());
    else
      removed.bytes += bytes;
  }
}

}  // namespace

DiskUse disk_use(const std::string& store_dir) {
  DiskUse use;
  for (const Stored& build : stored_builds(store_dir)) {
    ++use.builds;
    use.build_bytes += build.bytes;
  }
  std::error_code error;
  if (fs::exists(store_dir + "/mirrors", error))
    use.mirror_bytes = disk_bytes(store_dir + "/mirrors");
  return use;
}

Removed remove_old_builds(const std::string& store_dir, std::uint64_t keep_bytes) {
  Removed removed;
  const std::vector<Stored> builds = stored_builds(store_dir);
  std::uint64_t total = 0;
  for (const Stored& build : builds) total += build.bytes;
  std::uint64_t left = builds.size();
  for (const Stored& build : builds) {
    if (build.done && total <= keep_bytes) break;
    if (!remove_build(build, removed)) continue;
    total -= build.bytes;
    --left;
  }
  if (keep_bytes == 0 && left == 0)
    remove_mirrors(store_dir, removed);
  else
    prune_mirrors(store_dir);
  return removed;
}

}  // namespace assay::build
