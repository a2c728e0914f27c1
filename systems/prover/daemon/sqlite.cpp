// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "prover/base/text.hpp"

namespace prover::daemon {
namespace {

// Empty texts and blobs are not NULL.
template <class View>
const char* begin_of(const View& view) {
  return view.empty() ? "" : reinterpret_cast<const char*>(view.data());
}

}  // namespace

void Statement::Finish::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

// A failing bind (an index of none, a blob of 1 GB) is repeated by the step behind it.
Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), index, begin_of(text), text.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int index, std::span<const std::byte> blob) {
  sqlite3_bind_blob64(statement_.get(), index, begin_of(blob), blob.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind_null(int index) {
  sqlite3_bind_null(statement_.get(), index);
  return *this;
}

Result<bool> Statement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return fail(database_->error("the journal refuses a statement"));
}

Result<void> Statement::run() {
  const auto row = step();
  if (!row) return fail(row.error());
  return {};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::span<const std::byte> Statement::blob(int column) const {
  const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Result<Database> Database::open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(
      path.c_str(), &handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  Database database(handle, path);
  if (status != SQLITE_OK) return fail(database.error("the journal cannot be opened"));
  return database;
}

Result<void> Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return fail(error("the journal refuses a statement"));
}

Result<Statement> Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql, -1, &statement, nullptr) != SQLITE_OK)
    return fail(error("the journal refuses a statement"));
  return Statement(*this, statement);
}

Error Database::error(const char* doing) const {
  const int code = handle_ ? sqlite3_extended_errcode(handle_.get()) : SQLITE_NOMEM;
  const std::string where = printable(path_);
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {"the journal's disk is full", where,
              "make room; jobs that were taken are safe, and new ones are refused until then",
              ErrorKind::exhausted};
    case SQLITE_BUSY:
      return {"another daemon has this journal open", where,
              "stop it, or give this one a journal of its own ([journal] path)", ErrorKind::usage};
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {fmt::format("{}: {}", doing, sqlite3_errmsg(handle_.get())), where,
              "its folder must be there and belong to the user that the daemon runs as",
              ErrorKind::usage};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {"this is no journal, or a damaged one", where,
              "move it away and start again; jobs that were in it must be submitted again",
              ErrorKind::usage};
    default:
      return {fmt::format("{}: {}", doing,
                          handle_ ? sqlite3_errmsg(handle_.get()) : "no memory for it"),
              where, "", ErrorKind::failed};
  }
}

Result<Transaction> Transaction::begin(Database& database) {
  if (auto begun = database.execute("BEGIN IMMEDIATE"); !begun) return fail(begun.error());
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

// SQLite has rolled back by itself after some errors; then this fails, and that is fine.
Transaction::~Transaction() {
  if (database_ != nullptr) static_cast<void>(database_->execute("ROLLBACK"));
}

Result<void> Transaction::commit() {
  if (auto done = database_->execute("COMMIT"); !done) return done;
  database_ = nullptr;
  return {};
}

}  // namespace prover::daemon
