// SPDX-License-Identifier: Apache-2.0
// The layout of an event file, for the program that writes it (assay/trace.hpp) and for whoever
// reads it. docs/event_file_format.md says the same in words; a test compares the two. C++17,
// little-endian.
//
//   file  = FileHeader, padded to header_bytes, then chunks, one behind the other
//   chunk = ChunkHeader, then Slots (kind slots) or name records (kind names)
//
// What a killed process leaves is readable: bytes that were never written are zero, and of every
// part one word is stored last (FileHeader::magic, ChunkHeader::magic, Slot::head, the head of a
// name record). Where that word is zero nothing begins.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay {
namespace emit {

// "This part of the key is absent."
constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

// What the time of a span was spent on.
enum class Kind : std::uint8_t {
  service,       // work
  queue_wait,    // the item is ready and waits for a server of its stage
  blocked_send,  // the item is done and waits for room in the next queue
  wait_permit,
  starved,    // a worker without input
  lock_wait,  // within a stage, waiting for something exclusive
  transfer,
  other
};

namespace format {

constexpr std::uint32_t kVersion = 1;

constexpr std::uint64_t word_of(const char (&text)[9]) {
  std::uint64_t word = 0;
  for (int i = 7; i >= 0; --i) word = word << 8 | static_cast<unsigned char>(text[i]);
  return word;
}
constexpr std::uint64_t kFileMagic = word_of("ASSAYEVT");
constexpr std::uint64_t kChunkMagic = word_of("ASSAYCHK");
constexpr char kFileSuffix[] = ".events";

enum class Clock : std::uint32_t {
  tsc = 1,       // ticks of the time-stamp counter; FileHeader::pairs turn them into nanoseconds
  monotonic = 2  // nanoseconds of CLOCK_MONOTONIC
};

// Two readings of the same moment.
struct ClockPair {
  std::uint64_t ticks;  // of the clock of the events
  std::uint64_t ns;     // CLOCK_MONOTONIC
};

// Why nothing was added to the file any more, in FileHeader::stopped; other values are errno.
constexpr std::uint32_t kGrowing = 0;
constexpr std::uint32_t kLimitReached = 0xffffffffU;  // ASSAY_EVENTS_LIMIT or RLIMIT_FSIZE

struct FileHeader {
  std::uint64_t magic;         // stored last
  std::uint32_t version;       // readers refuse a version that they do not know
  std::uint32_t header_bytes;  // where the first chunk begins
  std::uint32_t slot_bytes;    // sizeof(Slot)
  Clock clock;
  std::uint32_t pid, parent_pid;
  std::uint64_t start_ticks;  // when the process began: field 22 of /proc/PID/stat
  unsigned char boot_id[16];  // of the kernel: times of one boot can be compared
  std::uint64_t realtime_ns;  // Unix time at pairs[0]
  ClockPair pairs[3];         // [0] at the start; the newest of [1] and [2] is pairs[latest]
  std::uint32_t latest;       // 1 or 2
  std::uint32_t ended;        // 1: exit() was reached; 0: running, killed, or _exit()
  std::uint64_t dropped;      // events lost by threads that had no chunk to count them in
  std::uint32_t stopped;      // kGrowing, kLimitReached or errno
  std::uint32_t names_lost;   // names used by events whose text could not be written
  std::uint64_t ring_bytes;   // ASSAY_EVENTS_RING: the most that one thread may take
  std::uint64_t limit_bytes;  // ASSAY_EVENTS_LIMIT: the most that the file may take
  char program[64];           // short name, ends with NUL
};

enum class ChunkKind : std::uint32_t { slots = 1, names = 2 };

struct ChunkHeader {
  std::uint64_t magic;  // stored last
  ChunkKind kind;
  std::uint32_t reserved0;
  std::uint64_t bytes;    // of the chunk, header included; the next chunk begins behind them
  std::uint64_t dropped;  // events that did not fit, of the thread that wrote here last
  std::uint64_t reserved[4];
};

// What a slot says. `name` is in the upper half of Slot::head.
enum class SlotType : std::uint8_t {
  none = 0,
  span = 1,     // begin, end (0 = open), job, part, kind; name = stage
  instant = 2,  // begin, job, part
  counter = 3,  // begin, end = the bits of a double
  memory = 4,   // begin, end = bytes; name = scope
  setting = 5,  // begin, job = name id of the value
  stage = 6,    // begin; job = name ids after | parent << 32 (0 = none);
              // part = servers | permits << 32 (0 = unknown); end = capacity (signed, -1 = unknown)
  thread = 7,  // the slots from here on are this thread's: job = tid, part = ordinal within the
               // process (tids are used again); name = the thread's name
  worker = 8   // from here on this thread is worker `part` of the stage `name`
};

struct Slot {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t job, part;  // kNoKey = absent
  std::uint64_t head;       // type | kind << 8 | name << 32; stored last
};

constexpr std::uint64_t head_of(SlotType type, Kind kind, std::uint32_t name) {
  return static_cast<std::uint64_t>(type) | static_cast<std::uint64_t>(kind) << 8 |
         static_cast<std::uint64_t>(name) << 32;
}
constexpr SlotType type_of(std::uint64_t head) { return static_cast<SlotType>(head & 0xff); }
constexpr std::uint8_t kind_of(std::uint64_t head) { return head >> 8 & 0xff; }
constexpr std::uint32_t name_of(std::uint64_t head) {
  return static_cast<std::uint32_t>(head >> 32);
}

// A name record: one word `id | bytes << 32`, stored last, then the text, padded with zeros to a
// multiple of 8. Ids begin at 1.
constexpr std::uint32_t kNoName = 0;
constexpr std::uint32_t kLostName = 0xffffffffU;  // there was a name, and no room to keep it
constexpr std::uint32_t kMostNames = 16384;
constexpr std::uint32_t kLongestName = 4096;  // bytes; longer texts are cut
constexpr std::uint64_t name_record_bytes(std::uint64_t text_bytes) {
  return 8 + (text_bytes + 7) / 8 * 8;
}

static_assert(sizeof(FileHeader) == 216 && offsetof(FileHeader, pairs) == 64, "layout");
static_assert(offsetof(FileHeader, program) == 152, "layout");
static_assert(sizeof(ChunkHeader) == 64 && sizeof(Slot) == 40, "layout");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "event files are little-endian");

}  // namespace format
}  // namespace emit
}  // namespace assay
