// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/program_start.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "prover/base/allocator.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/engine/buffer.hpp"

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

// A thread that is not ours (gRPC's) was refused memory, and nothing of it catches that. What a
// service must keep is on the disk already.
[[noreturn]] void end_without_memory() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view text = "prover: out of memory: the system refused an allocation\n";
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    ::_exit(kFailed);
  } catch (...) {
  }
  std::abort();
}

void prepare_memory() {
  return_freed_memory();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  if (auto buffer = Buffer::allocate(kReserveBytes, "a reserve")) reserve = std::move(*buffer);
  std::set_new_handler(use_reserve);
  std::set_terminate(end_without_memory);
}

// Files are mapped. One that somebody cuts short meanwhile raises this where it is touched.
extern "C" void file_cut_short(int) {
  constexpr std::string_view text =
      "prover: a file became shorter while it was read, or the disk failed\n"
      "  replace files by renaming a new one, not by writing into them\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(kUsage);
}

void watch_files() {
  struct sigaction action {};
  action.sa_handler = file_cut_short;
  ::sigaction(SIGBUS, &action, nullptr);
  // A limit on the size of files is then an error of the write, which says so.
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

void prepare_program() {
  prepare_memory();
  watch_files();
}

int run_program(int argc, char** argv, Result<int> (*run)(const std::vector<std::string>& words)) {
  try {
    const auto status = run({argv + 1, argv + argc});
    return status ? *status : complain(status.error());
  } catch (const std::bad_alloc&) {
    std::fputs("prover: out of memory: the system refused an allocation\n", stderr);
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "prover: the system refused a thread or a lock: %s\n", error.what());
  }
  return kFailed;
}

}  // namespace prover::cli
