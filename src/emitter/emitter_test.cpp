// SPDX-License-Identifier: Apache-2.0
// What is recorded, as it lies in the file. Each program under test is a forked child.
#include <gtest/gtest.h>

#include <assay/trace.hpp>
#include <bit>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "emitter/test_support.hpp"

namespace assay::emit {
namespace {

using format::Slot;
using format::SlotType;

const Name kWork{"work"};
const Name kMoment{"moment"};

// The one file that `program` leaves; it must exit with 0.
template <class Program>
EventFile record_with(Environment environment, Program program) {
  const Folder folder;
  environment["ASSAY_EVENTS"] = folder.path();
  const int status = status_of(environment, [&] {
    program();
    return 0;
  });
  EXPECT_TRUE(exited_well(status)) << status;
  std::vector<EventFile> files = read_folder(folder.path());
  EXPECT_EQ(files.size(), 1U);
  return files.empty() ? EventFile{} : files[0];
}

template <class Program>
EventFile record(Program program) {
  return record_with({}, program);
}

TEST(Emitter, RecordsNothingWhenTheVariableIsUnsetOrEmpty) {
  for (const Environment& environment : {Environment{}, Environment{{"ASSAY_EVENTS", ""}}}) {
    const int status = status_of(environment, [] {
      ASSAY_SPAN("stage");
      instant(kMoment);
      counter(kMoment, 1);
      memory("pid", 1);
      setting("a", "b");
      declare({"stage"});
      name_thread("stage", 0);
      Span moved = Span(kWork);
      moved.end();
      return enabled() ? 1 : 0;
    });
    EXPECT_TRUE(exited_well(status));
  }
}

TEST(Emitter, ASpanHasItsEndsItsKindAndItsItem) {
  const EventFile file = record([] {
    { ASSAY_SPAN("plain"); }
    { ASSAY_SPAN("waiting", Kind::queue_wait); }
    {
      ASSAY_SPAN("keyed", Kind::transfer, {7, 9});
      ASSAY_SPAN("inner", Kind::service, Item{7});
    }
  });
  const std::vector<Slot> spans = file.of(SlotType::span);
  ASSERT_EQ(spans.size(), 4U);
  struct Case {
    const char* name;
    Kind kind;
    std::uint64_t job, part;
  };
  const Case cases[] = {{"plain", Kind::service, kNoKey, kNoKey},
                        {"waiting", Kind::queue_wait, kNoKey, kNoKey},
                        {"keyed", Kind::transfer, 7, 9},
                        {"inner", Kind::service, 7, kNoKey}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(file.name_of(spans[i]), cases[i].name);
    EXPECT_EQ(format::kind_of(spans[i].head), static_cast<std::uint8_t>(cases[i].kind));
    EXPECT_EQ(spans[i].job, cases[i].job);
    EXPECT_EQ(spans[i].part, cases[i].part);
    EXPECT_GE(spans[i].end, spans[i].begin);
    if (i > 0) {
      EXPECT_GE(spans[i].begin, spans[i - 1].begin);
    }
  }
  EXPECT_GE(spans[2].end, spans[3].end);
}

TEST(Emitter, ASpanMayBeMovedAndEndedElsewhere) {
  const EventFile file = record([] {
    Span first(kWork, Kind::service, {1});
    Span moved = std::move(first);
    first.end();  // nothing is left in it
    Span assigned(kWork, Kind::service, {2});
    assigned = std::move(moved);  // ends 2; 1 goes on
    std::thread([&assigned] { assigned.end(); }).join();
    assigned.end();  // once is enough
    Span* open = new Span(kWork, Kind::service, {3});
    static_cast<void>(open);
    Span nothing;
    nothing.end();
  });
  const std::vector<Slot> spans = file.of(SlotType::span);
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_NE(spans[0].end, 0U);
  EXPECT_NE(spans[1].end, 0U);
  EXPECT_LE(spans[1].end, spans[0].end);
  EXPECT_EQ(spans[2].end, 0U) << "never ended: open";
}

TEST(Emitter, MomentsValuesMemorySettingsAndTopology) {
  const EventFile file = record([] {
    instant(kMoment, {4, 2});
    counter(Name("in flight"), -2.5);
    memory("tree", 1234567890123);
    setting("lookahead", "4");
    declare({"prove", "synthesise", "batch", 2, 10, 3});
    declare({"alone"});
    declare({nullptr});
    name_thread("prove", 1);
  });
  const Slot moment = file.of(SlotType::instant, "moment").at(0);
  EXPECT_EQ(moment.job, 4U);
  EXPECT_EQ(moment.part, 2U);
  EXPECT_EQ(std::bit_cast<double>(file.of(SlotType::counter, "in flight").at(0).end), -2.5);
  EXPECT_EQ(file.of(SlotType::memory, "tree").at(0).end, 1234567890123U);
  EXPECT_EQ(file.text(file.of(SlotType::setting, "lookahead").at(0).job), "4");
  ASSERT_EQ(file.of(SlotType::stage).size(), 2U);
  const Slot stage = file.of(SlotType::stage, "prove").at(0);
  EXPECT_EQ(file.text(stage.job & 0xffffffff), "synthesise");
  EXPECT_EQ(file.text(stage.job >> 32), "batch");
  EXPECT_EQ(stage.part, 2U | std::uint64_t{3} << 32);
  EXPECT_EQ(stage.end, 10U);
  const Slot alone = file.of(SlotType::stage, "alone").at(0);
  EXPECT_EQ(alone.job, 0U);
  EXPECT_EQ(alone.part, 0U);
  EXPECT_EQ(static_cast<std::int64_t>(alone.end), -1);
  EXPECT_EQ(file.of(SlotType::worker, "prove").at(0).part, 1U);
  EXPECT_EQ(file.of(SlotType::thread).at(0).part, 1U);
  EXPECT_EQ(file.of(SlotType::thread).at(0).job, file.header.pid) << "the first thread's tid";
}

TEST(Emitter, NamesAreKeptOnceCopiedAndCut) {
  const EventFile file = record([] {
    char text[] = "changes";
    const Name copied(text);
    text[0] = 'C';
    instant(copied);
    const Name again("work");
    instant(again);
    instant(kWork);
    instant(Name(std::string(10000, 'x').c_str()));
    instant(Name(""));
    const char* none = nullptr;
    instant(Name(none));
  });
  const std::vector<Slot> slots = file.of(SlotType::instant);
  ASSERT_EQ(slots.size(), 6U);
  EXPECT_EQ(file.name_of(slots[0]), "changes");
  EXPECT_EQ(slots[1].head, slots[2].head);
  EXPECT_EQ(file.name_of(slots[3]), std::string(format::kLongestName, 'x'));
  EXPECT_EQ(file.name_of(slots[4]), "");
  EXPECT_EQ(format::name_of(slots[5].head), format::kNoName);
}

TEST(Emitter, TooManyNamesAreCounted) {
  const EventFile file = record([] {
    for (std::uint32_t i = 0; i < format::kMostNames + 50; ++i) {
      instant(Name(std::to_string(i).c_str()));
    }
  });
  const std::vector<Slot> slots = file.of(SlotType::instant);
  ASSERT_EQ(slots.size(), format::kMostNames + 50);
  EXPECT_EQ(file.name_of(slots[10000]), "10000");
  EXPECT_EQ(format::name_of(slots.back().head), format::kLostName);
  EXPECT_EQ(file.names.size(), format::kMostNames);
  EXPECT_GE(file.header.names_lost, 50U);
}

TEST(Emitter, ManyThreadsLoseNothing) {
  constexpr int kThreads = 8;
  constexpr std::uint64_t kEach = 5000;
  const EventFile file = record([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([t] {
        for (std::uint64_t i = 0; i < kEach; ++i) {
          const Span span(kWork, Kind::service, {static_cast<std::uint64_t>(t), i});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  std::set<std::uint64_t> ordinals;
  for (const Slot& span : file.of(SlotType::span)) {
    EXPECT_NE(span.end, 0U);
    seen.emplace(span.job, span.part);
  }
  for (const Slot& thread : file.of(SlotType::thread)) ordinals.insert(thread.part);
  EXPECT_EQ(seen.size(), kThreads * kEach);
  EXPECT_EQ(ordinals.size(), static_cast<std::size_t>(kThreads));
  EXPECT_EQ(file.dropped, 0U);
}

TEST(Emitter, ThreadsThatCameAndWentShareChunks) {
  const EventFile file = record([] {
    for (std::uint64_t i = 0; i < 300; ++i) {
      std::thread([i] { instant(kMoment, {i}); }).join();
    }
  });
  EXPECT_EQ(file.of(SlotType::instant).size(), 300U);
  EXPECT_EQ(file.of(SlotType::thread).size(), 300U);
  EXPECT_EQ(file.slot_chunks, 1);
  std::uint64_t ordinal = 0;
  for (const Slot& slot : file.slots) {
    if (format::type_of(slot.head) == SlotType::thread) ordinal = slot.part;
    if (format::type_of(slot.head) == SlotType::instant) {
      EXPECT_EQ(slot.job + 1, ordinal);
    }
  }
}

TEST(Emitter, AFullRingDropsAndCounts) {
  const EventFile file = record_with({{"ASSAY_EVENTS_RING", "4096"}}, [] {
    for (std::uint64_t i = 0; i < 150; ++i) {
      const Span span(kWork, Kind::service, {i});
    }
    std::thread([] { instant(kMoment); }).join();  // another thread has its own ring
  });
  const std::vector<Slot> spans = file.of(SlotType::span);
  ASSERT_EQ(spans.size(), (4096 - sizeof(format::ChunkHeader)) / sizeof(Slot) - 1);
  for (std::size_t i = 0; i < spans.size(); ++i) EXPECT_EQ(spans[i].job, i) << "the first ones";
  EXPECT_EQ(file.dropped, 150 - spans.size());
  EXPECT_EQ(file.of(SlotType::instant).size(), 1U);
  EXPECT_EQ(file.header.stopped, format::kGrowing);
}

TEST(Emitter, TheFileKeepsToItsLimit) {
  const EventFile file = record_with({{"ASSAY_EVENTS_LIMIT", "100K"}}, [] {
    for (std::uint64_t i = 0; i < 5000; ++i) instant(kMoment, {i});
    std::thread([] { instant(kMoment, {5000}); }).join();  // finds no room at all
  });
  EXPECT_EQ(file.of(SlotType::instant).size() + file.dropped, 5001U);
  EXPECT_EQ(file.header.dropped, 1U);
  EXPECT_EQ(file.header.stopped, format::kLimitReached);
}

TEST(Emitter, SenselessSizesMeanTheDefault) {
  for (const char* size : {"", "x", "-1", "4 K", "99999999999999999999", "1T"}) {
    const EventFile file = record_with({{"ASSAY_EVENTS_RING", size}}, [] { instant(kMoment); });
    EXPECT_EQ(file.header.ring_bytes, std::uint64_t{64} << 20) << size;
  }
  const EventFile file = record_with({{"ASSAY_EVENTS_RING", "2M"}}, [] { instant(kMoment); });
  EXPECT_EQ(file.header.ring_bytes, std::uint64_t{2} << 20);
}

TEST(Emitter, TimesCanBeConvertedWhicheverTheClock) {
  struct Bracket {
    double before, after;
  };
  for (const char* clock : {"", "steady"}) {
    const Folder folder;
    const int status =
        status_of({{"ASSAY_EVENTS", folder.path()}, {"ASSAY_EVENTS_CLOCK", clock}}, [] {
          instant(kMoment);
          for (std::uint64_t i = 0; i < 20000; ++i) {
            const std::uint64_t before = detail::clock_ns(CLOCK_MONOTONIC);
            const Span span(kWork, Kind::service, {before});
          }
          return 0;
        });
    ASSERT_TRUE(exited_well(status));
    const EventFile file = read_folder(folder.path()).at(0);
    if (*clock != '\0') {
      EXPECT_EQ(file.header.clock, format::Clock::monotonic);
    }
    // `job` is the time at which the span began: the two may be some microseconds apart, and much
    // more when the process had to wait between them; never the other way round.
    double nearest = 1e9;
    for (const Slot& span : file.of(SlotType::span)) {
      const double apart = to_ns(file, span.begin) - static_cast<double>(span.job);
      EXPECT_GT(apart, -2000);
      nearest = std::min(nearest, apart);
    }
    EXPECT_LT(nearest, 100000);
  }
}

TEST(Emitter, TheClockPairIsNeverFarBehindTheEvents) {
  const EventFile file = record([] {
    const std::uint64_t begin = detail::clock_ns(CLOCK_MONOTONIC);
    while (detail::clock_ns(CLOCK_MONOTONIC) - begin < 20000000) instant(kMoment);
  });
  if (file.header.clock != format::Clock::tsc) GTEST_SKIP() << "no steady time-stamp counter";
  const std::uint64_t first = file.header.pairs[0].ticks;
  const std::uint64_t newest = file.header.pairs[file.header.latest].ticks;
  const std::uint64_t last = file.of(SlotType::instant).back().begin;
  EXPECT_LE(last - first, 2 * (newest - first));
}

TEST(Emitter, ErrnoIsTheProgramsOwn) {
  const Folder folder;
  const int status = status_of({{"ASSAY_EVENTS", folder.path("missing/missing")}}, [] {
    errno = 77;
    instant(kMoment);
    setting("a", "b");
    return errno == 77 ? 0 : 1;
  });
  EXPECT_TRUE(exited_well(status));
}

}  // namespace
}  // namespace assay::emit
