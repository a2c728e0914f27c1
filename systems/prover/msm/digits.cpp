// SPDX-License-Identifier: Apache-2.0
#include "prover/msm/digits.hpp"

#include <bit>

#include "prover/base/parallel.hpp"
#include "prover/base/result.hpp"
#include "prover/msm/kernels.hpp"

namespace prover::msm {
namespace {

using field::Limbs;
constexpr std::size_t kGrain = 1u << 14;

unsigned bit_length(const Scalar& a) {
  for (unsigned i = 4; i-- > 0;)
    if (a[i] != 0) return 64 * i + static_cast<unsigned>(std::bit_width(a[i]));
  return 0;
}

// The shorter of s and r - s; whether it is the latter.
bool make_short(Scalar& s, const Scalar& order, const Scalar& half) {
  if (!field::less(half, s)) return false;
  Scalar negative = order;
  field::sub_from(negative, s);
  s = negative;
  return true;
}

// All parts, which are freed, behind one another.
void join(std::vector<std::vector<std::uint32_t>>& parts, Pages<std::uint32_t>& whole) {
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  whole.reserve(size);
  for (auto& part : parts) {
    whole.insert(whole.end(), part.begin(), part.end());
    part = std::vector<std::uint32_t>();
  }
}

}  // namespace

// An index of 4 bytes and a digit of 2 for each window. Before the digits there are the indices by
// part too, 4 bytes again: less than three digits.
std::uint64_t Digits::bytes_for(std::uint64_t scalars, const Scalar& order, unsigned window) {
  return scalars * (4 + 2 * windows_for(order, window));
}

// |s| <= r / 2 has one bit less than r. With 2^(w-1) added at every window all digits become
// non-negative, and the sum must stay below 2^(w windows): one bit of room above the half.
unsigned Digits::windows_for(const Scalar& order, unsigned window) {
  return (bit_length(order) + window) / window;
}

Digits::Digits(std::span<const Scalar> scalars, const Scalar& order, unsigned window,
               unsigned threads)
    : window_(window), windows_(windows_for(order, window)) {
  PROVER_CHECK(window >= kLeastWindow && window <= kMostWindow, "digits are stored in 16 bits");
  PROVER_CHECK(scalars.size() < kNegate, "an index has 31 bits");
  const Scalar half = field::shift_right(order, 1), one = field::from_word<4>(1);
  // Each part sorts its scalars by itself; then they are laid behind one another.
  const std::size_t parts = (scalars.size() + kGrain - 1) / kGrain;
  std::vector<std::vector<std::uint32_t>> units(parts), others(parts);
  parallel(threads, parts, [&](std::size_t part) {
    const std::size_t end = std::min((part + 1) * kGrain, scalars.size());
    for (std::size_t i = part * kGrain; i < end; ++i) {
      Scalar s = scalars[i];
      if (field::is_zero(s)) continue;
      const std::uint32_t sign = make_short(s, order, half) ? kNegate : 0;
      (s == one ? units : others)[part].push_back(static_cast<std::uint32_t>(i) | sign);
    }
  });
  join(units, units_);
  join(others, indices_);
  Limbs<5> offset{};
  for (unsigned w = 0; w < windows_; ++w) {
    const unsigned at = w * window + window - 1;
    offset[at / 64] |= std::uint64_t{1} << (at % 64);
  }
  const std::uint64_t mask = (std::uint64_t{1} << window) - 1;
  digits_.resize(windows_ * indices_.size());
  parallel_ranges(threads, indices_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      Scalar s = scalars[indices_[k] & ~kNegate];
      make_short(s, order, half);
      Limbs<5> sum{s[0], s[1], s[2], s[3], 0};
      field::add_to(sum, offset);
      for (unsigned w = 0; w < windows_; ++w) {
        const unsigned at = w * window, word = at / 64, rest = at % 64;
        std::uint64_t bits = sum[word] >> rest;
        if (rest + window > 64 && word + 1 < 5) bits |= sum[word + 1] << (64 - rest);
        digits_[w * indices_.size() + k] = static_cast<std::int16_t>(
            static_cast<std::int64_t>(bits & mask) - (std::int64_t{1} << (window - 1)));
      }
    }
  });
}

}  // namespace prover::msm
