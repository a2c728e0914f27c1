// SPDX-License-Identifier: Apache-2.0
// The Store in one SQLite file. What it promises, and by which means:
//   append       one transaction in the WAL, synchronous=NORMAL: written to the kernel when it
//   returns,
//                so the death of this process loses nothing, a power cut what came after
//                make_durable
//   make_durable one fdatasync of the WAL (Database::sync)
//   sharing      WAL: readers never wait; writers of other processes wait for each other, up to
//                busy_timeout
//   one writer   a lock per record (Writers); and an entry goes to the position behind what this
//   store
//                has seen, or nowhere, so that even without locks no entry is written twice
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "history/sqlite.hpp"
#include "history/store.hpp"
#include "history/writers.hpp"

namespace assay::history {

struct SqliteOptions {
  std::chrono::milliseconds busy_timeout{5000};
};

class SqliteStore : public Store {
 public:
  static Result<std::unique_ptr<Store>> open(const std::string& path, SqliteOptions options = {});
  // Never writes, not even the files that SQLite keeps beside a store where it may.
  static Result<std::unique_ptr<Store>> open_to_read(const std::string& path,
                                                     SqliteOptions options = {});

  Result<std::string> create(const Record& header) override;
  Result<void> append(const std::string& id, const Entry& entry) override;
  Result<void> make_durable() override;
  Result<void> conclude(const std::string& id, const Conclusion& conclusion) override;

  Result<Record> load(const std::string& id) override;
  Result<Record> load_to_continue(const std::string& id) override;
  Result<std::string> find_id(const std::string& id) override;
  Result<std::vector<Summary>> list() override;
  Result<void> remove(const std::string& id) override;

  Result<std::vector<EarlierRun>> earlier_runs(const std::string& key,
                                               std::int64_t since_ms) override;
  Result<void> put_floor(const std::string& host, const std::string& subject_key,
                         const NoiseFloor& floor) override;
  Result<std::vector<NoiseFloor>> floors(const std::string& host, const std::string& subject_key,
                                         std::int64_t since_ms) override;

  std::uint64_t size_bytes() const override;
  std::string location() const override { return database_->path(); }
  Result<std::uint64_t> collect(std::int64_t before_ms, Interrupted interrupted) override;

 private:
  // A record as found by an id or its prefix.
  struct Found {
    std::int64_t number = 0;
    std::string id;
  };

  static std::string real_path(const std::string& path);
  SqliteStore(std::unique_ptr<Database> database, Statement append)
      : database_(std::move(database)),
        append_(std::move(append)),
        writers_(real_path(database_->path())) {}

  // `id` is whole: makes this store its writer, and next_ know its end.
  Result<void> become_writer(const std::string& id);
  // The lock alone; an Error when another process has it.
  Result<void> claim(const std::string& id);
  void give_up(const std::string& id);
  // Why `id` took no entry.
  Error refusal(const std::string& id);
  Result<std::vector<Found>> old_records(std::int64_t before_ms, Interrupted interrupted);

  Result<Found> find(const std::string& prefix);
  Error not_found(const std::string& prefix);
  Result<Record> read_header(const Found& found);
  Result<void> read_entries(const Found& found, Record& record);
  Result<void> read_conclusion(const Found& found, Record& record);

  std::unique_ptr<Database> database_;
  Statement append_;  // kept: preparing costs more than the append
  Writers writers_;
  std::map<std::string, std::int64_t> next_;  // position of the next entry, of the records we write
};

}  // namespace assay::history
