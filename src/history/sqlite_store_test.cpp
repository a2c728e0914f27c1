// SPDX-License-Identifier: Apache-2.0
// What can be wrong with a store file, and the whole message for it.
#include "history/sqlite_store.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/random.hpp"
#include "history/schema.hpp"
#include "history/test_processes.hpp"
#include "history/test_records.hpp"

namespace assay::history {
namespace {

constexpr const char* kElsewhere = "name another store with --store PATH";

// A store at `path` with one record of `trials` trials and the conclusion of an interruption;
// closed again.
std::string make_store(const std::string& path, std::uint32_t trials) {
  auto store = open_store(path);
  EXPECT_TRUE(store) << store.error().to_text();
  const std::string id = *(*store)->create(sample_header());
  for (std::uint32_t i = 0; i < trials; ++i) EXPECT_TRUE((*store)->append(id, sample_trial(i)));
  Conclusion cut = sample_conclusion();
  cut.ended_by = EndedBy::interrupted;
  EXPECT_TRUE((*store)->conclude(id, cut));
  return id;
}

// The message of opening `path`, or "opened".
std::string opening(const std::string& path) {
  const auto store = open_store(path);
  return store ? "opened" : store.error().to_text();
}

void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_free(message);
  sqlite3_close(handle);
}

// --- places
// -----------------------------------------------------------------------------------------

TEST(SqliteStore, MakesAnIgnoredFolder) {
  const TempFolder folder;
  EXPECT_EQ(opening(folder / ".assay/lab.db"), "opened");
  EXPECT_EQ(read_file(folder / ".assay/.gitignore"), "*\n");
  write_file(folder / ".assay/.gitignore", "mine\n");  // and leaves a user's own alone
  EXPECT_EQ(opening(folder / ".assay/lab.db"), "opened");
  EXPECT_EQ(read_file(folder / ".assay/.gitignore"), "mine\n");
  EXPECT_EQ(opening(folder / "other.db"), "opened");
  EXPECT_FALSE(std::filesystem::exists(folder / ".gitignore"));
}

TEST(SqliteStore, NamesPlacesThatCannotBe) {
  const TempFolder folder;
  const std::string missing = folder / "no such/lab.db";
  EXPECT_EQ(opening(missing),
            missing + ": the folder of the store does not exist\n  make it: mkdir -p '" +
                folder.path() + "/no such'");
  EXPECT_FALSE(std::filesystem::exists(folder / "no such"));
  const std::string deep = folder / "none/.assay";
  EXPECT_EQ(opening(deep + "/lab.db"), deep +
                                           ": cannot make the folder of the store: No such file or "
                                           "directory\n  " +
                                           kElsewhere);
  EXPECT_EQ(opening(folder.path()), folder.path() +
                                        ": is a folder, not a store\n  name a file in it: "
                                        "--store " +
                                        folder.path() + "/lab.db");
  EXPECT_EQ(opening(""), std::string("the store has no name\n  ") + kElsewhere);
  write_file(folder / "file", "x");
  EXPECT_EQ(opening(folder / "file/lab.db"),
            folder / "file/lab.db" + ": the folder of the store is a file\n  " + kElsewhere);
}

TEST(SqliteStore, RefusesReadOnlyPlaces) {
  const TempFolder folder;
  chmod(folder.path().c_str(), 0777);
  const std::string fixed = folder / "fixed", store = folder / "fixed/lab.db";
  const std::string single = folder / "single.db";
  std::filesystem::create_directory(fixed);
  make_store(store, 3);
  make_store(single, 3);
  chmod(store.c_str(), 0666);
  chmod(single.c_str(), 0444);
  chmod(fixed.c_str(), 0555);
  const auto as_nobody = [](const std::string& path) {
    return in_child([&] {
      become_nobody();
      return opening(path);
    });
  };
  const std::string hint =
      std::string("\n  make the file and its folder writable, or ") + kElsewhere;
  const std::string folder_hint = std::string("\n  make it writable, or ") + kElsewhere;
  const std::string before = read_file(store), single_before = read_file(single);
  EXPECT_EQ(as_nobody(fixed + "/new.db"),
            fixed + "/new.db: the folder of the store cannot be written: Permission denied" +
                folder_hint);
  EXPECT_EQ(as_nobody(store),
            store + ": the folder of the store cannot be written: Permission denied" + folder_hint);
  EXPECT_EQ(as_nobody(single), single + ": cannot be written: it is read-only" + hint);
  EXPECT_EQ(
      as_nobody(fixed + "/.assay/lab.db"),
      fixed + "/.assay: cannot make the folder of the store: Permission denied\n  " + kElsewhere);
  EXPECT_TRUE(read_file(store) == before);
  EXPECT_TRUE(read_file(single) == single_before);
  chmod(fixed.c_str(), 0755);
}

TEST(SqliteStore, ReadsWhereItMayNotWrite) {
  const TempFolder folder;
  chmod(folder.path().c_str(), 0777);
  const std::string fixed = folder / "fi xed?%41", store = fixed + "/lab.db";
  const std::string single = folder / "single.db", old = folder / "old.db";
  std::filesystem::create_directory(fixed);
  const std::string id = make_store(store, 3), single_id = make_store(single, 3);
  make_store(old, 3);
  run_sql(old, "PRAGMA user_version = 0");
  chmod(single.c_str(), 0444);
  chmod(old.c_str(), 0444);
  chmod(fixed.c_str(), 0555);
  const std::string before = read_file(store), single_before = read_file(single);
  // What reading and then every kind of writing says; "N entries" for reading.
  const auto as_nobody = [](const std::string& path, const std::string& record) {
    return in_child([&]() -> std::string {
      become_nobody();
      auto opened = open_store_to_read(path);
      if (!opened) return opened.error().to_text();
      const auto loaded = (*opened)->load(record.substr(0, 6));
      if (!loaded) return loaded.error().to_text();
      if ((*opened)->list()->size() != 1 || !(*opened)->floors("h", "s", 0)) return "no list";
      std::string text = std::to_string(loaded->entries.size()) + " entries";
      const Result<void> refused[] = {(*opened)->append(record, Stop{}), (*opened)->remove(record),
                                      (*opened)->put_floor("h", "s", {"wall", 0.01, 5, 0.03, 1})};
      for (const auto& done : refused) text += done ? "; done" : "; " + done.error().what;
      const auto created = (*opened)->create(sample_header());
      text += created ? "; created" : "; " + created.error().what;
      const auto collected = (*opened)->collect(0, Interrupted::drop);
      return text + (collected ? "; collected" : "; " + collected.error().what);
    });
  };
  const std::string read_only = "; cannot be written: it is read-only";
  const std::string expected =
      "3 entries" + read_only + read_only + read_only + read_only + read_only;
  EXPECT_EQ(as_nobody(store, id), expected);
  EXPECT_EQ(as_nobody(single, single_id), expected);
  EXPECT_EQ(as_nobody(old, id),
            old + ": written by an older assay (schema 0, now " + std::to_string(kSchemaVersion) +
                ") and cannot be brought up to date: it is read-only\n  copy it to where it may "
                "be written: --store COPY");
  EXPECT_TRUE(read_file(store) == before);
  EXPECT_TRUE(read_file(single) == single_before);
  chmod(fixed.c_str(), 0755);
  EXPECT_FALSE(open_store_to_read(folder / "none.db"));
  EXPECT_FALSE(std::filesystem::exists(folder / "none.db"));
}

// The newest runs are in the log: a store is not read without them.
TEST(SqliteStore, ReadsTheLogWhereItMayNotWrite) {
  const TempFolder folder;
  chmod(folder.path().c_str(), 0777);
  const std::string live = folder / "live", fixed = folder / "fixed";
  std::filesystem::create_directory(live);
  std::string id;
  {
    auto store = open_store(live + "/lab.db");
    id = *(*store)->create(sample_header());
    for (std::uint32_t i = 0; i < 5; ++i) ASSERT_TRUE((*store)->append(id, sample_trial(i)));
    std::filesystem::copy(live, fixed);  // as a kill would leave it
  }
  const std::string store = fixed + "/lab.db";
  for (const bool has_index : {true, false}) {
    if (!has_index) std::filesystem::remove(store + "-shm");
    for (const auto& file : std::filesystem::directory_iterator(fixed))
      chmod(file.path().c_str(), 0444);
    chmod(fixed.c_str(), 0555);
    const std::string text = in_child([&]() -> std::string {
      become_nobody();
      auto opened = open_store_to_read(store);
      if (!opened) return opened.error().to_text();
      const auto loaded = (*opened)->load(id);
      return loaded ? std::to_string(loaded->entries.size()) : loaded.error().to_text();
    });
    EXPECT_EQ(text, has_index ? "5"
                              : store +
                                    ": cannot be read here: the newest runs are still in its log, "
                                    "and the log's index is missing\n  copy the store and " +
                                    store + "-wal to where they may be written");
    chmod(fixed.c_str(), 0755);
  }
}

// --- full disks
// -------------------------------------------------------------------------------------

// Appends until an Error comes; "N: message" with the number of acknowledged trials.
std::string append_until_error(Store& store, const std::string& id) {
  for (std::uint32_t i = 0; i < 100000; ++i)
    if (const auto done = store.append(id, sample_trial(i)); !done)
      return std::to_string(i) + ": " + done.error().to_text();
  return "never full";
}

TEST(SqliteStore, KeepsEverythingWhenTheFileMayNotGrow) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  const std::string id = make_store(path, 0);
  const std::string text = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{600000, 600000};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto store = open_store(path);
    return append_until_error(**store, id);
  });
  const std::size_t colon = text.find(": ");
  EXPECT_EQ(text.substr(colon + 2),
            path +
                ": the file may not grow: File too large\n  raise the limit "
                "(ulimit -f), or " +
                kElsewhere);
  const std::uint64_t acknowledged = std::stoull(text);
  EXPECT_GT(acknowledged, 50u);
  auto store = open_store(path);
  EXPECT_EQ((*store)->load(id)->entries.size(), acknowledged);
  EXPECT_TRUE((*store)->append(id, sample_trial(7)));
}

