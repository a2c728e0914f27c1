// SPDX-License-Identifier: Apache-2.0
// The byte budget: what a partition may hold is reserved before it is worked on, and given back
// when it is freed, in parts or as a whole; what is loaded for many partitions is charged too, and
// so is what the process holds beyond all that. Reserved bytes never exceed the limit.
//
// Whoever waits for bytes goes on when others give theirs back, or when what nobody uses is
// evicted (Reclaim). While no partition holds any, the unaccounted ones give way: nobody waits for
// what can never come.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "prover/engine/resident.hpp"

namespace prover {

class ByteBudget;

// What bytes are reserved for.
enum class Charge {
  fixed,      // the program itself (Options::resident_bytes)
  cache,      // loaded resources
  partition,  // partitions on their way
};
inline constexpr std::size_t kCharges = 3;

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
  Reservation(ByteBudget* budget, Charge charge, std::uint64_t bytes)
      : budget_(budget), charge_(charge), bytes_(bytes) {}

  ByteBudget* budget_ = nullptr;
  Charge charge_ = Charge::partition;
  std::uint64_t bytes_ = 0;
};

// Reserved bytes, and what they are for.
struct Charges {
  std::array<std::uint64_t, kCharges> by{};
  std::uint64_t unaccounted = 0;  // measured, and reserved by nobody
  std::uint64_t operator[](Charge charge) const { return by[static_cast<std::size_t>(charge)]; }
  std::uint64_t accounted() const { return by[0] + by[1] + by[2]; }
  std::uint64_t total() const { return accounted() + unaccounted; }
};

class ByteBudget {
 public:
  // Without a limit bytes are counted all the same, and never waited for.
  explicit ByteBudget(std::optional<std::uint64_t> limit) : limit_(limit) {}
  ~ByteBudget();

  // Frees so many bytes of the budget, or nothing: whether it did. Called without the budget's
  // lock. Set before anybody acquires.
  using Reclaim = std::function<bool(std::uint64_t missing)>;
  void set_reclaim(Reclaim reclaim) { reclaim_ = std::move(reclaim); }

  // Waits until the bytes are free. Nothing when `stop` was requested first, or when they can never
  // be free because they exceed the limit. One waiter at a time gets its turn in the order of
  // asking only if there is one: the engine asks from its dispatcher alone.
  std::optional<Reservation> acquire(std::uint64_t bytes, const std::stop_token& stop,
                                     Charge charge = Charge::partition);
  // The same at once, or nothing.
  std::optional<Reservation> try_acquire(std::uint64_t bytes, Charge charge);
  // Something may be reclaimed now that could not be: whoever waits tries again.
  void reclaimable();

  // Compares what the process holds with what is reserved, and charges the difference, as far as
  // there is room: malloc's floor, stacks, whatever a footprint forgot. The charge only rises until
  // no partition holds bytes; then it is set anew when somebody asks for some. With a limit only.
  // Measured under the lock, so that both are of one moment.
  void reconcile(ResidentMemory& measured);

  std::optional<std::uint64_t> limit() const { return limit_; }
  Charges charges() const;
  std::uint64_t reserved() const { return charges().total(); }
  std::uint64_t peak() const;

 private:
  friend class Reservation;
  void give_back(Charge charge, std::uint64_t bytes);
  // mutex_ is held in these.
  std::uint64_t missing(std::uint64_t bytes);
  Reservation take(std::uint64_t bytes, Charge charge);

  const std::optional<std::uint64_t> limit_;
  Reclaim reclaim_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Charges charges_;
  std::uint64_t changes_ = 0;  // whenever a waiter may have more luck
  std::uint64_t peak_ = 0;
};

}  // namespace prover
