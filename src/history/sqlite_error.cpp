// SPDX-License-Identifier: Apache-2.0
// SQLite's codes as sentences: what happened to the store, and the way out.
#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <system_error>

#include "base/text.hpp"
#include "history/sqlite.hpp"

namespace assay::history {
namespace {

constexpr const char* kElsewhere = "name another store with --store PATH";

std::string system_text(int number) { return std::generic_category().message(number); }

// Codes behind which the file system said why.
Error io_error(int number, const std::string& path) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
      return {"the disk is full", path, fmt::format("free some space, or {}", kElsewhere)};
    case EFBIG:
      return {"the file may not grow: " + system_text(number), path,
              fmt::format("raise the limit (ulimit -f), or {}", kElsewhere)};
    case EACCES:
    case EPERM:
    case EROFS:
      return {"cannot be written: " + system_text(number), path,
              fmt::format("make the file and its folder writable, or {}", kElsewhere)};
    default:
      return {"cannot be read or written: " + system_text(number == 0 ? EIO : number), path,
              fmt::format("look at the disk, or {}", kElsewhere)};
  }
}

// The errno of the last failed call on a file of SQLite's, 0 when it does not tell.
int last_errno(sqlite3_file* file) {
  int number = 0;
  if (file != nullptr && file->pMethods != nullptr)
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}

// The errno behind an error. The connection remembers it for opening only; for the rest the files
// know.
int errno_of(sqlite3* handle) {
  if (const int number = sqlite3_system_errno(handle); number != 0) return number;
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(handle, "main", which, &file);
    if (const int number = last_errno(file); number != 0) return number;
  }
  return 0;
}

}  // namespace

Error Database::error(int code, std::optional<int> known) const {
  sqlite3* handle = handle_.get();
  const std::string text = handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle);
  const int number = known ? *known : handle == nullptr ? 0 : errno_of(handle);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {fmt::format("locked by another process for more than {}",
                          format_seconds(std::chrono::duration<double>(busy_timeout_).count())),
              path_, fmt::format("wait until the other one is done, or {}", kElsewhere)};
    case SQLITE_FULL:
      return io_error(ENOSPC, path_);
    case SQLITE_IOERR:
      return io_error(number, path_);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {"cannot be written: it is read-only", path_,
              fmt::format("make the file and its folder writable, or {}", kElsewhere)};
    case SQLITE_CANTOPEN:
      if (number == EACCES || number == EROFS || number == EPERM || number == ENOSPC ||
          number == EDQUOT)
        return io_error(number, path_);
      return {"cannot be opened: " + (number == 0 ? text : system_text(number)), path_, kElsewhere};
    case SQLITE_NOTADB:
      return {"not an assay store: the file is not an SQLite database", path_, kElsewhere};
    case SQLITE_ERROR:  // our statements are right: the tables are not
    case SQLITE_CORRUPT:
    case SQLITE_TOOBIG:
      return {"damaged: " + text, path_,
              fmt::format("save what is readable with 'sqlite3 {} .recover', and {}",
                          printable(path_), kElsewhere)};
    default:
      return {"SQLite says: " + printable(text), path_, kElsewhere};
  }
}

}  // namespace assay::history
