// SPDX-License-Identifier: Apache-2.0
#include "build/history.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "build/git.hpp"
#include "build/test_repository.hpp"

namespace assay::build {
namespace {

std::string shown(const Result<std::vector<Commit>>& commits) {
  if (!commits) return commits.error().to_text();
  std::string text;
  for (const Commit& commit : *commits) {
    text += text.empty() ? commit.subject : " " + commit.subject;
    if (!commit.parents.empty()) text += fmt::format("<{}", fmt::join(commit.parents, ","));
  }
  return text;
}

//  r - a - good - b ------- m - bad        m: first parent b, second parent t
//       \              /
//        s ---------- t
struct Forked : TestRepository {
  Forked() {
    root_commit = commit("f", "0", "r");
    a = commit("f", "1", "a");
    git({"branch", "side"});
    good = commit("f", "2", "good");
    b = commit("f", "3", "b");
    git({"checkout", "-q", "side"});
    s = commit("sub/g", "1", "s");
    t = commit("sub/g", "2", "t");
    git({"checkout", "-q", "main"});
    git({"merge", "-q", "--no-ff", "-m", "m", "side"});
    m = git({"rev-parse", "HEAD"});
    bad = commit("f", "4", "bad");
  }
  std::string root_commit, a, good, b, s, t, m, bad;
};

TEST(History, ListsEverythingBetweenTwoCommits) {
  const Forked r;
  const std::string before = fingerprint(r.top);
  const struct {
    std::string good, bad;
    Follow follow;
    std::string want;
  } cases[] = {
      {r.root_commit, r.good, Follow::every_parent, "r a<0 good<1"},
      {r.good, r.b, Follow::every_parent, "good b<0"},
      // The side branch forked off in front of good.
      {r.good, "main", Follow::every_parent, "good a b<0 s<1 t<3 m<2,4 bad<5"},
      {r.a, "main", Follow::every_parent, "a good<0 b<1 s<0 t<3 m<2,4 bad<5"},
      {r.good, "main", Follow::first_parent, "good b<0 m<1 bad<2"},
      // s is not on the main line, and what forked in front of it is contained in it.
      {r.s, "main", Follow::first_parent, "s good<0 b<1 m<2 bad<3"},
      {"side~1", "side", Follow::every_parent, "s t<0"},
  };
  for (const auto& c : cases) {
    auto commits = commits_between(r.top, c.good, c.bad, c.follow);
    // Which of two parallel branches comes first is git's choice.
    std::string text = shown(commits);
    if (text == "good a s<1 t<2 b<0 m<4,3 bad<5") text = "good a b<0 s<1 t<3 m<2,4 bad<5";
    if (text == "a s<0 t<1 good<0 b<3 m<4,2 bad<5") text = "a good<0 b<1 s<0 t<3 m<2,4 bad<5";
    EXPECT_EQ(text, c.want) << c.good << " " << c.bad;
    if (!commits) continue;
    for (std::size_t i = 0; i < commits->size(); ++i) {
      EXPECT_EQ((*commits)[i].id.size(), 40u);
      for (const std::uint32_t parent : (*commits)[i].parents) EXPECT_LT(parent, i);
    }
    EXPECT_EQ(commits->front().id, *resolve_revision(r.top, c.good));
    EXPECT_EQ(commits->back().id, *resolve_revision(r.top, c.bad));
  }
  EXPECT_TRUE(fingerprint(r.top) == before) << "the checkout was touched";
}

TEST(History, ListsFromSubfoldersBareRepositoriesWorktreesAndDetachedHeads) {
  const Forked r;
  r.git({"clone", "-q", "--bare", r.top, r.root + "/bare.git"});
  r.git({"worktree", "add", "-q", "--detach", r.root + "/linked", r.b});
  const std::string want = "good b<0";
  EXPECT_EQ(shown(commits_between(r.top + "/sub", r.good, r.b)), want);
  EXPECT_EQ(shown(commits_between(r.root + "/bare.git", r.good, r.b)), want);
  EXPECT_EQ(shown(commits_between(r.root + "/linked", "HEAD~1", "HEAD")), want);
  r.git({"checkout", "-q", "--detach", r.b});
  EXPECT_EQ(shown(commits_between(r.top, "HEAD^", "HEAD")), want);
}

TEST(History, SaysWhyThereIsNoRange) {
  const Forked r;
  r.git({"checkout", "-q", "--orphan", "island"});
  const std::string island = r.commit("i", "1", "island");
  const auto digits = [](const std::string& id) { return id.substr(0, 10); };
  const struct {
    std::string good, bad, what, hint;
  } cases[] = {
      {"main", r.good,
       fmt::format("the ends are swapped: the good end main ({}) came after the bad end {}",
                   digits(r.bad), digits(r.good)),
       fmt::format("--good {} --bad main", r.good)},
      {"main", r.bad, fmt::format("main and {} are the same commit", digits(r.bad)),
       "give a good end and a bad end that came later"},
      {r.good, "side",
       fmt::format("neither end contains the other: {} is no ancestor of side ({})", digits(r.good),
                   digits(r.t)),
       fmt::format("they parted at {}: if that one is good, --good {} --bad side", digits(r.a),
                   digits(r.a))},
      {"island", "main",
       fmt::format("neither end contains the other: island ({}) is no ancestor of main ({}); they "
                   "have no common ancestor",
                   digits(island), digits(r.bad)),
       "choose ends of one history"},
      {"mian", "main", "unknown revision 'mian'", "did you mean 'main'?"},
      {r.good, "main..side", "unknown revision 'main..side'", "give one revision, not a range"},
      {"--all", "main", "'--all' is not a revision", "name a branch, a tag or a commit"},
      {"", "main", "the revision is empty", "name a branch, a tag or a commit"},
      {"a\x1b[31m", "main", "unknown revision 'a\\x1b[31m'",
       "'git branch -a' and 'git tag' list the names"},
  };
  for (const auto& c : cases) {
    const auto commits = commits_between(r.top, c.good, c.bad);
    ASSERT_FALSE(commits) << c.what;
    EXPECT_EQ(commits.error().what, c.what);
    EXPECT_EQ(commits.error().hint, c.hint);
  }
}

TEST(History, TellsWhereAShallowCloneIsCut) {
  const Forked r;
  const std::string clone = r.root + "/shallow";
  r.git({"clone", "-q", "--depth", "3", "file://" + r.top, clone});
  // bad, m, and m's parents b and t, which are cut.
  const auto fine = commits_between(clone, "HEAD~2", "HEAD");
  ASSERT_FALSE(fine);
  EXPECT_EQ(fine.error().what,
            "this shallow clone is cut inside the range, at commit " + r.t.substr(0, 10));
  EXPECT_EQ(fine.error().hint, "'git fetch --unshallow' gets the rest of the history");
  const auto within = commits_between(clone, "HEAD~1", "HEAD");
  EXPECT_EQ(shown(within), "m bad<0");
  const auto apart = commits_between(clone, "HEAD~2", "HEAD~1^2");
  ASSERT_FALSE(apart);
  EXPECT_NE(apart.error().what.find("as far as this shallow clone knows"), std::string::npos)
      << apart.error().what;
  EXPECT_EQ(apart.error().hint, "'git fetch --unshallow' gets the rest of the history");
}

TEST(History, RefusesMoreThanCanBeSearched) {
  const TestRepository r;
  const std::string script = fmt::format(
      R"(awk 'BEGIN {{ for (i = 0; i < {}; ++i) print "commit refs/heads/main\ncommitter C <c> " )"
      R"(i " +0000\ndata 1\nx" }}' | git fast-import --quiet)",
      kMostCommits + 1);
  ProcessRequest request;
  request.argv = {"/bin/sh", "-c", script};
  request.cwd = r.top;
  ASSERT_TRUE(run_process(request)->ok());
  const auto all = commits_between(r.top, fmt::format("main~{}", kMostCommits), "main");
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().what,
            fmt::format("{} commits lie in this range, at most {} can be searched",
                        kMostCommits + 1, kMostCommits));
  const auto most = commits_between(r.top, fmt::format("main~{}", kMostCommits - 1), "main");
  ASSERT_TRUE(most) << most.error().to_text();
  EXPECT_EQ(most->size(), kMostCommits);
  EXPECT_EQ(most->front().subject, "x");
  EXPECT_EQ(most->back().subject, "x");
}

TEST(History, SubjectsAreSafe) {
  const TestRepository r;
  r.commit("f", "0", "first");
  r.commit("f", "1", "red \x1b[31m, \x07 and \xc3\xa4");
  r.commit("f", "2", "commit 0123456789012345678901234567890123456789\n\nbody");
  r.commit("f", "3", "\xe2\x80\xae reversed");
  r.commit("f", "4", std::string(5000, 'x'));
  write_text(r.top + "/f", "5");
  r.git({"commit", "-q", "-a", "--allow-empty-message", "-m", ""});
  // git itself would make UTF-8 of this one.
  ProcessRequest raw;
  raw.argv = {"/bin/sh", "-c",
              R"(set -e
id=$({ echo tree $(git rev-parse HEAD^{tree}); echo parent $(git rev-parse HEAD)
  echo 'author A <a> 0 +0000'; echo 'committer A <a> 0 +0000'; echo; printf 'no \377\376 text\n'
} | git hash-object -t commit -w --stdin)
git update-ref refs/heads/main $id)"};
  raw.cwd = r.top;
  ASSERT_TRUE(run_process(raw)->ok());
  const auto commits = commits_between(r.top, "main~6", "main");
  ASSERT_TRUE(commits) << commits.error().to_text();
  ASSERT_EQ(commits->size(), 7u);
  EXPECT_EQ((*commits)[1].subject, "red \\x1b[31m, \\x07 and \xc3\xa4");
  EXPECT_EQ((*commits)[2].subject, "commit 0123456789012345678901234567890123456789");
  EXPECT_EQ((*commits)[3].subject, "\\u202e reversed");
  EXPECT_LE((*commits)[4].subject.size(), 200u);
  EXPECT_EQ((*commits)[5].subject, "");
  EXPECT_EQ((*commits)[6].subject, "no \\xff\\xfe text");
}

TEST(History, ListsCommitsInTheOrderGiven) {
  const Forked r;
  EXPECT_EQ(shown(listed_commits(r.top, {"main", r.a, "side"})), "bad a<0 t<1");
  const auto twice = listed_commits(r.top, {"main", r.a, r.bad});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().what,
            fmt::format("'main' and '{}' name the same commit {}", r.bad, r.bad.substr(0, 10)));
  EXPECT_EQ(listed_commits(r.top, {}).error().what, "no commit is named");
  EXPECT_EQ(listed_commits(r.top, {"main", "nope"}).error().what, "unknown revision 'nope'");
}

