// SPDX-License-Identifier: Apache-2.0
#include "history/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cctype>
#include <cerrno>
#include <utility>

#include "base/check.hpp"

namespace assay::history {
namespace {

// No row of ours comes near: a longer one is damage, not data.
constexpr int kMaxRowBytes = 64 << 20;

std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  if (path.starts_with("//")) uri += "//";  // else the first part would be a host
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(const Database& database, sqlite3_stmt* statement)
    : database_(&database), statement_(statement) {}

Statement& Statement::bind(std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), ++bound_, value);
  return *this;
}

Statement& Statement::bind(double value) {
  sqlite3_bind_double(statement_.get(), ++bound_, value);
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  sqlite3_bind_text64(statement_.get(), ++bound_, value.data() == nullptr ? "" : value.data(),
                      value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_null() {
  sqlite3_bind_null(statement_.get(), ++bound_);
  return *this;
}

Result<bool> Statement::step() {
  ASSAY_CHECK(bound_ == sqlite3_bind_parameter_count(statement_.get()), "every value is bound");
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  Error error = database_->error(code);
  reset();
  return fail(std::move(error));
}

Result<void> Statement::run() {
  const Result<bool> row = step();
  if (!row) return fail(row.error());
  ASSAY_CHECK(!*row, "a statement that is run has no rows");
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bound_ = 0;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::whole(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(bytes)};
}

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Database::Database(std::string path, std::chrono::milliseconds busy_timeout)
    : path_(std::move(path)), busy_timeout_(busy_timeout) {}

Result<void> Database::connect(const std::string& name, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) return fail(error(code));
  sqlite3_busy_timeout(handle, static_cast<int>(busy_timeout_.count()));
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxRowBytes);
  // A store may come from somebody else: its schema must not run code or rewrite itself.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return {};
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path,
                                                 std::chrono::milliseconds busy_timeout) {
  std::unique_ptr<Database> database(new Database(path, busy_timeout));
  if (auto done = database->connect(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE); !done)
    return fail(done.error());
  // SQLite falls back to reading a file that it may not write; a store is for writing.
  if (auto writable = database->check_writable(); !writable) return fail(writable.error());
  // Takes the place of the automatic checkpoint, which would sync in the middle of a block.
  sqlite3_wal_hook(
      database->handle_.get(),
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<Database*>(self)->wal_pages_ = pages;
        return SQLITE_OK;
      },
      database.get());
  return database;
}

// SQLite reads a store in WAL mode only with the log's index beside it, and where it may not make
// that file it refuses. Without a log there is nothing to index: then the file alone is the store.
Result<std::unique_ptr<Database>> Database::open_to_read(const std::string& path,
                                                         std::chrono::milliseconds busy_timeout) {
  std::unique_ptr<Database> database(new Database(path, busy_timeout));
  if (auto done = database->connect(path, SQLITE_OPEN_READONLY); !done) return fail(done.error());
  const auto readable = database->query_whole("SELECT count(*) FROM sqlite_schema");
  if (readable) return database;
  struct stat log {};
  if (stat((path + "-wal").c_str(), &log) == 0 && log.st_size > 0)
    return fail(
        "cannot be read here: the newest runs are still in its log, and the log's index is missing",
        path, "copy the store and " + path + "-wal to where they may be written");
  if (auto done =
          database->connect(uri_of(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
      !done)
    return fail(done.error());
  return database;
}

Result<void> Database::check_writable() const {
  if (sqlite3_db_readonly(handle_.get(), "main") == 1) return fail(error(SQLITE_READONLY));
  return {};
}

// While others open a new store too, SQLite refuses at once instead of waiting: it cannot tell that
// from a deadlock.
Result<bool> Database::use_log() const {
  const auto deadline = std::chrono::steady_clock::now() + busy_timeout_;
  for (;;) {
    std::string mode;
    const auto keep = [](void* out, int, char** values, char**) {
      *static_cast<std::string*>(out) = values[0] != nullptr ? values[0] : "";
      return 0;
    };
    const int code = sqlite3_exec(handle_.get(), "PRAGMA journal_mode = WAL", keep, &mode, nullptr);
    if (code == SQLITE_OK) return mode == "wal";
    if ((code & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline)
      return fail(error(code));
    sqlite3_sleep(2);
  }
}

Result<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return fail(error(code));
  return Statement(*this, statement);
}

Result<void> Database::execute(const std::string& sql) const {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(error(code));
  return {};
}

Result<std::int64_t> Database::query_whole(std::string_view sql) const {
  Result<Statement> statement = prepare(sql);
  if (!statement) return fail(statement.error());
  const Result<bool> row = statement->step();
  if (!row) return fail(row.error());
  return *row ? statement->whole(0) : 0;
}

std::int64_t Database::changes() const { return sqlite3_changes64(handle_.get()); }
std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }

// Tried: a checkpoint here. It syncs the WAL only as far as the oldest reader of another process
// permits, so with a reader it promises nothing; and it costs a second sync, of the main file.
Result<void> Database::sync() const {
  int moved = 0;
  sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved != 0)
    return fail("the file was removed or replaced while it was written", path_,
                "what was measured until now went with it: start again");
  sqlite3_file* wal = nullptr;
  const int code = sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal);
  if (code != SQLITE_OK) return fail(error(code));
  if (wal == nullptr || wal->pMethods == nullptr) return {};  // nothing written yet
  const int synced = wal->pMethods->xSync(wal, SQLITE_SYNC_NORMAL);
  if (synced != SQLITE_OK) return fail(error(synced, errno));
  return {};
}

void Database::checkpoint() const {
  // Best effort: what stays in the WAL is as safe there.
  sqlite3_wal_checkpoint_v2(handle_.get(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

Result<Transaction> Transaction::begin(const Database& database) {
  if (const auto begun = database.execute("BEGIN IMMEDIATE"); !begun) return fail(begun.error());
  return Transaction(database);
}

Result<Transaction> Transaction::begin_reading(const Database& database) {
  if (const auto begun = database.execute("BEGIN"); !begun) return fail(begun.error());
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  if (database_ != nullptr) static_cast<void>(database_->execute("ROLLBACK"));
}

Result<void> Transaction::commit() {
  const auto committed = database_->execute("COMMIT");
  if (committed) database_ = nullptr;
  return committed;
}

}  // namespace assay::history
