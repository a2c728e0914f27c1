// SPDX-License-Identifier: Apache-2.0
// Opening and writing; reading is in sqlite_read.cpp.
#include "history/sqlite_store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "history/schema.hpp"
#include "history/store_folder.hpp"
#include "model/codec.hpp"
#include "model/words.hpp"

namespace assay::history {
namespace {

// A WAL of this size is moved into the main file at the end of a block (4 MiB; SQLite's own
// default).
constexpr std::int64_t kCheckpointPages = 1000;

// No row when the record is gone, complete, or has an entry at this position.
constexpr std::string_view kAppend = R"(
INSERT OR IGNORE INTO entries (experiment, position, type, arm, block, slot, warmup, started_at_ms,
                               duration_ns, payload)
SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
  FROM experiments LEFT JOIN conclusions ON experiment = number
 WHERE id = ?1 AND coalesce(ended_by, 'interrupted') = 'interrupted')";

// 41 bits of the kernel's generator.
std::string random_id() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::uint64_t seed = random_seed();
  std::string id(8, ' ');
  for (char& letter : id) {
    letter = kLetters[seed % kLetters.size()];
    seed /= kLetters.size();
  }
  return id;
}

std::string title_of(const Plan& plan) {
  if (!plan.name.empty()) return plan.name;
  if (plan.kind == PlanKind::sweep && !plan.id_for_order.empty()) return plan.id_for_order;
  if (plan.design) return join_command(plan.arms.back().argv);  // one command, many variants
  std::string title;
  for (const Subject& arm : plan.arms) {
    if (!title.empty()) title += " vs ";
    title += arm.label.empty() ? join_command(arm.argv) : arm.label;
  }
  return title;
}

// The members of an entry that are not columns.
std::string payload_of(const Entry& entry) {
  constexpr std::array<std::string_view, 7> kColumns = {
      "type", "arm", "block", "slot", "warmup", "started_at_ms", "duration_ns"};
  const std::size_t columns = std::holds_alternative<Trial>(entry) ? kColumns.size() : 1;
  const Json whole = to_json(entry);
  Json::Object rest;
  for (const auto& [name, value] : whole.members())
    if (std::find(kColumns.begin(), kColumns.begin() + columns, name) == kColumns.begin() + columns)
      rest.emplace_back(name, value);
  return Json(std::move(rest)).dump();
}

double smallest_p(const Plan& plan, const Conclusion& conclusion) {
  double p = 1;
  for (const MetricFinding& finding : conclusion.findings)
    if (finding.metric < plan.metrics.size() && plan.metrics[finding.metric].gating)
      p = std::min(p, finding.reading.p_seq);
  return p;
}

Result<void> set_up(const Database& database) {
  if (const auto ready = prepare_schema(database); !ready) return ready;
  const auto logs = database.use_log();
  if (!logs) return fail(logs.error());
  if (!*logs)
    return fail("this file system cannot hold a store: it has no shared memory for the log",
                database.path(), "name another store with --store PATH");
  return database.execute(
      "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;");
}

Error complete(const std::string& id, const std::string& location) {
  return {fmt::format("record {} is complete: there is nothing to resume", printable(id)), location,
          fmt::format("'assay show {}' prints it", printable(id))};
}

Error written_elsewhere(const std::string& id, const std::string& location) {
  return {fmt::format("record {} is being written by another process", printable(id)), location,
          "wait until it is done, or stop it; 'assay list' shows what is running"};
}

}  // namespace

Result<std::unique_ptr<Store>> SqliteStore::open(const std::string& path, SqliteOptions options) {
  if (const auto folder = prepare_folder(path); !folder) return fail(folder.error());
  auto database = Database::open(path, options.busy_timeout);
  if (!database) return fail(database.error());
  if (const auto ready = set_up(**database); !ready) return fail(ready.error());
  auto append = (*database)->prepare(kAppend);
  if (!append) return fail(append.error());
  return std::unique_ptr<Store>(new SqliteStore(std::move(*database), std::move(*append)));
}

Result<std::unique_ptr<Store>> SqliteStore::open_to_read(const std::string& path,
                                                         SqliteOptions options) {
  auto database = Database::open_to_read(path, options.busy_timeout);
  if (!database) return fail(database.error());
  if (const auto known = check_schema(**database); !known) return fail(known.error());
  if (const auto set = (*database)->execute("PRAGMA cell_size_check = ON"); !set)
    return fail(set.error());
  auto append = (*database)->prepare(kAppend);
  if (!append) return fail(append.error());
  return std::unique_ptr<Store>(new SqliteStore(std::move(*database), std::move(*append)));
}

