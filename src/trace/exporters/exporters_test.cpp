// SPDX-License-Identifier: Apache-2.0
// CSV, collapsed stacks and Perfetto; chrome_json is tested with its importer.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.hpp"
#include "trace/exporters/collapsed.hpp"
#include "trace/exporters/csv.hpp"
#include "trace/exporters/perfetto.hpp"
#include "trace/importers/collapsed.hpp"
#include "trace/importers/csv.hpp"
#include "trace/importers/importer_lines.hpp"

namespace assay::trace {
namespace {

using testing::import;
using testing::Lines;
using testing::spans_of;

struct Text {
  std::string bytes = {};
  Sink sink = [this](std::string_view piece) {
    bytes += piece;
    return Result<void>();
  };
};

Trace nested_run(std::uint64_t scale) {
  Trace run;
  run.source = "r.log";
  const std::uint32_t main = run.stage_id("main"), work = run.stage_id("work;x"),
                      sort = run.stage_id("sort");
  const std::uint32_t a = run.worker_id(kNone, "a"), b = run.worker_id(kNone, "b");
  const auto push = [&](Nanos from, Nanos to, std::uint32_t stage, std::uint32_t worker,
                        SpanKind kind = SpanKind::service) {
    const auto by = static_cast<Nanos>(scale);
    run.spans.push(from * by, to * by, kNone, stage, worker, kind, Quality::exact);
  };
  push(0, 100, main, a);
  push(20, 30, sort, a);
  push(10, 60, work, a);
  push(60, 70, work, a, SpanKind::queue_wait);
  push(0, 5, sort, b);
  push(0, 7, sort, kNone);
  return run;
}

TEST(CollapsedExporter, SelfTimesOfOneAndTwoTraces) {
  const Trace a = nested_run(1), b = nested_run(2);
  const Trace* both[] = {&a, &b};
  Text one, two;
  ASSERT_TRUE(write_collapsed({both, 1}, one.sink));
  EXPECT_EQ(one.bytes,
            "main 40\n"
            "main;work:x 40\n"
            "main;work:x (queue_wait) 10\n"
            "main;work:x;sort 10\n"
            "sort 12\n");
  ASSERT_TRUE(write_collapsed(both, two.sink));
  EXPECT_NE(two.bytes.find("main;work:x;sort 10 20\n"), std::string::npos);
  // Our own importer reads the totals back.
  const auto again = import(collapsed_importer(), one.bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->spans.end[0] - again->spans.begin[0], 100);
}

TEST(CsvExporter, ComesBackAsTheSameSpans) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    Trace run;
    constexpr std::string_view kNames[] = {"synth", "gpu \"k\", 2", "\u00e9 x", "a;b"};
    for (const std::string_view name : kNames) run.stage_id(name);
    const std::uint32_t worker = run.worker_id(kNone, "w, \"1\"");
    for (std::uint64_t i = 1 + random.below(40); i > 0; --i) {
      const auto begin = static_cast<Nanos>(random.below(1000000000));
      const std::uint32_t item =
          random.below(4) == 0
              ? kNone
              : run.items.intern(run.strings.intern(fmt::format("job {}/{}", i, random.below(9))));
      run.spans.push(begin, begin + static_cast<Nanos>(random.below(1000000)), item,
                     static_cast<std::uint32_t>(random.below(4)),
                     random.below(3) == 0 ? kNone : worker,
                     static_cast<SpanKind>(random.below(kSpanKinds)), Quality::exact);
    }
    Text text;
    ASSERT_TRUE(write_csv(run, text.sink));
    const auto again = import(csv_importer(), text.bytes);
    ASSERT_TRUE(again) << again.error().to_text();
    EXPECT_EQ(spans_of(*again), spans_of(run)) << text.bytes;
  }
}

TEST(CsvExporter, ARowIsALine) {
  Trace run;
  run.spans.push(-1, 2, kNone, run.stage_id("a\nb\r\n"), kNone, SpanKind::other, Quality::clipped);
  Text text;
  ASSERT_TRUE(write_csv(run, text.sink));
  EXPECT_EQ(text.bytes,
            "begin_ns,end_ns,stage,kind,item,worker,quality\n-1,2,\"a b  \",other,,,clipped\n");
}

// A reader of protobuf that knows nothing of the writer: fields by number, in order.
struct Field {
  unsigned number = 0;
  std::uint64_t value = 0;  // varint or fixed64
  std::string bytes = {};
};

std::vector<Field> fields_of(std::string_view bytes) {
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0; at < bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  std::vector<Field> all;
  while (at < bytes.size()) {
    const std::uint64_t key = varint();
    Field field{static_cast<unsigned>(key >> 3)};
    if ((key & 7) == 0) {
      field.value = varint();
    } else if ((key & 7) == 1) {
      for (int i = 0; i < 8 && at < bytes.size(); ++i) {
        field.value |= std::uint64_t{static_cast<unsigned char>(bytes[at++])} << (8 * i);
      }
    } else {
      EXPECT_EQ(key & 7, 2U);
      const std::uint64_t length = varint();
      EXPECT_LE(length, bytes.size() - at);
      field.bytes = bytes.substr(at, length);
      at += length;
    }
    all.push_back(std::move(field));
  }
  return all;
}

