// SPDX-License-Identifier: Apache-2.0
// How malloc treats what is freed.
#pragma once

namespace prover {

// From now on memory that is freed goes back to the system soon, so that a budget's bytes that were
// given back are the system's again: large blocks are mapped one by one (glibc otherwise raises
// that threshold to 32 MiB as soon as one is freed), free space at the end of the heap is trimmed,
// and threads share few arenas, each of which keeps some. Call it first in main().
void return_freed_memory();

}  // namespace prover
