// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/budget.hpp"

#include <algorithm>
#include <utility>

#include "prover/base/result.hpp"

namespace prover {

Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this == &other) return *this;
  release();
  budget_ = std::exchange(other.budget_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void Reservation::release_part(std::uint64_t bytes) {
  PROVER_CHECK(bytes <= bytes_, "no more is given back than was reserved");
  bytes_ -= bytes;
  if (budget_ != nullptr && bytes > 0) budget_->give_back(bytes);
}

void Reservation::release() {
  release_part(bytes_);
  budget_ = nullptr;
}

ByteBudget::~ByteBudget() { PROVER_CHECK(reserved_ == 0, "a budget outlives its reservations"); }

std::optional<Reservation> ByteBudget::acquire(std::uint64_t bytes, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (limit_ && bytes > *limit_) return std::nullopt;
  const auto fits = [&] { return !limit_ || bytes <= *limit_ - reserved_; };
  if (!freed_.wait(lock, stop, fits) || stop.stop_requested()) return std::nullopt;
  reserved_ += bytes;
  peak_ = std::max(peak_, reserved_);
  return Reservation(this, bytes);
}

std::uint64_t ByteBudget::reserved() const {
  const std::lock_guard lock(mutex_);
  return reserved_;
}

std::uint64_t ByteBudget::peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

void ByteBudget::give_back(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  reserved_ -= bytes;
  freed_.notify_all();
}

}  // namespace prover
