// SPDX-License-Identifier: Apache-2.0
// For tests: points whose multiples of the generator are known, so that sums can be told in
// advance.
#pragma once

#include <random>
#include <vector>

#include "prover/curve/groups.hpp"

namespace prover::msm {

template <class Group>
using Sum = curve::Jacobian<typename Group::Coordinate>;
template <class Group>
using Point = curve::Affine<typename Group::Coordinate>;

template <class Group>
Sum<Group> times_generator(std::uint64_t n) {
  return Sum<Group>::from(Group::generator()).times(field::from_word<1>(n));
}

// 0 G, 1 G, 2 G, ... count - 1: affine, one behind the other.
template <class Group>
std::vector<Point<Group>> first_multiples(std::size_t count) {
  std::vector<Point<Group>> points(count);
  Sum<Group> sum = Sum<Group>::infinity();
  for (Point<Group>& point : points) {
    point = sum.affine();
    sum += Group::generator();
  }
  return points;
}

template <class Group>
std::vector<std::byte> to_bytes(const std::vector<Point<Group>>& points, std::size_t offset = 0) {
  std::vector<std::byte> bytes(points.size() * Point<Group>::kBytes + offset);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i].store(bytes.data() + offset + i * Point<Group>::kBytes);
  return bytes;
}

}  // namespace prover::msm
