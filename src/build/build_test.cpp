// SPDX-License-Identifier: Apache-2.0
#include "build/build.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "build/mirror.hpp"
#include "build/test_repository.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

const std::atomic<bool> kNever{false};

// The build, or a build with the error's text as its log.
Built build_of(const TestRepository& repository, const std::string& commit,
               const std::string& command, const std::string& folder = {}) {
  const auto built = build_revision(
      repository.store(),
      {.folder = folder.empty() ? repository.top : folder, .commit = commit, .command = command},
      kNever);
  if (built && *built) return **built;
  Built failed;
  failed.build.log_tail = built ? "interrupted" : built.error().to_text();
  ADD_FAILURE() << failed.build.log_tail;
  return failed;
}

std::string error_of(const std::string& store, const BuildRequest& request) {
  const auto built = build_revision(store, request, kNever);
  return built ? "built" : built.error().to_text();
}

std::vector<fs::path> markers(const std::string& store) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(store + "/builds", error), end; !error && it != end;
       ++it)
    if (it->path().filename() == "done") found.push_back(it->path());
  return found;
}

TEST(Build, BuildsBothSidesAndTouchesNothing) {
  const TestRepository repository;
  const std::string first = repository.commit("src/value", "old\n");
  const std::string second = repository.commit("src/value", "new\n");
  write_text(repository.top + "/src/value", "uncommitted\n");
  const std::string before = fingerprint(repository.top);
  const std::string command = "cat src/value > result; echo built";
  const Built a = build_of(repository, first, command), b = build_of(repository, second, command);
  EXPECT_EQ(fingerprint(repository.top), before);
  EXPECT_EQ(read_text(a.worktree + "/result"), "old\n");
  EXPECT_EQ(read_text(b.worktree + "/result"), "new\n");
  EXPECT_EQ(a.worktree.size(), b.worktree.size());  // paths of one length on both sides
}

TEST(Build, DescribesWhatItBuilt) {
  const TestRepository repository;
  const std::string commit = repository.commit("value", "x\n");
  std::vector<std::string> lines;
  const auto built =
      build_revision(repository.store(),
                     {.folder = repository.top,
                      .commit = commit,
                      .command = "cat value; echo to-stderr >&2",
                      .arm = 3},
                     kNever, [&](std::string_view line) { lines.emplace_back(line); });
  ASSERT_TRUE(built && *built) << built.error().to_text();
  EXPECT_EQ(lines, (std::vector<std::string>{"x", "to-stderr"}));
  EXPECT_EQ(read_text((*built)->log_file), "x\nto-stderr\n");
  EXPECT_EQ((*built)->cwd, (*built)->worktree);
  EXPECT_EQ(read_text((*built)->worktree + "/value"), "x\n");
  const Build& record = (*built)->build;
  EXPECT_TRUE(record.ok && !record.cached);
  EXPECT_EQ(record.arm, 3u);
  EXPECT_EQ(record.commit, commit);
  EXPECT_EQ(record.log_tail, "");
  EXPECT_GT(record.duration.count(), 0);
  EXPECT_TRUE((*built)->warnings.empty());
}

TEST(Build, BuildsOnceForEachQuestion) {
  const TestRepository repository;
  const std::string commit = repository.commit("sub/a", "1");
  const std::string count = "echo x >> '" + repository.root + "/count'";
  const std::string other = count + " # other";
  struct Case {
    const char* name;
    std::string command, folder, cc;
    bool cached;
  };
  const std::string& top = repository.top;
  const Case cases[] = {{"first", count, top, "", false},
                        {"same", count, top, "", true},
                        {"other command", other, top, "", false},
                        {"other folder", count, top + "/sub", "", false},
                        {"other compiler", count, top, "/no/such/compiler", false},
                        {"first again", count, top, "", true}};
  std::size_t builds = 0;
  for (const Case& c : cases) {
    const ScopedVariable cc("CC", c.cc);
    const Built built = build_of(repository, commit, c.command, c.folder);
    builds += c.cached ? 0 : 2;
    EXPECT_EQ(built.build.cached, c.cached) << c.name;
    EXPECT_EQ(read_text(repository.root + "/count").size(), builds) << c.name;
  }
}

