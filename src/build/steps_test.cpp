// SPDX-License-Identifier: Apache-2.0
#include "build/steps.hpp"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstring>

#include "build/build.hpp"
#include "build/test_repository.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

const std::atomic<bool> kNever{false};

// A file whose first and last line change in different commits.
//   one - two (first line) - three (last line) - four (first line again) - merge (of side: file g)
struct Steps : TestRepository {
  Steps() {
    one = commit("f", text("1", "1"), "one");
    git({"branch", "side"});
    two = commit("f", text("2", "1"), "two");
    three = commit("f", text("2", "3"), "three");
    four = commit("f", text("4", "3"), "four");
    git({"checkout", "-q", "side"});
    commit("g", "side\n", "side one");
    side = commit("g", "side again\n", "side two");
    git({"checkout", "-q", "main"});
    git({"merge", "-q", "--no-ff", "-m", "merge", "side"});
    merge = git({"rev-parse", "HEAD"});
  }
  static std::string text(const std::string& first, const std::string& last) {
    std::string middle;
    for (int i = 0; i < 20; ++i) middle += "same\n";
    return first + "\n" + middle + last + "\n";
  }
  static std::string patch(const std::string& file, const std::string& from,
                           const std::string& to) {
    return fmt::format("--- a/{0}\n+++ b/{0}\n@@ -1,3 +1,3 @@\n-{1}\n+{2}\n same\n same\n", file,
                       from, to);
  }
  Result<std::optional<Built>> build(const std::string& at, std::vector<TreeStep> steps,
                                     const std::string& command = "true",
                                     const std::string& folder = {}) const {
    return build_revision(store(),
                          {.folder = folder.empty() ? top : folder,
                           .commit = at,
                           .command = command,
                           .steps = std::move(steps)},
                          kNever);
  }
  std::string one, two, three, four, side, merge;
};

TreeStep pick(const std::string& commit) { return {TreeStepKind::pick, "it", commit}; }
TreeStep revert(const std::string& commit) { return {TreeStepKind::revert, "it", commit}; }
TreeStep patch(const std::string& text) { return {TreeStepKind::patch, "it.patch", text}; }

// The reason of a build that failed, or its error; "f g" (their first and last lines) when it
// did not.
std::string outcome(const Result<std::optional<Built>>& built) {
  if (!built) return "error: " + built.error().to_text();
  if (!*built) return "interrupted";
  const Built& b = **built;
  if (!b.build.ok) return b.build.reason;
  const std::string f = read_text(b.worktree + "/f");
  if (f.size() < 4) return "?";
  return std::string{f.front(), f[f.size() - 2]} + " " + read_text(b.worktree + "/g");
}

TEST(TreeSteps, ChangeTheTreeInOrder) {
  const Steps r;
  const std::string before = fingerprint(r.top);
  const struct {
    std::string at;
    std::vector<TreeStep> steps;
    std::string want;
  } cases[] = {
      {r.four, {}, "43 "},
      {r.one, {pick(r.three)}, "13 "},
      {r.four, {revert(r.three)}, "41 "},
      {r.four, {revert(r.four), revert(r.two)}, "13 "},
      {r.four, {revert(r.four), revert(r.two), pick(r.two)}, "23 "},
      {r.four, {patch(Steps::patch("f", "4", "9"))}, "93 "},
      {r.four, {patch(Steps::patch("f", "4", "9")), patch(Steps::patch("f", "9", "8"))}, "83 "},
      {r.four, {patch(Steps::patch("f", "4", "1")), pick(r.two)}, "23 "},
      {r.four, {patch("--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+new\n")}, "43 new\n"},
      // Merges are what they brought.
      {r.merge, {revert(r.merge)}, "43 "},
      {r.one, {pick(r.merge)}, "11 side again\n"},
      // A commit that the one built does not contain.
      {r.one, {pick(r.two), pick(r.three), pick(r.four)}, "43 "},
  };
  for (const auto& c : cases)
    EXPECT_EQ(outcome(r.build(c.at, c.steps, "test -z \"$(git log --format=%an | grep assay)\"")),
              c.want);
  EXPECT_TRUE(fingerprint(r.top) == before) << "the checkout was touched";
}

TEST(TreeSteps, HeadStaysTheCommitAskedFor) {
  const Steps r;
  const auto built = r.build(r.four, {revert(r.three)}, "git rev-parse HEAD > head");
  ASSERT_TRUE(built && *built);
  EXPECT_EQ(read_text((*built)->worktree + "/head"), r.four + "\n");
}

