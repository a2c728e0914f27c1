// SPDX-License-Identifier: Apache-2.0
// For the emitter's tests: programs as forked children with an environment of their own, and the
// files that they leave, read by nothing but the layout's header.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <assay/trace_format.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay::emit {

// A fresh folder, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "emitter-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(const std::string& name = "events") const { return path_ + "/" + name; }

 private:
  std::string path_;
};

using Environment = std::map<std::string, std::string>;

// Runs `program` in a child whose environment has `environment`; its status as waitpid gives it.
// The child ends by _exit(what `program` returns). This process must not have used the emitter.
template <class Program>
int status_of(const Environment& environment, Program program) {
  const pid_t child = fork();
  if (child == 0) {
    for (const char* name :
         {"ASSAY_EVENTS", "ASSAY_EVENTS_RING", "ASSAY_EVENTS_LIMIT", "ASSAY_EVENTS_CLOCK"}) {
      unsetenv(name);
    }
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    _exit(program());
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

inline bool exited_well(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

// What a file holds. Throws when the layout is broken.
struct EventFile {
  format::FileHeader header = {};
  std::vector<format::Slot> slots = {};  // in the order of the file
  std::map<std::uint32_t, std::string> names = {};
  std::uint64_t dropped = 0;
  int slot_chunks = 0;

  std::vector<format::Slot> of(format::SlotType type, const std::string& name = {}) const {
    std::vector<format::Slot> found;
    for (const format::Slot& slot : slots) {
      if (format::type_of(slot.head) == type && (name.empty() || name_of(slot) == name)) {
        found.push_back(slot);
      }
    }
    return found;
  }
  std::string name_of(const format::Slot& slot) const { return text(format::name_of(slot.head)); }
  std::string text(std::uint64_t id) const {
    const auto found = names.find(static_cast<std::uint32_t>(id));
    return found == names.end() ? "?" + std::to_string(id) : found->second;
  }
};

template <class T>
T take(const std::string& bytes, std::size_t at) {
  if (at + sizeof(T) > bytes.size()) throw std::runtime_error("the file ends too early");
  T value;
  std::memcpy(static_cast<void*>(&value), bytes.data() + at, sizeof value);
  return value;
}

inline void take_names(const std::string& bytes, std::size_t at, std::size_t end, EventFile& file) {
  while (at + 8 <= end) {
    const auto head = take<std::uint64_t>(bytes, at);
    if (head == 0) return;
    file.names[static_cast<std::uint32_t>(head)] = bytes.substr(at + 8, head >> 32);
    at += format::name_record_bytes(head >> 32);
  }
}

inline EventFile read_event_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  EventFile file;
  file.header = take<format::FileHeader>(bytes, 0);
  if (file.header.magic != format::kFileMagic) throw std::runtime_error("no event file");
  file.dropped = file.header.dropped;
  for (std::size_t at = file.header.header_bytes; at < bytes.size();) {
    const auto chunk = take<format::ChunkHeader>(bytes, at);
    if (chunk.magic == 0) break;
    if (chunk.magic != format::kChunkMagic) throw std::runtime_error("no chunk");
    const std::size_t begin = at + sizeof chunk;
    at += chunk.bytes;
    if (at > bytes.size()) throw std::runtime_error("a chunk longer than the file");
    if (chunk.kind == format::ChunkKind::names) {
      take_names(bytes, begin, at, file);
      continue;
    }
    ++file.slot_chunks;
    file.dropped += chunk.dropped;
    for (std::size_t slot = begin; slot + sizeof(format::Slot) <= at;
         slot += sizeof(format::Slot)) {
      file.slots.push_back(take<format::Slot>(bytes, slot));
      if (file.slots.back().head != 0) continue;
      file.slots.pop_back();
      break;
    }
  }
  return file;
}

// Every event file of a folder, by name.
inline std::vector<EventFile> read_folder(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<EventFile> files;
  for (const auto& path : paths) files.push_back(read_event_file(path));
  return files;
}

// Nanoseconds of CLOCK_MONOTONIC.
inline double to_ns(const EventFile& file, std::uint64_t ticks) {
  const format::ClockPair& first = file.header.pairs[0];
  const format::ClockPair& newest = file.header.pairs[file.header.latest];
  if (file.header.clock == format::Clock::monotonic) return static_cast<double>(ticks);
  const double rate =
      static_cast<double>(newest.ns - first.ns) / static_cast<double>(newest.ticks - first.ticks);
  return static_cast<double>(first.ns) +
         static_cast<double>(static_cast<std::int64_t>(ticks - first.ticks)) * rate;
}

}  // namespace assay::emit
