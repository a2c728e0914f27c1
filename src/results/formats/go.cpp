// SPDX-License-Identifier: Apache-2.0
// go test -bench, the text that benchstat reads, also as `go test -json` wraps it. A line is a
// repetition (-count N), the mean of its iterations; a header (goos, goarch, pkg, cpu) in front of
// lines of a package that had some before begins another process. Metrics: ns/op is "time", B/op
// "memory", MB/s "throughput", others keep their unit as name; "Unit NAME better=higher" is kept.
// Cannot say: when anything ran, so not whether two builds took turns; setup; where one process
// ends, once somebody has cut the headers away.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

bool is_name(std::string_view word) {
  constexpr std::string_view kStart = "Benchmark";
  return word.starts_with(kStart) &&
         (word.size() == kStart.size() || word[kStart.size()] < 'a' || word[kStart.size()] > 'z');
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

bool is_result_line(std::string_view line) {
  const auto words = words_of(line);
  return words.size() >= 4 && is_name(words[0]) && parse_number(words[1]) && parse_number(words[2]);
}

bool is_go(std::string_view text) {
  if (text.starts_with("{") && text.find("\"Action\":") != std::string_view::npos &&
      text.find("Benchmark") != std::string_view::npos)
    return true;
  if (text.starts_with("{") || text.starts_with("[") || text.starts_with("<")) return false;
  const auto lines = split_lines(text);
  return std::any_of(lines.begin(), lines.end(), is_result_line);
}

// The lines that the tests printed, of `go test -json`; lines that are not JSON stand for
// themselves. With how many of them could not be read.
std::string unwrapped(std::string_view text, std::size_t& lost) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    const auto json = parse_json(line);
    if (!json) {
      if (line.starts_with("{"))
        ++lost;
      else
        out += std::string(line) + "\n";
      continue;
    }
    const std::string* action = (*json)["Action"].to_string();
    const std::string* output = (*json)["Output"].to_string();
    if (action && output && *action == "output") out += *output;
  }
  return out;
}

class GoReader {
 public:
  explicit GoReader(const std::string& name) : name_(name) {}

  Result<File> read(std::string_view text) {
    if (text.starts_with("{")) {
      std::size_t lost = 0;
      own_ = unwrapped(text, lost);
      text = own_;
      if (lost > 0)
        file_.doubts.push_back(
            {"truncated", fmt::format("{} lines are not whole JSON and are left out", lost)});
    }
    for (const std::string_view line : split_lines(text)) {
      constexpr std::string_view kPackage = "pkg: ";
      if (line.starts_with(kPackage)) packages_.emplace(line.substr(kPackage.size()));
    }
    for (const std::string_view line : split_lines(text)) {
      const bool is_open = line.data() + line.size() == text.data() + text.size();
      if (is_open && begins(line)) continue;
      if (auto done = read_line(line); !done) return fail(done.error());
    }
    if (table_.too_many()) return fail("too many benchmarks in one file", name_);
    name_unfinished();
    add_doubts();
    return std::move(file_);
  }

 private:
  // The last line without an end: its last number, or its unit, may go on.
  bool begins(std::string_view line) {
    const auto words = words_of(line);
    if (words.empty() || !is_name(words[0])) return false;
    begun_.insert(id_of(words[0]));
    file_.doubts.push_back(
        {"truncated", "the file ends in the middle of a line, which is left out"});
    return true;
  }

