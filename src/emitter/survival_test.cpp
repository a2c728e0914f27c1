// SPDX-License-Identifier: Apache-2.0
// What may happen to the program and to its file: death, fork, exec, a full disk, a folder that is
// not there. The program is never harmed, and what was recorded is there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <assay/trace.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "emitter/test_support.hpp"

namespace assay::emit {
namespace {

using format::Slot;
using format::SlotType;

const Name kWork{"work"};
const Name kMoment{"moment"};

// Items of the finished spans of service of that name.
std::set<std::uint64_t> finished(const EventFile& file, const std::string& stage) {
  std::set<std::uint64_t> items;
  for (const Slot& span : file.of(SlotType::span, stage)) {
    if (span.end != 0 && format::kind_of(span.head) == 0) items.insert(span.job);
  }
  return items;
}

void run_example(const char* how) {
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  execl(ASSAY_EMIT_EXAMPLE, ASSAY_EMIT_EXAMPLE, "--count", "1000", "--die", how, nullptr);
  _exit(99);
}

TEST(Survival, EveryEventOutlivesTheProcess) {
  struct Case {
    const char* how;
    int signal;
  };
  for (const Case& c :
       {Case{"kill", SIGKILL}, Case{"term", SIGTERM}, Case{"abort", SIGABRT}, Case{"exit", 0}}) {
    const Folder folder;
    const int status = status_of({{"ASSAY_EVENTS", folder.path()}}, [&] {
      const rlimit no_core{0, 0};
      setrlimit(RLIMIT_CORE, &no_core);
      run_example(c.how);
      return 1;
    });
    if (c.signal == 0) {
      EXPECT_TRUE(exited_well(status));
    } else {
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == c.signal) << c.how;
    }
    const std::vector<EventFile> files = read_folder(folder.path());
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(finished(files[0], "read").size(), 1000U) << c.how;
    EXPECT_EQ(finished(files[0], "render").size(), 1000U) << c.how;
    EXPECT_EQ(files[0].dropped, 0U);
    EXPECT_EQ(files[0].header.ended, 0U) << "exit() was not reached";
    const std::vector<Slot> open = files[0].of(SlotType::span, "dying");
    ASSERT_EQ(open.size(), 1U);
    EXPECT_EQ(open[0].end, 0U);
    EXPECT_STREQ(files[0].header.program, "assay-emit-example");
  }
}

struct LastWords {
  ~LastWords() { ASSAY_SPAN("last words"); }
};

TEST(Survival, StaticDestructorsMayRecord) {
  const Folder folder;
  const int status = status_of({{"ASSAY_EVENTS", folder.path()}}, [] {
    static const LastWords before;  // made before the recorder is: destroyed behind its handler
    instant(kMoment);
    static const LastWords after;
    std::exit(0);
    return 1;
  });
  EXPECT_TRUE(exited_well(status));
  const EventFile file = read_folder(folder.path()).at(0);
  EXPECT_EQ(file.of(SlotType::span, "last words").size(), 2U);
  EXPECT_EQ(file.header.ended, 1U);
}

struct AtThreadEnd {
  ~AtThreadEnd() { instant(kMoment); }
};

TEST(Survival, ThreadsMayRecordWhileTheyEnd) {
  const Folder folder;
  const int status = status_of({{"ASSAY_EVENTS", folder.path()}}, [] {
    pthread_key_t late;  // runs after the recorder's own, which is younger
    pthread_key_create(&late, [](void*) { instant(kMoment); });
    std::thread([late] {
      thread_local AtThreadEnd object;
      static_cast<void>(&object);
      pthread_setspecific(late, &object);
      instant(kMoment);
    }).join();
    return 0;
  });
  EXPECT_TRUE(exited_well(status));
  const EventFile file = read_folder(folder.path()).at(0);
  EXPECT_EQ(file.of(SlotType::instant).size(), 3U);
  for (const Slot& thread : file.of(SlotType::thread)) EXPECT_EQ(thread.part, 1U) << "one thread";
}

TEST(Survival, AChildHasItsOwnFile) {
  const Folder folder;
  const int status = status_of({{"ASSAY_EVENTS", folder.path()}}, [] {
    const Name dynamic("named before the fork");
    Span across(kWork, Kind::service, {1});
    const pid_t child = fork();
    if (child == 0) {
      across.end();  // is the parent's
      instant(dynamic, {2});
      ASSAY_SPAN("child's");
      _exit(0);
    }
    const pid_t silent = fork();
    if (silent == 0) _exit(0);
    waitpid(child, nullptr, 0);
    waitpid(silent, nullptr, 0);
    instant(kMoment, {3});
    _exit(0);  // the span stays open
    return 0;
  });
  EXPECT_TRUE(exited_well(status));
  std::vector<EventFile> files = read_folder(folder.path());
  ASSERT_EQ(files.size(), 2U) << "the silent child has none";
  if (files[0].header.parent_pid == files[1].header.pid) std::swap(files[0], files[1]);
  EXPECT_EQ(files[1].header.parent_pid, files[0].header.pid);
  EXPECT_EQ(files[0].of(SlotType::span).size(), 1U);
  EXPECT_EQ(files[0].of(SlotType::span, "work").at(0).end, 0U);
  EXPECT_EQ(files[0].of(SlotType::instant, "moment").size(), 1U);
  EXPECT_EQ(files[1].of(SlotType::instant, "named before the fork").size(), 1U);
  EXPECT_EQ(files[1].of(SlotType::span).size(), 1U);
}

// Threads record while the main thread forks again and again.
TEST(Survival, ForkingWhileOthersRecord) {
  constexpr int kThreads = 3;
  constexpr std::uint64_t kEach = 20000;
  constexpr int kForks = 20;
  const Folder folder;
  const int status = status_of({{"ASSAY_EVENTS", folder.path()}}, [] {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([] {
        for (std::uint64_t i = 0; i < kEach; ++i) {
          const Span span(kWork, Kind::service, {i});
        }
      });
    }
    for (int i = 0; i < kForks; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        for (std::uint64_t k = 0; k < 10; ++k) instant(kMoment, {k});
        raise(SIGKILL);
      }
      waitpid(child, nullptr, 0);
    }
    for (std::thread& thread : threads) thread.join();
    return 0;
  });
  EXPECT_TRUE(exited_well(status));
  const std::vector<EventFile> files = read_folder(folder.path());
  EXPECT_EQ(files.size(), 1U + kForks);
  std::size_t spans = 0, moments = 0;
  for (const EventFile& file : files) {
    spans += file.of(SlotType::span, "work").size();
    moments += file.of(SlotType::instant, "moment").size();
  }
  EXPECT_EQ(spans, kThreads * kEach);
  EXPECT_EQ(moments, 10U * kForks);
}