TEST(Build, KeepsTheToolchainApartFromItsPlace) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const auto path_with_cc = [&](const std::string& name, const std::string& version) {
    const std::string folder = repository.root + "/" + name;
    for (const char* tool : {"/cc", "/c++"}) {
      write_text(folder + tool, "#!/bin/sh\necho " + version + "\n");
      fs::permissions(folder + tool, fs::perms::owner_all);
    }
    return folder + ":" + ::getenv("PATH");
  };
  const std::pair<std::string, bool> cases[] = {{path_with_cc("here", "cc 1"), false},
                                                {path_with_cc("there", "cc 1"), true},
                                                {path_with_cc("newer", "cc 2"), false}};
  for (const auto& [path, cached] : cases) {
    const ScopedVariable variable("PATH", path);
    EXPECT_EQ(build_of(repository, commit, "true").build.cached, cached) << path;
  }
}

TEST(Build, MapsTheFolderOfTheUser) {
  const TestRepository repository;
  const std::string commit = repository.commit("tools/häm mer/a", "1");
  const Built built =
      build_of(repository, commit, "pwd > where", repository.top + "/tools/häm mer");
  EXPECT_EQ(built.cwd, built.worktree + "/tools/häm mer");
  EXPECT_EQ(read_text(built.cwd + "/where"), built.cwd + "\n");
  fs::create_directories(repository.top + "/later");
  const Built later = build_of(repository, commit, "true", repository.top + "/later");
  EXPECT_FALSE(later.build.ok);
  EXPECT_EQ(later.build.reason, "has no folder 'later'");
  EXPECT_EQ(later.build.log_tail,
            "run assay from a folder that all revisions have, such as " + repository.top);
}

TEST(Build, ReportsAFailingBuildWithItsLastLines) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const std::string command =
      "i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo line $i; done; "
      "printf 'a.c:1: error: \\033[31mno\\033[0m' >&2; exit 2";
  std::string expected;
  for (int i = 12; i <= 30; ++i) expected += fmt::format("line {}\n", i);
  expected += "a.c:1: error: \\x1b[31mno\\x1b[0m\nthe build command exited with status 2";
  for (int round = 0; round < 2;
       ++round) {  // a failure is not kept: its cause may be mended outside
    const Built built = build_of(repository, commit, command);
    EXPECT_FALSE(built.build.ok || built.build.cached);
    EXPECT_EQ(built.build.log_tail, expected);
    EXPECT_EQ(built.in_use, nullptr);
  }
  EXPECT_TRUE(markers(repository.store()).empty());
  EXPECT_EQ(build_of(repository, commit, "kill -9 $$").build.log_tail,
            "the build command was killed by signal 9 (Killed)");
}

TEST(Build, InterruptEndsAHangingBuildAndLeavesNoBuild) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const std::string command = "if [ -e '" + repository.root +
                              "/mended' ]; then exit 0; fi; "
                              "trap '' TERM; sleep 1000 & echo $!; wait; wait; sleep 1000";
  std::atomic<bool> interrupted{false};
  pid_t sleeper = 0;
  const auto built = build_revision(
      repository.store(), {.folder = repository.top, .commit = commit, .command = command},
      interrupted, [&](std::string_view line) {
        sleeper = static_cast<pid_t>(std::stol(std::string(line)));
        interrupted = true;
      });
  ASSERT_TRUE(built) << built.error().to_text();
  EXPECT_FALSE(*built);
  ASSERT_GT(sleeper, 0);
  EXPECT_NE(::kill(sleeper, 0), 0);
  EXPECT_TRUE(markers(repository.store()).empty());
  write_text(repository.root + "/mended", "");
  EXPECT_TRUE(build_of(repository, commit, command).build.ok);
}

TEST(Build, ADeadlineEndsAHangingBuildAndLeavesNoBuild) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const std::string command = "echo begun; sleep 1000";
  const auto built = build_revision(
      repository.store(),
      {.folder = repository.top,
       .commit = commit,
       .command = command,
       .deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(500)},
      kNever);
  ASSERT_TRUE(built && *built);
  EXPECT_TRUE((*built)->timed_out);
  EXPECT_FALSE((*built)->build.ok);
  EXPECT_EQ((*built)->build.log_tail, "begun\nthe build command ran out of time");
  EXPECT_TRUE(markers(repository.store()).empty());
}