  Result<void> read_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (take_outcome(line) || take_header(line)) return {};
    const auto words = words_of(line);
    if (words.size() >= 3 && words[0] == "Unit") {
      for (std::size_t i = 2; i < words.size(); ++i)
        if (words[i].starts_with("better="))
          better_[std::string(words[1])] =
              words[i] == "better=higher" ? Direction::higher : Direction::lower;
      return {};
    }
    if (words.empty() || !is_name(words[0])) return {};
    const auto iterations = words.size() > 1 ? parse_number(words[1]) : std::optional<double>();
    if (!iterations || words.size() < 4) {  // it began; its numbers follow, or never come
      begun_.insert(id_of(words[0]));
      return {};
    }
    read_values(words, *iterations);
    return {};
  }

  // "key: value" in lower case, as go test prints in front of a package.
  bool take_header(std::string_view line) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || colon == 0) return false;
    const std::string_view key = line.substr(0, colon);
    const bool is_key = std::all_of(key.begin(), key.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (!is_key) return false;
    if (!in_header_) {
      in_header_ = true;
      ++process_;
    }
    const std::string value(
        line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size())));
    if (key == "pkg") package_ = value;
    const std::pair<std::string, std::string> pair(key, value);
    if (std::find(file_.context.begin(), file_.context.end(), pair) == file_.context.end() &&
        file_.context.size() < 100)
      file_.context.push_back(pair);
    return true;
  }

  // "--- FAIL: BenchmarkX", "--- SKIP: BenchmarkX"; PASS, ok and FAIL end a process.
  bool take_outcome(std::string_view line) {
    while (line.starts_with(' ')) line.remove_prefix(1);
    for (const auto& [mark, state] :
         {std::pair("--- FAIL: ", State::failed), std::pair("--- SKIP: ", State::skipped)}) {
      if (!line.starts_with(mark)) continue;
      const auto words = words_of(line.substr(std::string_view(mark).size()));
      if (words.empty()) return true;
      Series& series = table_.at(id_of(words[0]), "time");
      series.state = state;
      series.message =
          state == State::failed ? "the benchmark failed" : "the benchmark was skipped";
      begun_.erase(id_of(words[0]));
      return true;
    }
    if (!line.starts_with("panic: ")) return false;
    panic_ = std::string(line);
    return true;
  }

  // Behind its package where the file has several.
  std::string id_of(std::string_view name) const {
    return packages_.size() > 1 ? package_ + "." + std::string(name) : std::string(name);
  }

  void read_values(const std::vector<std::string_view>& words, double iterations) {
    in_header_ = false;
    begun_.erase(id_of(words[0]));
    for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
      const auto value = parse_number(words[i]);
      if (!value) continue;
      const std::string unit(words[i + 1]);
      const BaseUnit base = base_unit(unit);
      const bool is_plain = unit == "ns/op" || unit == "sec/op" || unit == "B/op" || unit == "MB/s";
      Series& series = table_.at(id_of(words[0]), is_plain ? metric_of_unit(base.unit) : unit);
      series.unit = base.unit == unit ? "1" : base.unit;
      const auto told = better_.find(unit);
      series.better = told != better_.end() ? told->second : base.better;
      Process& process = process_of(series);
      process.values.push_back(*value * base.factor);
      process.iterations.push_back(iterations);
    }
  }

  Process& process_of(Series& series) {
    const auto [place, is_new] = last_process_.try_emplace({series.id, series.metric}, process_);
    if (is_new || place->second != process_ || series.processes.empty()) {
      place->second = process_;
      series.processes.emplace_back();
    }
    return series.processes.back();
  }

  void name_unfinished() {
    for (const std::string& id : begun_) {
      // With -count the name may stand again behind its last number.
      Series& series = table_.at(id, "time");
      if (!series.processes.empty()) {
        series.doubts.push_back({"truncated", "it began once more and gave no number"});
        continue;
      }
      if (series.state != State::ok) continue;
      series.state = State::failed;
      series.message = panic_.empty() ? "it began and gave no number" : panic_;
    }
  }

  void add_doubts() {
    file_.doubts.push_back(
        {"order-unknown",
         "go test writes no times: when a line was made, and whether the builds took turns, is not "
         "in this file"});
    if (process_ == 0)
      file_.doubts.push_back({"processes-unknown",
                              "no headers (goos, pkg): lines of several processes cannot be told "
                              "apart and count as one"});
  }

  const std::string& name_;
  std::string own_ = {};
  File file_ = {};
  SeriesTable table_{file_};
  bool in_header_ = false;
  std::size_t process_ = 0;
  std::string package_ = {}, panic_ = {};
  std::set<std::string> packages_ = {}, begun_ = {};
  std::map<std::string, Direction> better_ = {};
  std::map<std::pair<std::string, std::string>, std::size_t> last_process_ = {};
};

Result<File> read_go(std::string_view text, const std::string& name) {
  return GoReader(name).read(text);
}

}  // namespace

constinit const Format kGo = {"go", "go test -bench, text (benchstat's) or -json", is_go, read_go};

}  // namespace assay::results
