// SPDX-License-Identifier: Apache-2.0
#include "prover/msm/bucket_sums.hpp"

#include <algorithm>
#include <cstring>

namespace prover::msm {

template <class Group>
BucketSums<Group>::BucketSums(std::size_t buckets, AddPairs kernel)
    : add_(kernel),
      buckets_(buckets * Point::kBytes),
      empty_(buckets, true),
      starts_(buckets + 1) {}

// order_ gets the points by bucket, runs_ the buckets that have any. A counting sort.
template <class Group>
void BucketSums<Group>::sort(std::span<const Entry> entries) {
  std::fill(starts_.begin(), starts_.end(), 0);
  for (const Entry& entry : entries) ++starts_[entry.bucket + 1];
  runs_.clear();
  std::uint32_t begin = 0;
  for (std::uint32_t b = 0; b + 1 < starts_.size(); ++b) {
    const std::uint32_t size = starts_[b + 1];
    if (size != 0) runs_.push_back({b, begin, size});
    starts_[b] = begin;
    begin += size;
  }
  order_.resize(entries.size());
  // starts_[b] moves to the end of its bucket; the last place is not used by that.
  for (const Entry& entry : entries) order_[starts_[entry.bucket]++] = entry.point;
}

// A point without a neighbour: becomes its empty bucket or waits to be added to it.
template <class Group>
void BucketSums<Group>::place_single(const std::byte* points, std::uint32_t index,
                                     std::uint32_t bucket) {
  if (!empty_[bucket]) {
    single_points_.push_back(index);
    single_buckets_.push_back(bucket);
    return;
  }
  empty_[bucket] = false;
  const Point point = Point::load(points + (index & ~kNegate) * Point::kBytes);
  ((index & kNegate) != 0 ? -point : point).store(buckets_.data() + bucket * Point::kBytes);
}

template <class Group>
void BucketSums<Group>::flush_singles(const std::byte* points) {
  add_({buckets_.data(), single_buckets_.data()}, {points, single_points_.data()}, buckets_.data(),
       single_buckets_.data(), single_points_.size());
  single_points_.clear();
  single_buckets_.clear();
}

// Halves every run. The first round takes points of the table by order_, the others those of sums_;
// all leave their sums in sums_.
template <class Group>
void BucketSums<Group>::round(const std::byte* points, bool first) {
  left_.clear();
  right_.clear();
  const auto index = [&](std::uint32_t i) { return first ? order_[i] : i; };
  std::size_t kept = 0;
  for (const Run run : runs_) {
    const std::uint32_t sums = static_cast<std::uint32_t>(left_.size());
    for (std::uint32_t i = 0; i + 1 < run.size; i += 2) {
      left_.push_back(index(run.begin + i));
      right_.push_back(index(run.begin + i + 1));
    }
    if (run.size % 2 != 0) place_single(points, index(run.begin + run.size - 1), run.bucket);
    if (run.size >= 2) runs_[kept++] = {run.bucket, sums, run.size / 2};
  }
  runs_.resize(kept);
  flush_singles(points);  // before the sums overwrite them
  add_({points, left_.data()}, {points, right_.data()}, sums_.data(), nullptr, left_.size());
}

template <class Group>
void BucketSums<Group>::add(const std::byte* table, std::span<const Entry> entries) {
  if (entries.empty()) return;
  sort(entries);
  if (sums_.size() < entries.size() / 2 * Point::kBytes)
    sums_.resize(entries.size() / 2 * Point::kBytes);
  round(table, true);
  while (!runs_.empty()) round(sums_.data(), false);
}

// Buckets are cut into segments of equal length L. For all segments at once, from their last bucket
// to the first: R += bucket, T += R. Then T is the segment's sum of (i + 1) * bucket[i] with i from
// its own start, R the plain sum, and segment s adds s L R to its T.
template <class Group>
curve::Jacobian<typename Group::Coordinate> BucketSums<Group>::weighted_sum() {
  using Sum = curve::Jacobian<F>;
  const std::size_t count = empty_.size();
  const std::size_t parts = std::clamp<std::size_t>(count / 64, 16, kMostSegments);
  const std::size_t length = (count + parts - 1) / parts;
  const std::size_t segments = (count + length - 1) / length;
  std::vector<std::byte> plain(segments * Point::kBytes), weighted(segments * Point::kBytes);
  std::vector<std::uint32_t> at;
  for (std::size_t i = length; i-- > 0;) {
    at.clear();
    for (std::size_t s = 0; s < segments && s * length + i < count; ++s)
      at.push_back(static_cast<std::uint32_t>(s * length + i));
    add_({plain.data(), nullptr}, {buckets_.data(), at.data()}, plain.data(), nullptr, at.size());
    add_({weighted.data(), nullptr}, {plain.data(), nullptr}, weighted.data(), nullptr, segments);
  }
  Sum total = Sum::infinity(), suffix = Sum::infinity(), offset = Sum::infinity();
  for (std::size_t s = segments; s-- > 0;) {
    total += Point::load(weighted.data() + s * Point::kBytes);
    if (s == 0) break;
    suffix += Point::load(plain.data() + s * Point::kBytes);
    offset += suffix;  // sum of s * R_s
  }
  return total + offset.times(field::from_word<1>(length));
}

template class BucketSums<curve::Bn254::G1>;
template class BucketSums<curve::Bn254::G2>;
template class BucketSums<curve::Bls12_381::G1>;
template class BucketSums<curve::Bls12_381::G2>;

}  // namespace prover::msm
