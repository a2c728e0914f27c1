// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/journal.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace prover::daemon {
namespace {

class JournalFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "prover-journal-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/sub/journal.db"; }
  std::unique_ptr<Journal> open() const {
    auto journal = Journal::open(path());
    EXPECT_TRUE(journal) << journal.error().to_text();
    return journal ? std::move(*journal) : nullptr;
  }

 private:
  std::string folder_;
};

work::WitnessFile witness(std::size_t size, int fill) {
  return std::make_shared<const std::vector<std::byte>>(size, static_cast<std::byte>(fill));
}

StoredJob job(const std::string& id) {
  StoredJob one;
  one.status = {.id = id,
                .client = "c",
                .request_id = "r-" + id,
                .circuit = "dense",
                .partitions = 2,
                .priority = -3,
                .submitted = 1000};
  one.digest = "d";
  return one;
}

TEST_F(JournalFile, KeepsWhatWasAdded) {
  {
    const auto journal = open();
    StoredJob second = job("b");
    second.seed = ~std::uint64_t{0};
    second.deadline = 123456789;
    const std::vector<work::WitnessFile> files = {witness(100, 1), witness(0, 2)};
    ASSERT_TRUE(journal->add(job("z"), files));
    ASSERT_TRUE(journal->add(second, {}));
  }
  const auto journal = open();
  const auto jobs = journal->jobs();
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 2u);
  const StoredJob& first = (*jobs)[0];
  EXPECT_EQ(first.status.id, "z");
  EXPECT_EQ(first.status.request_id, "r-z");
  EXPECT_EQ(first.status.priority, -3);
  EXPECT_EQ(first.status.state, JobState::pending);
  EXPECT_FALSE(first.seed || first.deadline || first.error);
  EXPECT_EQ((*jobs)[1].seed, ~std::uint64_t{0});
  EXPECT_EQ((*jobs)[1].deadline, 123456789);
  const auto files = journal->witnesses("z");
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ(*(*files)[0], *witness(100, 1));
  EXPECT_TRUE((*files)[1]->empty());
}

TEST_F(JournalFile, AnEndTakesTheWitnessesAndBringsTheAnswers) {
  {
    const auto journal = open();
    const std::vector<work::WitnessFile> files = {witness(100, 1), witness(100, 2)};
    ASSERT_TRUE(journal->add(job("a"), files));
    ASSERT_TRUE(journal->add(job("b"), files));
    ASSERT_TRUE(journal->end("a", {.answers = {{"p0", "u0"}, {"p1", "u1"}}}, 2000));
    ASSERT_TRUE(journal->end(
        "b", {.state = JobState::failed, .error = Error{"w", "x", "y", ErrorKind::deadline}},
        3000));
  }
  const auto journal = open();
  const auto jobs = journal->jobs();
  ASSERT_TRUE(jobs);
  EXPECT_EQ((*jobs)[0].status.state, JobState::done);
  EXPECT_EQ((*jobs)[0].status.ended, 2000);
  EXPECT_EQ((*jobs)[1].status.state, JobState::failed);
  EXPECT_EQ((*jobs)[1].error->to_text(), "x: w\n  y");
  EXPECT_EQ((*jobs)[1].error->kind, ErrorKind::deadline);
  EXPECT_TRUE(journal->witnesses("a")->empty());
  const auto answers = journal->answers("a");
  ASSERT_TRUE(answers);
  ASSERT_EQ(answers->size(), 2u);
  EXPECT_EQ((*answers)[1].proof, "p1");
  EXPECT_EQ((*answers)[1].publics, "u1");
  ASSERT_TRUE(journal->forget(std::vector<std::string>{"a"}));
  EXPECT_EQ(journal->jobs()->size(), 1u);
  EXPECT_TRUE(journal->answers("a")->empty());
}

