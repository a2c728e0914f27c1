// SPDX-License-Identifier: Apache-2.0
#include "build/cache.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "build/build.hpp"
#include "build/mirror.hpp"
#include "build/test_repository.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

const std::atomic<bool> kNever{false};
constexpr std::int64_t kHourMs = 3'600'000;

Built build_of(const TestRepository& repository, const std::string& commit,
               const std::string& command, std::vector<TreeStep> steps = {},
               const std::string& store = {}) {
  const auto built = build_revision(
      store.empty() ? repository.store() : store,
      {.folder = repository.top, .commit = commit, .command = command, .steps = std::move(steps)},
      kNever);
  EXPECT_TRUE(built && *built) << built.error().to_text();
  return built && *built ? **built : Built{};
}

// As if the build had last been used so many hours ago.
void age(const std::string& tree, int hours) {
  fs::last_write_time(fs::path(tree).parent_path() / "done",
                      fs::file_time_type::clock::now() - std::chrono::hours(hours));
}

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

TEST(Cache, RemovesUnfinishedThenLongestUnused) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const std::string fill = "head -c 1000000 /dev/zero > zeros; echo ";
  std::vector<std::string> trees;
  for (const char* name : {"one", "two", "three"})
    trees.push_back(build_of(repository, commit, fill + name).worktree);
  const std::string failed = build_of(repository, commit, "false").worktree;
  for (std::size_t i = 0; i < 3; ++i) age(trees[i], i == 1 ? 10 : static_cast<int>(i));
  const Cache cache = read_cache(repository.store());
  ASSERT_EQ(cache.builds.size(), 4u);
  EXPECT_GE(cache.build_bytes(), 3000000u);
  EXPECT_GT(cache.mirror_bytes(), 0u);
  const Keep keep{.bytes = 2500000 + cache.mirror_bytes()};
  const Removed planned = plan_removal(repository.store(), keep);
  EXPECT_EQ(read_cache(repository.store()).builds.size(), 4u) << "only a plan";
  const Removed removed = remove_builds(repository.store(), keep);
  EXPECT_EQ(removed.builds, 2u);
  EXPECT_EQ(planned.builds, 2u);
  EXPECT_EQ(removed.mirrors, 0u);
  EXPECT_GE(removed.bytes, 1000000u);
  EXPECT_EQ(planned.bytes, removed.bytes);
  EXPECT_TRUE(removed.problems.empty());
  EXPECT_TRUE(fs::exists(trees[0]) && fs::exists(trees[2]));
  EXPECT_FALSE(fs::exists(trees[1]) || fs::exists(fs::path(failed).parent_path()));
  const std::string mirror = mirror_path(repository.store(), *find_repository(repository.top));
  const std::string worktrees = repository.git({"worktree", "list"}, mirror);
  EXPECT_EQ(worktrees.find(trees[1]), std::string::npos) << worktrees;
  EXPECT_FALSE(build_of(repository, commit, fill + "two").build.cached);
}

TEST(Cache, LeavesBuildsInUseAlone) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  std::optional<Built> used = build_of(repository, commit, "true");
  build_of(repository, commit, "true # other");
  EXPECT_EQ(plan_removal(repository.store(), {.bytes = 0}).in_use, 1u);
  Removed removed = remove_builds(repository.store(), {.bytes = 0});
  EXPECT_EQ(removed.builds, 1u);
  EXPECT_EQ(removed.in_use, 1u);
  EXPECT_EQ(removed.mirrors, 0u) << "a build hangs on it";
  EXPECT_TRUE(build_of(repository, commit, "true").build.cached);
  used.reset();
  removed = remove_builds(repository.store(), {.bytes = 0});
  EXPECT_EQ(removed.builds, 1u);
  EXPECT_EQ(removed.in_use, 0u);
  EXPECT_EQ(removed.mirrors, 1u);
  EXPECT_TRUE(read_cache(repository.store()).builds.empty());
  EXPECT_FALSE(fs::exists(mirror_path(repository.store(), *find_repository(repository.top))));
  EXPECT_TRUE(build_of(repository, commit, "true").build.ok);  // and it all comes back
}

