// SPDX-License-Identifier: Apache-2.0
// Multi-scalar multiplication: sum of scalar[i] * point[i], by Pippenger's method with signed
// digits, batched affine additions (kernels.hpp) and sums by bucket (bucket_sums.hpp).
#pragma once

#include <optional>
#include <span>
#include <stop_token>

#include "prover/msm/digits.hpp"
#include "prover/msm/kernels.hpp"

namespace prover::msm {

// Points in memory at any alignment, all zero for infinity; the i-th belongs to the scalar of index
// first + i. Scalars before `first` and behind the last have no point and count nothing.
struct Table {
  std::span<const std::byte> points;
  std::size_t first = 0;
};

// The window width, in bits, that is cheapest for so many scalars that are neither 0 nor +-1.
unsigned best_window(std::size_t scalars, const Scalar& order, unsigned threads);

// Points are taken as they are: check them first (check_points) when they come from outside.
// Work is cut into tasks of one window and a part of the points, so threads do not wait. Once
// `stop` is requested no new task begins, and what comes back is no sum.
template <class Group>
curve::Jacobian<typename Group::Coordinate> multiply(const Table& table, const Digits& digits,
                                                     unsigned threads,
                                                     const std::stop_token& stop = {});

// Memory that multiply() takes at most beside its arguments, for so many scalars that are cut.
template <class Group>
std::uint64_t scratch_bytes(std::uint64_t scalars, unsigned window, unsigned threads);

// The index within `points` of the first point that is not on the curve or not below the modulus.
template <class Group>
std::optional<std::size_t> first_bad_point(std::span<const std::byte> points, unsigned threads);

}  // namespace prover::msm