TEST(Survival, AProgramThatExecutesAnotherKeepsItsFile) {
  const Folder folder;
  const int status = status_of({{"ASSAY_EVENTS", folder.path()}}, [] {
    instant(kMoment);
    run_example("exit");
    return 1;
  });
  EXPECT_TRUE(exited_well(status));
  const std::vector<EventFile> files = read_folder(folder.path());
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].header.pid, files[1].header.pid);
  EXPECT_EQ(files[0].of(SlotType::instant).size() + files[1].of(SlotType::instant).size(), 1U);
}

TEST(Survival, AFileThatMayNotGrowStopsTheRecorderOnly) {
  const Folder folder;
  const int status = status_of({{"ASSAY_EVENTS", folder.path()}}, [] {
    const rlimit limit{100 << 10, 100 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (std::uint64_t i = 0; i < 100000; ++i) instant(kMoment, {i});
    return 0;
  });
  EXPECT_TRUE(exited_well(status)) << "SIGXFSZ would have killed it";
  const EventFile file = read_folder(folder.path()).at(0);
  EXPECT_EQ(file.header.stopped, format::kLimitReached);
  EXPECT_GT(file.of(SlotType::instant).size(), 1000U);
  EXPECT_EQ(file.of(SlotType::instant).size() + file.dropped, 100000U);
}

TEST(Survival, AFullDiskStopsTheRecorderOnly) {
  const Folder folder;
  mkdir(folder.path().c_str(), 0777);
  mkdir(folder.path("kept").c_str(), 0777);
  for (const char* size : {"size=300k", "size=40k", "size=8k", "nr_inodes=1"}) {
    std::filesystem::remove_all(folder.path("kept"));
    const int status = status_of({{"ASSAY_EVENTS", folder.path()}}, [&] {
      // A file system of its own, seen by nobody else.
      if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
          mount("none", folder.path().c_str(), "tmpfs", 0, size) != 0) {
        return 77;
      }
      for (std::uint64_t i = 0; i < 100000; ++i) {
        const Span span(kWork, Kind::service, {i});
      }
      std::filesystem::copy(folder.path(), folder.path("kept"));
      return 0;
    });
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "may not mount";
    EXPECT_TRUE(exited_well(status)) << size;
    const std::vector<EventFile> files = read_folder(folder.path("kept"));
    if (std::string(size) == "nr_inodes=1") {
      EXPECT_TRUE(files.empty());
      continue;
    }
    ASSERT_EQ(files.size(), 1U) << size;
    EXPECT_EQ(files[0].header.stopped, static_cast<std::uint32_t>(ENOSPC)) << size;
    EXPECT_EQ(files[0].of(SlotType::span).size() + files[0].dropped, 100000U);
  }
}