TEST(Build, ADeadlineEndsWaitingForAnotherBuild) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const BuildRequest request = {.folder = repository.top, .commit = commit, .command = "true"};
  auto first = build_revision(repository.store(), request, kNever);
  ASSERT_TRUE(first && *first);
  std::filesystem::path folder = std::filesystem::path((*first)->worktree).parent_path();
  std::filesystem::remove(folder / "done");
  (*first)->in_use.reset();
  auto other = FileLock::open(folder.string() + ".lock");
  ASSERT_TRUE(other && other->try_take(FileLock::Mode::exclusive));
  BuildRequest bounded = request;
  bounded.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  const auto waited = build_revision(repository.store(), bounded, kNever);
  ASSERT_TRUE(waited && *waited);
  EXPECT_TRUE((*waited)->timed_out);
  EXPECT_EQ((*waited)->build.log_tail, "another process was building it all the time");
}

// A child process that builds; its exit status is 0 for a fresh build, 1 for a cached one, 2
// otherwise.
pid_t build_in_child(const TestRepository& repository, const std::string& commit,
                     const std::string& command) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const auto built = build_revision(
      repository.store(), {.folder = repository.top, .commit = commit, .command = command}, kNever);
  ::_exit(!built || !*built || !(*built)->build.ok ? 2 : (*built)->build.cached ? 1 : 0);
}

int status_of(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Build, TwoProcessesBuildOnce) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const std::string command = "echo x >> '" + repository.root + "/count'";
  std::array<pid_t, 4> children{};
  for (pid_t& child : children) child = build_in_child(repository, commit, command);
  std::array<int, 3> seen{};
  for (const pid_t child : children) {
    const int status = status_of(child);
    ASSERT_TRUE(status >= 0 && status < 3) << status;
    ++seen[static_cast<std::size_t>(status)];
  }
  EXPECT_EQ(seen, (std::array<int, 3>{1, 3, 0}));
  EXPECT_EQ(read_text(repository.root + "/count"), "x\n");
}

TEST(Build, TwoProcessesBuildDifferentCommitsAtOnce) {
  const TestRepository repository;
  const std::string first = repository.commit("a", "1"), second = repository.commit("a", "2");
  const pid_t a = build_in_child(repository, first, "true");
  const pid_t b = build_in_child(repository, second, "true");
  EXPECT_EQ(status_of(a), 0);
  EXPECT_EQ(status_of(b), 0);
}

TEST(Build, AKilledBuildIsRedone) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const std::string fifo = repository.root + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string command = "echo partial > half; if [ -p '" + fifo + "' ]; then echo up > '" +
                              fifo + "'; sleep 1000; fi; test ! -e stale";
  const pid_t child = build_in_child(repository, commit, command);
  EXPECT_EQ(read_text(fifo), "up\n");  // it is in the middle of the build
  ::kill(child, SIGKILL);
  EXPECT_EQ(status_of(child), -1);
  EXPECT_TRUE(markers(repository.store()).empty());
  fs::remove(fifo);
  for (const auto& entry : fs::directory_iterator(repository.store() + "/builds"))
    if (entry.is_directory()) write_text(entry.path().string() + "/tree/stale", "");
  const Built built = build_of(repository, commit, command);
  EXPECT_TRUE(built.build.ok && !built.build.cached) << built.build.log_tail;
}

