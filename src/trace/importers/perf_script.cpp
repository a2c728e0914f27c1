// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/perf_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "trace/importers/clean_text.hpp"
#include "trace/importers/each_line.hpp"
#include "trace/importers/stack_tree.hpp"
#include "trace/timestamps.hpp"

namespace assay::trace {
namespace {

constexpr Nanos kSecond = 1'000'000'000;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The first word of `rest`, taken off it.
std::string_view take_word(std::string_view& rest) {
  rest = trimmed(rest);
  const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

std::string_view take_last_word(std::string_view& rest) {
  rest = trimmed(rest);
  const std::size_t blank = rest.find_last_of(" \t");
  const std::size_t from = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view word = rest.substr(from);
  rest.remove_suffix(rest.size() - from);
  return word;
}

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || behind != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_hex(std::string_view word) {
  return !word.empty() &&
         word.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// "comm pid/tid [cpu] time: period event: ..." with pid, cpu and period left out at will.
struct Head {
  std::string_view comm = {}, event = {}, rest = {};
  std::int64_t pid = -1, tid = -1;
  Nanos at = 0, resolution = 1;
};

// Where "SECONDS.FRACTION:" stands in the line, as a word.
struct TimeWord {
  std::size_t from = 0, length = 0;
  Stamp stamp = {};
};

std::optional<TimeWord> find_time(std::string_view line) {
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    if (colon + 1 < line.size() && !is_blank(line[colon + 1])) continue;
    const std::size_t blank = line.find_last_of(" \t", colon);
    const std::size_t from = blank == std::string_view::npos ? 0 : blank + 1;
    const std::string_view word = line.substr(from, colon - from);
    if (word.empty() || word.find_first_not_of("0123456789.") != std::string_view::npos) continue;
    const std::size_t point = word.find('.');
    if (point == std::string_view::npos || point == 0) continue;
    const std::optional<Stamp> stamp = parse_decimal(word, kSecond);
    if (!stamp || stamp->length != word.size()) continue;
    return TimeWord{from, colon + 1 - from, *stamp};
  }
  return std::nullopt;
}

std::optional<Head> parse_head(std::string_view line) {
  const std::optional<TimeWord> time = find_time(line);
  if (!time) return std::nullopt;
  Head head;
  head.at = time->stamp.ns;
  head.resolution = time->stamp.resolution;
  std::string_view left = line.substr(0, time->from),
                   right = line.substr(time->from + time->length);
  std::string_view word = take_last_word(left);
  if (word.starts_with('[') && word.ends_with(']')) word = take_last_word(left);
  const std::size_t slash = word.find('/');
  if (slash != std::string_view::npos) {
    const std::optional<std::int64_t> pid = to_integer(word.substr(0, slash));
    if (!pid) return std::nullopt;
    head.pid = *pid;
    word.remove_prefix(slash + 1);
  }
  const std::optional<std::int64_t> tid = to_integer(word);
  if (!tid) return std::nullopt;
  head.tid = *tid;
  head.comm = trimmed(left);
  word = take_word(right);
  if (to_integer(word)) word = take_word(right);  // the period
  if (word.size() < 2 || !word.ends_with(':')) return std::nullopt;
  word.remove_suffix(1);
  head.event = word;
  head.rest = trimmed(right);
  return head;
}

// "ffffffff8104f45a native_write_msr+0x4 ([kernel.kallsyms])" -> native_write_msr; what has no
// symbol is called by its file, [libc.so.6]. Empty when the line is no frame.
std::string_view parse_frame(std::string_view line) {
  std::string_view rest = line;
  if (!is_hex(take_word(rest))) return {};
  rest = trimmed(rest);
  std::string_view file;
  if (rest.ends_with(')')) {
    const std::size_t open = rest.rfind(" (");
    if (open != std::string_view::npos) {
      file = rest.substr(open + 2, rest.size() - open - 3);
      rest = trimmed(rest.substr(0, open));
    } else if (rest.starts_with('(')) {
      file = rest.substr(1, rest.size() - 2);
      rest = {};
    }
  }
  const std::size_t plus = rest.rfind("+0x");
  if (plus != std::string_view::npos && plus > 0 && is_hex(rest.substr(plus + 3))) {
    rest = rest.substr(0, plus);
  }
  if (!rest.empty() && rest != "[unknown]") return rest;
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return file.empty() || file.starts_with('[') ? std::string_view("[unknown]") : file;
}

class Reader {
 public:
  Result<Trace> read(ByteSource& source, const ImportOptions& options) {
    const Result<void> done =
        each_line(source, options, trace_, [&](std::string_view line) { add(line); });
    if (!done) return fail(done.error());
    end_sample();
    trace_.source = source.name();
    trace_.format = "perf_script";
    trace_.clock.source = "perf, seconds";
    trace_.clock.resolution_ns = resolution_;
    lay_out();
    return std::move(trace_);
  }

 private:
  struct Sample {
    std::uint32_t worker = kNone;
    std::uint32_t stack = StackTree::kRoot;
    Nanos at = 0;
  };

  void add(std::string_view line) {
    if (trimmed(line).empty()) {
      end_sample();
      return;
    }
    if (line.front() == '#') return;
    if (has_sample_ && is_blank(line.front())) {
      const std::string_view frame = parse_frame(line);
      if (!frame.empty()) {
        ++trace_.lines_matched;
        frames_.push_back(trace_.stage_id(clean_text(trace_, frame)));
        return;
      }
    }
    end_sample();
    const std::optional<Head> head = parse_head(line);
    if (!head) {
      ++trace_.lost(Loss::malformed_record);
      return;
    }
    ++trace_.lines_matched;
    begin_sample(*head);
  }

  void begin_sample(const Head& head) {
    has_sample_ = true;
    resolution_ = std::min(resolution_, head.resolution);
    sample_.at = head.at;
    sample_.worker = worker(head);
    event_ = trace_.strings.intern(head.event);
    const std::string_view frame = parse_frame(head.rest);
    if (!frame.empty()) frames_.push_back(trace_.stage_id(clean_text(trace_, frame)));
  }

  std::uint32_t worker(const Head& head) {
    const auto [place, is_new] =
        workers_.try_emplace(std::tuple(head.pid, head.tid), std::uint32_t{0});
    if (is_new) {
      place->second = static_cast<std::uint32_t>(trace_.workers.size());
      Worker worker;
      worker.pid = head.pid;
      worker.tid = head.tid;
      worker.label = fmt::format("{} ({})", clean_text(trace_, head.comm), head.tid);
      trace_.workers.push_back(std::move(worker));
    }
    return place->second;
  }

  void end_sample() {
    if (!has_sample_) return;
    has_sample_ = false;
    if (frames_.empty()) {
      trace_.instants.at.push_back(sample_.at);
      trace_.instants.name.push_back(event_);
      trace_.instants.item.push_back(kNone);
      return;
    }
    // perf prints the innermost frame first.
    std::uint32_t stack = StackTree::kRoot;
    for (std::size_t i = frames_.size(); i > 0; --i) stack = tree_.child(stack, frames_[i - 1]);
    frames_.clear();
    sample_.stack = stack;
    samples_.push_back(sample_);
  }

  // How far apart samples of one thread usually are.
  Nanos median_distance() const {
    std::vector<Nanos> distances;
    for (std::size_t i = 1; i < samples_.size(); ++i) {
      const Sample &a = samples_[i - 1], &b = samples_[i];
      if (a.worker == b.worker && b.at > a.at) distances.push_back(b.at - a.at);
    }
    if (distances.empty()) return 1;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle;
  }

  void lay_out() {
    std::stable_sort(samples_.begin(), samples_.end(), [](const Sample& a, const Sample& b) {
      return std::tuple(a.worker, a.at) < std::tuple(b.worker, b.at);
    });
    const Nanos usual = median_distance();
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const Sample& sample = samples_[i];
      const bool has_next = i + 1 < samples_.size() && samples_[i + 1].worker == sample.worker;
      open_up_to(sample);
      const bool is_near = has_next && samples_[i + 1].at / 2 - sample.at / 2 <= usual;
      if (is_near) {
        close_down_to(common(sample.stack, samples_[i + 1].stack), samples_[i + 1].at,
                      sample.worker);
      } else {
        Nanos end = 0;
        if (__builtin_add_overflow(sample.at, usual, &end)) end = sample.at;
        close_down_to(0, end, sample.worker);
      }
    }
  }

  // The depth down to which two stacks are the same.
  std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      if (tree_.depth(a) >= tree_.depth(b)) {
        a = tree_.parent(a);
      } else {
        b = tree_.parent(b);
      }
    }
    return tree_.depth(a);
  }

