// SPDX-License-Identifier: Apache-2.0
// The recorder's file and clock: how a file comes to be and grows, and what turns ticks into
// nanoseconds. Seldom called. Functions ending in _locked want the recorder's mutex held.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <assay/trace_recorder.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#pragma GCC visibility push(default)  // one recorder for all shared objects
namespace assay {
namespace emit {
namespace detail {

// Entering a slow path: takes the mutex, and keeps errno and cancellation out of it. Not entered
// (`entered` false) from a signal or fork handler that interrupted a slow path of this thread.
class SlowPath {
 public:
  SlowPath() noexcept : errno_(errno), entered_(!writer.busy) {
    if (!entered_) return;
    writer.busy = true;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_);
    pthread_mutex_lock(&recorder.mutex);
  }
  ~SlowPath() {
    if (entered_) {
      pthread_mutex_unlock(&recorder.mutex);
      pthread_setcancelstate(cancel_, nullptr);
      writer.busy = false;
    }
    errno = errno_;
  }
  SlowPath(const SlowPath&) = delete;
  SlowPath& operator=(const SlowPath&) = delete;
  bool entered() const noexcept { return entered_; }

 private:
  int errno_;
  int cancel_ = 0;
  bool entered_;
};

inline void* anonymous(std::uint64_t bytes) noexcept {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place == MAP_FAILED ? nullptr : place;
}

// The first bytes of a small file, NUL-terminated; 0 when it cannot be read.
inline std::size_t read_text(const char* path, char* into, std::size_t room) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    into[0] = '\0';
    return 0;
  }
  const ssize_t got = read(file, into, room - 1);
  close(file);
  const std::size_t length = got > 0 ? static_cast<std::size_t>(got) : 0;
  into[length] = '\0';
  return length;
}

// --- clock ---------------------------------------------------------------------------------------

inline std::uint64_t clock_ns(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// Whether the time-stamp counter runs at one rate, in sleep too, and is the same on all cores:
// the processor says the first two, and a kernel that found the third untrue uses another clock
// source.
inline bool tsc_is_steady() noexcept {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007U, &a, &b, &c, &d) == 0 || (d & (1U << 8)) == 0) return false;
  char source[32];
  read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
            sizeof source);
  return strncmp(source, "hpet", 4) != 0 && strncmp(source, "acpi_pm", 7) != 0 &&
         strncmp(source, "refined", 7) != 0 && strncmp(source, "jiffies", 7) != 0;
#else
  return false;
#endif
}

// Both clocks at the same moment: the tightest of a few tries, so that an interruption between
// the readings does no harm.
inline format::ClockPair read_pair() noexcept {
  format::ClockPair best{};
#if defined(__x86_64__)
  if (recorder.uses_tsc.load(std::memory_order_relaxed)) {
    std::uint64_t tightest = kNever;
    for (int i = 0; i < 5; ++i) {
      const std::uint64_t before = __rdtsc();
      const std::uint64_t ns = clock_ns(CLOCK_MONOTONIC);
      const std::uint64_t gap = __rdtsc() - before;
      if (gap >= tightest) continue;
      tightest = gap;
      best = {before + gap / 2, ns};
    }
    return best;
  }
#endif
  best.ns = best.ticks = clock_ns(CLOCK_MONOTONIC);
  return best;
}

// When to renew after `newest`: when as much time has passed again as since the first pair, but
// no more than a second.
inline std::uint64_t renew_after(const format::ClockPair& first,
                                 const format::ClockPair& newest) noexcept {
  const std::uint64_t ticks = newest.ticks - first.ticks;
  const std::uint64_t ns = newest.ns - first.ns;
  if (ns < 1000000000U) return newest.ticks + ticks;
  return newest.ticks +
         static_cast<std::uint64_t>(static_cast<double>(ticks) / static_cast<double>(ns) * 1e9);
}

ASSAY_COLD inline void renew_pair(bool at_once) noexcept {
  FileHeader* file = recorder.file.load(std::memory_order_acquire);
  if (file == nullptr || recorder.renewing_pair.exchange(true, std::memory_order_acquire)) return;
  const format::ClockPair newest = read_pair();
  if (at_once || newest.ticks >= recorder.next_pair.load(std::memory_order_relaxed)) {
    // Into the pair that is not in use: a kill between the stores leaves the old one whole.
    const std::uint32_t other = file->latest == 1 ? 2 : 1;
    file->pairs[other] = newest;
    __atomic_store_n(&file->latest, other, __ATOMIC_RELEASE);
    recorder.next_pair.store(renew_after(file->pairs[0], newest), std::memory_order_relaxed);
  }
  recorder.renewing_pair.store(false, std::memory_order_release);
}

// --- file ----------------------------------------------------------------------------------------

// Maps `bytes` at `offset` of an open file, allocated. On failure nullptr, errno set, and the
// file as long as it was.
inline void* allocate_and_map(int file, std::uint64_t offset, std::uint64_t bytes) noexcept {
  // Growing over this limit would not only fail: SIGXFSZ ends the program.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      offset + bytes > limit.rlim_cur) {
    errno = EFBIG;
    return nullptr;
  }
  int problem = EINTR;
  for (int i = 0; i < 100 && problem == EINTR; ++i) {
    problem = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  }
  if (problem == 0) {
    void* place =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
    if (place != MAP_FAILED) return place;
    problem = errno;
  }
  if (ftruncate(file, static_cast<off_t>(offset)) != 0) problem = errno;
  errno = problem;
  return nullptr;
}

