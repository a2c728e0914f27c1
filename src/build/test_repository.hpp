// SPDX-License-Identifier: Apache-2.0
// For tests: real repositories in temporary folders, and a fingerprint that shows any touch.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/process.hpp"
#include "build/files.hpp"

namespace assay::build {

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::string& path, std::string_view text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// Everything below `folder` but `except`: names, kinds, modes, inodes, link counts, times,
// contents. Access times are left out: reading changes them.
inline std::string fingerprint(const std::string& folder, const std::string& except = {}) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths{folder};
  for (fs::recursive_directory_iterator it(folder), end; it != end; ++it) {
    if (it->path() == except)
      it.disable_recursion_pending();
    else
      paths.push_back(it->path().string());
  }
  std::ranges::sort(paths);
  std::string text;
  for (const std::string& path : paths) {
    struct stat s {};
    ::lstat(path.c_str(), &s);
    // A store inside the checkout is an entry of its folder, whose own times therefore change.
    const bool timed = except.empty() || path != folder;
    text += fmt::format("{} {:o} {} {} {}\n", path, s.st_mode, s.st_ino, timed ? s.st_nlink : 0,
                        S_ISREG(s.st_mode) ? sha256(read_text(path)) : "");
    if (timed)
      text += fmt::format("  {}.{} {}.{}\n", s.st_mtim.tv_sec, s.st_mtim.tv_nsec, s.st_ctim.tv_sec,
                          s.st_ctim.tv_nsec);
  }
  return text;
}

class TestRepository {
 public:
  explicit TestRepository(const std::string& name = "project", const std::string& init = "init")
      : folder_(*TemporaryFolder::make()) {
    root = std::filesystem::canonical(folder_.path()).string();
    top = root + "/" + name;
    std::filesystem::create_directories(top);
    git(init == "bare" ? std::vector<std::string>{"init", "-q", "--bare", "-b", "main"}
                       : std::vector<std::string>{init, "-q", "-b", "main"});
  }

  // git in the checkout (or `where`), as a fixed author at a fixed time; its trimmed output.
  std::string git(std::vector<std::string> args, const std::string& where = {}) const {
    ProcessRequest request;
    request.argv = {"git"};
    request.argv.insert(request.argv.end(), args.begin(), args.end());
    request.cwd = where.empty() ? top : where;
    request.env = current_environment();
    const std::pair<const char*, const char*> variables[] = {
        {"GIT_CONFIG_GLOBAL", "/dev/null"},
        {"GIT_CONFIG_SYSTEM", "/dev/null"},
        {"GIT_AUTHOR_NAME", "A"},
        {"GIT_AUTHOR_EMAIL", "a@example.org"},
        {"GIT_COMMITTER_NAME", "C"},
        {"GIT_COMMITTER_EMAIL", "c@example.org"},
        {"GIT_AUTHOR_DATE", "1700000000 +0000"},
        {"GIT_COMMITTER_DATE", "1700000000 +0000"},
        {"GIT_ALLOW_PROTOCOL", "file"}};
    for (const auto& [name, value] : variables) set_variable(*request.env, name, value);
    const auto result = run_process(request);
    EXPECT_TRUE(result && result->ok()) << fmt::format("git {}", fmt::join(args, " "))
                                        << (result ? result->err : result.error().to_text());
    std::string out = result ? result->out : "";
    while (out.ends_with('\n')) out.pop_back();
    return out;
  }

  // Writes a file, commits it, returns the commit.
  std::string commit(const std::string& file, std::string_view text,
                     const std::string& message = "m") const {
    write_text(top + "/" + file, text);
    git({"add", "-A"});
    git({"commit", "-q", "-m", message});
    return git({"rev-parse", "HEAD"});
  }

  std::string store() const { return root + "/store"; }
  std::string git_dir() const { return top + "/.git"; }

  std::string root;  // a temporary folder with links resolved
  std::string top;   // the checkout, below it

 private:
  TemporaryFolder folder_;
};

// Sets an environment variable while it lives.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = ::getenv(name)) old_ = old, had_ = true;
    ::setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (had_)
      ::setenv(name_, old_.c_str(), 1);
    else
      ::unsetenv(name_);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

}  // namespace assay::build