TEST(SqliteStore, KeepsEverythingOnAFullDiskAndGoesOnLater) {
  const TempFolder folder;
  const std::string text = in_child([&]() -> std::string {
    // A private mount name space: the disk is gone with the child.
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0)
      return "cannot mount";
    auto store = open_store(folder / "lab.db");
    if (!store) return store.error().to_text();
    const auto id = (*store)->create(sample_header());
    write_file(folder / "filler", std::string(500000, 'x'));
    const std::string full = append_until_error(**store, *id);
    const auto second = (*store)->append(*id, Stop{});
    if (second) return "not full any more";
    const std::uint64_t acknowledged = std::stoull(full);
    if ((*store)->load(*id)->entries.size() != acknowledged) return "lost: " + full;
    std::filesystem::remove(folder / "filler");
    if (!(*store)->append(*id, Stop{StopReason::disk_full, 1})) return "does not go on";
    if ((*store)->load(*id)->entries.size() != acknowledged + 1) return "lost later: " + full;
    // On a full disk: one to read, and a new one.
    (*store).reset();
    write_file(folder / "filler", std::string(1 << 20, 'x'));
    auto reader = open_store_to_read(folder / "lab.db");
    if (!reader) return "cannot be read: " + reader.error().to_text();
    if ((*reader)->load(*id)->entries.size() != acknowledged + 1) return "not read: " + full;
    return full.substr(full.find(": ") + 2) + "\n" + opening(folder / "new.db");
  });
  if (text == "cannot mount") GTEST_SKIP() << "no permission to mount a small tmpfs";
  const std::string message =
      std::string(": the disk is full\n  free some space, or ") + kElsewhere;
  EXPECT_EQ(text, folder / "lab.db" + message + "\n" + folder / "new.db" + message);
}