TEST(TreeSteps, ArePartOfTheKey) {
  const Steps r;
  const std::vector<std::vector<TreeStep>> different = {{},
                                                        {revert(r.three)},
                                                        {revert(r.four)},
                                                        {revert(r.four), revert(r.three)},
                                                        {revert(r.three), revert(r.four)},
                                                        {patch(Steps::patch("f", "4", "5"))},
                                                        {patch(Steps::patch("f", "4", "6"))}};
  for (const bool cached : {false, true})
    for (const auto& steps : different) {
      const auto built = r.build(r.four, steps);
      ASSERT_TRUE(built && *built);
      EXPECT_TRUE((*built)->build.ok) << (*built)->build.reason;
      EXPECT_EQ((*built)->build.cached, cached);
    }
  // The name of a patch is for people: what it says counts.
  TreeStep other = patch(Steps::patch("f", "4", "5"));
  other.what = "moved/elsewhere.patch";
  EXPECT_TRUE((*r.build(r.four, {other}))->build.cached);
}

TEST(TreeSteps, SayWhatDoesNotApply) {
  const Steps r;
  const std::string before = fingerprint(r.top);
  const struct {
    std::vector<TreeStep> steps;
    std::string want;
  } cases[] = {
      {{revert(r.two)}, "does not apply: revert of it (conflict in f)"},
      {{revert(r.four), pick(r.four), pick(r.four)},
       "does not apply: pick of it (what it changes is here already)"},
      {{revert(r.three), revert(r.three)},
       "does not apply: revert of it (what it changed is not here)"},
      {{pick(r.one)}, "does not apply: pick of it (conflict in f)"},
      {{patch(Steps::patch("f", "7", "8"))}, "does not apply: patch it.patch (conflict in f)"},
      {{patch(Steps::patch("none", "7", "8"))},
       "does not apply: patch it.patch (none: does not exist in index)"},
      {{patch(Steps::patch("../../out", "7", "8"))},
       "does not apply: patch it.patch (../../out: does not exist in index)"},
      {{patch("")},
       "does not apply: patch it.patch (No valid patches in input (allow with "
       "\"--allow-empty\"))"},
      {{patch("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-4\n")},
       "does not apply: patch it.patch (corrupt patch at line 5)"},
      {{{TreeStepKind::revert, "\x1b[31mred", r.two}},
       "does not apply: revert of \\x1b[31mred (conflict in f)"},
  };
  for (const auto& c : cases) {
    const auto built = r.build(r.four, c.steps);
    EXPECT_EQ(outcome(built), c.want);
    ASSERT_TRUE(built && *built);
    EXPECT_FALSE((*built)->timed_out);
    EXPECT_FALSE(fs::exists((*built)->worktree)) << "half a tree";
  }
  // A plan that was tampered with.
  EXPECT_EQ(outcome(r.build(r.four, {{TreeStepKind::pick, "it", "--abort"}})),
            "error: the pick of it names no commit");
  const std::string none(40, '1');
  EXPECT_EQ(
      outcome(r.build(r.four, {pick(none)})),
      "error: " + r.git_dir() + ": there is no commit 1111111111 here\n  'git fetch' may bring it");
  EXPECT_TRUE(fingerprint(r.top) == before) << "the checkout was touched";
}

TEST(TreeSteps, NeedNoIdentityAndRunNoHookEditorOrSigner) {
  const Steps r;
  const std::string trap = r.root + "/trap";
  const std::string hook = fmt::format("#!/bin/sh\ntouch {}\nexit 1\n", trap);
  for (const char* name : {"pre-commit", "prepare-commit-msg", "commit-msg", "post-checkout",
                           "post-index-change", "pre-applypatch", "applypatch-msg"}) {
    write_text(r.root + "/hooks/" + name, hook);
    fs::permissions(r.root + "/hooks/" + name, fs::perms::all);
  }
  write_text(r.root + "/config",
             fmt::format("[core]\n\thooksPath = {0}/hooks\n\teditor = touch {1};false\n"
                         "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {0}/hooks/pre-commit\n"
                         "[user]\n\tuseConfigOnly = true\n[rerere]\n\tenabled = true\n",
                         r.root, trap));
  const ScopedVariable config("GIT_CONFIG_GLOBAL", r.root + "/config");
  const ScopedVariable editor("GIT_EDITOR", "touch " + trap + ";false");
  const std::string before = fingerprint(r.top);
  EXPECT_EQ(
      outcome(r.build(r.four, {revert(r.four), pick(r.four), patch(Steps::patch("f", "4", "9"))})),
      "93 ");
  EXPECT_EQ(outcome(r.build(r.four, {revert(r.two)})),
            "does not apply: revert of it (conflict in f)");
  EXPECT_FALSE(fs::exists(trap));
  EXPECT_TRUE(fingerprint(r.top) == before) << "the checkout was touched";
}

