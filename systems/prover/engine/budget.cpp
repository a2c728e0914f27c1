// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/budget.hpp"

#include <algorithm>
#include <utility>

#include "prover/base/result.hpp"

namespace prover {

Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      charge_(other.charge_),
      bytes_(std::exchange(other.bytes_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this == &other) return *this;
  release();
  budget_ = std::exchange(other.budget_, nullptr);
  charge_ = other.charge_;
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void Reservation::release_part(std::uint64_t bytes) {
  PROVER_CHECK(bytes <= bytes_, "no more is given back than was reserved");
  bytes_ -= bytes;
  if (budget_ != nullptr && bytes > 0) budget_->give_back(charge_, bytes);
}

void Reservation::release() {
  release_part(bytes_);
  budget_ = nullptr;
}

ByteBudget::~ByteBudget() {
  PROVER_CHECK(charges_.accounted() == 0, "a budget outlives its reservations");
}

// How many bytes are missing, after the unaccounted ones gave way if they must.
std::uint64_t ByteBudget::missing(std::uint64_t bytes) {
  if (!limit_) return 0;
  const auto short_of = [&] {
    const std::uint64_t free = *limit_ - charges_.total();
    return bytes > free ? bytes - free : 0;
  };
  if (charges_[Charge::partition] == 0)
    charges_.unaccounted -= std::min(charges_.unaccounted, short_of());
  return short_of();
}

Reservation ByteBudget::take(std::uint64_t bytes, Charge charge) {
  charges_.by[static_cast<std::size_t>(charge)] += bytes;
  peak_ = std::max(peak_, charges_.total());
  return Reservation(this, charge, bytes);
}

std::optional<Reservation> ByteBudget::acquire(std::uint64_t bytes, const std::stop_token& stop,
                                               Charge charge) {
  std::unique_lock lock(mutex_);
  if (limit_ && bytes > *limit_) return std::nullopt;
  while (!stop.stop_requested()) {
    const std::uint64_t short_of = missing(bytes);
    if (short_of == 0) return take(bytes, charge);
    const std::uint64_t seen = changes_;
    if (reclaim_) {
      lock.unlock();
      const bool reclaimed = reclaim_(short_of);
      lock.lock();
      if (reclaimed) continue;
    }
    changed_.wait(lock, stop, [&] { return changes_ != seen; });
  }
  return std::nullopt;
}

std::optional<Reservation> ByteBudget::try_acquire(std::uint64_t bytes, Charge charge) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const std::uint64_t short_of = missing(bytes);
    if (short_of == 0) return take(bytes, charge);
    if (!reclaim_) return std::nullopt;
    lock.unlock();
    const bool reclaimed = reclaim_(short_of);
    lock.lock();
    if (!reclaimed) return std::nullopt;
  }
}

void ByteBudget::reclaimable() {
  const std::lock_guard lock(mutex_);
  ++changes_;
  changed_.notify_all();
}

void ByteBudget::reconcile(ResidentMemory& measured) {
  if (!limit_) return;
  const std::lock_guard lock(mutex_);
  const std::uint64_t held = measured.sample(), accounted = charges_.accounted();
  const std::uint64_t excess =
      std::min(held > accounted ? held - accounted : 0, *limit_ - accounted);
  if (charges_[Charge::partition] > 0 && excess <= charges_.unaccounted) return;
  charges_.unaccounted = excess;
  peak_ = std::max(peak_, charges_.total());
}

Charges ByteBudget::charges() const {
  const std::lock_guard lock(mutex_);
  return charges_;
}

std::uint64_t ByteBudget::peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

void ByteBudget::give_back(Charge charge, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  charges_.by[static_cast<std::size_t>(charge)] -= bytes;
  ++changes_;
  changed_.notify_all();
}

}  // namespace prover