TEST(Build, WorksFromEveryKindOfRepository) {
  const TestRepository repository("räder & speichen");
  repository.git({"checkout", "-q", "-b", "topic/deep"});
  const std::string side = repository.commit("b", "side");
  repository.git({"checkout", "-q", "--orphan", "main2"});
  const std::string root = repository.commit("a", "1");
  repository.git(
      {"merge", "-q", "--no-ff", "--allow-unrelated-histories", "-m", "m", "topic/deep"});
  repository.git({"tag", "-a", "v1", "-m", "t"});
  const std::string merge = repository.git({"rev-parse", "HEAD"});
  const std::string linked = repository.root + "/linked", clone = repository.root + "/bare.git",
                    shallow = repository.root + "/shallow";
  repository.git({"worktree", "add", "-q", "--detach", linked, side});
  repository.git({"clone", "-q", "--bare", repository.top, clone});
  repository.git({"clone", "-q", "--depth", "1", "file://" + repository.top, shallow});
  const std::string lost = repository.commit("a", "lost");
  repository.git({"reset", "-q", "--hard", "HEAD~1"});  // now only the reflog knows it
  struct Case {
    const char* name;
    std::string folder, revision, commit;
  };
  const std::string& top = repository.top;
  const Case cases[] = {{"branch with slash", top, "topic/deep", side},
                        {"annotated tag", top, "v1", merge},
                        {"merge's parent", top, "HEAD^1", root},
                        {"unreachable", top, lost, lost},
                        {"linked worktree", linked, "HEAD", side},
                        {"bare", clone, "topic/deep", side},
                        {"shallow", shallow, "HEAD", merge}};
  // The oldest protocol refuses commits that no branch names, unless asked well.
  write_text(repository.root + "/config", "[protocol]\n  version = 0\n");
  const ScopedVariable config("GIT_CONFIG_GLOBAL", repository.root + "/config");
  for (const Case& c : cases) {
    const std::string before = fingerprint(c.folder), common = fingerprint(top + "/.git");
    const auto commit = resolve_revision(c.folder, c.revision);
    ASSERT_TRUE(commit) << c.name << ": " << commit.error().to_text();
    EXPECT_EQ(*commit, c.commit) << c.name;
    const Built built = build_of(repository, *commit,
                                 fmt::format("git rev-parse HEAD > commit # {}", c.name), c.folder);
    EXPECT_FALSE(built.build.cached) << c.name;
    EXPECT_EQ(read_text(built.worktree + "/commit"), c.commit + "\n") << c.name;
    EXPECT_EQ(fingerprint(c.folder), before) << c.name;
    EXPECT_EQ(fingerprint(top + "/.git"), common) << c.name;
  }
}

TEST(Build, ABuildMayUseGitInItsTree) {
  const TestRepository repository;
  repository.commit("a", "1");
  repository.git({"tag", "-a", "v2.5", "-m", "t"});
  const std::string commit = repository.commit("a", "2");
  const std::string before = fingerprint(repository.top);
  const ScopedVariable dir("GIT_DIR", repository.git_dir()), tree("GIT_WORK_TREE", repository.top);
  const Built built = build_of(repository, commit,
                               "git describe > version && echo more >> a && git add a && "
                               "git -c user.name=b -c user.email=b@example.org commit -qm built");
  EXPECT_TRUE(built.build.ok) << built.build.log_tail;
  EXPECT_TRUE(read_text(built.worktree + "/version").starts_with("v2.5-1-g"));
  EXPECT_EQ(fingerprint(repository.top), before);
}

TEST(Build, AStoreInsideTheCheckoutStaysInvisible) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const std::string store = repository.top + "/.assay";
  const std::string before = fingerprint(repository.top, store);
  const auto built = build_revision(
      store, {.folder = repository.top, .commit = commit, .command = "true"}, kNever);
  ASSERT_TRUE(built && *built);
  EXPECT_EQ(fingerprint(repository.top, store), before);
  EXPECT_EQ(is_dirty(repository.top).value_or(true), false);
  EXPECT_EQ(repository.git({"--no-optional-locks", "status", "--porcelain"}), "");
}

TEST(Build, NoHookRuns) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const std::string templates = repository.root + "/template/hooks",
                    spy = repository.root + "/spied";
  for (const char* hook : {"post-checkout", "reference-transaction", "post-index-change"})
    for (const std::string& folder : {templates, repository.git_dir() + "/hooks"}) {
      write_text(folder + "/" + hook, "#!/bin/sh\ntouch '" + spy + "'\n");
      fs::permissions(folder + "/" + hook, fs::perms::owner_all);
    }
  // As the user's own configuration may ask for.
  write_text(repository.root + "/config", "[core]\n  hooksPath = \"" + templates +
                                              "\"\n[init]\n  templateDir = \"" + repository.root +
                                              "/template\"\n");
  const ScopedVariable config("GIT_CONFIG_GLOBAL", repository.root + "/config");
  EXPECT_TRUE(build_of(repository, commit, "true").build.ok);
  EXPECT_FALSE(fs::exists(spy));
}

TEST(Build, WarnsOfWhatIsNotFetched) {
  const TestRepository library("library"), repository;
  library.commit("a", "1");
  repository.git(
      {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.top, "lib"});
  const std::string commit = repository.commit(".gitattributes", "*.bin filter=lfs -text\n");
  const Built built = build_of(repository, commit, "test -z \"$(ls lib)\"");
  EXPECT_TRUE(built.build.ok) << built.build.log_tail;
  const std::string name = "commit " + short_commit(commit);
  EXPECT_EQ(built.warnings,
            (std::vector<std::string>{
                name + " has submodules: they are not fetched, their folders are empty",
                name + " has files in Git LFS: they are not fetched, pointers stand for them"}));
}

