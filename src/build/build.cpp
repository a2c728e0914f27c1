// SPDX-License-Identifier: Apache-2.0
#include "build/build.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/check.hpp"
#include "base/digest.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "build/files.hpp"
#include "build/mirror.hpp"
#include "build/steps.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTailLines = 20;
constexpr std::size_t kTailColumns = 400;
// Of a disk: a build that failed with less left is not to blame; with less than that it may not be.
constexpr std::uint64_t kNothingLeft = std::uint64_t{1} << 20;
constexpr std::uint64_t kLittleLeft = std::uint64_t{64} << 20;
constexpr std::size_t kDoneLimit = std::size_t{1} << 20;

// What changes a build although commit and command are the same.
constexpr const char* kBuildVariables[] = {"CC",       "CXX",     "CFLAGS",    "CXXFLAGS",
                                           "CPPFLAGS", "LDFLAGS", "RUSTFLAGS", "GOFLAGS"};

std::string variable(const char* name) {
  const char* value = ::getenv(name);
  return value != nullptr ? value : "";
}

std::string toolchain_identity(const std::atomic<bool>& interrupted) {
  std::string identity;
  for (const char* name : kBuildVariables) identity += fmt::format("{}={}\n", name, variable(name));
  for (const std::string& compiler :
       {std::string("cc"), std::string("c++"), variable("CC"), variable("CXX")}) {
    ProcessRequest request;
    if (auto words = split_command(compiler); words && !words->empty())
      request.argv = *words;
    else
      continue;
    request.argv.emplace_back("--version");
    request.interrupted = &interrupted;
    const auto result = run_process(request);
    const std::string answer = result && result->ok() ? result->out : "absent";
    identity += answer.substr(0, answer.find('\n')) + "\n";
  }
  return identity;
}

// The last lines of a build, fit for a terminal, and how it ended.
std::string tail_of(const ProcessResult& result) {
  const auto lines = split_lines(result.out);
  const std::size_t first = lines.size() > kTailLines ? lines.size() - kTailLines : 0;
  std::string tail;
  for (std::size_t i = first; i < lines.size(); ++i)
    tail += printable(lines[i].substr(0, kTailColumns)) + "\n";
  return tail + "the build command " + result.describe_end();
}

// One build in the store.
class Place {
 public:
  Place(const std::string& store_dir, std::string key)
      : folder_(store_dir + "/builds/" + std::move(key)) {}

  std::string tree() const { return folder_ + "/tree"; }
  std::string log() const { return folder_ + "/log"; }
  std::string done() const { return folder_ + "/done"; }
  std::string lock() const { return folder_ + ".lock"; }
  const std::string& folder() const { return folder_; }

  // Whether the build was finished, here: a store that was moved has trees that name their old
  // place.
  bool is_done() const {
    std::ifstream file(done(), std::ios::binary);
    if (!file) return false;
    std::string text(kDoneLimit, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    const auto json = parse_json(text);
    std::error_code error;
    return json && (*json)["tree"].to_string() != nullptr &&
           *(*json)["tree"].to_string() == tree() && fs::is_directory(tree(), error);
  }
  // The marker's time says when the build was last used.
  void touch() const { ::utimensat(AT_FDCWD, done().c_str(), nullptr, 0); }

 private:
  std::string folder_;
};

// Flushes the tree before the marker: after a power cut a marker must not stand beside empty files.
void flush_to_disk(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::syncfs(fd);
  ::close(fd);
}

class Builder {
 public:
  Builder(const std::string& store_dir, const BuildRequest& request, Repository repository,
          const std::atomic<bool>& interrupted,
          const std::function<void(std::string_view)>& on_line)
      : store_dir_(store_dir),
        request_(request),
        repository_(std::move(repository)),
        interrupted_(interrupted),
        on_line_(on_line),
        toolchain_(toolchain_identity(interrupted)),
        place_(store_dir, key()),
        started_(std::chrono::steady_clock::now()) {}

  Result<std::optional<Built>> run();