// The write-ahead log too: witnesses are secrets.
TEST_F(JournalFile, NothingOfAWitnessIsLeftWhenNoJobWaits) {
  const auto journal = open();
  const std::vector<work::WitnessFile> files = {witness(5000, 0xa7), witness(64, 0xa7)};
  const auto times_on_disk = [&] {
    const std::string secret(32, '\xa7');
    int found = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(path()).parent_path())) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file),
                              std::istreambuf_iterator<char>()};
      found += bytes.find(secret) != std::string::npos;
    }
    return found;
  };
  ASSERT_TRUE(journal->add(job("a"), files));
  ASSERT_TRUE(journal->add(job("b"), files));
  EXPECT_GT(times_on_disk(), 0);
  ASSERT_TRUE(journal->end("a", {}, 2000));
  EXPECT_GT(times_on_disk(), 0) << "that of b";
  ASSERT_TRUE(journal->end("b", {}, 2000));
  EXPECT_EQ(times_on_disk(), 0);
}

TEST_F(JournalFile, IsForOneDaemon) {
  const auto journal = open();
  const auto second = Journal::open(path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, "another daemon has this journal open");
}

// A process that dies between two calls, or within one, leaves what was answered and no more.
TEST_F(JournalFile, SurvivesAKill) {
  { open(); }
  const pid_t child = fork();
  if (child == 0) {
    const auto journal = open();
    const std::vector<work::WitnessFile> files = {witness(5000, 1)};
    const bool ok = journal->add(job("a"), files) && journal->add(job("b"), files) &&
                    journal->end("a", {.answers = {{"p", "u"}}}, 1);
    if (ok) raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto journal = open();
  const auto jobs = journal->jobs();
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[0].status.state, JobState::done);
  EXPECT_EQ((*jobs)[1].status.state, JobState::pending);
  EXPECT_EQ(journal->witnesses("b")->size(), 1u);
}

TEST_F(JournalFile, AFullDiskRefusesAndLosesNothing) {
  const auto journal = open();
  const std::vector<work::WitnessFile> small = {witness(1000, 1)}, large = {witness(1 << 20, 1)};
  ASSERT_TRUE(journal->add(job("a"), small));
  ASSERT_TRUE(journal->limit(256 << 10));
  const auto refused = journal->add(job("b"), large);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::exhausted);
  EXPECT_EQ(refused.error().what, "the journal's disk is full");
  EXPECT_EQ(journal->jobs()->size(), 1u);
  // An end that finds no room leaves the job pending with its witness, and can be tried again.
  const JobEnd end{.answers = {{std::string(1 << 20, 'p'), "u"}}};
  EXPECT_FALSE(journal->end("a", end, 1));
  EXPECT_EQ((*journal->jobs())[0].status.state, JobState::pending);
  EXPECT_EQ(journal->witnesses("a")->size(), 1u);
  ASSERT_TRUE(journal->limit(64 << 20));
  EXPECT_TRUE(journal->end("a", end, 1));
  EXPECT_TRUE(journal->add(job("b"), large));
}

TEST_F(JournalFile, RefusesWhatIsNone) {
  { open(); }
  const auto change = [&](const char* sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  };
  change("PRAGMA user_version=9");
  EXPECT_EQ(Journal::open(path()).error().what, "a journal of version 9");
  change("PRAGMA application_id=5");
  EXPECT_EQ(Journal::open(path()).error().what, "a database of another program");
  std::ofstream(path(), std::ios::trunc)
      << "no database, but longer than a header of one, " << std::string(4096, 'x');
  EXPECT_EQ(Journal::open(path()).error().what, "this is no journal, or a damaged one");
  const auto nowhere = Journal::open("/proc/nowhere/journal.db");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().kind, ErrorKind::usage);
}

TEST_F(JournalFile, RefusesARowThatNoDaemonWrites) {
  { ASSERT_TRUE(open()->add(job("a"), {})); }
  for (const char* sql : {"UPDATE job SET state=7", "UPDATE job SET state=0, partitions=0",
                          "UPDATE job SET partitions=1, priority=99999999999"}) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
    EXPECT_EQ(open()->jobs().error().what, "job a has values that no daemon writes") << sql;
  }
}

}  // namespace
}  // namespace prover::daemon
