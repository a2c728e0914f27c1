// SPDX-License-Identifier: Apache-2.0
// How assay/trace.hpp records; include that one. Nothing here is for programs.
//
// Every thread writes 40-byte slots into a chunk of its own, in a file that is mapped MAP_SHARED:
// the pages are the kernel's, so that a process that is killed loses nothing. A slot is used once.
// Chunks are allocated (posix_fallocate) before they are mapped, because storing into a hole of a
// full disk is a SIGBUS; when that fails, recording stops and the program goes on.
// Everything global is constant-initialised and never destroyed, so that static constructors and
// destructors may record. Nothing here calls malloc, throws, prints or changes errno.
#pragma once

#include <pthread.h>
#include <time.h>

#include <assay/trace_format.hpp>
#include <atomic>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define ASSAY_COLD __attribute__((noinline, cold))
#define ASSAY_LIKELY(x) __builtin_expect(!!(x), 1)
#if defined(__clang__)
#define ASSAY_CONSTINIT [[clang::require_constant_initialization]]
#else
#define ASSAY_CONSTINIT __constinit
#endif

#pragma GCC visibility push(default)  // one recorder for all shared objects
namespace assay {
namespace emit {
namespace detail {

using format::ChunkHeader;
using format::FileHeader;
using format::Slot;

constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint32_t kMostFreeParts = 256;

enum State : int { unknown, on, off };  // unknown: the environment was not looked at yet

// What a thread records into. Of its own: nobody else touches it.
struct Writer {
  Slot* cursor;  // the next free slot; == limit: none
  Slot* limit;
  ChunkHeader* chunk;
  std::uint64_t bytes;    // of slots that this thread was given
  std::uint32_t ordinal;  // 0: none yet
  bool busy;              // in the slow path: a signal handler or fork handler must not enter it
  bool full;
  bool forking;
  bool forks_unlocked;
};

// The rest of a chunk whose thread has ended, for the next thread.
struct FreePart {
  Slot* cursor;
  Slot* limit;
  ChunkHeader* chunk;
};

struct NameEntry {
  const char* text;
  std::uint32_t bytes;
  std::uint32_t hash;
};

// Open addressing; `slots` holds ids. In anonymous memory, made when the first name comes.
struct NameTable {
  static constexpr std::uint32_t kSlots = 2 * format::kMostNames;
  NameEntry entries[format::kMostNames];  // of id i + 1
  std::uint32_t slots[kSlots];
};

struct Recorder {
  // Read by every event, written seldom.
  std::atomic<int> state{unknown};
  std::atomic<bool> uses_tsc{false};
  std::atomic<std::uint32_t> generation{1};      // counts forks: whose slots a Span's are
  std::atomic<std::uint64_t> next_pair{kNever};  // when the clock pair wants to be renewed
  std::atomic<FileHeader*> file{nullptr};        // of this process

  alignas(64) std::atomic<int> looking{0};            // the process that looks at the environment
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // over all that follows
  bool stopped = false;                               // the file does not grow any more
  pthread_key_t thread_end = 0;
  std::uint64_t ring_bytes = 0, limit_bytes = 0;
  std::uint64_t page_bytes = 4096;
  std::uint64_t file_bytes = 0;
  std::uint64_t device = 0, inode = 0;  // of the file; it is opened anew whenever it grows
  std::uint32_t threads = 0;            // ordinals given
  std::uint32_t free_parts = 0;
  FreePart free_part[kMostFreeParts] = {};
  Writer parked{};  // of the thread that is about to fork
  NameTable* names = nullptr;
  std::uint32_t name_count = 0;
  char* arena = nullptr;  // texts of names
  std::uint64_t arena_left = 0;
  ChunkHeader* name_chunk = nullptr;
  std::uint64_t name_chunk_used = 0;
  char folder[3072] = {};
  char path[3328] = {};

  alignas(64) std::atomic<bool> renewing_pair{false};
};

ASSAY_CONSTINIT inline Recorder recorder{};
ASSAY_CONSTINIT inline thread_local Writer writer{};

// The slow paths, in trace_slow_paths.hpp.
bool look_at_environment() noexcept;  // decides state; true = on
Slot* next_chunk() noexcept;          // a slot, or nullptr: the event is dropped, and counted
std::uint32_t intern(const char* text) noexcept;  // id of a copy of `text`, or kNoName, kLostName
void renew_pair(bool at_once) noexcept;

inline bool is_on() noexcept {
  const int state = recorder.state.load(std::memory_order_relaxed);
  if (ASSAY_LIKELY(state != unknown)) return state == on;
  return look_at_environment();
}

// The clock of the file. A reading that lies far behind the newest clock pair renews the pair, so
// that no reading is further from it than the pair is from the first one (1 s at most): what a
// killed process leaves can be converted without guessing.
inline std::uint64_t now() noexcept {
#if defined(__x86_64__)
  if (ASSAY_LIKELY(recorder.uses_tsc.load(std::memory_order_relaxed))) {
    const std::uint64_t ticks = __rdtsc();
    if (__builtin_expect(ticks >= recorder.next_pair.load(std::memory_order_relaxed), 0)) {
      renew_pair(false);
    }
    return ticks;
  }
#endif
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

inline Slot* reserve() noexcept {
  Writer& mine = writer;
  if (ASSAY_LIKELY(mine.cursor != mine.limit)) return mine.cursor++;
  return next_chunk();
}

inline void publish(Slot* slot, format::SlotType type, Kind kind, std::uint32_t name) noexcept {
  __atomic_store_n(&slot->head, format::head_of(type, kind, name), __ATOMIC_RELEASE);
}

// One whole event. The recorder is on.
inline void record(format::SlotType type, std::uint32_t name, std::uint64_t end, std::uint64_t job,
                   std::uint64_t part) noexcept {
  Slot* slot = reserve();
  if (slot == nullptr) return;
  slot->end = end;
  slot->job = job;
  slot->part = part;
  slot->begin = now();
  publish(slot, type, Kind::service, name);
}

}  // namespace detail
}  // namespace emit
}  // namespace assay
#pragma GCC visibility pop
