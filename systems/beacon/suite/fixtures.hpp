// SPDX-License-Identifier: Apache-2.0
// The states that the benchmarks share. A fixture is read from an SSZ file; its caches are derived
// from it once, before the first benchmark, because that costs some hundred times what a benchmark
// does. Whoever clears the cache makes the next benchmark pay for that: the state is read again,
// and what is derived from it comes when somebody first asks for it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "beacon/suite/fork_states.hpp"
#include "beacon/suite/settings.hpp"
#include "beacon/transition/cached_state.hpp"

namespace beacon::suite {

using transition::CachedState;
using transition::Caches;

// A state whose caches may not be derived yet.
using Fixture = CachedState;

class Fixtures {
 public:
  explicit Fixtures(const Settings& settings) : settings_(settings) {}

  // Makes the files that the units read, where they are not there, so that no benchmark waits for
  // it; then the default fixture, with its caches, unless nothing is to be kept.
  Status begin();

  // The fixtures by name, from the cache or from their files. With `warm`, their caches are there.
  Result<std::shared_ptr<const Fixture>> large(bool warm = false);
  Result<std::shared_ptr<const Fixture>> small();

  // Step 7: what comes out of large() from now on is the small one.
  void leave_small_under_large(std::shared_ptr<const Fixture> small);

  Result<std::shared_ptr<const ForkStates>> forks();

  void clear();

  // Whether a unit may keep what it derived from a fixture.
  bool keeps_caches() const { return settings_.switches.copies != Copies::without_caches; }

  // A copy of a fixture for one iteration, as the switches say.
  CachedState copy(const Fixture& fixture) const;

  std::string path_of(std::uint64_t validators) const;

 private:
  Result<std::shared_ptr<const Fixture>> load(std::uint64_t validators, bool warm) const;
  Status make_file(std::uint64_t validators) const;

  const Settings& settings_;
  std::shared_ptr<const Fixture> large_, small_;
  std::shared_ptr<const ForkStates> forks_;
};

// Derives the caches where they are not there. In a benchmark's timing this is what a clearing
// costs.
void need_caches(CachedState& state);

}  // namespace beacon::suite