 private:
  std::string key() const {
    Json parts = Json::array();
    for (const std::string* part :
         {&request_.commit, &request_.command, &repository_.subdir, &toolchain_})
      parts.push(*part);
    for (const TreeStep& step : request_.steps) {
      parts.push(static_cast<int>(step.kind));
      parts.push(step.data);
    }
    return sha256(parts.dump()).substr(0, 16);
  }
  Built describe(bool ok, bool cached) const;
  Result<bool> is_cached_read_only(const Error& lock_error) const;
  // Nothing when interrupted. What is not finished does not stay: its log does when it failed.
  Result<std::optional<Built>> make(const FileLock& lock);
  Result<std::optional<Built>> make_tree(const FileLock& lock);
  Result<std::optional<Built>> build_tree(const FileLock& lock);
  Built failed(const std::string& reason, const std::string& tail) const;
  Result<std::optional<ProcessResult>> run_command(const FileLock& lock);
  Result<void> mark_done() const;
  bool take(FileLock& lock, FileLock::Mode mode) const {
    return lock.take(
        mode, interrupted_, [this] { say_waiting(); }, request_.deadline);
  }
  // The lock was not to be had.
  std::optional<Built> given_up() const {
    if (interrupted_.load()) return std::nullopt;
    Built built = describe(false, false);
    built.timed_out = true;
    built.build.log_tail = "another process was building it all the time";
    return built;
  }
  void say_waiting() const {
    if (on_line_)
      on_line_(fmt::format("another assay uses the build of commit {}: waiting for it",
                           short_commit(request_.commit)));
  }