TEST(History, KnowsAncestors) {
  const Forked r;
  EXPECT_TRUE(*is_ancestor(r.top, r.s, "main"));
  EXPECT_TRUE(*is_ancestor(r.top, "main", "main"));
  EXPECT_FALSE(*is_ancestor(r.top, "main", r.s));
  EXPECT_FALSE(*is_ancestor(r.top, r.b, "side"));
  EXPECT_EQ(*merge_base(r.top, r.b, "side"), r.a);
  r.git({"checkout", "-q", "--orphan", "island"});
  r.commit("i", "1", "island");
  EXPECT_EQ(*merge_base(r.top, "island", "main"), "");
  EXPECT_EQ(*parents_of(r.top, "main~1"), (std::vector{r.b, r.t}));
  EXPECT_EQ(*parents_of(r.top, r.root_commit), std::vector<std::string>{});
}

// Replacements would show a history that builds do not come from.
TEST(History, DoesNotLookAtReplacements) {
  const Forked r;
  r.git({"replace", r.b, r.root_commit});
  EXPECT_EQ(shown(commits_between(r.top, r.good, r.b)), "good b<0");
}

TEST(History, ListsTouchedFiles) {
  const Forked r;
  const std::string hex = "0123456789012345678901234567890123456789";
  write_text(r.top + "/\nodd\xff", "1");
  write_text(r.top + "/" + hex, "1");
  r.git({"mv", "f", "moved"});
  const std::string odd = r.commit("sub/x", "1", "odd");
  r.git({"commit", "-q", "--allow-empty", "-m", "empty"});
  const std::string before = fingerprint(r.top);
  const std::string empty = r.git({"rev-parse", "HEAD"});
  const auto paths = touched_paths(r.top, {r.s, r.m, empty, r.root_commit, odd});
  ASSERT_TRUE(paths) << paths.error().to_text();
  using Paths = std::vector<std::string>;
  EXPECT_EQ((*paths)[0], Paths{"sub/g"});
  EXPECT_EQ((*paths)[1], Paths{"sub/g"}) << "a merge, against its first parent";
  EXPECT_EQ((*paths)[2], Paths{});
  EXPECT_EQ((*paths)[3], Paths{"f"});
  EXPECT_EQ((*paths)[4], (Paths{"\nodd\xff", hex, "f", "moved", "sub/x"}));
  EXPECT_TRUE(touched_paths(r.top, {})->empty());
  EXPECT_FALSE(touched_paths(r.top, {std::string(40, '1')}));
  EXPECT_TRUE(fingerprint(r.top) == before) << "the checkout was touched";
}

}  // namespace
}  // namespace assay::build
