// SPDX-License-Identifier: Apache-2.0
// How many partitions are where, now and at most; and the resident memory whenever that changes.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "prover/engine/resident.hpp"

namespace prover {

enum class Place { synthesising, unsent, queued, proving };
inline constexpr std::size_t kPlaces = 4;

struct FlightCounts {
  std::array<std::uint32_t, kPlaces> at{};

  std::uint32_t operator[](Place place) const { return at[static_cast<std::size_t>(place)]; }
  // Before the prove workers: what permits and the queue's capacity bound with PermitScope::send.
  std::uint32_t before_proving() const { return at[0] + at[1] + at[2]; }
  std::uint32_t total() const { return before_proving() + at[3]; }
};

class Flight {
 public:
  // One partition in flight, from its synthesis until this is destroyed. Move-only.
  class Token {
   public:
    Token() = default;
    Token(Flight& flight, Place place);
    Token(Token&& other) noexcept;
    Token& operator=(Token&& other) noexcept;
    ~Token() { leave(); }
    void move_to(Place place);
    void leave();

   private:
    Flight* flight_ = nullptr;
    Place place_ = Place::synthesising;
  };

  explicit Flight(ResidentMemory& resident) : resident_(resident) {}

  FlightCounts now() const;
  // The most at once of each place, and of the two sums (which are no sums of the others).
  struct Peaks {
    FlightCounts at;
    std::uint32_t before_proving = 0, total = 0;
  };
  Peaks peaks() const;

 private:
  // from or to may be absent (null): entering, leaving.
  void change(const Place* from, const Place* to);
  void report(std::uint32_t total);

  ResidentMemory& resident_;
  mutable std::mutex mutex_;
  FlightCounts now_;
  Peaks peaks_;
  std::mutex report_mutex_;
  std::chrono::steady_clock::time_point memory_reported_{};
};

}  // namespace prover
