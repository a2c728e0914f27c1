// SPDX-License-Identifier: Apache-2.0
// What survives: every append that returned survives kill -9; everything before make_durable is on
// the disk. The second is seen by standing in for the system calls that sync.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "base/random.hpp"
#include "history/store.hpp"
#include "history/test_processes.hpp"
#include "history/test_records.hpp"

namespace {
// Paths that were synced, as seen by the stand-ins below.
std::vector<std::string>* synced_files = nullptr;
int fail_syncs_with = 0;

int sync_instead(long call, int fd) {
  if (synced_files != nullptr) {
    char path[4096];
    const ssize_t length =
        readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
    synced_files->emplace_back(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  }
  if (fail_syncs_with != 0) {
    errno = fail_syncs_with;
    return -1;
  }
  return static_cast<int>(syscall(call, fd));
}
}  // namespace

// SQLite's calls come here, because the program's symbols go before those of its libraries.
extern "C" int fsync(int fd) { return sync_instead(SYS_fsync, fd); }
extern "C" int fdatasync(int fd) { return sync_instead(SYS_fdatasync, fd); }

namespace assay::history {
namespace {

TEST(Crash, EveryAcknowledgedAppendSurvivesKill9) {
  const TempFolder folder;
  const std::string path = folder / ".assay/lab.db";
  ASSERT_TRUE(open_store(path));
  Random random(20240117);
  std::uint64_t total = 0;
  for (int round = 0; round < 50; ++round) {
    const auto target = static_cast<int>(1 + random.below(80));
    Child child([&](int pipe) {
      auto store = open_store(path);
      const std::string id = *(*store)->create(sample_header());
      send(pipe, id);
      for (std::uint32_t i = 0;; ++i) {
        if (!(*store)->append(id, sample_trial(i))) _exit(1);
        send(pipe, "+");
        if (i % 24 == 23 && !(*store)->make_durable()) _exit(2);
      }
    });
    std::string id;
    for (int i = 0; i < 8; ++i) id += static_cast<char>(child.next_byte());
    int acknowledged = 0;
    while (acknowledged < target && child.next_byte() == '+') ++acknowledged;
    // Somewhere between two appends of the child, or inside one.
    for (std::uint64_t spin = random.below(200000); spin > 0; --spin) asm volatile("");
    child.kill_now();
    acknowledged += static_cast<int>(child.rest().size());

    const auto store = open_store(path);
    ASSERT_TRUE(store) << store.error().to_text();
    const auto record = (*store)->load(id);
    ASSERT_TRUE(record) << record.error().to_text();
    const auto kept = static_cast<int>(record->entries.size());
    EXPECT_GE(kept, acknowledged);
    EXPECT_LE(kept, acknowledged + 1);  // one may be written and not yet acknowledged
    for (int i = 0; i < kept; ++i)
      ASSERT_EQ(record->entries[static_cast<std::size_t>(i)],
                Entry(sample_trial(static_cast<std::uint32_t>(i))));
    total += static_cast<std::uint64_t>(acknowledged);
  }
  EXPECT_GT(total, 50u * 20);
}

class Syncs : public testing::Test {
 protected:
  void SetUp() override {
    auto store = open_store(path_);
    ASSERT_TRUE(store);
    store_ = std::move(*store);
    id_ = *store_->create(sample_header());
    synced_files = &files_;
  }
  void TearDown() override {
    synced_files = nullptr;
    fail_syncs_with = 0;
  }

  TempFolder folder_;
  const std::string path_ = folder_ / "lab.db";
  std::unique_ptr<Store> store_;
  std::string id_;
  std::vector<std::string> files_;
};

TEST_F(Syncs, AppendNeverSyncsAndMakeDurableSyncsTheLogOnce) {
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(store_->append(id_, sample_trial(i)));
  EXPECT_TRUE(files_.empty());
  ASSERT_TRUE(store_->make_durable());
  // SQLite syncs the folder too, the first time: the log is a new file there.
  EXPECT_EQ(std::count(files_.begin(), files_.end(), path_ + "-wal"), 1);
  EXPECT_EQ(std::count(files_.begin(), files_.end(), path_), 0);
  files_.clear();
  ASSERT_TRUE(store_->conclude(id_, sample_conclusion()));
  EXPECT_EQ(std::count(files_.begin(), files_.end(), path_ + "-wal"), 1);
}

TEST_F(Syncs, ALongLogMovesIntoTheMainFileAtTheEndOfABlockOnly) {
  for (std::uint32_t i = 0; i < 600; ++i) ASSERT_TRUE(store_->append(id_, sample_trial(i)));
  EXPECT_TRUE(files_.empty());
  ASSERT_TRUE(store_->make_durable());
  EXPECT_EQ(std::count(files_.begin(), files_.end(), path_), 1);
  ASSERT_TRUE(store_->append(id_, sample_trial(600)));  // starts the log anew
  EXPECT_LT(std::filesystem::file_size(path_ + "-wal"), 6000000u);
  EXPECT_EQ(store_->load(id_)->entries.size(), 601u);
}

TEST_F(Syncs, AReaderDoesNotWeakenThePromise) {
  auto reader = open_store(path_);
  ASSERT_TRUE((*reader)->load(id_));
  ASSERT_TRUE(store_->append(id_, sample_trial(0)));
  ASSERT_TRUE(store_->make_durable());
  EXPECT_EQ(std::count(files_.begin(), files_.end(), path_ + "-wal"), 1);
}

TEST_F(Syncs, AFailedSyncIsAnError) {
  ASSERT_TRUE(store_->append(id_, sample_trial(0)));
  fail_syncs_with = ENOSPC;
  EXPECT_EQ(
      store_->make_durable().error().to_text(),
      path_ + ": the disk is full\n  free some space, or name another store with --store PATH");
  fail_syncs_with = EIO;
  EXPECT_EQ(store_->make_durable().error().to_text(),
            path_ +
                ": cannot be read or written: Input/output error\n  look at the disk, or name "
                "another store with --store PATH");
  fail_syncs_with = 0;
  EXPECT_TRUE(store_->make_durable());
}

}  // namespace
}  // namespace assay::history
