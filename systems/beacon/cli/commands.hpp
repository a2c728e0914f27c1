// SPDX-License-Identifier: Apache-2.0
// What the program `beacon` does: states and blocks in files, and their roots.
#pragma once

#include <string>
#include <vector>

#include "beacon/base/result.hpp"

namespace beacon::cli {

struct Options {
  std::string preset = "mainnet";
  std::string kind = "healthy";
  std::string pubkeys = {};  // a file of 48 bytes each
  std::uint64_t validators = 0;
  std::uint64_t epoch = 10'101;
  std::uint64_t seed = 1;
  std::uint64_t blocks = 1;
  bool operations = false;
  std::uint64_t slot = 0;
  std::string state = {};  // files
  std::string output = {};
  std::vector<std::string> inputs = {};
};

// Each prints what it found on stdout, as lines of JSON.
Status make_state(const Options& options);
Status print_root(const Options& options);
Status end_epoch(const Options& options);
Status go_to_slot(const Options& options);
Status make_blocks(const Options& options);
Status apply_blocks(const Options& options);

}  // namespace beacon::cli
