// SPDX-License-Identifier: Apache-2.0
#include "prover/base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace prover {

unsigned available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return std::max(std::thread::hardware_concurrency(), 1u);
}

void parallel(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& task) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!thrown) thrown = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::jthread> others;
  const std::size_t workers = std::min<std::size_t>(std::max(threads, 1u), count);
  for (std::size_t i = 1; i < workers; ++i) others.emplace_back(work);
  work();
  others.clear();
  if (thrown) std::rethrow_exception(thrown);
}

void parallel_ranges(unsigned threads, std::size_t size, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& task) {
  const std::size_t parts = (size + grain - 1) / grain;
  parallel(threads, parts,
           [&](std::size_t part) { task(part * grain, std::min((part + 1) * grain, size)); });
}

std::size_t parallel_find(unsigned threads, std::size_t size, std::size_t grain,
                          const std::function<std::size_t(std::size_t, std::size_t)>& find) {
  std::atomic<std::size_t> first = size;
  parallel_ranges(threads, size, grain, [&](std::size_t begin, std::size_t end) {
    if (begin >= first) return;
    const std::size_t found = find(begin, end);
    if (found == end) return;
    std::size_t known = first;
    while (found < known && !first.compare_exchange_weak(known, found)) {
    }
  });
  return first;
}

}  // namespace prover
