// SPDX-License-Identifier: Apache-2.0
// As much of SQLite as the journal needs: statements that are finished and transactions that are
// rolled back wherever their scope ends, and errors that tell a full disk from a broken file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "prover/base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace prover::daemon {

class Database;

class Statement {
 public:
  // Numbered from 1. The bytes must live until the last step.
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, std::span<const std::byte> blob);
  Statement& bind_null(int index);
  // Whether there is a row.
  Result<bool> step();
  // step() that gives none.
  Result<void> run();

  // Numbered from 0; of the row that step() found.
  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  std::string text(int column) const;
  std::span<const std::byte> blob(int column) const;  // until the next step

 private:
  friend class Database;
  struct Finish {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(const Database& database, sqlite3_stmt* statement)
      : database_(&database), statement_(statement) {}
  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finish> statement_;
};

class Database {
 public:
  // Creates the file (0600 by the process's mask) when there is none.
  static Result<Database> open(const std::string& path);

  Result<void> execute(const std::string& sql);
  Result<Statement> prepare(const char* sql);
  // The error of the last call.
  Error error(const char* doing) const;
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
};

// Rolled back at the end of its scope unless it was committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace prover::daemon
