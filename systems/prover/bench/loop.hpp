// SPDX-License-Identifier: Apache-2.0
// `prover bench loop`: the partitions of a batch one after the other, on one thread and without the
// engine, through the same calls. What the engine costs is the difference.
#pragma once

#include "prover/bench/batch.hpp"

namespace prover::bench {

// Keys and circuits are loaded once. Errors: those of loading. A partition that fails ends its job,
// as in the engine; a stop ends the loop after the job at hand.
Result<BatchResult> run_loop(const BatchOptions& options, const Load& load,
                             ResidentMemory& resident, const StopRequests& stops);

}  // namespace prover::bench
