// SPDX-License-Identifier: Apache-2.0
// The units of the suite, as a team has files: some benchmarks each, and hooks around them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "beacon/suite/fixtures.hpp"

namespace beacon::suite {

// One iteration's work: what comes before it, and what is measured.
struct Measured {
  std::function<void()> prepare;
  std::function<void()> work;
};

// A benchmark that is set up: made anew for each repetition, gone behind it.
struct Prepared {
  Measured iteration;
  std::uint64_t validators = 0;    // of the state that is really measured
  std::uint64_t attestations = 0;  // or whatever the work goes over; 0: nothing
};

struct BenchmarkCase {
  std::string name;
  bool is_heavy = false;  // a quarter of the iterations, when the state is large
  std::function<Result<Prepared>(Fixtures&)> set_up;
};

struct Unit {
  std::string name;
  std::vector<BenchmarkCase> cases;
  std::function<void(Fixtures&)> tear_down = {};  // behind its last benchmark
};

// In the suite's own order.
std::vector<Unit> make_units(const Settings& settings);

}  // namespace beacon::suite
