// SPDX-License-Identifier: Apache-2.0
// Permits to synthesise: as many partitions as there are permits are between the dispatcher and the
// point where the permit is given back (Options::permit_scope).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>

namespace prover {

class Permits;

// One permit, held until this is destroyed. Move-only; outlived by its Permits.
class Permit {
 public:
  Permit() = default;
  Permit(Permit&& other) noexcept;
  Permit& operator=(Permit&& other) noexcept;
  ~Permit() { release(); }

  void release();

 private:
  friend class Permits;
  explicit Permit(Permits* from) : from_(from) {}

  Permits* from_ = nullptr;
};

class Permits {
 public:
  explicit Permits(std::uint32_t count) : count_(count) {}
  ~Permits();

  // Waits for a free permit; nothing when `stop` was requested first.
  std::optional<Permit> acquire(const std::stop_token& stop);
  std::uint32_t taken() const;

 private:
  friend class Permit;
  void give_back();

  const std::uint32_t count_;
  mutable std::mutex mutex_;
  std::condition_variable_any freed_;
  std::uint32_t taken_ = 0;
};

}  // namespace prover