// Two names of one store must lead to the same locks.
std::string SqliteStore::real_path(const std::string& path) {
  std::error_code unknown;
  const auto real = std::filesystem::canonical(path, unknown);
  return unknown ? path : real.string();
}

Result<void> SqliteStore::claim(const std::string& id) {
  if (const auto writable = database_->check_writable(); !writable) return writable;
  const auto claimed = writers_.claim(id);
  if (!claimed) return fail(claimed.error());
  if (!*claimed) return fail(written_elsewhere(id, location()));
  return {};
}

void SqliteStore::give_up(const std::string& id) {
  writers_.release(id);
  next_.erase(id);
}

Result<void> SqliteStore::become_writer(const std::string& id) {
  if (next_.contains(id)) return {};
  if (const auto claimed = claim(id); !claimed) return claimed;
  auto end = database_->prepare(
      "SELECT (SELECT coalesce(max(position) + 1, 0) FROM entries WHERE experiment = number),"
      "       coalesce(ended_by, 'interrupted') = 'interrupted'"
      "  FROM experiments LEFT JOIN conclusions ON experiment = number WHERE id = ?");
  const auto row = end ? end->bind(id).step() : fail(end.error());
  if (row && *row && end->whole(1) != 0) {
    next_[id] = end->whole(0);
    return {};
  }
  Error error = !row ? row.error() : *row ? complete(id, location()) : not_found(id);
  give_up(id);
  return fail(std::move(error));
}

Result<std::string> SqliteStore::create(const Record& header) {
  auto insert = database_->prepare(
      "INSERT OR IGNORE INTO experiments (id, created_at_ms, kind, title, comparison_key, host, "
      "plan) "
      "VALUES (?, ?, ?, ?, ?, ?, ?)");
  if (!insert) return fail(insert.error());
  const std::string plan = to_json(header.plan).dump(), host = to_json(header.host).dump();
  const std::string key = comparison_key(header.plan);
  for (;;) {
    const std::string id = random_id();
    if (const auto claimed = claim(id); !claimed) return fail(claimed.error());
    insert->bind(id).bind(header.created_at_ms).bind(to_word(header.plan.kind));
    insert->bind(title_of(header.plan)).bind(key).bind(host).bind(plan);
    const auto done = insert->run();
    if (done && database_->changes() == 1) {
      next_[id] = 0;
      return id;
    }
    give_up(id);
    if (!done) return fail(done.error());
    // The id is taken: once in 10^12 / records.
  }
}

Result<void> SqliteStore::append(const std::string& id, const Entry& entry) {
  if (const auto ours = become_writer(id); !ours) return ours;
  append_.bind(id).bind(next_[id]);
  if (const auto* trial = std::get_if<Trial>(&entry)) {
    append_.bind("trial").bind(std::int64_t{trial->arm}).bind(std::int64_t{trial->block});
    append_.bind(std::int64_t{trial->slot}).bind(std::int64_t{trial->warmup});
    append_.bind(trial->started_at_ms).bind(std::int64_t{trial->duration.count()});
  } else {
    append_.bind(std::holds_alternative<Build>(entry) ? "build" : "stop");
    for (int column = 0; column < 6; ++column) append_.bind_null();
  }
  append_.bind(payload_of(entry));
  if (const auto done = append_.run(); !done) return done;
  if (database_->changes() == 0) return fail(refusal(id));
  ++next_[id];
  return {};
}

Error SqliteStore::refusal(const std::string& id) {
  const auto found = find(id);
  if (!found) {
    give_up(id);
    return found.error();
  }
  auto end = database_->prepare("SELECT 1 FROM entries WHERE experiment = ? AND position = ?");
  const auto taken = end ? end->bind(found->number).bind(next_[id]).step() : fail(end.error());
  if (!taken) return taken.error();
  if (*taken) return written_elsewhere(id, location());
  return complete(id, location());
}

Result<void> SqliteStore::make_durable() {
  if (const auto synced = database_->sync(); !synced) return synced;
  if (database_->wal_pages() >= kCheckpointPages) database_->checkpoint();
  return {};
}