TEST(TreeSteps, EndAtTheDeadline) {
  Steps r;
  write_text(r.root + "/config", "[merge \"slow\"]\n\tdriver = sleep 600\n");
  const ScopedVariable config("GIT_CONFIG_GLOBAL", r.root + "/config");
  const std::string commit = r.commit(".gitattributes", "* merge=slow\n");
  const auto built = build_revision(
      r.store(),
      {.folder = r.top,
       .commit = commit,
       .command = "true",
       .steps = {revert(r.two)},
       .deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500)},
      kNever);
  ASSERT_TRUE(built && *built) << built.error().to_text();
  EXPECT_TRUE((*built)->timed_out);
  EXPECT_FALSE((*built)->build.ok);
  EXPECT_EQ((*built)->build.reason, "");
}

TEST(TreeSteps, WorkFromEveryKindOfRepository) {
  const Steps r;
  r.git({"clone", "-q", "--bare", r.top, r.root + "/bare.git"});
  r.git({"clone", "-q", "--depth", "4", "file://" + r.top, r.root + "/shallow"});
  r.git({"worktree", "add", "-q", "--detach", r.root + "/linked", r.two});
  r.git({"checkout", "-q", "--detach", r.one});
  for (const std::string& folder :
       {r.top, r.root + "/bare.git", r.root + "/shallow", r.root + "/linked"}) {
    const std::string before = fingerprint(folder);
    EXPECT_EQ(outcome(r.build(r.four, {revert(r.three)}, "true", folder)), "41 ") << folder;
    EXPECT_TRUE(fingerprint(folder) == before) << folder;
  }
}

// The build fails because its submodule is empty, and says so.
TEST(TreeSteps, AMissingSubmoduleIsNamed) {
  const Steps r;
  const TestRepository library("library");
  library.commit("lib.h", "x");
  r.git({"-c", "protocol.file.allow=always", "submodule", "add", "-q", library.top, "lib"});
  r.git({"commit", "-q", "-m", "submodule"});
  const std::string commit = r.git({"rev-parse", "HEAD"});
  EXPECT_EQ(outcome(r.build(commit, {}, "cat lib/lib.h")),
            "does not build (it has submodules, and those are not fetched)");
  EXPECT_EQ(outcome(r.build(commit, {revert(r.three)}, "true")), "41 side again\n");
}

// A small file system that goes when the object goes; not without root.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    fs::create_directories(path_);
    mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, "size=6m") == 0;
    if (!mounted_) why_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  const std::string& why() const { return why_; }

 private:
  std::string path_, why_;
  bool mounted_ = false;
};

TEST(FullDisk, StopsWithWordsAndKeepsNothingHalfDone) {
  const Steps r;
  std::string noise;
  for (std::uint64_t i = 0, x = 1; i < (3 << 20); ++i) {
    x = x * 6364136223846793005U + 1442695040888963407U;
    noise += static_cast<char>(x >> 56);
  }
  const std::string big = r.commit("big", noise, "big");  // once in the mirror, once in the tree
  const std::string bigger = r.commit("bigger", noise + noise + noise, "bigger");
  const std::string before = fingerprint(r.top);
  const SmallDisk disk(r.store());
  if (!disk.mounted())
    GTEST_SKIP() << "NOT TESTED: a full disk. A small file system needs root: " << disk.why();
  ASSERT_EQ(outcome(r.build(r.four, {})), "43 ") << "there is room for this one";
  const auto left = [&] {
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(r.store())) {
      const std::string name = entry.path().filename().string();
      if (name == "big" || name == "bigger" || name == "out" || name.starts_with("tmp_"))
        text += entry.path().string() + "\n";
    }
    return text;
  };
  const struct {
    std::string name, commit, command, what;
  } cases[] = {
      {"fetch", bigger, "true", "cannot copy commit " + bigger.substr(0, 10)},
      {"build", r.four, "head -c 20000000 /dev/zero > out", "the build of " + r.four.substr(0, 10)},
      {"quiet build", r.four, "head -c 20000000 /dev/zero > out 2>/dev/null",
       "the disk was full in the build of commit " + r.four.substr(0, 10)},
      {"log", r.four, "head -c 20000000 /dev/zero", "the build of " + r.four.substr(0, 10)},
      {"check-out", big, "true", "cannot check out commit " + big.substr(0, 10)},
  };
  for (const auto& c : cases) {
    const auto built = r.build(c.commit, {}, c.command);
    ASSERT_FALSE(built) << c.name << ": " << outcome(built);
    EXPECT_EQ(built.error().what.substr(0, c.what.size()), c.what) << c.name;
    EXPECT_EQ(built.error().hint,
              "free some space: 'assay cache --limit 1GiB' removes builds; 'assay resume' then "
              "goes on")
        << c.name;
    EXPECT_EQ(left(), "") << c.name;
  }
  EXPECT_EQ(outcome(r.build(r.four, {revert(r.three)})), "41 ") << "a small one still fits";
  EXPECT_TRUE(fingerprint(r.top) == before) << "the checkout was touched";
}

}  // namespace
}  // namespace assay::build
