// SPDX-License-Identifier: Apache-2.0
// Files built by hand, as a program would leave them and as no program would; and real ones, of the
// emitter's example that dies in every way it can.
#include "trace/importers/emitter_files.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <assay/trace_format.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "trace/load.hpp"
#include "trace/source.hpp"

namespace assay::trace {
namespace {

namespace format = emit::format;
using format::Slot;
using format::SlotType;

template <class T>
std::string raw(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

format::FileHeader header_of(std::uint32_t pid = 7) {
  format::FileHeader header = {};
  header.magic = format::kFileMagic;
  header.version = format::kVersion;
  header.header_bytes = 4096;
  header.slot_bytes = sizeof(Slot);
  header.clock = format::Clock::tsc;
  header.pid = pid;
  header.realtime_ns = 1'700'000'000'000'000'000;
  header.pairs[0] = {1000, 50'000};
  header.pairs[1] = {3000, 51'000};  // a tick is 0.5 ns
  header.latest = 1;
  std::strcpy(header.program, "prog");
  return header;
}

std::string chunk(format::ChunkKind kind, const std::string& body, std::size_t room = 4096,
                  std::uint64_t dropped = 0) {
  format::ChunkHeader header = {};
  header.magic = format::kChunkMagic;
  header.kind = kind;
  header.bytes = room;
  header.dropped = dropped;
  std::string bytes = raw(header) + body;
  bytes.resize(room, '\0');
  return bytes;
}

std::string names_chunk(const std::vector<std::string>& names) {
  std::string body;
  std::uint64_t id = 0;
  for (const std::string& name : names) {
    std::string record = raw(++id | static_cast<std::uint64_t>(name.size()) << 32) + name;
    record.resize(static_cast<std::size_t>(format::name_record_bytes(name.size())), '\0');
    body += record;
  }
  return chunk(format::ChunkKind::names, body);
}

Slot slot(SlotType type, std::uint32_t name, std::uint64_t begin, std::uint64_t end = 0,
          std::uint64_t job = emit::kNoKey, std::uint64_t part = emit::kNoKey,
          emit::Kind kind = emit::Kind::service) {
  return {begin, end, job, part, format::head_of(type, kind, name)};
}

std::string slots_chunk(const std::vector<Slot>& slots, std::uint64_t dropped = 0) {
  std::string body;
  for (const Slot& one : slots) body += raw(one);
  return chunk(format::ChunkKind::slots, body, 4096, dropped);
}

std::string file_of(format::FileHeader header, const std::string& chunks) {
  std::string bytes = raw(header);
  bytes.resize(4096, '\0');
  return bytes + chunks;
}

const Slot kThread = slot(SlotType::thread, 0, 1000, 0, 70, 1);

Result<Trace> read(const std::string& bytes) {
  return emitter_importer().read(*memory_source(bytes, "f"), {});
}

bool warns(const Trace& trace, TraceWarningKind kind, const std::string& part) {
  for (const TraceWarning& warning : trace.warnings) {
    if (warning.kind == kind && warning.text.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(EmitterFiles, SpansWorkersItemsAndTopology) {
  // Names lie behind the slots that use them.
  const auto trace = read(file_of(
      header_of(),
      slots_chunk({kThread, slot(SlotType::worker, 2, 1000, 0, emit::kNoKey, 3),
                   slot(SlotType::span, 1, 2000, 4000, 7, 9),
                   slot(SlotType::span, 2, 3000, 3000, 7, emit::kNoKey, emit::Kind::blocked_send),
                   slot(SlotType::span, 1, 5000, 0, emit::kNoKey, 4),
                   slot(SlotType::stage, 2, 1000, 10, 1, 2 | std::uint64_t{5} << 32),
                   slot(SlotType::instant, 3, 9000, 0, 7),
                   slot(SlotType::counter, 4, 8000, 0x4000000000000000, 0, 0),
                   slot(SlotType::memory, 5, 8000, 4096), slot(SlotType::setting, 6, 900, 0, 7)}) +
          names_chunk({"synth", "prove", "done", "depth", "pid", "lookahead", "4"})));
  ASSERT_TRUE(trace) << trace.error().to_text();
  ASSERT_EQ(trace->spans.size(), 3U);
  EXPECT_EQ(trace->spans.begin, (std::vector<Nanos>{500, 1000, 2000}));
  EXPECT_EQ(trace->spans.end, (std::vector<Nanos>{1500, 1000, 4000})) << "open: to the last event";
  EXPECT_EQ(trace->spans.quality[2], Quality::clipped);
  EXPECT_EQ(trace->spans.kind[1], SpanKind::blocked_send);
  EXPECT_EQ(trace->stages[trace->spans.stage[0]].name, "synth");
  EXPECT_EQ(trace->strings.at(trace->items.key[trace->spans.item[0]]), "7/9");
  EXPECT_EQ(trace->strings.at(trace->items.key[trace->spans.item[1]]), "7");
  EXPECT_EQ(trace->strings.at(trace->items.key[trace->spans.item[2]]), "-/4");
  ASSERT_EQ(trace->workers.size(), 1U);
  EXPECT_EQ(trace->workers[0].label, "3");
  EXPECT_EQ(trace->workers[0].stage, trace->find_stage("prove"));
  EXPECT_EQ(trace->workers[0].tid, 70);
  const Stage& prove = trace->stages[trace->find_stage("prove")];
  EXPECT_EQ(prove.servers, 2U);
  EXPECT_EQ(prove.permits, 5U);
  EXPECT_EQ(prove.capacity, 10U);
  EXPECT_EQ(trace->edges,
            (std::vector<Edge>{{trace->find_stage("synth"), trace->find_stage("prove")}}));
  EXPECT_EQ(trace->strings.at(trace->instants.name[0]), "done");
  EXPECT_EQ(trace->counters.value[0], 2.0);
  EXPECT_EQ(trace->memory[0].scope, "pid");
  EXPECT_EQ(trace->memory[0].bytes[0], 4096U);
  EXPECT_EQ(trace->find_setting("lookahead")->value, "4");
  EXPECT_EQ(trace->clock.epoch_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(trace->lost(Loss::missing_end), 1U);
  EXPECT_TRUE(warns(*trace, TraceWarningKind::unbalanced, "process 7 (prog): 1 span was open"));
}

TEST(EmitterFiles, LossesAreCounted) {
  format::FileHeader header = header_of();
  header.dropped = 2;
  header.stopped = ENOSPC;
  header.names_lost = 3;
  const auto trace = read(file_of(
      header,
      slots_chunk({kThread, slot(SlotType::span, 9, 2000, 3000),
                   slot(SlotType::span, format::kLostName, 2000, 3000),
                   slot(SlotType::span, 1, 900000, 2000), slot(SlotType::span, 1, 2010, 2000),
                   slot(static_cast<SlotType>(77), 1, 2000),
                   slot(SlotType::counter, 1, 2000, ~std::uint64_t{0}),
                   slot(SlotType::span, 1, 2000, 3000, 1, 1, static_cast<emit::Kind>(8)),
                   slot(SlotType::span, 1, std::uint64_t{1} << 63, 0)},
                  5) +
          slots_chunk({slot(SlotType::span, 1, 2000, 3000)}) + names_chunk({"stage"})));
  ASSERT_TRUE(trace) << trace.error().to_text();
  EXPECT_EQ(trace->spans.size(), 3U);
  EXPECT_EQ(trace->stages[trace->spans.stage[0]].name, "(name 9 is lost)");
  EXPECT_EQ(trace->stages[trace->spans.stage[1]].name, "(name is lost)");
  EXPECT_EQ(trace->spans.end[2], trace->spans.begin[2]) << "10 ticks: within the skew";
  EXPECT_EQ(trace->lost(Loss::dropped_by_writer), 7U);
  EXPECT_EQ(trace->lost(Loss::negative_span), 1U);
  EXPECT_EQ(trace->lost(Loss::unknown_record), 1U);
  EXPECT_EQ(trace->lost(Loss::malformed_record), 4U) << "NaN, kind 8, a far time, a slot of nobody";
  EXPECT_TRUE(warns(*trace, TraceWarningKind::lost_events, "No space left on device"));
  EXPECT_TRUE(warns(*trace, TraceWarningKind::other, "names of events were lost 3 times"));
}

TEST(EmitterFiles, WhatNoProgramWritesIsRefused) {
  struct Case {
    const char* what;
    std::string bytes;
    std::string error;
  };
  const auto with = [](auto change) {
    format::FileHeader header = header_of();
    change(header);
    return file_of(header, "");
  };
  const Case cases[] = {
      {"a cut header", raw(header_of()).substr(0, 100), "is no event file"},
      {"another magic", with([](auto& h) { h.magic = 1; }), "is no event file"},
      {"a newer version", with([](auto& h) { h.version = 2; }), "version 2; this assay reads"},
      {"another slot", with([](auto& h) { h.slot_bytes = 48; }), "version 1"},
      {"a header of nothing", with([](auto& h) { h.header_bytes = 0; }), "says that it has 0"},
      {"a huge header", with([](auto& h) { h.header_bytes = 0xfffffff8; }), "says that it has"},
      {"a third clock", with([](auto& h) { h.clock = static_cast<format::Clock>(3); }), "clock"},
      {"one pair", with([](auto& h) { h.pairs[1] = h.pairs[0]; }), "clock pairs are damaged"},
      {"backwards", with([](auto& h) {
         h.pairs[1] = {900, 60000};
       }),
       "clock pairs are damaged"},
      {"too fast", with([](auto& h) {
         h.pairs[1] = {1u << 30, 50001};
       }),
       "clock pairs are damaged"},
  };
  for (const Case& c : cases) {
    const auto trace = read(c.bytes);
    ASSERT_FALSE(trace) << c.what;
    EXPECT_NE(trace.error().what.find(c.error), std::string::npos) << trace.error().to_text();
    EXPECT_TRUE(trace.error().where.starts_with("f")) << c.what;
  }
}

TEST(EmitterFiles, DamagedChunksKeepWhatLiesBefore) {
  const std::string good = slots_chunk({kThread, slot(SlotType::span, 1, 2000, 3000)});
  const std::string bad_name =
      chunk(format::ChunkKind::names, raw(std::uint64_t{1} | std::uint64_t{5000} << 32));
  const std::string twice =
      chunk(format::ChunkKind::names, raw(std::uint64_t{1}) + raw(std::uint64_t{1}));
  struct Case {
    const char* what;
    std::string chunks;
    std::uint64_t malformed;
  };
  const std::string cut = good + good.substr(0, 2000);
  const Case cases[] = {
      {"no chunk", good + std::string(64, 'x'), 1},
      {"zeros", good + std::string(8192, '\0'), 0},
      {"cut", cut, 1},
      {"cut in its header", good + good.substr(0, 20), 0},
      {"a chunk of all",
       good + chunk(format::ChunkKind::slots, "", 64) + chunk(format::ChunkKind::slots, "", 72), 0},
      {"a long name", good + bad_name, 1},
      {"an id twice", good + twice, 1}};
  for (const Case& c : cases) {
    const auto trace = read(file_of(header_of(), c.chunks));
    ASSERT_TRUE(trace) << c.what;
    EXPECT_GE(trace->spans.size(), 1U) << c.what;
    EXPECT_EQ(trace->lost(Loss::malformed_record), c.malformed) << c.what;
  }
  std::string endless = chunk(format::ChunkKind::slots, raw(kThread));
  const std::uint64_t size = ~std::uint64_t{7};
  std::memcpy(endless.data() + 16, &size, sizeof size);
  EXPECT_TRUE(read(file_of(header_of(), good + endless)));
}

TEST(EmitterFiles, AStageInsideItselfIsAPartOfNothing) {
  const auto trace = read(
      file_of(header_of(),
              slots_chunk({kThread, slot(SlotType::stage, 1, 1000, 0, std::uint64_t{2} << 32, 0),
                           slot(SlotType::stage, 2, 1000, 0, std::uint64_t{1} << 32, 0),
                           slot(SlotType::stage, 3, 1000, 0, 3 | std::uint64_t{3} << 32, 0)}) +
                  names_chunk({"a", "b", "c"})));
  ASSERT_TRUE(trace);
  EXPECT_TRUE(warns(*trace, TraceWarningKind::topology, "part of itself"));
  EXPECT_EQ(trace->stages[0].parent == kNone, true);
  EXPECT_EQ(trace->stages[2].parent, kNone);
  EXPECT_TRUE(trace->edges.empty());
}

TEST(EmitterFiles, FilesOfOneBootShareAClock) {
  format::FileHeader later = header_of(8);
  later.pairs[0] = {0, 60'000};
  later.pairs[1] = {1000, 61'000};
  const std::string files[] = {
      file_of(header_of(7),
              slots_chunk({kThread, slot(SlotType::span, 1, 1000, 2000)}) + names_chunk({"stage"})),
      file_of(later, slots_chunk({kThread, slot(SlotType::span, 1, 0, 500),
                                  slot(SlotType::memory, 2, 10, 1)}) +
                         names_chunk({"other", "pid"}))};
  const auto open = [&](std::size_t i) -> Result<std::unique_ptr<ByteSource>> {
    return memory_source(files[i], "f");
  };
  auto trace = read_emitter_files(2, open, {});
  ASSERT_TRUE(trace) << trace.error().to_text();
  EXPECT_EQ(trace->spans.begin, (std::vector<Nanos>{0, 10'000}));
  EXPECT_EQ(trace->spans.end, (std::vector<Nanos>{500, 10'500}));
  EXPECT_EQ(trace->stages.size(), 2U) << "name 1 is another name in the other file";
  ASSERT_EQ(trace->workers.size(), 2U);
  EXPECT_EQ(trace->workers[1].label, "thread 70 of process 8");
  EXPECT_EQ(trace->bytes_read, files[0].size() + files[1].size());
}

// A copy would count its process twice, and what is no event file is told and left out.
TEST(EmitterFiles, CopiesAndForeignFilesAreLeftOut) {
  const std::string file =
      file_of(header_of(7),
              slots_chunk({kThread, slot(SlotType::span, 1, 1000, 2000)}) + names_chunk({"stage"}));
  const std::string files[] = {"junk", file, file};
  const auto open = [&](std::size_t i) -> Result<std::unique_ptr<ByteSource>> {
    return memory_source(files[i], "f" + std::to_string(i));
  };
  const auto trace = read_emitter_files(3, open, {});
  ASSERT_TRUE(trace) << trace.error().to_text();
  EXPECT_EQ(trace->spans.size(), 1U);
  EXPECT_TRUE(warns(*trace, TraceWarningKind::duplicate_keys, "f2 is of the same process"));
  EXPECT_TRUE(warns(*trace, TraceWarningKind::other, "not read: f0"));
  EXPECT_FALSE(read_emitter_files(1, open, {})) << "nothing but junk";
}

// --- real files ----------------------------------------------------------------------------------

class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "emitter-files-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path = {};
};

void run_example(const std::string& folder, const char* how) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("ASSAY_EVENTS", folder.c_str(), 1);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(98);
    execl(ASSAY_EMIT_EXAMPLE, ASSAY_EMIT_EXAMPLE, "--count", "1000", "--die", how, nullptr);
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
}

TEST(EmitterFiles, EveryEventOfAProgramThatDiedIsRead) {
  for (const char* how : {"kill", "term", "abort", "exit"}) {
    const Folder folder;
    run_example(folder.path, how);
    const auto trace = load_trace(folder.path, "", {});
    ASSERT_TRUE(trace) << trace.error().to_text();
    std::set<std::uint32_t> read_items, rendered;
    const std::uint32_t read = trace->find_stage("read"), render = trace->find_stage("render");
    for (std::size_t i = 0; i < trace->spans.size(); ++i) {
      if (trace->spans.kind[i] != SpanKind::service) continue;
      if (trace->spans.quality[i] != Quality::exact) continue;
      if (trace->spans.stage[i] == read) read_items.insert(trace->spans.item[i]);
      if (trace->spans.stage[i] == render) rendered.insert(trace->spans.item[i]);
    }
    EXPECT_EQ(read_items.size(), 1000U) << how;
    EXPECT_EQ(rendered.size(), 1000U) << how;
    EXPECT_EQ(trace->items.size(), 1000U);
    EXPECT_EQ(trace->lost(Loss::missing_end), 1U) << "the span 'dying'";
    EXPECT_EQ(trace->lost(Loss::dropped_by_writer), 0U);
    EXPECT_EQ(trace->lost(Loss::malformed_record), 0U);
    EXPECT_EQ(trace->lost(Loss::negative_span), 0U);
    EXPECT_EQ(trace->stages[render].capacity, 4U);
    EXPECT_EQ(trace->find_setting("count")->value, "1000");
  }
}

TEST(EmitterFiles, AFolderHoldsEventFilesOrIsRefused) {
  const Folder folder;
  EXPECT_EQ(load_trace(folder.path, "", {}).error().what, "a folder without event files");
  run_example(folder.path, "exit");
  run_example(folder.path, "kill");
  EXPECT_EQ(load_trace(folder.path, "chrome", {}).error().where, folder.path);
  const auto both = load_trace(folder.path, "emitter", {});
  ASSERT_TRUE(both) << both.error().to_text();
  EXPECT_EQ(both->source, folder.path);
  EXPECT_EQ(both->lost(Loss::missing_end), 2U);
}

}  // namespace
}  // namespace assay::trace
