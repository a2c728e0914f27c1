// SPDX-License-Identifier: Apache-2.0
#include "cli/store_access.hpp"

#include <filesystem>
#include <system_error>

#include "base/clock.hpp"

namespace assay::cli {

Result<std::string> store_path(const Arguments& arguments) {
  std::error_code status;
  const std::filesystem::path here = std::filesystem::current_path(status);
  if (status) return fail(system_error("cannot tell the current folder", status.value()));
  return history::locate_store(arguments.value("store"), here.string());
}

Result<std::unique_ptr<history::Store>> open_or_create_store(const Arguments& arguments) {
  const auto path = store_path(arguments);
  if (!path) return fail(path.error());
  return history::open_store(*path);
}

namespace {

Result<std::string> existing_store_path(const Arguments& arguments) {
  auto path = store_path(arguments);
  if (!path) return fail(path.error());
  std::error_code status;
  if (!std::filesystem::exists(*path, status))
    return fail("there is no store here: nothing has been recorded", *path,
                "run 'assay compare A B' first, or name another store with --store PATH");
  return path;
}

}  // namespace

Result<std::unique_ptr<history::Store>> open_existing_store(const Arguments& arguments) {
  const auto path = existing_store_path(arguments);
  if (!path) return fail(path.error());
  return history::open_store(*path);
}

Result<std::unique_ptr<history::Store>> open_store_to_read(const Arguments& arguments) {
  const auto path = existing_store_path(arguments);
  if (!path) return fail(path.error());
  return history::open_store_to_read(*path);
}

std::int64_t now_ms() { return unix_ms(); }

}  // namespace assay::cli