// --- other processes
// --------------------------------------------------------------------------------

TEST(SqliteStore, NoticesThatItsFileIsGone) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  auto store = open_store(path);
  const auto id = (*store)->create(sample_header());
  ASSERT_TRUE((*store)->append(*id, sample_trial(1)));
  ASSERT_TRUE((*store)->make_durable());
  std::filesystem::rename(path, folder / "elsewhere.db");
  const auto gone = (*store)->make_durable();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().what, "the file was removed or replaced while it was written");
}

TEST(SqliteStore, NamesALockThatLastsTooLong) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  const std::string id = make_store(path, 3);
  Child holder([&](int pipe) {
    sqlite3* handle = nullptr;
    sqlite3_open(path.c_str(), &handle);
    sqlite3_exec(handle, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    send(pipe, "x");
    pause();
  });
  ASSERT_EQ(holder.next_byte(), 'x');
  auto store = SqliteStore::open(path, {std::chrono::milliseconds(20)});  // opening only reads
  ASSERT_TRUE(store) << store.error().to_text();
  const std::string message = path +
                              ": locked by another process for more than 20.0 ms\n  wait until the "
                              "other one is done, or " +
                              kElsewhere;
  EXPECT_EQ((*store)->append(id, Stop{}).error().to_text(), message);
  EXPECT_EQ((*store)->create(sample_header()).error().to_text(), message);
  EXPECT_EQ((*store)->remove(id).error().to_text(), message);
  EXPECT_EQ((*store)->load(id)->entries.size(), 3u);  // reading goes on
  holder.kill_now();
  EXPECT_TRUE((*store)->append(id, Stop{}));
}

