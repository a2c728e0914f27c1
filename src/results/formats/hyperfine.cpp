// SPDX-License-Identifier: Apache-2.0
// hyperfine, --export-json. Every time is a process, in the order in which they ran; of user and
// system time only the mean is there. What it is known to lie about: memory_usage_byte is the
// maximum over all children so far, so that a command shows at least what an earlier one took;
// with a shell, the time of an empty shell is taken off each run, and what would fall below 0 is 0.
// Cannot say: when it ran, whether there were warm-up runs, whether a shell was used.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

constexpr double kShellSeconds = 0.005;  // hyperfine itself warns below 5 ms

bool is_hyperfine(std::string_view text) {
  return text.find("\"results\"") != std::string_view::npos &&
         text.find("\"command\"") != std::string_view::npos &&
         (text.find("\"stddev\"") != std::string_view::npos ||
          text.find("\"times\"") != std::string_view::npos) &&
         text.find("\"system\"") != std::string_view::npos;
}

class HyperfineReader {
 public:
  explicit HyperfineReader(const std::string& name) : name_(name) {}

  Result<File> read(std::string_view text) {
    const auto parsed = read_json(text, name_);
    if (!parsed) return fail(parsed.error());
    const Json& results = parsed->json["results"];
    if (!results.is_array()) return fail(wrong_member(name_, "results", "not a list"));
    for (std::size_t i = 0; i < results.size(); ++i)
      if (auto done = command(results.items()[i], fmt::format("results[{}]", i)); !done)
        return fail(done.error());
    if (table_.too_many()) return fail("too many commands in one file", name_);
    if (parsed->truncated)
      file_.doubts.push_back({"truncated", "the file ends in the middle: later commands are gone"});
    file_.doubts.push_back({"order-unknown",
                            "hyperfine writes no times: all runs of one command follow each other, "
                            "the next command's come behind them"});
    return std::move(file_);
  }

 private:
  Result<void> command(const Json& result, const std::string& path) {
    const std::string* id = result["command"].to_string();
    if (id == nullptr) return fail(wrong_member(name_, path + ".command", "not text"));
    Series& time = table_.at(*id, "time");
    if (!time.processes.empty() || time.centre)
      time.doubts.push_back({"duplicate-id", "the same command stands twice in this file"});
    time.level = Level::process;
    for (const auto& [parameter, value] : result["parameters"].members())
      if (const std::string* word = value.to_string())
        if (const auto number = parse_number(*word)) time.fields.push_back({parameter, *number});
    if (auto done = times(result, path, time); !done) return done;
    failures(result["exit_codes"], time);
    memory(result, *id);
    for (const char* metric : {"user", "system"}) {
      const auto mean = result[metric].to_double();
      if (!mean) continue;
      Series& series = table_.at(*id, metric);
      series.level = Level::process;
      series.centre = mean;
      series.centre_is = "mean";
    }
    return {};
  }

  Result<void> times(const Json& result, const std::string& path, Series& time) {
    const Json& times = result["times"];
    if (!times.is_array() || times.size() == 0) {
      time.centre = result["median"].to_double();
      time.centre_is = time.centre ? "median" : "";
      if (!time.centre) {
        time.centre = result["mean"].to_double();
        time.centre_is = "mean";
      }
      if (!time.centre) return fail(wrong_member(name_, path + ".mean", "not a number"));
      time.spread = result["stddev"].to_double();
      time.spread_is = time.spread ? "standard deviation" : "";
      time.doubts.push_back({"summary-only", "the times of the runs are not in the file"});
      return {};
    }
    std::size_t zeros = 0, short_runs = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto value = times.items()[i].to_double();
      if (!value)
        return fail(wrong_member(name_, fmt::format("{}.times[{}]", path, i), "not a number"));
      time.processes.emplace_back().values = {*value};
      if (*value <= 0) ++zeros;
      if (*value < kShellSeconds) ++short_runs;
    }
    if (zeros > 0)
      time.doubts.push_back(
          {"shell-zero",
           fmt::format("{} of {} runs took 0 s: the time of an empty shell was taken off, and more "
                       "than the run was; -N (no shell) would do without",
                       zeros, times.size())});
    else if (short_runs > 0)
      time.doubts.push_back(
          {"shell-corrected",
           fmt::format("{} of {} runs are shorter than 5 ms: unless -N was given, the time of an "
                       "empty shell was taken off each, and its noise is as large",
                       short_runs, times.size())});
    return {};
  }

  static void failures(const Json& codes, Series& time) {
    const auto bad =
        std::count_if(codes.items().begin(), codes.items().end(),
                      [](const Json& code) { return !code.to_int() || *code.to_int() != 0; });
    if (bad > 0)
      time.doubts.push_back(
          {"failed-runs", fmt::format("{} of {} runs failed and were timed all the same (-i)", bad,
                                      codes.size())});
  }

  // ru_maxrss of RUSAGE_CHILDREN: the largest child so far, of whatever command.
  void memory(const Json& result, const std::string& id) {
    const Json& all = result["memory_usage_byte"];
    if (all.size() == 0) return;
    Series& series = table_.at(id, "memory");
    series.unit = "B";
    series.level = Level::process;
    double own = 0;
    for (const Json& value : all.items())
      if (const auto bytes = value.to_double()) {
        series.processes.emplace_back().values = {*bytes};
        own = std::max(own, *bytes);
      }
    if (commands_ > 0 && own <= largest_so_far_)
      series.doubts.push_back({"memory-of-later",
                               "a later command shows at least the peak of the earlier ones: this "
                               "may be the memory of another command"});
    else if (commands_ > 0)
      series.doubts.push_back(
          {"memory-of-later", "an upper bound: peaks of earlier commands are in it as well"});
    largest_so_far_ = std::max(largest_so_far_, own);
    ++commands_;
  }

  const std::string& name_;
  File file_ = {};
  SeriesTable table_{file_};
  double largest_so_far_ = 0;
  std::size_t commands_ = 0;  // with memory
};

Result<File> read_hyperfine(std::string_view text, const std::string& name) {
  return HyperfineReader(name).read(text);
}

}  // namespace

constinit const Format kHyperfine = {"hyperfine", "hyperfine, --export-json", is_hyperfine,
                                     read_hyperfine};

}  // namespace assay::results
