// SPDX-License-Identifier: Apache-2.0
// What this process has used so far.
#pragma once

#include <cstdint>

namespace prover::cli {

double seconds_since_start();    // wall, since before main()
double cpu_seconds();            // user and system, all threads
std::uint64_t peak_rss_bytes();  // with the pages of mapped files

}  // namespace prover::cli