const Field* find(const std::vector<Field>& fields, unsigned number) {
  for (const Field& field : fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

// What the slices say, as "track-name|slice begin..end", checking that slices of a track nest.
struct Picture {
  std::multiset<std::string> slices = {};
  std::vector<std::string> processes = {};
  std::map<std::string, std::vector<double>> counters = {};
  int instants = 0;
};

Picture picture_of(const std::string& bytes) {
  Picture picture;
  std::map<std::uint64_t, std::string> tracks;
  std::map<std::uint64_t, std::vector<std::pair<std::string, std::uint64_t>>> open;
  std::map<std::uint64_t, std::uint64_t> last;
  for (const Field& packet_field : fields_of(bytes)) {
    EXPECT_EQ(packet_field.number, 1U);
    const std::vector<Field> packet = fields_of(packet_field.bytes);
    EXPECT_NE(find(packet, 10), nullptr);
    if (const Field* descriptor = find(packet, 60)) {
      const std::vector<Field> track = fields_of(descriptor->bytes);
      std::string name;
      if (const Field* plain = find(track, 2)) name = plain->bytes;
      if (const Field* thread = find(track, 4)) name = find(fields_of(thread->bytes), 5)->bytes;
      if (const Field* process = find(track, 3)) {
        name = find(fields_of(process->bytes), 6)->bytes;
        picture.processes.push_back(name);
      } else {
        EXPECT_EQ(tracks.count(find(track, 5)->value), 1U) << "a parent comes first";
      }
      EXPECT_TRUE(tracks.emplace(find(track, 1)->value, name).second)
          << "a track is described once";
      continue;
    }
    const std::vector<Field> event = fields_of(find(packet, 11)->bytes);
    const std::uint64_t time = find(packet, 8)->value, track = find(event, 11)->value,
                        type = find(event, 9)->value;
    EXPECT_EQ(tracks.count(track), 1U);
    EXPECT_LT(time, std::uint64_t{1} << 62);
    if (type == 3) ++picture.instants;
    if (type == 4) {
      const Field* real = find(event, 44);
      picture.counters[tracks[track]].push_back(real != nullptr
                                                    ? std::bit_cast<double>(real->value)
                                                    : static_cast<double>(find(event, 30)->value));
    }
    if (type > 2) continue;
    EXPECT_GE(time, last[track]) << "events of a track are in order";
    last[track] = time;
    if (type == 1) {
      open[track].emplace_back(find(event, 23)->bytes, time);
    } else if (open[track].empty()) {
      ADD_FAILURE() << "an end without begin";
    } else {
      const auto [name, begin] = open[track].back();
      open[track].pop_back();
      picture.slices.insert(fmt::format("{}|{} {}..{}", tracks[track], name, begin, time));
    }
  }
  for (const auto& [track, slices] : open) EXPECT_TRUE(slices.empty()) << tracks[track];
  return picture;
}

TEST(PerfettoExporter, EverySpanIsASliceOfATrackThatNests) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    Trace run;
    run.source = "r.log";
    for (const char* name : {"synth", "gpu", ""}) run.stage_id(name);
    for (const char* label : {"w0", "w1"}) run.worker_id(kNone, label);
    std::multiset<std::string> expected;
    Nanos first = std::numeric_limits<Nanos>::max();
    for (std::uint64_t i = 1 + random.below(60); i > 0; --i) {
      const Nanos begin = static_cast<Nanos>(random.below(100)) - 50;
      first = std::min(first, begin);
      run.spans.push(begin, begin + static_cast<Nanos>(random.below(30)), kNone,
                     static_cast<std::uint32_t>(random.below(3)),
                     random.below(3) == 0 ? kNone : static_cast<std::uint32_t>(random.below(2)),
                     SpanKind::service, static_cast<Quality>(random.below(3)));
    }
    for (std::size_t i = 0; i < run.spans.size(); ++i) {
      const std::string& stage = run.stages[run.spans.stage[i]].name;
      const std::uint32_t worker = run.spans.worker[i];
      expected.insert(fmt::format("{}|{} {}..{}",
                                  worker == kNone ? stage : run.workers[worker].label, stage,
                                  run.spans.begin[i] - first, run.spans.end[i] - first));
    }
    const ExportSide side{&run, 0};
    Text text;
    ASSERT_TRUE(write_perfetto({&side, 1}, text.sink));
    EXPECT_EQ(picture_of(text.bytes).slices, expected) << seed;
  }
}

TEST(PerfettoExporter, TwoSidesCountersMemoryAndInstants) {
  Trace a = nested_run(1), b = nested_run(2);
  a.counters.at = {1, 2};
  a.counters.name = {a.strings.intern("depth"), a.strings.intern("depth")};
  a.counters.value = {1.5, -2};
  b.memory.push_back({"tree", "statm", {1}, {std::uint64_t{1} << 40}});
  b.instants.at = {3};
  b.instants.name = {b.strings.intern("mark")};
  b.instants.item = {kNone};
  const ExportSide sides[] = {{&a, 100}, {&b, 200}};
  Text text;
  ASSERT_TRUE(write_perfetto(sides, text.sink));
  const Picture picture = picture_of(text.bytes);
  EXPECT_EQ(picture.processes, (std::vector<std::string>{"A: r.log", "B: r.log"}));
  EXPECT_EQ(picture.counters.at("depth"), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(picture.counters.at("memory tree: statm"),
            std::vector<double>{static_cast<double>(std::uint64_t{1} << 40)});
  EXPECT_EQ(picture.instants, 1);
  // Both end their main span at the same time: they are aligned there.
  EXPECT_EQ(picture.slices.count("a|main 100..200"), 1U);
  EXPECT_EQ(picture.slices.count("a|main 0..200"), 1U);
}

}  // namespace
}  // namespace assay::trace
