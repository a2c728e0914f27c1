// SPDX-License-Identifier: Apache-2.0
#include "lab/copies.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "base/process.hpp"
#include "lab/subjects.hpp"

namespace assay::lab {
namespace fs = std::filesystem;
namespace {

// Puts the user's file back when it goes.
class Restore {
 public:
  Restore(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;
  ~Restore() {
    std::error_code ignored;
    // A new file under the old name: a running copy of the last layout is not disturbed.
    const std::string temporary = to_ + ".assay-restore";
    fs::copy_file(from_, temporary, fs::copy_options::overwrite_existing, ignored);
    if (!ignored) fs::rename(temporary, to_, ignored);
  }

 private:
  std::string from_, to_;
};

Result<void> run_relink(const std::string& command, std::uint32_t layout, const std::string& cwd,
                        const std::atomic<bool>& interrupted) {
  ProcessRequest request{.argv = {"/bin/sh", "-c", command},
                         .cwd = cwd,
                         .env = current_environment(),
                         .merge_stderr = true,
                         .keep_bytes = 4096,
                         .on_line = {},
                         .interrupted = &interrupted};
  set_variable(*request.env, "ASSAY_LAYOUT", std::to_string(layout));
  const auto result = run_process(request);
  if (!result) return fail(result.error());
  if (result->interrupted) return fail("interrupted while relinking");
  if (!result->ok())
    return fail(fmt::format("the relink command {} (ASSAY_LAYOUT={})\n{}", result->describe_end(),
                            layout, result->out),
                command,
                "it must lay the executable out anew in place, for every value of ASSAY_LAYOUT");
  return {};
}

}  // namespace

std::uint64_t remove_copies(const std::string& store_folder, std::int64_t before_ms, bool dry_run) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const char* kind : {kControlFolder, kCalibrateFolder}) {
    for (fs::directory_iterator copy(fs::path(store_folder) / kind, error), end;
         !error && copy != end; copy.increment(error)) {
      struct stat status {};
      if (stat(copy->path().c_str(), &status) != 0) continue;
      if (std::int64_t{status.st_mtime} * 1000 >= before_ms) continue;
      std::error_code ignored;
      for (fs::recursive_directory_iterator file(copy->path(), ignored), last;
           !ignored && file != last; file.increment(ignored))
        if (std::error_code unknown; file->is_regular_file(unknown))
          bytes += file->file_size(unknown);
      if (!dry_run) fs::remove_all(copy->path(), ignored);
    }
  }
  return bytes;
}

Result<std::vector<Subject>> identical_copies(const Subject& subject, const std::string& folder,
                                              std::uint32_t count) {
  std::vector<Subject> arms = {subject};
  for (std::uint32_t k = 1; k <= count; ++k) {
    auto copy = copy_of(subject, folder, "copy-" + std::string(7 * k, 'x'));
    if (!copy) return fail(copy.error());
    copy->label = fmt::format("{} (copy {})", subject.label, k);
    arms.push_back(std::move(*copy));
  }
  return arms;
}

Result<std::vector<Subject>> relinked_copies(const Subject& subject, const std::string& folder,
                                             std::uint32_t count, const std::string& relink,
                                             const std::atomic<bool>& interrupted) {
  const auto executable = executable_of(subject);
  if (!executable) return fail("there is no executable to lay out anew", subject.argv.front());
  auto original = copy_of(subject, folder, "layout-0");
  if (!original) return fail(original.error());
  if (original->argv.front() == subject.argv.front())
    return fail("--relink needs a compiled program, and this is none", *executable);
  std::vector<Subject> arms = {*original};
  std::set<std::string> digests;
  const Restore restore(original->argv.front(), *executable);
  for (std::uint32_t k = 1; k <= count; ++k) {
    if (auto done = run_relink(relink, k, subject.cwd, interrupted); !done)
      return fail(done.error());
    auto copy = copy_of(subject, folder, fmt::format("layout-{}", k));
    if (!copy) return fail(copy.error());
    copy->label = fmt::format("{} (layout {})", subject.label, k);
    digest_executable(*copy);
    digests.insert(copy->binary_digest);
    arms.push_back(std::move(*copy));
  }
  if (digests.size() == 1 && count > 1)
    return fail("the relink command left the executable the same every time", relink,
                "use $ASSAY_LAYOUT in it, for example to order the object files");
  return arms;
}

}  // namespace assay::lab
