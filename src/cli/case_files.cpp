// SPDX-License-Identifier: Apache-2.0
#include "cli/case_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "base/system.hpp"
#include "base/text.hpp"
#include "build/files.hpp"
#include "cases/case_file.hpp"
#include "cli/interrupt.hpp"
#include "cli/store_access.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".toml";
constexpr std::chrono::seconds kPatience{10};

Error not_a_name(const std::string& name) {
  return {fmt::format("'{}' cannot name a case", printable(name)),
          {},
          "letters, digits and _ . - make a name, 64 at most"};
}

Result<std::string> read_text(const CaseFolder& folder, const std::string& name) {
  if (!cases::is_case_name(name)) return fail(not_a_name(name));
  const std::string path = folder.path_of(name);
  std::error_code status;
  if (fs::exists(path, status) && !fs::is_regular_file(path, status))
    return fail("not a file", path);
  if (fs::exists(path, status)) return System::real().read_file(path);
  const auto names = case_names(folder);
  const auto near = nearest(name, names);
  return fail(fmt::format("no case is called '{}'", printable(name)), folder.folder,
              near            ? fmt::format("did you mean '{}'?", *near)
              : names.empty() ? fmt::format("assay case new {} --question TEXT", printable(name))
                              : fmt::format("there are {}", fmt::join(names, ", ")));
}

Result<build::FileLock> lock_of(const CaseFolder& folder) {
  auto lock = build::FileLock::open(folder.folder + "/.lock");
  if (!lock) return fail(lock.error());
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  if (!lock->take(build::FileLock::Mode::exclusive, watch_interrupts(), {}, deadline))
    return fail("another assay is writing the cases", folder.folder, "try again when it is done");
  return lock;
}

}  // namespace

Result<CaseFolder> case_folder(const Arguments& arguments) {
  auto store = store_path(arguments);
  if (!store) return fail(store.error());
  return CaseFolder{.store = *store, .folder = (fs::path(*store).parent_path() / "cases").string()};
}

std::vector<std::string> case_names(const CaseFolder& folder) {
  std::vector<std::string> names;
  std::error_code status;
  for (fs::directory_iterator it(folder.folder, status), end; !status && it != end;
       it.increment(status)) {
    const std::string file = it->path().filename().string();
    if (!file.ends_with(kSuffix)) continue;
    std::string name = file.substr(0, file.size() - kSuffix.size());
    if (cases::is_case_name(name)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

Result<cases::Case> load_case(const CaseFolder& folder, const std::string& name) {
  const auto text = read_text(folder, name);
  if (!text) return fail(text.error());
  return cases::parse_case(*text, folder.path_of(name), name);
}

Result<std::string> create_case(const CaseFolder& folder, const cases::Case& made) {
  if (!cases::is_case_name(made.name)) return fail(not_a_name(made.name));
  const fs::path beside = fs::path(folder.folder).parent_path();
  const auto ready = beside.filename() == ".assay" ? build::make_hidden_folder(beside.string())
                                                   : build::make_folders(beside.string());
  if (!ready) return fail(ready.error());
  if (const auto done = build::make_folders(folder.folder); !done) return fail(done.error());
  const auto lock = lock_of(folder);
  if (!lock) return fail(lock.error());
  const std::string path = folder.path_of(made.name);
  std::error_code status;
  if (fs::exists(path, status))
    return fail(fmt::format("there is a case '{}' already", made.name), path,
                "add to it, edit the file, or choose another name");
  // What was written must be readable: bytes that are not UTF-8 are none of a TOML file.
  const std::string text = cases::to_toml(made);
  if (const auto again = cases::parse_case(text, path, made.name); !again)
    return fail(again.error());
  if (const auto done = build::write_file(path, text); !done) return fail(done.error());
  return path;
}

Result<void> append_to_case(const CaseFolder& folder, const std::string& name,
                            const std::string& tables) {
  if (const auto there = read_text(folder, name); !there) return fail(there.error());
  const auto lock = lock_of(folder);
  if (!lock) return fail(lock.error());
  const auto before = read_text(folder, name);
  if (!before) return fail(before.error());
  const std::string path = folder.path_of(name);
  if (const auto whole = cases::parse_case(*before, path, name); !whole) return fail(whole.error());
  std::string after = *before;
  if (!after.ends_with('\n')) after += '\n';
  after += tables;
  if (const auto whole = cases::parse_case(after, path, name); !whole) return fail(whole.error());
  const auto now = read_text(folder, name);  // an editor takes no lock
  if (!now) return fail(now.error());
  if (*now != *before)
    return fail("the file was changed while it was added to", path, "nothing was written; repeat");
  return build::write_file(path, after);
}

}  // namespace assay::cli
