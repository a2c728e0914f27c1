// SPDX-License-Identifier: Apache-2.0
#include "build/cache.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "build/files.hpp"
#include "build/mirror.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

constexpr std::streamsize kMarkerLimit = 1 << 20;

std::int64_t changed_at_ms(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return 0;
  return std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000;
}

std::string read_start(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(kMarkerLimit), '\0');
  file.read(text.data(), kMarkerLimit);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// The folders in `folder` whose names end so.
std::vector<std::string> folders_in(const std::string& folder, const std::string& ending) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (name.ends_with(ending) && it->is_directory(ignored) && !it->is_symlink(ignored))
      names.push_back(name.substr(0, name.size() - ending.size()));
  }
  return names;
}

bool is_locked(const std::string& lock_path) {
  std::error_code error;
  if (!fs::exists(lock_path, error)) return false;
  auto lock = FileLock::open(lock_path);
  return lock && !lock->try_take(FileLock::Mode::exclusive);
}

StoredBuild read_build(const std::string& builds, const std::string& key) {
  StoredBuild build;
  build.key = key;
  const std::string folder = builds + "/" + key, done = folder + "/done";
  std::error_code error;
  build.finished = fs::exists(done, error);
  build.in_use = is_locked(folder + ".lock");
  build.used_at_ms = changed_at_ms(build.finished ? done : folder);
  build.bytes = disk_bytes(folder);
  if (!build.finished) return build;
  const auto marker = parse_json(read_start(done));
  if (!marker) return build;
  const auto word = [&](const char* name) {
    const std::string* text = (*marker)[name].to_string();
    return text != nullptr ? *text : std::string();
  };
  build.commit = word("commit");
  build.command = word("command");
  build.subfolder = word("subfolder");
  build.repository = word("repository");
  for (const Json& step : (*marker)["steps"].items())
    if (const std::string* text = step.to_string()) build.steps.push_back(*text);
  return build;
}

template <class T>
void newest_first(std::vector<T>& things) {
  std::ranges::sort(things, [](const T& a, const T& b) { return a.used_at_ms > b.used_at_ms; });
}

// Which builds hang on which mirror: a worktree's folder in the mirror names its tree.
std::set<std::string> trees_of(const std::string& mirror) {
  std::set<std::string> trees;
  for (const std::string& name : folders_in(mirror + "/worktrees", "")) {
    std::string place = read_start(mirror + "/worktrees/" + name + "/gitdir");
    while (place.ends_with('\n')) place.pop_back();
    trees.insert(fs::path(place).parent_path().parent_path().filename().string());
  }
  return trees;
}

class Remover {
 public:
  Remover(std::string store, const Keep& keep, bool dry)
      : store_(std::move(store)), keep_(keep), dry_(dry), cache_(read_cache(store_)) {}

  Removed run() {
    std::uint64_t total = cache_.bytes();
    std::map<std::string, std::uint64_t> left;  // builds of a mirror
    for (const StoredMirror& mirror : cache_.mirrors) left[mirror.key] = mirror.builds;
    // Unfinished ones stand behind, then those unused for longest.
    for (auto build = cache_.builds.rbegin(); build != cache_.builds.rend(); ++build) {
      if ((build->finished || keep_.unfinished) && build->used_at_ms >= keep_.used_since_ms &&
          total <= keep_.bytes)
        continue;
      if (!remove_build(*build)) continue;
      total -= build->bytes;
      for (const StoredMirror& mirror : cache_.mirrors)
        if (trees_.at(mirror.key).contains(build->key)) --left[mirror.key];
    }
    for (auto mirror = cache_.mirrors.rbegin(); mirror != cache_.mirrors.rend(); ++mirror) {
      const bool old = mirror->used_at_ms < keep_.used_since_ms;
      const bool large = total > keep_.bytes && mirror->used_at_ms < keep_.mirrors_since_ms;
      if (left[mirror->key] > 0 || (!old && !large)) continue;
      if (remove_mirror(*mirror)) total -= mirror->bytes;
    }
    if (!dry_ && removed_.builds > 0) prune_mirrors(store_);
    return std::move(removed_);
  }

  void find_trees() {
    for (const StoredMirror& mirror : cache_.mirrors)
      trees_[mirror.key] = trees_of(store_ + "/mirrors/" + mirror.key + ".git");
  }

