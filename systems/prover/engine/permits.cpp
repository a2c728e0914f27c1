// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/permits.hpp"

#include <utility>

#include "prover/base/result.hpp"

namespace prover {

Permit::Permit(Permit&& other) noexcept : from_(std::exchange(other.from_, nullptr)) {}

Permit& Permit::operator=(Permit&& other) noexcept {
  if (this == &other) return *this;
  release();
  from_ = std::exchange(other.from_, nullptr);
  return *this;
}

void Permit::release() {
  if (Permits* from = std::exchange(from_, nullptr)) from->give_back();
}

Permits::~Permits() { PROVER_CHECK(taken_ == 0, "permits outlive their holders"); }

std::optional<Permit> Permits::acquire(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!freed_.wait(lock, stop, [&] { return taken_ < count_; }) || stop.stop_requested())
    return std::nullopt;
  ++taken_;
  return Permit(this);
}

std::uint32_t Permits::taken() const {
  const std::lock_guard lock(mutex_);
  return taken_;
}

void Permits::give_back() {
  const std::lock_guard lock(mutex_);
  --taken_;
  freed_.notify_all();
}

}  // namespace prover