TEST(Build, RefusesWhatItCannotUse) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  EXPECT_EQ(error_of("/dev/null/store", {.folder = repository.top, .commit = commit}),
            "/dev/null/store/builds: the build cannot be stored: cannot create this folder: Not a "
            "directory\n  choose another place with --store");
  const std::string none(40, '1');
  EXPECT_EQ(
      error_of(repository.store(), {.folder = repository.top, .commit = none}),
      repository.git_dir() + ": there is no commit 1111111111 here\n  'git fetch' may bring it");
  EXPECT_EQ(error_of(repository.store(), {.folder = repository.root, .commit = commit}),
            repository.root +
                ": not a git repository\n"
                "  run assay inside a checkout, or compare commands instead of revisions");
}

// Whether this process can be kept from writing to a folder (root cannot).
TEST(Build, AReadOnlyStoreServesWhatItHas) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  EXPECT_TRUE(build_of(repository, commit, "true").build.ok);
  const pid_t child = ::fork();
  if (child == 0) {
    // As another user, to whom the store is readable; the repository must be trusted by name then.
    fs::permissions(repository.root, fs::perms::all);
    if (::geteuid() == 0) {
      ::setenv("GIT_CONFIG_GLOBAL", (repository.root + "/config").c_str(), 1);
      write_text(repository.root + "/config", "[safe]\n  directory = *\n");
      if (::setgid(12345) != 0 || ::setuid(12345) != 0) ::_exit(3);
    } else {
      for (const auto& entry : fs::recursive_directory_iterator(repository.store()))
        if (entry.is_directory())
          fs::permissions(entry.path(), fs::perms::owner_read | fs::perms::owner_exec);
    }
    const auto cached =
        build_revision(repository.store(),
                       {.folder = repository.top, .commit = commit, .command = "true"}, kNever);
    if (!cached || !*cached || !(*cached)->build.cached) ::_exit(1);
    const std::string text = error_of(
        repository.store(), {.folder = repository.top, .commit = commit, .command = "false"});
    const bool good = text.starts_with(repository.store() + "/builds/") &&
                      text.ends_with(
                          ".lock: the build cannot be stored: cannot open this lock: Permission "
                          "denied\n  choose another place with --store");
    ::_exit(good ? 0 : 2);
  }
  EXPECT_EQ(status_of(child), 0);
}

TEST(Build, AMovedStoreBuildsAnew) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  EXPECT_TRUE(build_of(repository, commit, "pwd > where").build.ok);
  fs::rename(repository.store(), repository.root + "/moved");
  const auto built = build_revision(
      repository.root + "/moved",
      {.folder = repository.top, .commit = commit, .command = "pwd > where"}, kNever);
  ASSERT_TRUE(built && *built) << built.error().to_text();
  EXPECT_FALSE((*built)->build.cached);
  EXPECT_EQ(read_text((*built)->worktree + "/where"), (*built)->worktree + "\n");
}

TEST(Build, AMarkerWithoutItsTreeDoesNotVouchForTheNextOne) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  const std::string command = "echo up; test ! -e '" + repository.root + "/hang' || sleep 1000";
  const std::string tree = build_of(repository, commit, command).worktree;
  fs::remove_all(tree);
  write_text(repository.root + "/hang", "");
  std::atomic<bool> interrupted{false};
  const auto built = build_revision(
      repository.store(), {.folder = repository.top, .commit = commit, .command = command},
      interrupted, [&](std::string_view) { interrupted = true; });
  ASSERT_TRUE(built && !*built);
  fs::create_directories(tree);  // as a kill would have left it
  fs::remove(repository.root + "/hang");
  EXPECT_FALSE(build_of(repository, commit, command).build.cached);
}

TEST(Build, ATornMarkerIsNone) {
  const TestRepository repository;
  const std::string commit = repository.commit("a", "1");
  EXPECT_TRUE(build_of(repository, commit, "true").build.ok);
  for (const char* text : {"", "{\"tree\": ", "[]", "\xff\xfe"}) {
    ASSERT_EQ(markers(repository.store()).size(), 1u);
    write_text(markers(repository.store())[0].string(), text);
    EXPECT_FALSE(build_of(repository, commit, "true").build.cached) << text;
  }
}

}  // namespace
}  // namespace assay::build
