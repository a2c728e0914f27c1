// SPDX-License-Identifier: Apache-2.0
#include "lab/subjects.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "base/process.hpp"

namespace assay::lab {
namespace fs = std::filesystem;
namespace {

bool is_elf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  return file.read(magic, 4) && std::string_view(magic, 4) ==
                                    "\x7f"
                                    "ELF";
}

std::string path_of(const Subject& subject) {
  for (const auto& [name, value] : subject.env)
    if (name == "PATH") return value;
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
}

}  // namespace

std::optional<std::string> executable_of(const Subject& subject) {
  const std::string& name = subject.argv.front();
  if (name.find('/') == std::string::npos) return find_program(name, path_of(subject));
  std::error_code ignored;
  const fs::path path =
      fs::path(subject.cwd.empty() ? fs::current_path(ignored) : fs::path(subject.cwd)) / name;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  return path.string();
}

void digest_executable(Subject& subject) {
  subject.binary_digest.clear();
  if (const auto path = executable_of(subject))
    if (auto digest = sha256_of_file(*path)) subject.binary_digest = *digest;
}

Result<Subject> copy_of(const Subject& subject, const std::string& folder, const std::string& tag) {
  Subject copy = subject;
  const auto path = executable_of(subject);
  if (!path || !is_elf(*path)) return copy;
  const fs::path target = fs::path(folder) / tag / fs::path(*path).filename();
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (!error) fs::copy_file(*path, target, fs::copy_options::overwrite_existing, error);
  if (error)
    return fail("cannot copy the baseline's executable: " + error.message(), target.string(),
                "free some space, or choose another store with --store");
  copy.argv.front() = target.string();
  return copy;
}

}  // namespace assay::lab
