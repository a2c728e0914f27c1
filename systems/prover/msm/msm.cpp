// SPDX-License-Identifier: Apache-2.0
#include "prover/msm/msm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "prover/base/parallel.hpp"
#include "prover/msm/bucket_sums.hpp"

namespace prover::msm {
namespace {

// Sums of a tile and the buckets are to stay in the second-level cache.
constexpr std::size_t kTile = std::size_t{1} << 13;
// A task has this many scalars at least, so that reducing its buckets stays the smaller part.
constexpr std::size_t kSmallestPart = std::size_t{1} << 12;

// Additions that the busiest thread does.
double cost(std::size_t scalars, unsigned windows, unsigned window, std::size_t parts,
            unsigned threads) {
  const double task =
      static_cast<double>(scalars) / static_cast<double>(parts) + 2.0 * std::exp2(window - 1);
  return std::ceil(static_cast<double>(windows * parts) / threads) * task;
}

std::size_t best_parts(std::size_t scalars, unsigned windows, unsigned window, unsigned threads) {
  std::size_t best = 1;
  for (std::size_t parts = 2; parts <= threads && scalars / parts >= kSmallestPart; ++parts)
    if (cost(scalars, windows, window, parts, threads) <
        cost(scalars, windows, window, best, threads))
      best = parts;
  return best;
}

// Which points are infinity: keys are full of them, for wires that a matrix does not use.
template <class Group>
std::vector<bool> infinities(std::span<const std::byte> points) {
  using Point = curve::Affine<typename Group::Coordinate>;
  std::vector<bool> marks(points.size() / Point::kBytes);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::byte* at = points.data() + i * Point::kBytes;
    marks[i] = std::all_of(at, at + Point::kBytes, [](std::byte b) { return b == std::byte{0}; });
  }
  return marks;
}

// The part of ascending indices (kNegate aside) whose scalars have a point in the table.
std::pair<std::size_t, std::size_t> range_of(std::span<const std::uint32_t> indices,
                                             std::size_t first, std::size_t count) {
  const auto below = [&](std::size_t bound) {
    return static_cast<std::size_t>(
        std::partition_point(indices.begin(), indices.end(),
                             [&](std::uint32_t index) { return (index & ~kNegate) < bound; }) -
        indices.begin());
  };
  return {below(first), below(first + count)};
}

template <class Group>
class Multiplication {
 public:
  using F = typename Group::Coordinate;
  using Point = curve::Affine<F>;
  using Sum = curve::Jacobian<F>;

  Multiplication(const Table& table, const Digits& digits)
      : table_(table),
        digits_(digits),
        add_(add_pairs<Group>(field::current_isa())),
        infinite_(infinities<Group>(table.points)) {}

  Sum run(unsigned threads, const std::stop_token& stop) {
    const std::size_t count = infinite_.size();
    const auto [unit_begin, unit_end] = range_of(digits_.units(), table_.first, count);
    const auto [begin, end] = range_of(digits_.indices(), table_.first, count);
    const std::size_t parts = best_parts(end - begin, digits_.windows(), digits_.window(), threads);
    const std::size_t unit_parts =
        std::min<std::size_t>(threads, (unit_end - unit_begin + kSmallestPart - 1) / kSmallestPart);
    const std::size_t tasks = begin == end ? 0 : digits_.windows() * parts;
    std::vector<Sum> sums(tasks + unit_parts, Sum::infinity());
    parallel(threads, sums.size(),
             [&, begin = begin, end = end, unit_begin = unit_begin,
              unit_end = unit_end](std::size_t task) {
               if (stop.stop_requested()) return;
               if (task >= tasks) {
                 const auto [from, to] = part_of(unit_begin, unit_end, task - tasks, unit_parts);
                 sums[task] = sum_units(from, to);
                 return;
               }
               const auto [from, to] = part_of(begin, end, task % parts, parts);
               sums[task] = sum_window(static_cast<unsigned>(task / parts), from, to);
             });
    Sum total = Sum::infinity();
    for (unsigned w = tasks == 0 ? 0 : digits_.windows(); w-- > 0;) {
      for (unsigned i = 0; i < digits_.window(); ++i) total = total.doubled();
      for (std::size_t part = 0; part < parts; ++part) total += sums[w * parts + part];
    }
    for (std::size_t part = 0; part < unit_parts; ++part) total += sums[tasks + part];
    return total;
  }

 private:
  static std::pair<std::size_t, std::size_t> part_of(std::size_t begin, std::size_t end,
                                                     std::size_t part, std::size_t parts) {
    const std::size_t size = end - begin;
    return {begin + size * part / parts, begin + size * (part + 1) / parts};
  }

