// SPDX-License-Identifier: Apache-2.0
// The recorder's seldom paths: the environment, names, chunks for threads, fork and exit.
// Functions ending in _locked want the recorder's mutex held.
#pragma once

#include <assay/trace_storage.hpp>

#pragma GCC visibility push(default)
namespace assay {
namespace emit {
namespace detail {

constexpr std::uint64_t kDefaultRing = std::uint64_t{64} << 20;
constexpr std::uint64_t kDefaultLimit = std::uint64_t{1} << 30;
constexpr std::uint64_t kFirstChunk = std::uint64_t{64} << 10;
constexpr std::uint64_t kLargestChunk = std::uint64_t{4} << 20;
constexpr std::uint64_t kFirstNames = std::uint64_t{16} << 10;
constexpr std::uint64_t kArenaStep = std::uint64_t{64} << 10;

// --- names ---------------------------------------------------------------------------------------

inline void write_name_locked(std::uint32_t id) noexcept {
  const NameEntry& entry = recorder.names->entries[id - 1];
  const std::uint64_t bytes = format::name_record_bytes(entry.bytes);
  if (recorder.name_chunk == nullptr ||
      recorder.name_chunk->bytes - recorder.name_chunk_used < bytes) {
    const std::uint64_t size = recorder.name_chunk == nullptr ? kFirstNames : kFirstChunk;
    ChunkHeader* chunk = append_chunk_locked(
        format::ChunkKind::names, size < recorder.page_bytes ? recorder.page_bytes : size);
    if (chunk == nullptr) {
      __atomic_fetch_add(&recorder.file.load(std::memory_order_relaxed)->names_lost, 1,
                         __ATOMIC_RELAXED);
      return;
    }
    recorder.name_chunk = chunk;
    recorder.name_chunk_used = sizeof(ChunkHeader);
  }
  char* record = reinterpret_cast<char*>(recorder.name_chunk) + recorder.name_chunk_used;
  recorder.name_chunk_used += bytes;
  memcpy(record + 8, entry.text, entry.bytes);
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(record),
                   id | static_cast<std::uint64_t>(entry.bytes) << 32, __ATOMIC_RELEASE);
}

inline char* keep_text_locked(const char* text, std::uint32_t bytes) noexcept {
  if (recorder.arena_left < bytes) {
    recorder.arena = static_cast<char*>(anonymous(kArenaStep));
    recorder.arena_left = recorder.arena == nullptr ? 0 : kArenaStep;
    if (recorder.arena == nullptr) return nullptr;
  }
  char* place = recorder.arena;
  recorder.arena += bytes;
  recorder.arena_left -= bytes;
  memcpy(place, text, bytes);
  return place;
}

inline std::uint32_t hash_of(const char* text, std::uint32_t bytes) noexcept {  // FNV-1a
  std::uint32_t hash = 2166136261U;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 16777619U;
  }
  return hash;
}

inline std::uint32_t intern_locked(const char* text) noexcept {
  if (recorder.names == nullptr) {
    recorder.names = static_cast<NameTable*>(anonymous(sizeof(NameTable)));
    if (recorder.names == nullptr) return format::kLostName;
  }
  NameTable& table = *recorder.names;
  const auto bytes = static_cast<std::uint32_t>(strnlen(text, format::kLongestName));
  const std::uint32_t hash = hash_of(text, bytes);
  std::uint32_t at = hash % NameTable::kSlots;
  for (; table.slots[at] != 0; at = (at + 1) % NameTable::kSlots) {
    const NameEntry& entry = table.entries[table.slots[at] - 1];
    if (entry.hash == hash && entry.bytes == bytes && memcmp(entry.text, text, bytes) == 0) {
      return table.slots[at];
    }
  }
  FileHeader* file = recorder.file.load(std::memory_order_relaxed);
  const char* kept =
      recorder.name_count < format::kMostNames ? keep_text_locked(text, bytes) : nullptr;
  if (kept == nullptr) {
    if (file != nullptr) __atomic_fetch_add(&file->names_lost, 1, __ATOMIC_RELAXED);
    return format::kLostName;
  }
  table.entries[recorder.name_count] = {kept, bytes, hash};
  const std::uint32_t id = ++recorder.name_count;
  table.slots[at] = id;
  if (file != nullptr) write_name_locked(id);
  return id;
}

ASSAY_COLD inline std::uint32_t intern(const char* text) noexcept {
  if (text == nullptr) return format::kNoName;
  const SlowPath path;
  return path.entered() ? intern_locked(text) : format::kNoName;
}

inline bool open_file_locked() noexcept {
  if (recorder.file.load(std::memory_order_relaxed) != nullptr) return true;
  const format::ClockPair first = read_pair();
  const std::uint64_t realtime = clock_ns(CLOCK_REALTIME);
  FileHeader* header = map_header_locked();
  if (header == nullptr) return false;
  header->pairs[0] = first;
  header->realtime_ns = realtime;
  second_pair(header);
  __atomic_store_n(&header->magic, format::kFileMagic, __ATOMIC_RELEASE);
  recorder.file.store(header, std::memory_order_release);
  recorder.next_pair.store(header->clock == format::Clock::tsc
                               ? renew_after(header->pairs[0], header->pairs[1])
                               : kNever,
                           std::memory_order_relaxed);
  for (std::uint32_t id = 1; id <= recorder.name_count; ++id) write_name_locked(id);
  return true;
}

// --- slots ---------------------------------------------------------------------------------------

// The first slot of what a thread was given says whose it is.
inline void begin_part_locked(Writer& mine) noexcept {
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  if (mine.ordinal == 0) mine.ordinal = ++recorder.threads;
  Slot* slot = mine.cursor++;
  slot->begin = now();
  slot->job = static_cast<std::uint64_t>(syscall(SYS_gettid));
  slot->part = mine.ordinal;
  publish(slot, format::SlotType::thread, Kind::service, intern_locked(name));
}

inline bool take_free_part_locked(Writer& mine) noexcept {
  if (recorder.free_parts == 0) return false;
  const FreePart& part = recorder.free_part[--recorder.free_parts];
  mine.cursor = part.cursor;
  mine.limit = part.limit;
  mine.chunk = part.chunk;
  mine.bytes += static_cast<std::uint64_t>(part.limit - part.cursor) * sizeof(Slot);
  return true;
}

inline bool take_new_chunk_locked(Writer& mine) noexcept {
  std::uint64_t bytes = mine.bytes < kFirstChunk ? kFirstChunk : mine.bytes;
  if (bytes > kLargestChunk) bytes = kLargestChunk;
  if (bytes > recorder.ring_bytes - mine.bytes) bytes = recorder.ring_bytes - mine.bytes;
  bytes -= bytes % recorder.page_bytes;
  if (bytes == 0) return false;
  ChunkHeader* chunk = append_chunk_locked(format::ChunkKind::slots, bytes);
  if (chunk == nullptr) return false;
  mine.bytes += bytes;
  mine.chunk = chunk;
  mine.cursor = reinterpret_cast<Slot*>(chunk + 1);
  mine.limit = mine.cursor + (bytes - sizeof(ChunkHeader)) / sizeof(Slot);
  return true;
}

inline Slot* give_slot_locked(Writer& mine) noexcept {
  if (!open_file_locked()) {
    recorder.state.store(off, std::memory_order_relaxed);
    return nullptr;
  }
  ChunkHeader* old = mine.chunk;
  if (mine.bytes < recorder.ring_bytes &&
      (take_free_part_locked(mine) || take_new_chunk_locked(mine))) {
    // The full chunk's pages are the kernel's business now; they need not count as our memory.
    if (old != nullptr) madvise(old, old->bytes, MADV_DONTNEED);
    pthread_setspecific(recorder.thread_end, &recorder);  // anything but null
    begin_part_locked(mine);
    return mine.cursor++;
  }
  mine.full = true;
  return nullptr;
}

// One thread at a time writes a chunk's count; a reader may look at any time.
inline void count_dropped(Writer& mine) noexcept {
  if (mine.chunk != nullptr) {
    __atomic_store_n(&mine.chunk->dropped, mine.chunk->dropped + 1, __ATOMIC_RELAXED);
  } else if (FileHeader* file = recorder.file.load(std::memory_order_acquire)) {
    __atomic_fetch_add(&file->dropped, 1, __ATOMIC_RELAXED);
  }
}

ASSAY_COLD inline Slot* next_chunk() noexcept {
  Writer& mine = writer;
  Slot* slot = nullptr;
  if (!mine.full) {
    const SlowPath path;
    if (path.entered()) slot = give_slot_locked(mine);
  }
  if (slot == nullptr) count_dropped(mine);
  return slot;
}

// The rest of an ended thread's chunk goes to the next thread that begins. The thread itself may
// go on recording, in destructors that run later: then it is given a part again.
inline void end_thread(void*) noexcept {
  const SlowPath path;
  Writer& mine = writer;
  if (!path.entered()) return;
  // At least the thread's own slot and one more; a part with a count keeps it.
  if (mine.limit - mine.cursor >= 2 && recorder.free_parts < kMostFreeParts) {
    recorder.free_part[recorder.free_parts++] = {mine.cursor, mine.limit, mine.chunk};
  }
  mine.cursor = mine.limit = nullptr;
  mine.chunk = nullptr;
}

// --- process -------------------------------------------------------------------------------------

// Around fork() nothing is recorded by the thread that forks: until the child has given up the
// parent's file, both would write the same slots.
inline void before_fork() noexcept {
  if (writer.busy) {
    // A signal handler that forks within a slow path; or these handlers are registered twice.
    writer.forks_unlocked = !writer.forking;
    return;
  }
  pthread_mutex_lock(&recorder.mutex);
  recorder.parked = writer;
  writer = Writer{};
  writer.busy = writer.forking = true;
}

inline void after_fork_in_parent() noexcept {
  writer.forks_unlocked = false;
  if (!writer.forking) return;
  writer = recorder.parked;
  pthread_mutex_unlock(&recorder.mutex);
}

// The child has no file until it records something. The parent's stays mapped, but nothing is
// written to it: the generation tells a Span that it is the parent's.
inline void after_fork_in_child() noexcept {
  const bool locked = writer.forking;
  if (!locked && !writer.forks_unlocked) return;
  recorder.generation.fetch_add(1, std::memory_order_relaxed);
  recorder.file.store(nullptr, std::memory_order_relaxed);
  recorder.next_pair.store(kNever, std::memory_order_relaxed);
  recorder.renewing_pair.store(false, std::memory_order_relaxed);
  writer = Writer{};
  if (!locked) {
    recorder.state.store(off, std::memory_order_relaxed);
    return;
  }
  recorder.stopped = false;
  recorder.threads = recorder.free_parts = 0;
  recorder.file_bytes = recorder.name_chunk_used = 0;
  recorder.name_chunk = nullptr;
  pthread_mutex_unlock(&recorder.mutex);
}

inline void at_exit() noexcept {
  FileHeader* file = recorder.file.load(std::memory_order_acquire);
  if (file == nullptr) return;
  if (recorder.uses_tsc.load(std::memory_order_relaxed)) renew_pair(true);
  __atomic_store_n(&file->ended, 1, __ATOMIC_RELEASE);
}

// A number of bytes in an environment variable; K, M and G are understood. `otherwise` when unset
// or senseless.
inline std::uint64_t bytes_from(const char* variable, std::uint64_t otherwise) noexcept {
  const char* text = secure_getenv(variable);
  if (text == nullptr || *text < '0' || *text > '9') return otherwise;
  char* rest = nullptr;
  std::uint64_t value = strtoull(text, &rest, 10);
  const unsigned shift = *rest == 'K' ? 10 : *rest == 'M' ? 20 : *rest == 'G' ? 30 : 0;
  if (rest[shift > 0 ? 1 : 0] != '\0' || value > (std::uint64_t{1} << 50) >> shift)
    return otherwise;
  return value << shift;
}

// The folder as an absolute path, since the program may change its working directory.
inline bool keep_folder_locked(const char* folder) noexcept {
  std::size_t used = 0;
  if (folder[0] != '/') {
    if (getcwd(recorder.folder, sizeof recorder.folder - 1) == nullptr) return false;
    used = strlen(recorder.folder);
    recorder.folder[used++] = '/';
  }
  const std::size_t length = strlen(folder);
  if (used + length >= sizeof recorder.folder) return false;
  memcpy(recorder.folder + used, folder, length + 1);
  return true;
}

inline void configure_locked() noexcept {
  const long page = sysconf(_SC_PAGESIZE);
  if (page >= 4096) recorder.page_bytes = static_cast<std::uint64_t>(page);
  const std::uint64_t ring = bytes_from("ASSAY_EVENTS_RING", kDefaultRing);
  recorder.ring_bytes = ring < recorder.page_bytes ? recorder.page_bytes : ring;
  recorder.limit_bytes = bytes_from("ASSAY_EVENTS_LIMIT", kDefaultLimit);
  const char* clock = secure_getenv("ASSAY_EVENTS_CLOCK");
  const bool wants_steady = clock != nullptr && strcmp(clock, "steady") == 0;
  recorder.uses_tsc.store(!wants_steady && tsc_is_steady(), std::memory_order_relaxed);
}

// The mutex is held only where the handlers for fork are registered.
inline bool prepare() noexcept {
  const char* folder = secure_getenv("ASSAY_EVENTS");
  if (folder == nullptr || *folder == '\0') return false;
  if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0 ||
      pthread_key_create(&recorder.thread_end, end_thread) != 0 || atexit(at_exit) != 0) {
    return false;
  }
  pthread_mutex_lock(&recorder.mutex);
  const bool kept = keep_folder_locked(folder);
  if (kept) configure_locked();
  pthread_mutex_unlock(&recorder.mutex);
  return kept;
}

// One thread looks, the others wait for it, once. A child that was forked meanwhile has nobody to
// wait for: it looks itself.
ASSAY_COLD inline bool look_at_environment() noexcept {
  if (writer.busy) return false;  // a signal handler that interrupted the looking
  const int problem = errno;
  const int self = getpid();
  int looking = 0;
  while (recorder.state.load(std::memory_order_acquire) == unknown) {
    if (looking == self) {
      sched_yield();
      looking = recorder.looking.load(std::memory_order_relaxed);
    } else if (recorder.looking.compare_exchange_strong(looking, self)) {
      writer.busy = true;
      recorder.state.store(prepare() ? on : off, std::memory_order_release);
      writer.busy = false;
    }
  }
  errno = problem;
  return recorder.state.load(std::memory_order_relaxed) == on;
}

}  // namespace detail
}  // namespace emit
}  // namespace assay
#pragma GCC visibility pop
