// SPDX-License-Identifier: Apache-2.0
#include "trace/exporters/collapsed.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "base/check.hpp"
#include "trace/importers/stack_tree.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kMost = 2;
using Times = std::array<std::uint64_t, kMost>;

// Names have neither the separator of frames nor line breaks.
std::string frame_of(const Stage& stage, SpanKind kind) {
  std::string frame = stage.name.empty() ? "?" : stage.name;
  for (char& c : frame) {
    if (c == ';') c = ':';
    if (c == '\n' || c == '\r') c = ' ';
  }
  if (kind != SpanKind::service) frame += " (" + std::string(to_word(kind)) + ")";
  return frame;
}

class Stacks {
 public:
  void add(const Trace& trace, std::size_t side) {
    const Spans& spans = trace.spans;
    std::vector<std::uint32_t> order(spans.size());
    std::iota(order.begin(), order.end(), 0U);
    // Outer spans before inner ones.
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(spans.worker[a], spans.begin[a], ~spans.end[a], a) <
             std::tuple(spans.worker[b], spans.begin[b], ~spans.end[b], b);
    });
    std::vector<std::uint32_t> frames(trace.stages.size() * kSpanKinds, kNone);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // span and node
    std::uint32_t worker = kNone;
    for (const std::uint32_t i : order) {
      if (spans.worker[i] != worker || worker == kNone) open.clear();
      worker = spans.worker[i];
      while (!open.empty() && spans.end[open.back().first] < spans.end[i]) open.pop_back();
      // One that begins where another ends is no part of it.
      while (!open.empty() && spans.end[open.back().first] <= spans.begin[i] &&
             spans.begin[open.back().first] < spans.begin[i]) {
        open.pop_back();
      }
      const auto kind = static_cast<std::size_t>(spans.kind[i]);
      std::uint32_t& frame = frames[spans.stage[i] * kSpanKinds + kind];
      if (frame == kNone)
        frame = frames_.intern(frame_of(trace.stages[spans.stage[i]], spans.kind[i]));
      const std::uint32_t above = open.empty() ? StackTree::kRoot : open.back().second;
      const std::uint32_t node = tree_.child(above, frame);
      times_.resize(tree_.size());
      const std::uint64_t length =
          static_cast<std::uint64_t>(spans.end[i]) - static_cast<std::uint64_t>(spans.begin[i]);
      times_[node][side] += length;
      // Children of one caller that overlap take no more than it has.
      if (above != StackTree::kRoot) {
        times_[above][side] -= std::min(times_[above][side], length);
      }
      open.emplace_back(i, node);
    }
  }

  Result<void> write(std::size_t sides, const Sink& sink) {
    std::map<std::string, std::uint32_t> lines;
    for (std::uint32_t node = 1; node < tree_.size(); ++node) {
      if (times_[node] == Times{}) continue;
      std::string line;
      std::vector<std::uint32_t> path;
      for (std::uint32_t at = node; at != StackTree::kRoot; at = tree_.parent(at)) {
        path.push_back(tree_.stage(at));
      }
      for (std::size_t i = path.size(); i > 0; --i) {
        if (!line.empty()) line += ';';
        line += frames_.at(path[i - 1]);
      }
      lines.emplace(std::move(line), node);
    }
    Output out(sink);
    for (const auto& [line, node] : lines) {
      if (out.has_failed()) break;
      out.raw(line);
      for (std::size_t side = 0; side < sides; ++side) out.print(" {}", times_[node][side]);
      out.raw("\n");
    }
    return out.finish();
  }

 private:
  StackTree tree_ = {};
  Strings frames_ = {};
  std::vector<Times> times_ = {Times{}};
};

}  // namespace

Result<void> write_collapsed(std::span<const Trace* const> traces, const Sink& sink) {
  ASSAY_CHECK(!traces.empty() && traces.size() <= kMost, "one trace, or two");
  Stacks stacks;
  for (std::size_t side = 0; side < traces.size(); ++side) stacks.add(*traces[side], side);
  return stacks.write(traces.size(), sink);
}

}  // namespace assay::trace