TEST(Survival, AFolderIsMadeButNotItsParents) {
  const Folder folder;
  struct Case {
    std::string path;
    bool recorded;
  };
  const Case cases[] = {{folder.path("new"), true},           {folder.path("new/"), true},
                        {folder.path("no/parent"), false},    {"/dev/null", false},
                        {"/dev/null/below", false},           {"/proc", false},
                        {"/" + std::string(5000, 'x'), false}};
  for (const Case& c : cases) {
    const int status = status_of({{"ASSAY_EVENTS", c.path}}, [&] {
      { ASSAY_SPAN("a"); }
      ASSAY_SPAN("b");
      setting("c", "d");
      return enabled() == c.recorded ? 0 : 1;
    });
    EXPECT_TRUE(exited_well(status)) << c.path;
  }
  EXPECT_EQ(read_folder(folder.path("new")).size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(folder.path("no")));
}

TEST(Survival, ARelativeFolderStaysWhereItWas) {
  const Folder folder;
  const int status = status_of({{"ASSAY_EVENTS", "events"}}, [&] {
    if (chdir(folder.path("").c_str()) != 0 || !enabled() || chdir("/") != 0) return 1;
    for (int i = 0; i < 5000; ++i) instant(kMoment);  // grows after the change
    return 0;
  });
  EXPECT_TRUE(exited_well(status));
  EXPECT_EQ(read_folder(folder.path()).at(0).of(SlotType::instant).size(), 5000U);
}

TEST(Survival, AProgramMayCloseAllDescriptors) {
  const Folder folder;
  const int status = status_of({{"ASSAY_EVENTS", folder.path()}}, [&] {
    instant(kMoment);
    for (int i = 3; i < 256; ++i) close(i);
    std::vector<int> own;
    for (int i = 0; i < 20; ++i)
      own.push_back(open(folder.path("own").c_str(), O_RDWR | O_CREAT, 0644));
    for (int i = 0; i < 5000; ++i) instant(kMoment);
    return 0;
  });
  EXPECT_TRUE(exited_well(status));
  EXPECT_EQ(std::filesystem::file_size(folder.path("own")), 0U);
  EXPECT_EQ(read_folder(folder.path()).at(0).of(SlotType::instant).size(), 5001U);
}

TEST(Survival, AFileThatWasRemovedIsNotMissed) {
  const Folder folder;
  const int status = status_of({{"ASSAY_EVENTS", folder.path()}}, [&] {
    instant(kMoment);
    std::filesystem::remove_all(folder.path());
    for (int i = 0; i < 5000; ++i) {
      const Span span(kWork);
    }
    return 0;
  });
  EXPECT_TRUE(exited_well(status));
  EXPECT_FALSE(std::filesystem::exists(folder.path()));
}

}  // namespace
}  // namespace assay::emit
