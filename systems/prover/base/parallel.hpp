// SPDX-License-Identifier: Apache-2.0
// Work on several threads. Tasks are taken from one counter, so a slow task holds nobody up; there
// is no other shared state.
#pragma once

#include <cstddef>
#include <functional>

namespace prover {

// Processors that this process may run on, at least 1.
unsigned available_threads();

// Calls task(i) once for each i < count, on `threads` threads at most (the caller's is one of
// them), and returns when all have returned. What one task throws is thrown here, after the others
// have ended.
void parallel(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& task);

// Cuts [0, size) into parts of `grain` (the last may be shorter) and calls task(begin, end) for
// each, like parallel().
void parallel_ranges(unsigned threads, std::size_t size, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& task);

// The least index below `size` that a search finds. find(begin, end) is called for parts like
// parallel_ranges's and gives the first hit within, or `end`; `size` when nothing is found.
std::size_t parallel_find(unsigned threads, std::size_t size, std::size_t grain,
                          const std::function<std::size_t(std::size_t, std::size_t)>& find);

}  // namespace prover