  Sum sum_window(unsigned w, std::size_t begin, std::size_t end) const {
    const std::size_t buckets = std::size_t{1} << (digits_.window() - 1);
    const std::size_t tile = std::max(kTile, 2 * buckets);
    BucketSums<Group> sums(buckets, add_);
    std::vector<Entry> entries;
    entries.reserve(std::min(tile, end - begin));
    bool any = false;
    const auto digits = digits_.digits(w);
    const auto indices = digits_.indices();
    for (std::size_t from = begin; from < end; from += tile) {
      entries.clear();
      for (std::size_t k = from; k < std::min(end, from + tile); ++k) {
        const int digit = digits[k];
        const std::uint32_t point =
            (indices[k] & ~kNegate) - static_cast<std::uint32_t>(table_.first);
        if (digit == 0 || infinite_[point]) continue;
        const std::uint32_t sign = (indices[k] & kNegate) ^ (digit < 0 ? kNegate : 0);
        entries.push_back(
            {static_cast<std::uint32_t>(digit < 0 ? -digit : digit) - 1, point | sign});
      }
      sums.add(table_.points.data(), entries);
      any = any || !entries.empty();
    }
    return any ? sums.weighted_sum() : Sum::infinity();  // high windows of small scalars
  }

  Sum sum_units(std::size_t begin, std::size_t end) const {
    BucketSums<Group> sums(1, add_);
    std::vector<Entry> entries;
    for (std::size_t from = begin; from < end; from += kTile) {
      entries.clear();
      for (std::size_t k = from; k < std::min(end, from + kTile); ++k) {
        const std::uint32_t index = digits_.units()[k];
        const std::uint32_t point = (index & ~kNegate) - static_cast<std::uint32_t>(table_.first);
        if (!infinite_[point]) entries.push_back({0, point | (index & kNegate)});
      }
      sums.add(table_.points.data(), entries);
    }
    return Sum::from(sums.bucket(0));
  }

  const Table table_;
  const Digits& digits_;
  const AddPairs add_;
  const std::vector<bool> infinite_;
};

}  // namespace

unsigned best_window(std::size_t scalars, const Scalar& order, unsigned threads) {
  unsigned best = 4;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned window = 4; window <= 16; ++window) {
    const unsigned windows = Digits::windows_for(order, window);
    const double price =
        cost(scalars, windows, window, best_parts(scalars, windows, window, threads), threads);
    if (price >= least) continue;
    least = price;
    best = window;
  }
  return best;
}

template <class Group>
curve::Jacobian<typename Group::Coordinate> multiply(const Table& table, const Digits& digits,
                                                     unsigned threads,
                                                     const std::stop_token& stop) {
  return Multiplication<Group>(table, digits).run(threads, stop);
}

// By task: for each bucket its point, its start, its mark, and what runs and single points grow to;
// for each point of a tile half a sum, its entry, and places in the order and among the operands.
// Beside them the two sums of each segment (bucket_sums.cpp) and a bit for each point of the table.
template <class Group>
std::uint64_t scratch_bytes(std::uint64_t scalars, unsigned window, unsigned threads) {
  using Point = curve::Affine<typename Group::Coordinate>;
  const std::uint64_t buckets = std::uint64_t{1} << (window - 1);
  const std::uint64_t tile = std::min<std::uint64_t>(std::max<std::uint64_t>(kTile, 2 * buckets),
                                                     std::max<std::uint64_t>(scalars, 1));
  const std::uint64_t task =
      buckets * (Point::kBytes + 40) + tile * (Point::kBytes / 2 + 16) +
      2 * std::clamp<std::uint64_t>(buckets / 64, 16, kMostSegments) * Point::kBytes;
  const std::uint64_t sums = (256 / window + 2) * 3 * Point::kBytes / 2;  // one of each task
  return threads * (task + sums) + scalars / 8;
}

template <class Group>
std::optional<std::size_t> first_bad_point(std::span<const std::byte> points, unsigned threads) {
  using Point = curve::Affine<typename Group::Coordinate>;
  const FirstOffCurve first_off_curve = kernels<Group>(field::current_isa()).first_off_curve;
  const std::size_t count = points.size() / Point::kBytes;
  const std::size_t bad =
      parallel_find(threads, count, std::size_t{1} << 12, [&](std::size_t begin, std::size_t end) {
        return begin + first_off_curve(points.data() + begin * Point::kBytes, end - begin);
      });
  if (bad == count) return std::nullopt;
  return bad;
}

#define PROVER_INSTANTIATE(GROUP)                                                                \
  template curve::Jacobian<GROUP::Coordinate> multiply<GROUP>(const Table&, const Digits&,       \
                                                              unsigned, const std::stop_token&); \
  template std::uint64_t scratch_bytes<GROUP>(std::uint64_t, unsigned, unsigned);                \
  template std::optional<std::size_t> first_bad_point<GROUP>(std::span<const std::byte>, unsigned);
PROVER_INSTANTIATE(curve::Bn254::G1)
PROVER_INSTANTIATE(curve::Bn254::G2)
PROVER_INSTANTIATE(curve::Bls12_381::G1)
PROVER_INSTANTIATE(curve::Bls12_381::G2)
#undef PROVER_INSTANTIATE

}  // namespace prover::msm
