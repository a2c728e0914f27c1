// SPDX-License-Identifier: Apache-2.0
#include "history/store_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"
#include "history/store.hpp"

namespace assay::history {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = ".assay";
constexpr const char* kFile = "lab.db";
// The index of SQLite's log, and a page of the log.
constexpr std::uintmax_t kLeastSpace = 65536;

bool is_there(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

bool is_folder(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string absolute(const std::string& path, const std::string& cwd) {
  return (fs::path(cwd) / path).lexically_normal().string();
}

// The nearest folder from `cwd` upward that has `name` in it.
std::optional<fs::path> nearest_with(const fs::path& cwd, const fs::path& name) {
  for (fs::path here = cwd;; here = here.parent_path()) {
    if (is_there(here / name)) return here;
    if (here == here.parent_path()) return std::nullopt;
  }
}

fs::path folder_of(const std::string& path) {
  return fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
}

// A store without .gitignore still works, so only a full disk and the like are told, when the store
// itself meets them.
void ignore_in_git(const fs::path& folder) {
  const fs::path file = folder / ".gitignore";
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return;
  [[maybe_unused]] const auto written = write(fd, "*\n", 2);
  close(fd);
}

}  // namespace

bool may_be_written(const std::string& path) {
  const fs::path folder = folder_of(path);
  if (faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) != 0 ||
      faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return false;
  std::error_code unknown;
  const fs::space_info space = fs::space(folder, unknown);
  return unknown || space.available >= kLeastSpace;
}

Result<void> prepare_folder(const std::string& path) {
  const char* elsewhere = "name another store with --store PATH";
  if (path.empty()) return fail("the store has no name", "", elsewhere);
  if (is_folder(path))
    return fail("is a folder, not a store", path,
                "name a file in it: --store " + path + "/" + kFile);
  // SQLite takes a file of one byte for an empty one, and would write over it.
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 1)
    return fail("not an assay store: the file is not an SQLite database", path, elsewhere);
  const fs::path folder = folder_of(path);
  const bool own = folder.filename() == kFolder;
  if (own && !is_there(folder)) {
    if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
      return fail(
          system_error("cannot make the folder of the store", errno, folder.string(), elsewhere));
  }
  if (!is_there(folder))
    return fail("the folder of the store does not exist", path,
                "make it: mkdir -p " + join_command(std::vector<std::string>{folder.string()}));
  if (!is_folder(folder)) return fail("the folder of the store is a file", path, elsewhere);
  // SQLite would fall back to reading, and then speak of a missing file.
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return fail(system_error("the folder of the store cannot be written", errno, path,
                             std::string("make it writable, or ") + elsewhere));
  if (own) ignore_in_git(folder);
  return {};
}

std::string locate_store(const std::optional<std::string>& asked, const std::string& cwd) {
  if (asked) return absolute(*asked, cwd);
  if (const char* named = std::getenv("ASSAY_STORE"); named != nullptr && *named != '\0')
    return absolute(named, cwd);
  const fs::path store = fs::path(kFolder) / kFile;
  fs::path root =
      nearest_with(cwd, store).value_or(nearest_with(cwd, ".git").value_or(fs::path(cwd)));
  return (root / store).lexically_normal().string();
}

}  // namespace assay::history
