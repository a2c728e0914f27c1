// SPDX-License-Identifier: Apache-2.0
// Sums of points by bucket, and their weighted sum: the inside of Pippenger's method.
// Points come in tiles. A tile is sorted by bucket; then, round by round, neighbours in a bucket
// are added, all of a round's pairs sharing inversions (kernels.hpp), and what has no neighbour is
// added to its bucket. Each addition makes one point of two, so their number is that of the points,
// and no distribution hurts: a million times the same bucket is a tree of depth 20. Tried: a queue
// of points whose bucket is taken in the running batch, as is usual: it needs another way out for
// the distributions where nearly all are.
#pragma once

#include <span>
#include <vector>

#include "prover/msm/kernels.hpp"

namespace prover::msm {

// A point to be added to a bucket: its index in the table, kNegate set for its negative.
struct Entry {
  std::uint32_t bucket;
  std::uint32_t point;
};

// Parts that the weighted sum is cut into, at most.
inline constexpr std::size_t kMostSegments = 256;

template <class Group>
class BucketSums {
 public:
  using F = typename Group::Coordinate;
  using Point = curve::Affine<F>;

  // Buckets 0..buckets-1, all empty. `kernel` is add_pairs of the group.
  BucketSums(std::size_t buckets, AddPairs kernel);

  // Adds to each entry's bucket its point of `table`. Any number of entries; best are a few times
  // as many as buckets.
  void add(const std::byte* table, std::span<const Entry> entries);

  // sum of (b + 1) * bucket[b]. Uses the buckets up.
  curve::Jacobian<F> weighted_sum();
  // bucket[b].
  Point bucket(std::size_t b) const { return Point::load(buckets_.data() + b * Point::kBytes); }

 private:
  // Points of one bucket that lie behind one another, in `order_` at first and then in `sums_`.
  struct Run {
    std::uint32_t bucket;
    std::uint32_t begin;
    std::uint32_t size;
  };

  void sort(std::span<const Entry> entries);
  void place_single(const std::byte* points, std::uint32_t index, std::uint32_t bucket);
  void flush_singles(const std::byte* points);
  void round(const std::byte* points, bool first);

  const AddPairs add_;
  std::vector<std::byte> buckets_;
  std::vector<bool> empty_;
  std::vector<std::byte> sums_;
  std::vector<std::uint32_t> starts_, order_, left_, right_, single_points_, single_buckets_;
  std::vector<Run> runs_;
};

}  // namespace prover::msm
