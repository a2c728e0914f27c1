// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "prover/cli/bench_batch.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/help.hpp"
#include "prover/engine/buffer.hpp"
#include "prover/base/text.hpp"

namespace prover::cli {
namespace {

// Threads that come later get this stack. The usual 8 MiB count fully against RLIMIT_DATA, whatever
// of it is used; the engine's threads use less than 100 KiB.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

// Kept for the moment when memory runs out: the message about it needs some.
constexpr std::size_t kReserveBytes = std::size_t{1} << 20;
Buffer reserve;
std::atomic_flag reserve_used;

void use_reserve() {
  if (reserve_used.test_and_set()) throw std::bad_alloc();
  reserve.free();
}

void prepare_memory() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  if (auto buffer = Buffer::allocate(kReserveBytes, "a reserve")) reserve = std::move(*buffer);
  std::set_new_handler(use_reserve);
}

int usage(const std::string& message) {
  fmt::print(stderr, "prover: {}\n  'prover --help' lists what there is\n", message);
  return kUsage;
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) return usage("a command is needed");
  const std::string& first = words.front();
  if (first == "--help" || first == "-h" || first == "help") {
    fmt::print("{}", overview());
    return kFine;
  }
  if (first == "--version") {
    fmt::print("prover {}\n", PROVER_VERSION);
    return kFine;
  }
  if (first != "bench") return usage(fmt::format("'{}' is no command", printable(first)));
  if (words.size() < 2) return usage("bench needs to know what: batch");
  if (words[1] == "--help" || words[1] == "-h") {
    fmt::print("{}", bench_help());
    return kFine;
  }
  if (words[1] != "batch")
    return usage(fmt::format("bench: '{}' is not batch", printable(words[1])));
  return bench_batch(std::span(words).subspan(2));
}

}  // namespace
}  // namespace prover::cli

int main(int argc, char** argv) {
  try {
    prover::cli::prepare_memory();
    return prover::cli::run({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    std::fputs("prover: out of memory: the system refused a small allocation\n", stderr);
    return prover::cli::kFailed;
  }
}