TEST(Cache, SaysWhatThereIs) {
  const TestRepository one("one"), two("two");
  const std::string a = one.commit("src/f", "a"), b = one.commit("src/f", "b");
  const std::string c = two.commit("f", "c");
  build_of(one, a, "make -j");
  age(build_of(one, b, "true").worktree, 2);
  age(build_of(two, c, "true", {}, one.store()).worktree, 1);
  const Built in_use = build_of(one, a, "true");
  const Cache cache = read_cache(one.store());
  ASSERT_EQ(cache.builds.size(), 4u);  // one of them failed: there is no make here
  EXPECT_EQ(cache.builds[0].commit, a);
  EXPECT_TRUE(cache.builds[0].in_use);
  EXPECT_EQ(cache.builds[1].commit, c);
  EXPECT_FALSE(cache.builds[1].in_use);
  EXPECT_EQ(cache.builds[1].repository, two.git_dir());
  EXPECT_EQ(cache.builds[2].command, "true");
  EXPECT_NEAR(static_cast<double>(cache.builds[2].used_at_ms),
              static_cast<double>(now_ms() - 2 * kHourMs), 0.5 * kHourMs);
  EXPECT_FALSE(cache.builds[3].finished);
  ASSERT_EQ(cache.mirrors.size(), 2u);
  for (const StoredMirror& mirror : cache.mirrors) {
    EXPECT_TRUE(mirror.repository == one.git_dir() || mirror.repository == two.git_dir());
    EXPECT_EQ(mirror.builds, mirror.repository == one.git_dir() ? 2u : 1u);
  }
}

TEST(Cache, NamesSteps) {
  const TestRepository repository;
  const std::string a = repository.commit("f", "a"), b = repository.commit("f", "b");
  build_of(repository, a, "true", {{TreeStepKind::pick, "main", b}});
  const Cache cache = read_cache(repository.store());
  ASSERT_EQ(cache.builds.size(), 1u);
  EXPECT_EQ(cache.builds[0].steps, std::vector<std::string>{"pick of main"});
}

// Mirrors go when nothing hangs on them: the one unused for longest first, one in daily use last.
TEST(Cache, RemovesMirrorsWithoutBuilds) {
  const TestRepository one("one"), two("two");
  const std::string store = one.store();
  const std::string tree = build_of(one, one.commit("f", "1"), "true").worktree;
  build_of(two, two.commit("f", "2"), "true", {}, store);
  age(tree, 48);
  const auto mirrors = [&] {
    std::string text;
    for (const StoredMirror& mirror : read_cache(store).mirrors)
      text += mirror.repository == one.git_dir() ? "one " : "two ";
    return text;
  };
  const std::string old_mirror = mirror_path(store, *find_repository(one.top));
  fs::last_write_time(old_mirror + "/description",
                      fs::file_time_type::clock::now() - std::chrono::hours(48));
  EXPECT_EQ(mirrors(), "two one ");
  // All builds would have to go, and then the mirrors: but not those in use today.
  Removed removed = remove_builds(store, {.bytes = 1, .mirrors_since_ms = now_ms() - 24 * kHourMs});
  EXPECT_EQ(removed.builds, 2u);
  EXPECT_EQ(removed.mirrors, 1u);
  EXPECT_EQ(mirrors(), "two ");
  removed = remove_builds(store, {.used_since_ms = now_ms() + kHourMs});
  EXPECT_EQ(removed.mirrors, 1u);
  EXPECT_EQ(read_cache(store).bytes(), 0u);
}

TEST(Cache, OldBuildsGoByAge) {
  const TestRepository repository;
  const std::string commit = repository.commit("f", "1");
  age(build_of(repository, commit, "true").worktree, 48);
  const std::string young = build_of(repository, commit, "true # young").worktree;
  const Removed removed =
      remove_builds(repository.store(), {.used_since_ms = now_ms() - 24 * kHourMs});
  EXPECT_EQ(removed.builds, 1u);
  EXPECT_EQ(removed.mirrors, 0u);
  EXPECT_TRUE(fs::exists(young));
}

TEST(Cache, AnEmptyStoreIsNoProblem) {
  const Removed removed = remove_builds("/no/such/store", {.bytes = 0});
  EXPECT_EQ(removed.builds + removed.in_use + removed.mirrors + removed.problems.size(), 0u);
  EXPECT_EQ(read_cache("/no/such/store").bytes(), 0u);
}

TEST(Cache, TheBoundIsAVariable) {
  {
    const ScopedVariable variable(kCacheVariable, "3GiB");
    EXPECT_EQ(*cache_bound(), std::uint64_t{3} << 30);
  }
  {
    const ScopedVariable variable(kCacheVariable, "lots");
    EXPECT_EQ(cache_bound().error().to_text(),
              "ASSAY_CACHE_LIMIT: this is no size: 'lots'\n  give it as 10GiB or 500MB");
  }
  const ScopedVariable variable(kCacheVariable, "");
  EXPECT_EQ(*cache_bound(), kCacheBound);
}

}  // namespace
}  // namespace assay::build
