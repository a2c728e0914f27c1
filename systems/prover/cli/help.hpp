// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace prover::cli {

std::string overview();          // prover --help
std::string bench_help();        // prover bench --help
std::string bench_batch_help();  // prover bench batch --help: every option

}  // namespace prover::cli