inline void stop_growing_locked(std::uint32_t reason) noexcept {
  recorder.stopped = true;
  FileHeader* file = recorder.file.load(std::memory_order_relaxed);
  if (file != nullptr) __atomic_store_n(&file->stopped, reason, __ATOMIC_RELAXED);
}

// A new chunk at the end of the file. The file is opened anew each time: a program that closes
// all descriptors, as daemons do, may have given ours to a file of its own.
inline ChunkHeader* append_chunk_locked(format::ChunkKind kind, std::uint64_t bytes) noexcept {
  if (recorder.stopped) return nullptr;
  if (recorder.file_bytes + bytes > recorder.limit_bytes) {
    stop_growing_locked(format::kLimitReached);
    return nullptr;
  }
  const int file = open(recorder.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  struct stat about {};
  void* place = nullptr;
  if (file >= 0 && fstat(file, &about) == 0) {
    errno = ENOENT;  // removed, and another file has its name
    if (about.st_dev == recorder.device && about.st_ino == recorder.inode) {
      place = allocate_and_map(file, recorder.file_bytes, bytes);
    }
  }
  const int problem = errno;
  if (file >= 0) close(file);
  if (place == nullptr) {
    stop_growing_locked(problem == EFBIG ? format::kLimitReached
                                         : static_cast<std::uint32_t>(problem));
    return nullptr;
  }
  recorder.file_bytes += bytes;
  auto* chunk = static_cast<ChunkHeader*>(place);
  chunk->kind = kind;
  chunk->bytes = bytes;
  __atomic_store_n(&chunk->magic, format::kChunkMagic, __ATOMIC_RELEASE);
  return chunk;
}

// Field 22 of /proc/self/stat, the process's start in clock ticks; its second field may hold
// anything, spaces and brackets too.
inline std::uint64_t start_ticks() noexcept {
  char text[1024];
  read_text("/proc/self/stat", text, sizeof text);
  const char* at = strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 22; ++field) at = strchr(at + 1, ' ');
  return at == nullptr ? 0 : strtoull(at, nullptr, 10);
}

inline void read_boot_id(unsigned char (&id)[16]) noexcept {
  char text[64];
  read_text("/proc/sys/kernel/random/boot_id", text, sizeof text);
  unsigned digits = 0;
  for (const char* at = text; *at != '\0' && digits < 32; ++at) {
    const int value = *at >= '0' && *at <= '9'   ? *at - '0'
                      : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
                                                 : -1;
    if (value < 0) continue;
    id[digits / 2] = static_cast<unsigned char>(id[digits / 2] << 4 | value);
    ++digits;
  }
}

// Opens a new file named after boot, process and its start. A process that executes another
// program stays the same process, so a number may follow.
inline int create_file_locked(const unsigned char (&boot)[16], std::uint64_t start) noexcept {
  mkdir(recorder.folder, 0777);
  for (int i = 0; i < 1000; ++i) {
    char again[8] = "";
    if (i > 0) snprintf(again, sizeof again, ".%d", i);
    const int length =
        snprintf(recorder.path, sizeof recorder.path, "%s/%02x%02x%02x%02x-%ld-%llu%s%s",
                 recorder.folder, boot[0], boot[1], boot[2], boot[3], static_cast<long>(getpid()),
                 static_cast<unsigned long long>(start), again, format::kFileSuffix);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof recorder.path) return -1;
    const int file = open(recorder.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

// The header page, filled except for the second clock pair and the magic.
inline FileHeader* map_header_locked() noexcept {
  unsigned char boot[16] = {};
  read_boot_id(boot);
  const std::uint64_t start = start_ticks();
  const int file = create_file_locked(boot, start);
  if (file < 0) return nullptr;
  struct stat about {};
  void* place = fstat(file, &about) == 0 ? allocate_and_map(file, 0, recorder.page_bytes) : nullptr;
  close(file);
  if (place == nullptr) {
    unlink(recorder.path);
    return nullptr;
  }
  recorder.device = about.st_dev;
  recorder.inode = about.st_ino;
  recorder.file_bytes = recorder.page_bytes;
  auto* header = static_cast<FileHeader*>(place);
  header->version = format::kVersion;
  header->header_bytes = static_cast<std::uint32_t>(recorder.page_bytes);
  header->slot_bytes = sizeof(Slot);
  header->clock = recorder.uses_tsc.load(std::memory_order_relaxed) ? format::Clock::tsc
                                                                    : format::Clock::monotonic;
  header->pid = static_cast<std::uint32_t>(getpid());
  header->parent_pid = static_cast<std::uint32_t>(getppid());
  header->start_ticks = start;
  memcpy(header->boot_id, boot, sizeof boot);
  header->ring_bytes = recorder.ring_bytes;
  header->limit_bytes = recorder.limit_bytes;
  const std::size_t length = strnlen(program_invocation_short_name, sizeof header->program - 1);
  memcpy(header->program, program_invocation_short_name, length);
  return header;
}

// The second pair at least 50 us behind the first: readings of the next 50 us are then off by no
// more than the pairs are (tens of ns), and from then on renewals keep it so.
inline void second_pair(FileHeader* header) noexcept {
  format::ClockPair newest = read_pair();
  while (header->clock == format::Clock::tsc && newest.ns - header->pairs[0].ns < 50000) {
    newest = read_pair();
  }
  header->pairs[1] = header->pairs[2] = newest;
  header->latest = 1;
}

}  // namespace detail
}  // namespace emit
}  // namespace assay
#pragma GCC visibility pop