TEST(SqliteStore, TwoProcessesShareAStore) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  const auto writer = [&](int pipe) {
    auto store = open_store(path);
    const std::string id = *(*store)->create(sample_header());
    for (std::uint32_t i = 0; i < 500; ++i)
      if (const auto done = (*store)->append(id, sample_trial(i)); !done)
        return send(pipe, done.error().to_text());
    send(pipe, id);
  };
  std::string ids[2];
  {
    Child first(writer), second(writer);
    ids[0] = first.rest();
    ids[1] = second.rest();
  }
  auto store = open_store(path);
  ASSERT_TRUE(store);
  for (const std::string& id : ids) {
    const auto record = (*store)->load(id);
    ASSERT_TRUE(record) << record.error().to_text();
    ASSERT_EQ(record->entries.size(), 500u);
    for (std::uint32_t i = 0; i < 500; ++i) ASSERT_EQ(record->entries[i], Entry(sample_trial(i)));
  }
}

TEST(SqliteStore, TwoProcessesMayNotWriteIntoOneRecord) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  const std::string id = make_store(path, 0);
  Child first([&](int pipe) {
    auto store = open_store(path);
    for (std::uint32_t i = 0; i < 100; ++i)
      static_cast<void>((*store)->append(id, sample_trial(i)));
    send(pipe, "x");
    pause();
  });
  ASSERT_EQ(first.next_byte(), 'x');
  auto store = open_store(path);
  const std::string text = path + ": record " + id +
                           " is being written by another process\n  wait until it is done, or "
                           "stop it; 'assay list' shows what is running";
  EXPECT_EQ((*store)->append(id, sample_trial(100)).error().to_text(), text);
  EXPECT_EQ((*store)->conclude(id, sample_conclusion()).error().to_text(), text);
  EXPECT_EQ((*store)->load_to_continue(id.substr(0, 5)).error().to_text(), text);
  EXPECT_EQ((*store)->remove(id).error().to_text(), text);
  EXPECT_EQ(*(*store)->collect(INT64_MAX, Interrupted::drop), 0u);
  EXPECT_TRUE((*store)->list()->front().running);
  EXPECT_FALSE((*store)->list()->front().interrupted);
  EXPECT_EQ((*store)->load(id)->entries.size(), 100u);  // reading goes on
  first.kill_now();
  EXPECT_FALSE((*store)->list()->front().running);
  EXPECT_TRUE((*store)->list()->front().interrupted);
  EXPECT_EQ((*store)->load_to_continue(id)->entries.size(), 100u);
  EXPECT_TRUE((*store)->append(id, sample_trial(100)));
  EXPECT_TRUE((*store)->remove(id));
}

// Where the locks fail (here: their file is taken away) an entry still goes behind what its writer
// has seen, or nowhere.
TEST(SqliteStore, NoEntryIsWrittenTwiceEvenWithoutLocks) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  const std::string id = make_store(path, 3);
  auto one = open_store(path), other = open_store(path);
  ASSERT_EQ((*one)->load_to_continue(id)->entries.size(), 3u);
  std::filesystem::remove(path + "-writers");
  ASSERT_EQ((*other)->load_to_continue(id)->entries.size(), 3u);
  ASSERT_TRUE((*other)->append(id, sample_trial(3)));
  EXPECT_EQ((*one)->append(id, sample_trial(3)).error().what,
            "record " + id + " is being written by another process");
  EXPECT_TRUE((*other)->append(id, sample_trial(4)));
  EXPECT_EQ((*one)->load(id)->entries.size(), 5u);
}

TEST(SqliteStore, TwoNamesOfAStoreAreOneStore) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  const std::string id = make_store(path, 3);
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink(path, folder / "sub/link.db");
  auto one = open_store(path), other = open_store(folder / "sub/link.db");
  ASSERT_TRUE((*one)->load_to_continue(id));
  EXPECT_FALSE((*other)->load_to_continue(id));
}