Result<void> SqliteStore::conclude(const std::string& id, const Conclusion& conclusion) {
  if (const auto ours = become_writer(id); !ours) return ours;
  auto plan_text = database_->prepare("SELECT plan FROM experiments WHERE id = ?");
  if (!plan_text) return fail(plan_text.error());
  const auto row = plan_text->bind(id).step();
  if (!row) return fail(row.error());
  if (!*row) return fail(not_found(id));
  const auto json = parse_json(plan_text->text(0));
  plan_text->reset();
  const auto plan = json ? plan_from_json(*json) : fail(json.error());
  if (!plan) return fail(plan.error().within("record " + id));

  auto insert = database_->prepare(
      "INSERT OR REPLACE INTO conclusions (experiment, concluded_at_ms, overall, ended_by, "
      "payload, "
      "p_seq) SELECT number, ?2, ?3, ?4, ?5, ?6 FROM experiments WHERE id = ?1");
  if (!insert) return fail(insert.error());
  insert->bind(id).bind(unix_ms()).bind(to_word(conclusion.overall));
  insert->bind(to_word(conclusion.ended_by)).bind(to_json(conclusion).dump());
  if (const auto done = insert->bind(smallest_p(*plan, conclusion)).run(); !done) return done;
  if (database_->changes() == 0) return fail(not_found(id));
  return make_durable();
}

Result<void> SqliteStore::remove(const std::string& id) {
  const auto found = find(id);
  if (!found) return fail(found.error());
  auto statement = database_->prepare("DELETE FROM experiments WHERE number = ?");
  if (!statement) return fail(statement.error());
  const bool ours = writers_.has(found->id);
  if (const auto claimed = claim(found->id); !claimed) return claimed;
  const auto done = statement->bind(found->number).run();
  if (done || !ours) give_up(found->id);
  return done;
}

Result<void> SqliteStore::put_floor(const std::string& host, const std::string& subject_key,
                                    const NoiseFloor& floor) {
  auto insert = database_->prepare(
      "INSERT OR REPLACE INTO floors (host, subject_key, metric, measured_at_ms, sys_sigma, sys_k, "
      "pair_sigma) VALUES (?, ?, ?, ?, ?, ?, ?)");
  if (!insert) return fail(insert.error());
  insert->bind(host).bind(subject_key).bind(floor.metric).bind(floor.measured_at_ms);
  return insert->bind(floor.sys_sigma).bind(std::int64_t{floor.sys_k}).bind(floor.pair_sigma).run();
}

std::uint64_t SqliteStore::size_bytes() const {
  std::uint64_t bytes = 0;
  for (const char* suffix : {"", "-wal", "-shm"}) {
    struct stat status {};
    if (stat((database_->path() + suffix).c_str(), &status) == 0)
      bytes += static_cast<std::uint64_t>(status.st_size);
  }
  return bytes;
}

Result<std::vector<SqliteStore::Found>> SqliteStore::old_records(std::int64_t before_ms,
                                                                 Interrupted interrupted) {
  auto query = database_->prepare(
      "SELECT number, id, coalesce(ended_by, 'interrupted') = 'interrupted'"
      "  FROM experiments LEFT JOIN conclusions ON experiment = number WHERE created_at_ms < ?");
  if (!query) return fail(query.error());
  query->bind(before_ms);
  std::vector<Found> records;
  for (;;) {
    const auto row = query->step();
    if (!row) return fail(row.error());
    if (!*row) return records;
    const bool can_be_resumed = query->whole(2) != 0;
    const std::string id = query->text(1);
    const bool stays = can_be_resumed && (interrupted == Interrupted::keep || writers_.has(id) ||
                                          writers_.is_elsewhere(id));
    if (!stays) records.push_back({query->whole(0), id});
  }
}

Result<std::uint64_t> SqliteStore::collect(std::int64_t before_ms, Interrupted interrupted) {
  if (const auto writable = database_->check_writable(); !writable) return fail(writable.error());
  std::uint64_t removed = 0;
  {
    auto transaction = Transaction::begin(*database_);
    if (!transaction) return fail(transaction.error());
    const auto old = old_records(before_ms, interrupted);
    if (!old) return fail(old.error());
    auto statement = database_->prepare("DELETE FROM experiments WHERE number = ?");
    if (!statement) return fail(statement.error());
    for (const Found& record : *old) {
      if (const auto done = statement->bind(record.number).run(); !done) return fail(done.error());
      removed += static_cast<std::uint64_t>(database_->changes());
    }
    if (const auto done = transaction->commit(); !done) return fail(done.error());
  }
  if (const auto done = database_->execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"); !done)
    return fail(done.error().within(fmt::format("removed {} record{}, but could not compact",
                                                removed, removed == 1 ? "" : "s")));
  return removed;
}

Result<std::unique_ptr<Store>> open_store(const std::string& path) {
  return SqliteStore::open(path);
}

Result<std::unique_ptr<Store>> open_store_to_read(const std::string& path) {
  return may_be_written(path) ? SqliteStore::open(path) : SqliteStore::open_to_read(path);
}

}  // namespace assay::history
