// SPDX-License-Identifier: Apache-2.0
// What the suite is asked for: units, sizes, and the switches that make it each of the suites that
// a team had one after another (docs/beacon.md tells the story).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "beacon/base/result.hpp"

namespace beacon::suite {

// What a benchmark's own copy of a fixture has besides the state.
enum class Copies {
  share_caches,    // the fixture's caches, by reference
  with_caches,     // a copy of them
  without_caches,  // nothing: whoever needs them derives them, inside the timing
};

struct Switches {
  bool resident_forks = false;           // 1: states of three other forks stay in memory
  Copies copies = Copies::share_caches;  // 2: with_caches; 6: without_caches
  bool only_default_cached = false;      // 3: fixtures of other sizes are made anew at each use
  bool clear_in_teardown = false;        // 4: a unit clears the cache behind itself
  bool release_after_setup = false;  // 5: the cache keeps nothing; each setup makes what it needs
  bool small_under_large = false;    // 7: a unit leaves its small state under the large one's name

  bool operator==(const Switches&) const = default;
};

constexpr unsigned kSteps = 7;

// The suite as it was at a step of the story, 0 before the first. Errors: no such step.
Result<Switches> switches_of_step(std::uint64_t step);

struct Settings {
  std::uint64_t validators = 250'000;
  std::uint64_t iterations = 8;  // in each repetition
  std::uint64_t repetitions = 4;
  std::vector<std::string> units = {};  // in order, with repeats; empty: all
  bool list_units = false;
  bool help = false;
  bool wall = false;              // the clock of an iteration: the wall's, not the thread's
  std::string state_folder = {};  // of SSZ files
  Switches switches = {};

  // Of the fixture that the small unit uses: what made 38 times of a difference.
  std::uint64_t small_validators() const { return validators / 38 > 256 ? validators / 38 : 256; }
};

// The program's own words, which are taken out of `words`; the others are Google Benchmark's. The
// environment has BEACON_VALIDATORS, BEACON_STEP and BEACON_STATES for what is not given.
// Errors: a value that is none; the message names the word.
Result<Settings> take_settings(std::vector<std::string>& words);

std::string help_text();

}  // namespace beacon::suite