TEST(SqliteStore, ManyProcessesMayCreateTheSameStore) {
  for (int round = 0; round < 5; ++round) {
    const TempFolder folder;
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < 6; ++i)
      children.push_back(std::make_unique<Child>([&](int pipe) {
        auto store = open_store(folder / ".assay/lab.db");
        if (!store) return send(pipe, store.error().to_text());
        const auto id = (*store)->create(sample_header());
        send(pipe, id ? "ok" : id.error().to_text());
      }));
    for (const auto& child : children) EXPECT_EQ(child->rest(), "ok");
    EXPECT_EQ((*open_store(folder / ".assay/lab.db"))->list()->size(), 6u);
  }
}

// --- damage
// -----------------------------------------------------------------------------------------

TEST(SqliteStore, RefusesFilesThatAreNoStore) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  Random random(1);
  std::string noise;
  for (int i = 0; i < 100000; ++i) noise += static_cast<char>(random.next());
  for (const std::string& bytes :
       {noise, std::string("hello\n"), std::string("SQLite format 3"), noise.substr(0, 1)}) {
    write_file(path, bytes);
    EXPECT_EQ(opening(path),
              path + ": not an assay store: the file is not an SQLite database\n  " + kElsewhere);
    EXPECT_TRUE(read_file(path) == bytes);
  }
  write_file(path, "");  // an empty file, as mktemp leaves it, becomes a store
  EXPECT_EQ(opening(path), "opened");
}

TEST(SqliteStore, NamesATruncatedStore) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  const std::string id = make_store(path, 100);
  const std::string whole = read_file(path);
  const std::string message =
      path +
      ": damaged: database disk image is malformed\n  save what is readable with "
      "'sqlite3 " +
      path + " .recover', and " + kElsewhere;
  for (const std::size_t size : {whole.size() / 2, whole.size() - 4096, std::size_t{4096}}) {
    write_file(path, whole.substr(0, size));
    const auto store = open_store(path);
    const std::string text = !store               ? store.error().to_text()
                             : (*store)->load(id) ? "loaded"
                                                  : (*store)->load(id).error().to_text();
    EXPECT_EQ(text, message) << size;
    EXPECT_TRUE(read_file(path) == whole.substr(0, size));
  }
}

TEST(SqliteStore, SurvivesFlippedBytes) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  const std::string id = make_store(path, 40);
  const std::string whole = read_file(path);
  Random random(2);
  int refused = 0, unreadable = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    // A third of the damage in the header and the schema, where it is worst.
    const std::size_t range = round % 3 == 0 ? 4096 : bytes.size();
    for (std::uint64_t flips = 1 + random.below(8); flips > 0; --flips)
      bytes[100 + random.below(range - 100)] ^= static_cast<char>(1 + random.below(255));
    write_file(path, bytes);
    {
      const auto store = open_store(path);
      if (!store) {
        ++refused;
        EXPECT_FALSE(store.error().what.empty());
      } else {
        static_cast<void>((*store)->list());
        const auto record = (*store)->load(id);
        if (!record) {
          ++unreadable;
          EXPECT_EQ(record.error().where, path);
        }
      }
    }
    EXPECT_TRUE(read_file(path) == bytes) << round;
    std::filesystem::remove(path + "-wal");
    std::filesystem::remove(path + "-shm");
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(unreadable, 50);
}

