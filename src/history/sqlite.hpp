// SPDX-License-Identifier: Apache-2.0
// SQLite behind the project's habits: handles that close themselves, Result instead of codes, and
// every code turned into a sentence with a way out (sqlite_error.cpp). Used inside history only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace assay::history {

class Database;

// A prepared statement. Values are bound from 1 in the order of the calls to bind().
class Statement {
 public:
  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view value);
  Statement& bind_null();
  template <class T>
  Statement& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bind_null();
  }

  // Whether there is a (further) row. Behind the last row, and behind an error, it starts anew.
  Result<bool> step();
  // For statements without rows.
  Result<void> run();
  void reset();

  // Columns of the row, from 0.
  bool is_null(int column) const;
  std::int64_t whole(int column) const;
  double real(int column) const;
  std::string text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(const Database& database, sqlite3_stmt* statement);

  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

// One connection. It does not move once statements exist.
class Database {
 public:
  // Opens `path`, creating the file when missing; its folder must exist.
  static Result<std::unique_ptr<Database>> open(const std::string& path,
                                                std::chrono::milliseconds busy_timeout);

  // For reading alone: an existing file, and nothing is written beside it either.
  static Result<std::unique_ptr<Database>> open_to_read(const std::string& path,
                                                        std::chrono::milliseconds busy_timeout);
  // An Error for a database that was opened to read.
  Result<void> check_writable() const;

  // WAL mode, for good; false: the file system cannot hold one.
  Result<bool> use_log() const;

  Result<Statement> prepare(std::string_view sql) const;
  // One or more statements without values and rows.
  Result<void> execute(const std::string& sql) const;
  // The first column of the first row, 0 without rows.
  Result<std::int64_t> query_whole(std::string_view sql) const;

  std::int64_t changes() const;   // rows touched by the last statement
  std::int64_t last_row() const;  // rowid of the last insert

  // Everything committed so far is on the disk when it returns: one fdatasync of the WAL. What is
  // no longer in the WAL was synced by the checkpoint that moved it. Errors: the file's name leads
  // elsewhere by now, so that nobody will find what was written.
  Result<void> sync() const;
  // Moves the WAL into the main file as far as readers permit; never waits.
  void checkpoint() const;
  std::int64_t wal_pages() const { return wal_pages_; }  // as of the last commit of this connection

  // The Error for a code of SQLite's on this connection; `number` is the errno behind it, by
  // default what the connection remembers.
  Error error(int code, std::optional<int> number = {}) const;
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Database(std::string path, std::chrono::milliseconds busy_timeout);
  // `name` is the path, or a URI that leads to it.
  Result<void> connect(const std::string& name, int flags);

  std::string path_;
  std::chrono::milliseconds busy_timeout_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::int64_t wal_pages_ = 0;
};

// A write transaction: holds the write lock from the start, rolls back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(const Database& database);
  // The same for reading: one consistent picture, no lock.
  static Result<Transaction> begin_reading(const Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(const Database& database) : database_(&database) {}
  const Database* database_;
};

}  // namespace assay::history
