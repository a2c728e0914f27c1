// SPDX-License-Identifier: Apache-2.0
// The byte budget: what a partition may hold is reserved before it is worked on, and given back
// when it is freed, in parts or as a whole. Reserved bytes never exceed the limit.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>

namespace prover {

class ByteBudget;

// Bytes of a budget that are held until this is destroyed. Move-only; outlived by its budget.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation() { release(); }

  std::uint64_t bytes() const { return bytes_; }
  // Gives back a part; at most what is held.
  void release_part(std::uint64_t bytes);
  void release();

 private:
  friend class ByteBudget;
  Reservation(ByteBudget* budget, std::uint64_t bytes) : budget_(budget), bytes_(bytes) {}

  ByteBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

class ByteBudget {
 public:
  // Without a limit bytes are counted all the same, and never waited for.
  explicit ByteBudget(std::optional<std::uint64_t> limit) : limit_(limit) {}
  ~ByteBudget();

  // Waits until the bytes are free. Nothing when `stop` was requested first, or when they can never
  // be free because they exceed the limit. One waiter at a time gets its turn in the order of
  // asking only if there is one: the engine asks from its dispatcher alone.
  std::optional<Reservation> acquire(std::uint64_t bytes, const std::stop_token& stop);

  std::optional<std::uint64_t> limit() const { return limit_; }
  std::uint64_t reserved() const;
  std::uint64_t peak() const;

 private:
  friend class Reservation;
  void give_back(std::uint64_t bytes);

  const std::optional<std::uint64_t> limit_;
  mutable std::mutex mutex_;
  std::condition_variable_any freed_;
  std::uint64_t reserved_ = 0;
  std::uint64_t peak_ = 0;
};

}  // namespace prover