TEST(SqliteStore, NamesTheRecordAndTheEntryThatAreDamaged) {
  const std::pair<const char*, const char*> cases[] = {
      {"UPDATE entries SET payload = '{\"val' WHERE position = 2",
       "entry 3 is damaged: offset 6: syntax error while parsing object key - invalid string: "
       "missing "
       "closing quote; last read: '\"val'; expected string literal"},
      {"UPDATE entries SET payload = '[]' WHERE position = 0", "entry 1 is damaged: not an object"},
      {"UPDATE entries SET payload = '{\"values\": 3}' WHERE position = 1",
       "entry 2 is damaged: trial: values: not a list"},
      {"UPDATE entries SET payload = '{\"values\": [1, 2]}' WHERE position = 1",
       "entry 2 is damaged: trial: 2 values for 3 metrics"},
      {"UPDATE entries SET arm = 2 WHERE position = 4", "entry 5 is damaged: trial: arm 2 of 2"},
      {"UPDATE entries SET arm = -1 WHERE position = 4",
       "entry 5 is damaged: trial: arm: not between 0 and 4294967295"},
      {"UPDATE entries SET slot = NULL WHERE position = 4",
       "entry 5 is damaged: trial: slot: missing"},
      {"UPDATE entries SET duration_ns = -1 WHERE position = 4",
       "entry 5 is damaged: trial: negative duration"},
      {"UPDATE entries SET payload = json_set(payload, '$.pad', 4096) WHERE position = 4",
       "entry 5 is damaged: trial: pad 4096, at most 4095"},
      {"UPDATE entries SET payload = json_set(payload, '$.memory', json('[' || "
       "rtrim(replace(hex(zeroblob(513)), '00', '[1,2],'), ',') || ']')) WHERE position = 4",
       "entry 5 is damaged: trial: 513 memory samples, at most 512"},
      {"UPDATE entries SET type = 'build', payload = '{\"arm\":9,\"commit\":\"\",\"ok\":true,"
       "\"duration_ns\":1}' WHERE position = 4",
       "entry 5 is damaged: build: arm 9 of 2"},
      {"DELETE FROM entries WHERE position = 1", "entry 2 is damaged: it is missing"},
      {"UPDATE experiments SET plan = ''",
       "the plan is damaged: offset 1: syntax error while parsing "
       "value - unexpected end of input; expected '[', '{', or a literal"},
      {"UPDATE experiments SET plan = json_remove(plan, '$.arms[0]', '$.arms[0]')",
       "the plan is damaged: plan: no arms"},
      {"UPDATE experiments SET plan = json_set(plan, '$.arms[1].argv', json('[]'))",
       "the plan is damaged: plan: an arm without a command"},
      {"UPDATE experiments SET plan = json_set(plan, '$.control', 2)",
       "the plan is damaged: plan: control 2 of 2"},
      {"UPDATE experiments SET plan = json_set(plan, '$.tolerance', 0.0)",
       "the plan is damaged: plan: the tolerance must lie above 0 % and below 100 %, not at 0 %"},
      {"UPDATE experiments SET plan = json_set(plan, '$.max_runs', 4000000000)",
       "the plan is damaged: plan: --max-runs must lie between 6 and 900, not at 4000000000"},
      {"UPDATE experiments SET plan = json_set(plan, '$.arms[0].build', "
       "json('{\"repository\":\"/r\",\"revision\":\"main\",\"commit\":\"--help\"}'))",
       "the plan is damaged: plan: build: commit: no commit"},
      {"UPDATE conclusions SET payload = json_set(payload, '$.findings[0].reading.p_seq', 2.5)",
       "the conclusion is damaged: conclusion: p_seq 2.5 is not between 0 and 1"},
      {"UPDATE experiments SET host = '{}'", "the host is damaged: host: fingerprint: missing"},
      {"UPDATE conclusions SET payload = '{}'",
       "the conclusion is damaged: conclusion: overall: missing"},
      {"UPDATE conclusions SET payload = json_set(payload, '$.findings[0].arm', 2)",
       "the conclusion is damaged: conclusion: arm 2 of 2"},
      {"UPDATE conclusions SET payload = json_set(payload, '$.findings[1].metric', 3)",
       "the conclusion is damaged: conclusion: metric 3 of 3"},
      {"UPDATE conclusions SET payload = json_set(payload, '$.floors', json('[{\"metric\": 3}]'))",
       "the conclusion is damaged: conclusion: metric 3 of 3"},
      {"UPDATE conclusions SET payload = json_set(payload, '$.failed_trial', 5)",
       "the conclusion is damaged: conclusion: failed trial 5 of 5"}};
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  const std::string id = make_store(path, 5);
  const std::string whole = read_file(path);
  for (const auto& [sql, what] : cases) {
    write_file(path, whole);
    run_sql(path, sql);
    auto store = open_store(path);
    ASSERT_TRUE(store) << sql;
    const auto record = (*store)->load(id);
    ASSERT_FALSE(record) << sql;
    EXPECT_EQ(record.error().to_text(), path + ": record " + id + ": " + what +
                                            "\n  the other records are not affected; 'assay rm " +
                                            id + "' removes this one");
    EXPECT_EQ((*store)->list()->size(), 1u);  // still listed
    EXPECT_TRUE((*store)->remove(id));        // and the hint works
  }
}

TEST(SqliteStore, SizeIncludesTheLog) {
  const TempFolder folder;
  const std::string path = folder / "lab.db";
  auto store = open_store(path);
  const std::string id = *(*store)->create(sample_header());
  ASSERT_TRUE((*store)->append(id, sample_trial(0)));
  std::uint64_t bytes = 0;
  for (const char* suffix : {"", "-wal", "-shm"})
    bytes += std::filesystem::file_size(path + suffix);
  EXPECT_EQ((*store)->size_bytes(), bytes);
  store->reset();  // closing leaves one file
  EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
}

}  // namespace
}  // namespace assay::history