  void open_up_to(const Sample& sample) {
    std::vector<std::uint32_t> path;
    for (std::uint32_t node = sample.stack; tree_.depth(node) > open_.size();
         node = tree_.parent(node)) {
      path.push_back(tree_.stage(node));
    }
    for (std::size_t i = path.size(); i > 0; --i) open_.push_back({path[i - 1], sample.at});
  }

  void close_down_to(std::uint32_t depth, Nanos at, std::uint32_t worker_id) {
    while (open_.size() > depth) {
      const auto [stage, begin] = open_.back();
      open_.pop_back();
      trace_.spans.push(begin, std::max(begin, at), kNone, stage, worker_id, SpanKind::service,
                        Quality::derived);
    }
  }

  Trace trace_ = {};
  StackTree tree_ = {};
  std::vector<Sample> samples_ = {};
  std::vector<std::uint32_t> frames_ = {};  // of the sample that is being read, innermost first
  Sample sample_ = {};
  std::uint32_t event_ = kNone;
  bool has_sample_ = false;
  Nanos resolution_ = kSecond;
  std::map<std::tuple<std::int64_t, std::int64_t>, std::uint32_t> workers_ = {};
  std::vector<std::pair<std::uint32_t, Nanos>> open_ = {};  // stage and begin
};

class PerfScriptImporter : public Importer {
 public:
  std::string_view name() const override { return "perf_script"; }
  std::string_view caveat() const override {
    return "perf samples: the length of a span is a number of samples times their distance, so "
           "calls shorter than that are guessed, and waiting is not seen";
  }
  int sniff(std::string_view head) const override {
    // A head line, then a frame or another head line.
    int heads = 0, frames = 0, others = 0;
    for (std::size_t newline = 0;
         heads + frames + others < 50 && (newline = head.find('\n')) != std::string_view::npos;
         head.remove_prefix(newline + 1)) {
      std::string_view line = head.substr(0, newline);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (trimmed(line).empty() || line.front() == '#') continue;
      if (is_blank(line.front()) && !parse_frame(line).empty()) {
        ++frames;
      } else if (parse_head(line)) {
        ++heads;
      } else {
        ++others;
      }
    }
    if (heads == 0 || others > 0) return 0;
    return frames > 0 ? 85 : 60;
  }
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    return Reader().read(source, options);
  }
};

}  // namespace

const Importer& perf_script_importer() {
  static const PerfScriptImporter importer;
  return importer;
}

}  // namespace assay::trace
