// SPDX-License-Identifier: Apache-2.0
#include "build/git.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "build/test_repository.hpp"

namespace assay::build {
namespace {

std::string message(const Result<std::string>& result) {
  return result ? "resolved to " + *result : result.error().to_text();
}

TEST(Git, ResolvesWhatGitResolves) {
  const TestRepository repository;
  const std::string first = repository.commit("a", "1");
  repository.git({"tag", "light"});
  repository.git({"tag", "-a", "v1.0", "-m", "annotated"});
  repository.git({"branch", "topic/deep/name"});
  repository.git({"checkout", "-q", "-b", "side"});
  const std::string side = repository.commit("b", "2");
  repository.git({"checkout", "-q", "main"});
  const std::string second = repository.commit("a", "3");
  repository.git({"merge", "-q", "--no-ff", "-m", "merge", "side"});
  const std::string merge = repository.git({"rev-parse", "HEAD"});
  const std::pair<std::string, std::string> cases[] = {{"HEAD", merge},
                                                       {"main", merge},
                                                       {"HEAD^1", second},
                                                       {"HEAD^2", side},
                                                       {"HEAD~2", first},
                                                       {"light", first},
                                                       {"v1.0", first},
                                                       {"topic/deep/name", first},
                                                       {"@", merge},
                                                       {merge, merge},
                                                       {merge.substr(0, 8), merge},
                                                       {"main^{/m}", merge},
                                                       {"tags/v1.0", first}};
  for (const auto& [revision, commit] : cases)
    EXPECT_EQ(message(resolve_revision(repository.top, revision)), "resolved to " + commit)
        << revision;
  repository.git({"checkout", "-q", "--detach", "HEAD~1"});
  EXPECT_EQ(message(resolve_revision(repository.top, "HEAD")), "resolved to " + second);
}

TEST(Git, ExplainsUnknownRevisions) {
  const TestRepository repository;
  const std::string commit = repository.commit("dir/a", "1");
  repository.git({"branch", "topic/faster-encode"});
  repository.git({"update-ref", "refs/remotes/origin/only-there", commit});
  const std::string& top = repository.top;
  const std::pair<std::string, std::string> cases[] = {
      {"mian", ": unknown revision 'mian'\n  did you mean 'main'?"},
      {"mian~0", ": unknown revision 'mian~0'\n  did you mean 'main~0'?"},
      {"topic/faster-encoed",
       ": unknown revision 'topic/faster-encoed'\n  did you mean 'topic/faster-encode'?"},
      {"only-there", ": unknown revision 'only-there'\n  did you mean 'origin/only-there'?"},
      {"HEAD~7", ": unknown revision 'HEAD~7'\n  'HEAD' exists, '~7' behind it does not"},
      {"zzzzzz", ": unknown revision 'zzzzzz'\n  'git branch -a' and 'git tag' list the names"},
      {"main..HEAD", ": unknown revision 'main..HEAD'\n  give one revision, not a range"},
      {"HEAD:dir/a",
       ": 'HEAD:dir/a' names a blob, not a commit\n  name a branch, a tag or a commit"},
      {"HEAD:dir", ": 'HEAD:dir' names a tree, not a commit\n  name a branch, a tag or a commit"}};
  for (const auto& [revision, text] : cases)
    EXPECT_EQ(message(resolve_revision(top, revision)), top + text);
  EXPECT_EQ(message(resolve_revision(top, "")),
            "the revision is empty\n  name a branch, a tag or a commit");
  EXPECT_EQ(message(resolve_revision(top, "--all")),
            "'--all' is not a revision\n  name a branch, a tag or a commit");
  EXPECT_EQ(message(resolve_revision(top, std::string("a\0b", 3))),
            "'a\\x00b' is not a revision\n  name a branch, a tag or a commit");
}

TEST(Git, ExplainsPlacesWithoutHistory) {
  const TestRepository repository;
  const std::string &top = repository.top, &root = repository.root;
  EXPECT_EQ(message(resolve_revision(top, "HEAD")),
            top + ": unknown revision 'HEAD'\n  the repository has no commit yet");
  EXPECT_EQ(message(resolve_revision(root, "HEAD")),
            root +
                ": not a git repository\n"
                "  run assay inside a checkout, or compare commands instead of revisions");
  EXPECT_EQ(message(resolve_revision(root + "/none", "HEAD")), root + "/none: no such folder");
  const ScopedVariable path("PATH", root);
  EXPECT_EQ(message(resolve_revision(top, "HEAD")),
            "git is needed to compare revisions, and it was not found on PATH\n"
            "  install it (on Debian: apt install git), or compare commands");
}

TEST(Git, ExplainsShallowClones) {
  const TestRepository repository;
  repository.commit("a", "1");
  const std::string second = repository.commit("a", "2");
  const std::string clone = repository.root + "/clone";
  repository.git({"clone", "-q", "--depth", "1", "file://" + repository.top, clone});
  EXPECT_EQ(message(resolve_revision(clone, "HEAD")), "resolved to " + second);
  EXPECT_EQ(message(resolve_revision(clone, "HEAD~1")),
            clone +
                ": unknown revision 'HEAD~1'\n  'HEAD' exists, '~1' behind it does not: this is a "
                "shallow clone; 'git fetch --unshallow' gets the rest");
  EXPECT_EQ(message(resolve_revision(clone, "0123456789abcdef")),
            clone +
                ": unknown revision '0123456789abcdef'\n"
                "  this is a shallow clone: 'git fetch --unshallow' gets the rest of its history");
}

TEST(Git, ExplainsForeignOwnership) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const TestRepository repository;
  repository.commit("a", "1");
  ASSERT_EQ(::system(("chown -R 12345 '" + repository.top + "'").c_str()), 0);
  const ScopedVariable global("GIT_CONFIG_GLOBAL", "/dev/null");
  EXPECT_EQ(message(resolve_revision(repository.top, "HEAD")),
            repository.top +
                ": git does not trust this repository: it belongs to another user\n"
                "  if you do: git config --global --add safe.directory '" +
                repository.top + "'");
}

TEST(Git, FindsWhereAFolderLies) {
  const TestRepository repository("späte räder & co");
  repository.commit("src/deep/a", "1");
  const std::string linked = repository.root + "/linked tree";
  repository.git({"worktree", "add", "-q", "--detach", linked});
  struct Case {
    std::string folder, top, git_dir, subdir;
  };
  const std::string& top = repository.top;
  const Case cases[] = {{top, top, top + "/.git", ""},
                        {top + "/src/deep", top, top + "/.git", "src/deep"},
                        {linked + "/src", linked, top + "/.git/worktrees/linked-tree", "src"},
                        {top + "/.git", top + "/.git", top + "/.git", ""}};
  for (const Case& c : cases) {
    const auto found = find_repository(c.folder);
    ASSERT_TRUE(found) << found.error().to_text();
    EXPECT_EQ(found->top, c.top);
    EXPECT_EQ(found->git_dir, c.git_dir);
    EXPECT_EQ(found->common_dir, top + "/.git");
    EXPECT_EQ(found->subdir, c.subdir);
    EXPECT_FALSE(found->bare || found->shallow);
  }
}

// A hook, or an alias of git, runs programs with these set.
TEST(Git, IgnoresWhatTheEnvironmentSaysOfAnotherRepository) {
  const TestRepository repository, other;
  const std::string commit = repository.commit("a", "1");
  other.commit("b", "2");
  const ScopedVariable dir("GIT_DIR", other.git_dir()), index("GIT_INDEX_FILE", "/nowhere"),
      tree("GIT_WORK_TREE", other.top), language("LC_ALL", "de_DE.UTF-8"), trace("GIT_TRACE", "1");
  EXPECT_EQ(message(resolve_revision(repository.top, "HEAD")), "resolved to " + commit);
}

TEST(Git, TellsDirtyFromCleanWithoutATouch) {
  struct Case {
    const char* name;
    void (*change)(const TestRepository&);
    bool dirty;
  };
  const Case cases[] = {
      {"clean", [](const TestRepository&) {}, false},
      {"edited", [](const TestRepository& r) { write_text(r.top + "/a", "changed"); }, true},
      {"same size", [](const TestRepository& r) { write_text(r.top + "/a", "tuo"); }, true},
      {"removed", [](const TestRepository& r) { std::filesystem::remove(r.top + "/a"); }, true},
      {"untracked", [](const TestRepository& r) { write_text(r.top + "/new", ""); }, false},
      {"staged",
       [](const TestRepository& r) {
         write_text(r.top + "/new", "");
         r.git({"add", "new"});
       },
       true},
      // Rewritten with the same content: its entry in the index is stale, which `git status` would
      // mend.
      {"touched", [](const TestRepository& r) { write_text(r.top + "/a", "one"); }, false},
      {"split index",
       [](const TestRepository& r) {
         r.git({"update-index", "--split-index"});
         write_text(r.top + "/a", "one");
       },
       false},
      {"split index, edited",
       [](const TestRepository& r) {
         r.git({"update-index", "--split-index"});
         write_text(r.top + "/a", "two");
       },
       true}};
  for (const Case& c : cases) {
    const TestRepository repository;
    repository.commit("a", "one");
    c.change(repository);
    const std::string before = fingerprint(repository.top);
    const auto dirty = is_dirty(repository.top);
    ASSERT_TRUE(dirty) << c.name << ": " << dirty.error().to_text();
    EXPECT_EQ(*dirty, c.dirty) << c.name;
    EXPECT_EQ(fingerprint(repository.top), before) << c.name;
  }
}

TEST(Git, RunsNoFilterHookOrMonitorOfTheRepository) {
  const TestRepository repository;
  repository.commit("a.bin", "one");
  repository.commit(".gitattributes", "*.bin filter=spy\n");
  const std::string trap = "sh -c 'touch " + repository.top + "/.git/spied; cat'";
  for (const char* key : {"filter.spy.clean", "filter.spy.smudge", "core.fsmonitor"})
    repository.git({"config", key, trap});
  repository.git({"config", "filter.spy.required", "true"});
  std::filesystem::remove(repository.git_dir() + "/spied");
  write_text(repository.top + "/a.bin", "two");
  const std::string before = fingerprint(repository.top);
  const auto dirty = is_dirty(repository.top);
  ASSERT_TRUE(dirty) << dirty.error().to_text();
  EXPECT_TRUE(*dirty);
  EXPECT_EQ(fingerprint(repository.top), before);
}

TEST(Git, CallsEmptyAndBareRepositoriesClean) {
  const TestRepository empty, bare("bare.git", "bare");
  EXPECT_EQ(is_dirty(empty.top).value_or(true), false);
  EXPECT_EQ(is_dirty(bare.top).value_or(true), false);
}

}  // namespace
}  // namespace assay::build
