// SPDX-License-Identifier: Apache-2.0
// Opening and writing; reading is in sqlite_read.cpp.
#include "history/sqlite_store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

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

constexpr std::string_view kAppend = R"(
INSERT INTO entries (experiment, position, type, arm, block, slot, warmup, started_at_ms,
                     duration_ns, payload)
SELECT number, (SELECT coalesce(max(position) + 1, 0) FROM entries WHERE experiment = number),
       ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
  FROM experiments WHERE id = ?1)";

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

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
  auto mode = database.prepare("PRAGMA journal_mode = WAL");
  if (!mode) return fail(mode.error());
  const auto row = mode->step();
  if (!row) return fail(row.error());
  if (mode->text(0) != "wal")
    return fail("this file system cannot hold a store: it has no shared memory for the log",
                database.path(), "name another store with --store PATH");
  mode->reset();
  return database.execute(
      "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;");
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
    insert->bind(id).bind(header.created_at_ms).bind(to_word(header.plan.kind));
    insert->bind(title_of(header.plan)).bind(key).bind(host).bind(plan);
    if (const auto done = insert->run(); !done) return fail(done.error());
    if (database_->changes() == 1) return id;  // else the id is taken: once in 10^12 / records
  }
}

Result<void> SqliteStore::append(const std::string& id, const Entry& entry) {
  append_.bind(id);
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
  if (database_->changes() == 0) return fail(not_found(id));
  return {};
}

Result<void> SqliteStore::make_durable() {
  if (const auto synced = database_->sync(); !synced) return synced;
  if (database_->wal_pages() >= kCheckpointPages) database_->checkpoint();
  return {};
}

Result<void> SqliteStore::conclude(const std::string& id, const Conclusion& conclusion) {
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
  insert->bind(id).bind(now_ms()).bind(to_word(conclusion.overall));
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
  return statement->bind(found->number).run();
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

Result<std::uint64_t> SqliteStore::collect(std::int64_t before_ms) {
  auto statement = database_->prepare("DELETE FROM experiments WHERE created_at_ms < ?");
  if (!statement) return fail(statement.error());
  if (const auto done = statement->bind(before_ms).run(); !done) return fail(done.error());
  const auto removed = static_cast<std::uint64_t>(database_->changes());
  if (const auto done = database_->execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"); !done)
    return fail(done.error().within(fmt::format("removed {} record{}, but could not compact",
                                                removed, removed == 1 ? "" : "s")));
  return removed;
}

Result<std::unique_ptr<Store>> open_store(const std::string& path) {
  return SqliteStore::open(path);
}

}  // namespace assay::history
