// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/collapsed.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/text.hpp"
#include "trace/importers/clean_text.hpp"
#include "trace/importers/each_line.hpp"
#include "trace/importers/stack_tree.hpp"

namespace assay::trace {
namespace {

std::optional<std::uint64_t> to_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || behind != text.data() + text.size()) return std::nullopt;
  return value;
}

// A stack and how often it was seen.
struct Line {
  std::string_view stack = {};
  std::uint64_t count = 0;
  bool has_two_counts = false;
};

std::optional<Line> parse_line(std::string_view line) {
  const std::size_t end = line.find_last_not_of(" \t");
  if (end == std::string_view::npos) return std::nullopt;
  line = line.substr(0, end + 1);
  const std::size_t space = line.find_last_of(" \t");
  if (space == std::string_view::npos || space == 0) return std::nullopt;
  const std::optional<std::uint64_t> count = to_count(line.substr(space + 1));
  const std::size_t last = line.find_last_not_of(" \t", space);
  if (!count || last == std::string_view::npos) return std::nullopt;
  Line parsed{line.substr(0, last + 1), *count, false};
  const std::size_t before = parsed.stack.rfind(' ');
  if (before != std::string_view::npos && before > 0 && to_count(parsed.stack.substr(before + 1))) {
    parsed.stack = parsed.stack.substr(0, before);
    parsed.has_two_counts = true;
  }
  return parsed;
}

class Reader {
 public:
  Result<Trace> read(ByteSource& source, const ImportOptions& options) {
    const Result<void> done =
        each_line(source, options, trace_, [&](std::string_view line) { add(line); });
    if (!done) return fail(done.error());
    trace_.source = source.name();
    trace_.format = "collapsed";
    trace_.clock.source = "samples";
    if (two_counts_ > 0) {
      trace_.warn(TraceWarningKind::other,
                  fmt::format("{} of {} lines have two counts; the second one was read, of the "
                              "candidate: give the two profiles as two files to compare them",
                              two_counts_, trace_.lines_matched));
    }
    if (!lay_out()) {
      return fail("the counts of samples add up to more than 2^63", printable(source.name()),
                  "this is no profile, or its unit is wrong");
    }
    return std::move(trace_);
  }

 private:
  void add(std::string_view line) {
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#') return;
    const std::optional<Line> parsed = parse_line(line);
    if (!parsed) {
      ++trace_.lost(Loss::malformed_record);
      return;
    }
    ++trace_.lines_matched;
    if (parsed->has_two_counts) ++two_counts_;
    if (parsed->count == 0) return;
    std::uint32_t node = StackTree::kRoot;
    for (std::string_view rest = parsed->stack;;) {
      const std::size_t semicolon = rest.find(';');
      const std::string_view frame = rest.substr(0, semicolon);
      if (!frame.empty()) node = tree_.child(node, trace_.stage_id(clean_text(trace_, frame)));
      if (semicolon == std::string_view::npos) break;
      rest.remove_prefix(semicolon + 1);
    }
    if (node >= own_.size()) own_.resize(tree_.size());
    std::uint64_t& own = own_[node];
    if (__builtin_add_overflow(own, parsed->count, &own)) has_overflow_ = true;
  }

  // Children have larger numbers than their parents, so one pass back sums the subtrees up, and one
  // pass forward places them. False when the sum does not fit.
  bool lay_out() {
    own_.resize(tree_.size());
    std::vector<std::uint64_t> total = own_;
    for (std::uint32_t node = static_cast<std::uint32_t>(tree_.size()) - 1; node > 0; --node) {
      std::uint64_t& above = total[tree_.parent(node)];
      if (__builtin_add_overflow(above, total[node], &above)) has_overflow_ = true;
    }
    if (has_overflow_ || total[0] > std::numeric_limits<Nanos>::max()) {
      return false;
    }
    if (tree_.size() > 1) worker_ = trace_.worker_id(kNone, "all samples");
    std::vector<Nanos> free(tree_.size());  // where the next child of a node begins
    trace_.spans.reserve(tree_.size() - 1);
    free[0] = static_cast<Nanos>(own_[0]);
    for (std::uint32_t node = 1; node < tree_.size(); ++node) {
      Nanos& place = free[tree_.parent(node)];
      const Nanos begin = place;
      place += static_cast<Nanos>(total[node]);
      free[node] = begin;
      trace_.spans.push(begin, place, kNone, tree_.stage(node), worker_, SpanKind::service,
                        Quality::derived);
    }
    return true;
  }

  Trace trace_ = {};
  StackTree tree_ = {};
  std::vector<std::uint64_t> own_ = {};  // samples that ended in the node itself
  std::uint64_t two_counts_ = 0;
  std::uint32_t worker_ = kNone;
  bool has_overflow_ = false;
};

class CollapsedImporter : public Importer {
 public:
  std::string_view name() const override { return "collapsed"; }
  std::string_view caveat() const override {
    return "collapsed stacks count samples and have no times: 1 ns stands for 1 sample, laid one "
           "after "
           "the other";
  }
  int sniff(std::string_view head) const override {
    // All of the first lines are stacks, and one at least has a caller.
    std::size_t lines = 0, nested = 0;
    for (std::size_t newline = 0;
         lines < 50 && (newline = head.find('\n')) != std::string_view::npos;
         head.remove_prefix(newline + 1)) {
      std::string_view line = head.substr(0, newline);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty() || line.front() == '#') continue;
      const std::optional<Line> parsed = parse_line(line);
      if (!parsed || line.find('=') < line.find(';')) return 0;
      ++lines;
      if (parsed->stack.find(';') != std::string_view::npos) ++nested;
    }
    return nested * 2 > lines ? 75 : 0;
  }
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    return Reader().read(source, options);
  }
};

}  // namespace

const Importer& collapsed_importer() {
  static const CollapsedImporter importer;
  return importer;
}

}  // namespace assay::trace