  const std::string& store_dir_;
  const BuildRequest& request_;
  Repository repository_;
  const std::atomic<bool>& interrupted_;
  const std::function<void(std::string_view)>& on_line_;
  std::string toolchain_;
  Place place_;
  std::chrono::steady_clock::time_point started_;
};

Built Builder::describe(bool ok, bool cached) const {
  Built built;
  built.worktree = place_.tree();
  built.cwd = repository_.subdir.empty() ? place_.tree() : place_.tree() + "/" + repository_.subdir;
  if (!request_.command.empty()) built.log_file = place_.log();
  built.build.arm = request_.arm;
  built.build.commit = request_.commit;
  built.build.ok = ok;
  built.build.cached = cached;
  built.build.duration = std::chrono::steady_clock::now() - started_;
  std::error_code error;
  const std::string commit = "commit " + short_commit(request_.commit);
  if (fs::exists(place_.tree() + "/.gitmodules", error))
    built.warnings.push_back(commit +
                             " has submodules: they are not fetched, their folders are empty");
  std::ifstream attributes(place_.tree() + "/.gitattributes");
  const std::string text{std::istreambuf_iterator<char>(attributes), {}};
  if (text.find("filter=lfs") != std::string::npos)
    built.warnings.push_back(
        commit + " has files in Git LFS: they are not fetched, pointers stand for them");
  return built;
}

Result<std::optional<ProcessResult>> Builder::run_command(const FileLock& lock) {
  const int log = ::open(place_.log().c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (log < 0) return fail(system_error("cannot create the build's log", errno, place_.log()));
  ProcessRequest request;
  request.argv = {"/bin/sh", "-c", request_.command};
  request.cwd = describe(true, false).cwd;
  request.env = current_environment();
  remove_repository_variables(*request.env);
  set_variable(*request.env, "PWD", request.cwd);
  request.merge_stderr = true;
  request.keep_bytes = std::size_t{64} << 10;
  request.on_line = on_line_;
  request.tee = log;
  request.hold = lock.descriptor();
  request.interrupted = &interrupted_;
  request.deadline = request_.deadline;
  auto result = run_process(request);
  ::close(log);
  if (!result) return fail(result.error().within("the build of " + short_commit(request_.commit)));
  if (result->interrupted) return std::optional<ProcessResult>{};
  return std::optional<ProcessResult>(std::move(*result));
}

Result<void> Builder::mark_done() const {
  flush_to_disk(place_.folder());
  Json done = Json::object();
  done.set("schema_version", 1);
  done.set("tree", place_.tree());
  done.set("commit", request_.commit);
  done.set("command", request_.command);
  done.set("subfolder", repository_.subdir);
  done.set("repository", repository_.common_dir);
  done.set("toolchain", toolchain_);
  Json steps = Json::array();
  for (const TreeStep& step : request_.steps) steps.push(step_name(step));
  done.set("steps", std::move(steps));
  return write_file(place_.done(), done.dump(2) + "\n");
}

// What the same commit would do anywhere else too.
Built Builder::failed(const std::string& reason, const std::string& tail) const {
  Built built = describe(false, false);
  built.build.reason = reason;
  built.build.log_tail = tail;
  return built;
}

Result<std::optional<Built>> Builder::make(const FileLock& lock) {
  auto built = make_tree(lock);
  if (built) {
    if (!*built || !(*built)->build.ok) (void)remove_tree(place_.tree());
    return built;
  }
  Error error = built.error();
  // git does not always say why a file could not be written.
  const auto left = bytes_left(place_.folder());
  if (error.hint.empty() && left && *left < kLittleLeft) {
    error.what +=
        fmt::format("\n  {} are left on this disk", format_bytes(static_cast<double>(*left)));
    error.hint = kFreeSpace;
  }
  (void)remove_tree(place_.folder());
  return fail(error);
}

Result<std::optional<Built>> Builder::make_tree(const FileLock& lock) {
  if (auto made = make_folders(place_.folder()); !made) return fail(made.error());
  ::unlink(place_.done().c_str());
  const auto checked_out =
      check_out(store_dir_, repository_, request_.commit, commits_of(request_.steps), place_.tree(),
                lock.descriptor(), interrupted_);
  if (!checked_out) return fail(checked_out.error());
  if (!*checked_out) return std::optional<Built>{};
  const auto steps = do_steps(request_.steps, place_.tree(), place_.folder() + "/patch",
                              lock.descriptor(), interrupted_, request_.deadline);
  if (!steps) return fail(steps.error());
  if (steps->interrupted) return std::optional<Built>{};
  if (!steps->done()) {
    Built built = failed(steps->refused, steps->output);
    built.timed_out = steps->timed_out;
    return std::optional<Built>(std::move(built));
  }
  std::error_code error;
  if (!fs::is_directory(describe(true, false).cwd, error))
    return std::optional<Built>(
        failed(fmt::format("has no folder '{}'", printable(repository_.subdir)),
               "run assay from a folder that all revisions have, such as " + repository_.top));
  auto built = build_tree(lock);
  if (!built || !*built || !(*built)->build.ok) return built;
  if (auto marked = mark_done(); !marked) return fail(marked.error());
  return built;
}

// Runs the build command. A disk that is full is no property of the commit.
Result<std::optional<Built>> Builder::build_tree(const FileLock& lock) {
  if (request_.command.empty()) return std::optional<Built>(describe(true, false));
  const auto result = run_command(lock);
  if (!result) return fail(result.error());
  if (!*result) return std::optional<Built>{};
  const ProcessResult& end = **result;
  if (end.ok()) return std::optional<Built>(describe(true, false));
  const std::string tail = tail_of(end);
  if (!end.timed_out &&
      (says_disk_full(tail) || bytes_left(place_.tree()).value_or(kNothingLeft) < kNothingLeft))
    return fail(fmt::format("the disk was full in the build of commit {}:\n{}",
                            short_commit(request_.commit), tail),
                store_dir_, kFreeSpace);
  std::error_code error;
  const bool bare_submodules = fs::exists(place_.tree() + "/.gitmodules", error);
  Built built = failed(bare_submodules && !end.timed_out
                           ? "does not build (it has submodules, and those are not fetched)"
                           : "",
                       tail);
  built.timed_out = end.timed_out;
  return std::optional<Built>(std::move(built));
}

// A store that cannot be written can still be used: nobody can remove anything from it either.
Result<bool> Builder::is_cached_read_only(const Error& lock_error) const {
  if (place_.is_done()) return true;
  return fail(lock_error.within("the build cannot be stored"));
}

Result<std::optional<Built>> Builder::run() {
  using Mode = FileLock::Mode;
  const auto made = make_hidden_folder(store_dir_ + "/builds");
  auto opened = made ? FileLock::open(place_.lock()) : Result<FileLock>(fail(made.error()));
  if (!opened) {
    const auto cached = is_cached_read_only(opened.error());
    if (!cached) return fail(cached.error());
    return std::optional<Built>(describe(true, true));
  }
  const auto lock = std::make_shared<FileLock>(std::move(*opened));
  std::optional<Built> fresh;
  while (true) {
    // Shared: enough to use a build that is there. It may have gone between the two locks, then
    // again.
    if (!take(*lock, Mode::shared)) return given_up();
    if (place_.is_done()) {
      place_.touch();
      Built built = fresh ? std::move(*fresh) : describe(true, true);
      built.in_use = lock;
      return std::optional<Built>(std::move(built));
    }
    if (!take(*lock, Mode::exclusive)) return given_up();
    if (place_.is_done()) continue;
    auto built = make(*lock);
    if (!built || !*built || !(*built)->build.ok) {
      lock->release();
      return built;
    }
    fresh = std::move(*built);
  }
}

}  // namespace

Result<std::optional<Built>> build_revision(
    const std::string& store_dir, const BuildRequest& request, const std::atomic<bool>& interrupted,
    const std::function<void(std::string_view)>& on_output_line) {
  ASSAY_CHECK(request.commit.size() == 40 || request.commit.size() == 64,
              "a build needs a resolved commit");
  auto repository = find_repository(request.folder);
  if (!repository) return fail(repository.error());
  std::error_code error;
  const std::string store = fs::weakly_canonical(fs::absolute(store_dir), error).string();
  if (error) return fail(system_error("cannot use this store", error.value(), store_dir));
  Builder builder(store, request, std::move(*repository), interrupted, on_output_line);
  if (interrupted.load()) return std::optional<Built>{};
  return builder.run();
}

}  // namespace assay::build