 private:
  // The marker goes first, so that a removal cut short leaves an unfinished build and not half of
  // one.
  bool remove_build(const StoredBuild& build) {
    const std::string folder = store_ + "/builds/" + build.key;
    if (dry_) {
      if (build.in_use) ++removed_.in_use;
      if (!build.in_use) ++removed_.builds, removed_.bytes += build.bytes;
      return !build.in_use;
    }
    auto lock = FileLock::open(folder + ".lock");
    if (lock && !lock->try_take(FileLock::Mode::exclusive)) {
      ++removed_.in_use;
      return false;
    }
    auto gone = lock ? remove_tree(folder + "/done") : Result<void>(fail(lock.error()));
    if (gone) gone = remove_tree(folder);
    if (!gone) {
      removed_.problems.push_back(gone.error().to_text());
      return false;
    }
    ++removed_.builds;
    removed_.bytes += build.bytes;
    return true;
  }

  bool remove_mirror(const StoredMirror& mirror) {
    const std::string path = store_ + "/mirrors/" + mirror.key + ".git";
    if (!dry_) {
      auto lock = FileLock::open(path + ".lock");
      if (!lock || !lock->try_take(FileLock::Mode::exclusive)) return false;
      // Since this was looked at, somebody may have begun a build.
      std::error_code error;
      for (const std::string& key : trees_of(path))
        if (fs::exists(store_ + "/builds/" + key + "/tree", error)) return false;
      if (auto gone = remove_tree(path); !gone) {
        removed_.problems.push_back(gone.error().to_text());
        return false;
      }
    }
    ++removed_.mirrors;
    removed_.bytes += mirror.bytes;
    return true;
  }

  std::string store_;
  const Keep& keep_;
  bool dry_;
  Cache cache_;
  std::map<std::string, std::set<std::string>> trees_;
  Removed removed_;
};

Removed remove(const std::string& store_dir, const Keep& keep, bool dry) {
  std::error_code error;
  const std::string store = fs::weakly_canonical(fs::absolute(store_dir), error).string();
  Remover remover(error ? store_dir : store, keep, dry);
  remover.find_trees();
  return remover.run();
}

}  // namespace

Result<std::uint64_t> cache_bound() {
  const char* text = ::getenv(kCacheVariable);
  if (text == nullptr || *text == '\0') return kCacheBound;
  const auto bytes = parse_bytes(text);
  if (!bytes || *bytes < 0 || *bytes >= 0x1p63)
    return fail("this is no size: '" + printable(text) + "'", kCacheVariable,
                "give it as 10GiB or 500MB");
  return static_cast<std::uint64_t>(*bytes);
}

std::uint64_t Cache::build_bytes() const {
  std::uint64_t sum = 0;
  for (const StoredBuild& build : builds) sum += build.bytes;
  return sum;
}

std::uint64_t Cache::mirror_bytes() const {
  std::uint64_t sum = 0;
  for (const StoredMirror& mirror : mirrors) sum += mirror.bytes;
  return sum;
}

Cache read_cache(const std::string& store_dir) {
  Cache cache;
  for (const std::string& key : folders_in(store_dir + "/builds", ""))
    cache.builds.push_back(read_build(store_dir + "/builds", key));
  newest_first(cache.builds);
  std::stable_partition(cache.builds.begin(), cache.builds.end(),
                        [](const StoredBuild& b) { return b.finished; });
  for (const std::string& key : folders_in(store_dir + "/mirrors", ".git")) {
    StoredMirror mirror;
    mirror.key = key;
    const std::string path = store_dir + "/mirrors/" + key + ".git";
    mirror.bytes = disk_bytes(path);
    mirror.used_at_ms = changed_at_ms(path + "/description");
    mirror.repository = read_start(path + "/description");
    while (mirror.repository.ends_with('\n')) mirror.repository.pop_back();
    const std::set<std::string> trees = trees_of(path);
    for (const StoredBuild& build : cache.builds) {
      if (!trees.contains(build.key)) continue;
      ++mirror.builds;
      mirror.used_at_ms = std::max(mirror.used_at_ms, build.used_at_ms);
      if (mirror.repository.empty()) mirror.repository = build.repository;
    }
    cache.mirrors.push_back(std::move(mirror));
  }
  newest_first(cache.mirrors);
  return cache;
}

Removed remove_builds(const std::string& store_dir, const Keep& keep) {
  return remove(store_dir, keep, false);
}

Removed plan_removal(const std::string& store_dir, const Keep& keep) {
  return remove(store_dir, keep, true);
}

}  // namespace assay::build
