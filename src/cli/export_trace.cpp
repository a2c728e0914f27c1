// SPDX-License-Identifier: Apache-2.0
#include "cli/export_trace.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.hpp"
#include "trace/exporters/chrome_json.hpp"
#include "trace/exporters/collapsed.hpp"
#include "trace/exporters/csv.hpp"
#include "trace/exporters/perfetto.hpp"
#include "trace/exporters/trace_json.hpp"

namespace assay::cli {
namespace {

// A file that pieces are written to; or, for "-", the terminal.
class Target {
 public:
  Target(const std::string& path, Terminal& terminal) : path_(path), terminal_(terminal) {}
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  ~Target() {
    if (fd_ >= 0) ::close(fd_);
  }

  Result<void> open() {
    if (path_ == "-") return {};
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) return fail(system_error("cannot write the file", errno, path_));
    return {};
  }

  Result<void> write(std::string_view piece) {
    if (fd_ < 0) {
      terminal_.print(piece);
      return terminal_.written();
    }
    while (!piece.empty()) {
      const ssize_t count = ::write(fd_, piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fail(system_error("cannot write the file", errno, path_));
      piece.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
  }

  Result<void> close() {
    if (fd_ < 0) return {};
    const int status = ::close(fd_);
    fd_ = -1;
    if (status != 0) return fail(system_error("cannot write the file", errno, path_));
    return {};
  }

 private:
  const std::string& path_;
  Terminal& terminal_;
  int fd_ = -1;
};

Result<void> write(const std::string& to, const std::vector<trace::Trace>& runs,
                   const trace::Sink& sink) {
  std::vector<trace::ExportSide> sides;
  for (const trace::Trace& run : runs)
    sides.push_back({&run, runs.size() > 1 ? trace::first_completion(run) : 0});
  if (to == "chrome") return trace::write_chrome_json(sides, sink);
  if (to == "perfetto") return trace::write_perfetto(sides, sink);
  if (to == "csv") return trace::write_csv(runs.front(), sink);
  if (to == "collapsed") {
    std::vector<const trace::Trace*> both;
    for (const trace::Trace& run : runs) both.push_back(&run);
    return trace::write_collapsed(both, sink);
  }
  ASSAY_CHECK(to == "json", "the choices of --to are the formats that are written");
  return trace::write_trace_json(runs.front(), sink);
}

}  // namespace

Result<void> export_traces(const std::string& to, const std::vector<trace::Trace>& runs,
                           const std::string& path, Terminal& terminal) {
  if ((to == "json" || to == "csv") && runs.size() > 1)
    return fail(fmt::format("--to {} writes one run, and {} logs are given", to, runs.size()), {},
                "export them one by one, or both with --to chrome");
  Target target(path, terminal);
  if (const auto opened = target.open(); !opened) return opened;
  const auto written =
      write(to, runs, [&target](std::string_view piece) { return target.write(piece); });
  if (!written) return written;
  return target.close();
}

}  // namespace assay::cli
