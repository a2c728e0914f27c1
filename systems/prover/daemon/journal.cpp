// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "prover/base/text.hpp"

namespace prover::daemon {
namespace {

constexpr int kVersion = 1;
constexpr int kApplication = 0x50524a31;  // "PRJ1": file(1) and other programs can tell

constexpr const char* kSchema =
    "CREATE TABLE job("
    "  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, client TEXT NOT NULL,"
    "  request TEXT NOT NULL, digest TEXT NOT NULL, circuit TEXT NOT NULL,"
    "  seed INTEGER, partitions INTEGER NOT NULL, priority INTEGER NOT NULL, deadline INTEGER,"
    "  submitted INTEGER NOT NULL, ended INTEGER NOT NULL, state INTEGER NOT NULL,"
    "  error_kind INTEGER, error_what TEXT, error_where TEXT, error_hint TEXT);"
    "CREATE TABLE witness(job TEXT NOT NULL, partition INTEGER NOT NULL, bytes BLOB NOT NULL,"
    "  PRIMARY KEY(job, partition)) WITHOUT ROWID;"
    "CREATE TABLE answer(job TEXT NOT NULL, partition INTEGER NOT NULL, proof TEXT NOT NULL,"
    "  publics TEXT NOT NULL, PRIMARY KEY(job, partition)) WITHOUT ROWID;";

constexpr const char* kColumns =
    "id, client, request, digest, circuit, seed, partitions, priority, deadline, submitted, ended, "
    "state, error_kind, error_what, error_where, error_hint";

Result<std::int64_t> number_of(Database& database, const char* pragma) {
  auto statement = database.prepare(pragma);
  if (!statement) return fail(statement.error());
  const auto row = statement->step();
  if (!row) return fail(row.error());
  return *row ? statement->integer(0) : 0;
}

void bind(Statement& row, const StoredJob& job) {
  const JobStatus& s = job.status;
  row.bind(1, s.id).bind(2, s.client).bind(3, s.request_id).bind(4, job.digest);
  row.bind(5, s.circuit).bind(7, std::int64_t{s.partitions}).bind(8, std::int64_t{s.priority});
  if (job.seed) row.bind(6, static_cast<std::int64_t>(*job.seed));
  if (job.deadline) row.bind(9, *job.deadline);
  row.bind(10, s.submitted).bind(11, s.ended).bind(12, static_cast<std::int64_t>(s.state));
}

// The row may be from a damaged file or an edited one.
Result<StoredJob> read_job(const Statement& row, const std::string& path) {
  StoredJob job;
  JobStatus& s = job.status;
  s.id = row.text(0);
  s.client = row.text(1);
  s.request_id = row.text(2);
  job.digest = row.text(3);
  s.circuit = row.text(4);
  if (!row.is_null(5)) job.seed = static_cast<std::uint64_t>(row.integer(5));
  const std::int64_t partitions = row.integer(6), priority = row.integer(7),
                     state = row.integer(11);
  if (!row.is_null(8)) job.deadline = row.integer(8);
  s.submitted = row.integer(9);
  s.ended = row.integer(10);
  if (partitions < 1 || partitions > 65536 || priority != static_cast<std::int32_t>(priority) ||
      state < 0 || state > static_cast<int>(JobState::cancelled))
    return fail(ErrorKind::usage,
                fmt::format("job {} has values that no daemon writes", printable(s.id)),
                printable(path), "move the journal away, or delete the job from it with sqlite3");
  s.partitions = static_cast<std::uint32_t>(partitions);
  s.priority = static_cast<std::int32_t>(priority);
  s.state = static_cast<JobState>(state);
  if (!row.is_null(12)) {
    const std::int64_t last = static_cast<int>(ErrorKind::self_check);
    job.error = Error{row.text(13), row.text(14), row.text(15),
                      static_cast<ErrorKind>(std::clamp<std::int64_t>(row.integer(12), 0, last))};
    s.error = job.error->to_text();
  }
  return job;
}

Result<void> run_for(Database& database, const char* sql, const std::string& id) {
  auto statement = database.prepare(sql);
  if (!statement) return fail(statement.error());
  return statement->bind(1, id).run();
}

}  // namespace

const char* state_name(JobState state) {
  constexpr const char* kNames[] = {"pending", "done", "failed", "cancelled"};
  return kNames[static_cast<std::size_t>(state)];
}

Result<std::unique_ptr<Journal>> Journal::open(const std::string& path) {
  const bool durable = path != "memory";
  if (durable) {
    std::error_code ignored;  // opening says what is wrong
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  }
  auto database = Database::open(durable ? path : ":memory:");
  if (!database) return fail(database.error());
  std::unique_ptr<Journal> journal(new Journal(std::move(*database), durable));
  if (auto ready = journal->prepare(); !ready) return fail(ready.error());
  return journal;
}

Result<void> Journal::prepare() {
  for (const char* sql :
       {"PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL",
        "PRAGMA secure_delete=ON", "PRAGMA journal_size_limit=67108864"})
    if (auto done = database_.execute(sql); !done) return done;
  // Takes the lock, which lasts as long as the file is open.
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  const auto version = number_of(database_, "PRAGMA user_version");
  if (!version) return fail(version.error());
  const auto application = number_of(database_, "PRAGMA application_id");
  if (!application) return fail(application.error());
  const auto tables = number_of(database_, "SELECT count(*) FROM sqlite_schema");
  if (!tables) return fail(tables.error());
  if (*tables == 0 && *version == 0) {
    if (auto made =
            database_.execute(fmt::format("{}PRAGMA user_version={}; PRAGMA application_id={};",
                                          kSchema, kVersion, kApplication));
        !made)
      return made;
  } else if (*application != kApplication) {
    return fail(ErrorKind::usage, "a database of another program", printable(path()),
                "give [journal] path a file of its own");
  } else if (*version != kVersion) {
    return fail(ErrorKind::usage, fmt::format("a journal of version {}", *version),
                printable(path()), fmt::format("this daemon writes version {}", kVersion));
  }
  return transaction->commit();
}

Result<void> Journal::limit(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto page = number_of(database_, "PRAGMA page_size");
  if (!page) return fail(page.error());
  return database_.execute(
      fmt::format("PRAGMA max_page_count={}", bytes / static_cast<std::uint64_t>(*page)));
}

Result<void> Journal::add(const StoredJob& job, std::span<const work::WitnessFile> witnesses) {
  const std::lock_guard lock(mutex_);
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  auto row = database_.prepare(
      "INSERT INTO job(id, client, request, digest, circuit, seed, partitions, priority, deadline,"
      " submitted, ended, state) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!row) return fail(row.error());
  bind(*row, job);
  if (auto done = row->run(); !done) return done;
  for (std::size_t i = 0; i < witnesses.size(); ++i) {
    auto witness = database_.prepare("INSERT INTO witness VALUES(?,?,?)");
    if (!witness) return fail(witness.error());
    witness->bind(1, job.status.id).bind(2, static_cast<std::int64_t>(i));
    if (auto done = witness->bind(3, std::span<const std::byte>(*witnesses[i])).run(); !done)
      return done;
  }
  return transaction->commit();
}

Result<void> Journal::end(const std::string& id, const JobEnd& end, UnixMs when) {
  const std::lock_guard lock(mutex_);
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  if (auto done = run_for(database_, "DELETE FROM witness WHERE job=?", id); !done) return done;
  for (std::size_t i = 0; i < end.answers.size(); ++i) {
    auto answer = database_.prepare("INSERT INTO answer VALUES(?,?,?,?)");
    if (!answer) return fail(answer.error());
    answer->bind(1, id).bind(2, static_cast<std::int64_t>(i));
    answer->bind(3, end.answers[i].proof).bind(4, end.answers[i].publics);
    if (auto done = answer->run(); !done) return done;
  }
  auto row = database_.prepare(
      "UPDATE job SET state=?, ended=?, error_kind=?, error_what=?, error_where=?, error_hint=? "
      "WHERE id=?");
  if (!row) return fail(row.error());
  row->bind(1, static_cast<std::int64_t>(end.state)).bind(2, when).bind(7, id);
  if (end.error) {
    row->bind(3, static_cast<std::int64_t>(end.error->kind)).bind(4, end.error->what);
    row->bind(5, end.error->where).bind(6, end.error->hint);
  }
  if (auto done = row->run(); !done) return done;
  if (auto done = transaction->commit(); !done) return done;
  forget_witnesses();
  return {};
}

// Deleted witnesses are overwritten in the file, but lie in the write-ahead log until that is
// written anew. What fails here is tried again at the next end.
void Journal::forget_witnesses() {
  const auto left = number_of(database_, "SELECT count(*) FROM witness");
  if (left && *left == 0)
    static_cast<void>(number_of(database_, "PRAGMA wal_checkpoint(TRUNCATE)"));
}

Result<void> Journal::forget(std::span<const std::string> ids) {
  if (ids.empty()) return {};
  const std::lock_guard lock(mutex_);
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  for (const std::string& id : ids)
    for (const char* sql : {"DELETE FROM witness WHERE job=?", "DELETE FROM answer WHERE job=?",
                            "DELETE FROM job WHERE id=?"})
      if (auto done = run_for(database_, sql, id); !done) return done;
  return transaction->commit();
}

Result<std::vector<StoredJob>> Journal::jobs() {
  const std::lock_guard lock(mutex_);
  auto row = database_.prepare(fmt::format("SELECT {} FROM job ORDER BY number", kColumns).c_str());
  if (!row) return fail(row.error());
  std::vector<StoredJob> jobs;
  for (;;) {
    const auto there = row->step();
    if (!there) return fail(there.error());
    if (!*there) return jobs;
    auto job = read_job(*row, path());
    if (!job) return fail(job.error());
    jobs.push_back(std::move(*job));
  }
}

Result<std::vector<work::WitnessFile>> Journal::witnesses(const std::string& id) {
  const std::lock_guard lock(mutex_);
  auto row = database_.prepare("SELECT bytes FROM witness WHERE job=? ORDER BY partition");
  if (!row) return fail(row.error());
  row->bind(1, id);
  std::vector<work::WitnessFile> files;
  for (;;) {
    const auto there = row->step();
    if (!there) return fail(there.error());
    if (!*there) return files;
    const auto bytes = row->blob(0);
    files.push_back(std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end()));
  }
}

Result<std::vector<work::PartitionJson>> Journal::answers(const std::string& id) {
  const std::lock_guard lock(mutex_);
  auto row = database_.prepare("SELECT proof, publics FROM answer WHERE job=? ORDER BY partition");
  if (!row) return fail(row.error());
  row->bind(1, id);
  std::vector<work::PartitionJson> answers;
  for (;;) {
    const auto there = row->step();
    if (!there) return fail(there.error());
    if (!*there) return answers;
    answers.push_back({row->text(0), row->text(1)});
  }
}

}  // namespace prover::daemon
