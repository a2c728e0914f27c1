// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/flight.hpp"

#include <algorithm>
#include <assay/trace.hpp>
#include <utility>

#include "prover/base/result.hpp"

namespace prover {
namespace {

constexpr std::chrono::milliseconds kMemoryEvery{2};  // between memory events of the trace

}  // namespace

Flight::Token::Token(Flight& flight, Place place) : flight_(&flight), place_(place) {
  flight.change(nullptr, &place);
}

Flight::Token::Token(Token&& other) noexcept
    : flight_(std::exchange(other.flight_, nullptr)), place_(other.place_) {}

Flight::Token& Flight::Token::operator=(Token&& other) noexcept {
  if (this == &other) return *this;
  leave();
  flight_ = std::exchange(other.flight_, nullptr);
  place_ = other.place_;
  return *this;
}

void Flight::Token::move_to(Place place) {
  PROVER_CHECK(flight_ != nullptr, "only what is in flight moves");
  flight_->change(&place_, &place);
  place_ = place;
}

void Flight::Token::leave() {
  if (Flight* flight = std::exchange(flight_, nullptr)) flight->change(&place_, nullptr);
}

FlightCounts Flight::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

Flight::Peaks Flight::peaks() const {
  const std::lock_guard lock(mutex_);
  return peaks_;
}

void Flight::change(const Place* from, const Place* to) {
  std::uint32_t total = 0;
  {
    const std::lock_guard lock(mutex_);
    if (from != nullptr) --now_.at[static_cast<std::size_t>(*from)];
    if (to != nullptr) ++now_.at[static_cast<std::size_t>(*to)];
    for (std::size_t i = 0; i < kPlaces; ++i)
      peaks_.at.at[i] = std::max(peaks_.at.at[i], now_.at[i]);
    peaks_.before_proving = std::max(peaks_.before_proving, now_.before_proving());
    peaks_.total = std::max(peaks_.total, total = now_.total());
  }
  report(total);
}

// Beside the lock: reading /proc must not hold up the pipeline.
void Flight::report(std::uint32_t total) {
  const std::uint64_t bytes = resident_.sample();
  if (!assay::emit::enabled()) return;
  static const assay::emit::Name in_flight("in_flight");
  assay::emit::counter(in_flight, total);
  const std::unique_lock lock(report_mutex_, std::try_to_lock);
  const auto now = std::chrono::steady_clock::now();
  if (!lock || now - memory_reported_ < kMemoryEvery) return;
  memory_reported_ = now;
  if (bytes > 0) assay::emit::memory("pid", bytes);
}

}  // namespace prover
