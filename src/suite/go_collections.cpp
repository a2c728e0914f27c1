// SPDX-License-Identifier: Apache-2.0
// go test collects by force in front of each try of a benchmark, the first of which comes before
// its name is printed; so the first forced collection behind a line of numbers tells what the
// benchmark left behind, and what the next one starts from. Collections behind the last forced one
// belong to the try whose numbers are printed.
#include "suite/go_collections.hpp"

#include <re2/re2.h>

#include "base/text.hpp"

namespace assay::suite {
namespace {

constexpr double kMs = 1e-3, kMiB = 1 << 20;

struct Collection {
  double seconds = 0, live = 0;
  bool forced = false;
};

// The part of `line` in front of a collection; nothing when the line tells of none.
std::optional<std::string_view> in_front_of_collection(std::string_view line, Collection& told) {
  static const RE2 kLine(
      R"(gc \d+ @[\d.]+s \d+%: ([\d.]+)\+([\d.]+)\+([\d.]+) ms clock, .*\d+->\d+->(\d+) MB, .* P( \(forced\))?$)");
  re2::StringPiece groups[6];
  if (!kLine.Match({line.data(), line.size()}, 0, line.size(), RE2::UNANCHORED, groups, 6))
    return std::nullopt;
  told = {.forced = groups[5].data() != nullptr};
  for (int g = 1; g <= 4; ++g) {
    const auto number = parse_number(std::string(groups[g].data(), groups[g].size()));
    if (!number) return std::nullopt;
    (g < 4 ? told.seconds : told.live) += *number * (g < 4 ? kMs : kMiB);
  }
  return line.substr(0, static_cast<std::size_t>(groups[0].data() - line.data()));
}

// The name of a benchmark in front of a count: "BenchmarkSort-8   100   1234 ns/op".
std::string_view name_of_numbers(std::string_view line) {
  static const RE2 kNumbers(R"(^(Benchmark\S*)\s+\d+\s+\S)");
  re2::StringPiece groups[2];
  if (!kNumbers.Match({line.data(), line.size()}, 0, line.size(), RE2::UNANCHORED, groups, 2))
    return {};
  return {groups[1].data(), groups[1].size()};
}

class Sorter {
 public:
  explicit Sorter(std::map<std::string, GoHeap, std::less<>>& heaps) : heaps_(heaps) {}

  void take(const Collection& one) {
    seen_ = true;
    if (!one.forced) {
      seconds_ += one.seconds;
      return;
    }
    seconds_ = 0;
    if (first_) return;
    first_ = one.live;
    if (last_ != nullptr) last_->after = one.live;
  }

  void take_numbers(std::string_view name) {
    if (!seen_) return;
    GoHeap& heap = heaps_[std::string(name)];
    heap.gc_s += seconds_;
    if (!heap.before) heap.before = first_;
    last_ = &heap;
    first_.reset();
    seconds_ = 0;
  }

 private:
  std::map<std::string, GoHeap, std::less<>>& heaps_;
  GoHeap* last_ = nullptr;
  std::optional<double> first_;  // since the last numbers
  double seconds_ = 0;           // since the last forced one
  bool seen_ = false;
};

}  // namespace

std::string without_collections(std::string_view out,
                                std::map<std::string, GoHeap, std::less<>>& heaps) {
  Sorter sorter(heaps);
  std::string text, line;
  while (!out.empty()) {
    const bool whole = out.find('\n') != std::string_view::npos;
    const std::string_view piece = out.substr(0, out.find('\n'));
    out.remove_prefix(piece.size() + (whole ? 1 : 0));
    Collection told;
    if (const auto front = in_front_of_collection(piece, told)) {
      sorter.take(told);
      line += *front;
      continue;
    }
    line += piece;
    if (const std::string_view name = name_of_numbers(line); !name.empty())
      sorter.take_numbers(name);
    text += whole ? line + "\n" : line;
    line.clear();
  }
  return text + line;
}

}  // namespace assay::suite
