// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "attribution/description.hpp"
#include "tests/support/traces.hpp"

namespace assay::attribution {
namespace {

using testing::SimLog;
using testing::SimStage;
using trace::kNone;
using trace::Nanos;
using trace::SpanKind;
using trace::Trace;
using trace::TraceWarningKind;

Trace run_of(const std::vector<SimStage>& stages, const SimLog& log = {}) {
  return trace_of(stages, simulate(stages), log);
}

double kind(const Book& book, SpanKind of) { return book.seconds[static_cast<std::size_t>(of)]; }

double sum(const Book& book) {
  return std::accumulate(book.seconds.begin(), book.seconds.end(), book.unknown_s);
}

const Book* book_of(const RunDescription& run, std::string_view who) {
  for (const Book& book : run.books)
    if (book.who == who) return &book;
  return nullptr;
}

const StageRow& row_of(const RunDescription& run, std::string_view name) {
  for (const StageRow& row : run.stages)
    if (row.name == name) return row;
  ADD_FAILURE() << "no stage " << name;
  static const StageRow kNothing;
  return kNothing;
}

bool warned(const RunDescription& run, TraceWarningKind of) {
  return std::any_of(run.warnings.begin(), run.warnings.end(),
                     [&](const trace::TraceWarning& warning) { return warning.kind == of; });
}

void expect_closed(const RunDescription& run, std::uint64_t seed = 0) {
  for (const Book& book : run.books) {
    EXPECT_NEAR(sum(book), book.wall_s, 1e-9 + 1e-15 * std::fabs(book.wall_s) * 8)
        << book.who << " seed " << seed;
  }
}

TEST(Describe, APipelineWithABottleneck) {
  const auto stages = testing::two_stages(400, 5, 3, 1);
  const auto schedule = simulate(stages);
  const RunDescription run = describe(trace_of(stages, schedule, {}));
  ASSERT_TRUE(run.is_pipeline) << run.not_pipeline_because;
  EXPECT_TRUE(run.trusted);
  EXPECT_EQ(run.items, 400U);
  EXPECT_EQ(run.jobs, 40U);
  EXPECT_EQ(run.spans, 1600U);
  EXPECT_NEAR(run.makespan_s, static_cast<double>(schedule.makespan) / 1e9, 1e-9);

  const double gpu_s = std::accumulate(stages[1].service_s.begin(), stages[1].service_s.end(), 0.0);
  const StageRow& gpu = row_of(run, "gpu");
  EXPECT_NEAR(gpu.busy_s, gpu_s, 1e-6);
  EXPECT_NEAR(*gpu.utilisation, gpu_s / run.makespan_s, 1e-9);
  EXPECT_EQ(gpu.in_flight_max, 4U) << "three queued, one in service";
  EXPECT_EQ(gpu.intervals.n, 399U);
  EXPECT_LT(gpu.steady_service.n, gpu.service.n);
  EXPECT_GT(gpu.steady_service.n, 350U);
  EXPECT_EQ(row_of(run, "synth").in_flight_max, 5U);
  EXPECT_FALSE(row_of(run, "synth").blocked_derived);

  ASSERT_TRUE(run.bottleneck);
  EXPECT_EQ(run.bottleneck->stage, "gpu");
  EXPECT_EQ(run.bottleneck->next, "synth");
  EXPECT_NEAR(run.bottleneck->headroom, 1 - *row_of(run, "synth").utilisation / *gpu.utilisation,
              1e-12);
  EXPECT_EQ(run.bottleneck->window_stage.size(), 20U);
  EXPECT_FALSE(run.bottleneck->moves);
  double blocked_s = 0;
  for (const auto& visit : schedule.visits[0])
    blocked_s += static_cast<double>(visit.sent - visit.end) / 1e9;
  EXPECT_NEAR(run.bottleneck->upstream_blocked, blocked_s / (5 * run.makespan_s), 1e-9);

  ASSERT_EQ(run.permits.size(), 1U);
  EXPECT_EQ(run.permits[0].most, 8U);
  EXPECT_FALSE(run.permits[0].exceeded);
  for (const LawCheck& law : run.laws) EXPECT_FALSE(law.violated) << law.law << " " << law.stage;
  EXPECT_EQ(run.laws.size(), 5U);
}

TEST(Describe, TheBooksClose) {
  const auto stages = testing::two_stages(200, 5, 3, 2);
  const RunDescription run = describe(run_of(stages));
  ASSERT_EQ(run.books.size(), 4U);
  expect_closed(run);
  const Book* items = book_of(run, "items");
  ASSERT_NE(items, nullptr);
  EXPECT_NEAR(items->wall_s, run.latency.total, 1e-6);
  EXPECT_NEAR(items->unknown_s, 0, 1e-9) << "an item is always somewhere";
  const Book* synth = book_of(run, "synth, 5 permits");
  ASSERT_NE(synth, nullptr);
  EXPECT_NEAR(synth->wall_s, 5 * run.makespan_s, 1e-6);
  EXPECT_NEAR(kind(*synth, SpanKind::service), row_of(run, "synth").busy_s, 1e-6);
  EXPECT_NEAR(kind(*synth, SpanKind::blocked_send), row_of(run, "synth").blocked_send.total, 1e-6);
  EXPECT_NEAR(synth->unknown_s, 0, 1e-6) << "a permit is held, or nothing is left to begin";
  double busy = 0;
  for (const char* who : {"gpu worker 0", "gpu worker 1"}) {
    const Book* worker = book_of(run, who);
    ASSERT_NE(worker, nullptr) << who;
    EXPECT_NEAR(worker->wall_s, run.makespan_s, 1e-9);
    EXPECT_NEAR(worker->unknown_s, 0, 1e-6) << "a server idles only with an empty queue";
    EXPECT_GT(kind(*worker, SpanKind::starved), 0);
    EXPECT_TRUE(worker->starved_derived) << "read off the gaps";
    busy += kind(*worker, SpanKind::service);
  }
  EXPECT_NEAR(busy, row_of(run, "gpu").busy_s, 1e-6);
}

// Kernels of one GPU stream may overlap: legal input, and no book can close there.
TEST(Describe, OverlapOnATrackWithoutItemsIsNoBrokenLog) {
  trace::Trace run;
  const std::uint32_t kernel = run.stage_id("kernel"), other = run.stage_id("copy");
  const std::uint32_t stream = run.worker_id(trace::kNone, "stream 7");
  using trace::Quality;
  run.spans.push(0, 10'000, trace::kNone, kernel, stream, SpanKind::service, Quality::exact);
  run.spans.push(5'000, 15'000, trace::kNone, other, stream, SpanKind::service, Quality::exact);
  const RunDescription description = describe(run);
  EXPECT_TRUE(description.trusted);
  EXPECT_TRUE(warned(description, TraceWarningKind::overlap));
  for (const Book& book : description.books) EXPECT_GE(book.unknown_s, 0) << book.who;
}

TEST(Describe, NamedProducersHaveBooksOfTheirOwn) {
  SimLog log;
  log.name_producers = true;
  const RunDescription run = describe(run_of(testing::two_stages(100, 6, 3, 1), log));
  EXPECT_EQ(run.books.size(), 8U);
  expect_closed(run);
  const Book* worker = book_of(run, "synth worker 3");
  ASSERT_NE(worker, nullptr);
  EXPECT_GT(kind(*worker, SpanKind::blocked_send), 0);
  EXPECT_NEAR(worker->unknown_s, 0, 1e-6);
}

TEST(Describe, RoundedTimesDoNotOverdrawTheBooks) {
  SimLog log;
  log.resolution_ns = 1000000;
  const RunDescription run = describe(run_of(testing::two_stages(400, 5, 3, 1), log));
  EXPECT_TRUE(run.trusted);
  expect_closed(run);
  EXPECT_FALSE(run.permits[0].exceeded);
}

TEST(Describe, PhasesSumToTheMakespan) {
  const auto stages = testing::two_stages(50, 3, 2, 1);
  const auto schedule = simulate(stages);
  const RunDescription run = describe(trace_of(stages, schedule, {}));
  ASSERT_TRUE(run.phases);
  EXPECT_EQ(run.phases->makespan_s, run.phases->first_completion_s + run.phases->interval_sum_s);
  EXPECT_NEAR(run.phases->fill_s + run.phases->steady_s + run.phases->drain_s,
              run.phases->makespan_s, 1e-9);
  EXPECT_NEAR(run.phases->interval_sum_s, row_of(run, "gpu").intervals.total, 1e-9);
  Nanos first = schedule.makespan, last_begin = 0;
  for (const auto& visit : schedule.visits[1]) first = std::min(first, visit.end);
  for (const auto& visit : schedule.visits[0]) last_begin = std::max(last_begin, visit.begin);
  EXPECT_NEAR(run.phases->fill_s, static_cast<double>(first) / 1e9, 1e-9);
  EXPECT_NEAR(run.phases->drain_s, static_cast<double>(schedule.makespan - last_begin) / 1e9, 1e-9);
}

TEST(Describe, WithoutBlockedSendNothingIsClaimed) {
  SimLog log;
  log.blocked_send = false;
  const RunDescription with_queue = describe(run_of(testing::two_stages(200, 5, 3, 1), log));
  const StageRow& synth = row_of(with_queue, "synth");
  EXPECT_TRUE(synth.blocked_derived) << "the next queue recorded when items came";
  EXPECT_GT(synth.blocked_send.mean, 1);
  EXPECT_TRUE(warned(with_queue, TraceWarningKind::derived));
  const Book* book = book_of(with_queue, "synth, 5 permits");
  ASSERT_NE(book, nullptr);
  EXPECT_EQ(kind(*book, SpanKind::blocked_send), 0) << "the books hold what was recorded";
  EXPECT_NEAR(book->unknown_s, synth.blocked_send.total, 1e-6);

  log.queue_wait = false;
  const RunDescription nothing = describe(run_of(testing::two_stages(200, 5, 3, 1), log));
  EXPECT_FALSE(row_of(nothing, "synth").blocked_derived);
  EXPECT_EQ(row_of(nothing, "synth").blocked_send.n, 0U);
  EXPECT_EQ(row_of(nothing, "gpu").queue_wait.n, 0U);
  expect_closed(nothing);
}

TEST(Describe, APermitReleasedBeforeItsSend) {
  auto stages = testing::two_stages(400, 9, 1, 1);
  stages[0].hold_through_send = false;
  const RunDescription before = describe(run_of(stages));
  ASSERT_EQ(before.permits.size(), 1U);
  EXPECT_TRUE(before.permits[0].exceeded);
  EXPECT_GT(before.permits[0].most, 100U);
  EXPECT_FALSE(before.trusted);
  const RunDescription after = describe(run_of(testing::two_stages(400, 9, 9, 1)));
  EXPECT_FALSE(after.permits[0].exceeded);
  EXPECT_TRUE(after.trusted);
}

TEST(Describe, LostEventsAreNotTrusted) {
  SimLog log;
  log.lose = .05;
  const RunDescription run = describe(run_of(testing::two_stages(400, 5, 3, 1), log));
  EXPECT_FALSE(run.trusted);
  EXPECT_TRUE(warned(run, TraceWarningKind::unbalanced));
  expect_closed(run);
  for (const PermitCheck& check : run.permits)
    EXPECT_FALSE(check.exceeded) << "an item whose later events are lost is not in flight for ever";
}

// Spans dropped without a trace of it: no loss counter says so, the laws do.
TEST(Describe, SpansThatVanishBreakALaw) {
  const auto stages = testing::two_stages(400, 5, 3, 1);
  const Trace whole = run_of(stages);
  Trace run = run_of(stages);
  run.spans = {};
  Random random(4);
  for (std::size_t i = 0; i < whole.spans.size(); ++i) {
    const bool gpu = whole.spans.stage[i] == 1 && whole.spans.kind[i] == SpanKind::service;
    if (gpu && random.uniform() < .1) continue;
    run.spans.push(whole.spans.begin[i], whole.spans.end[i], whole.spans.item[i],
                   whole.spans.stage[i], whole.spans.worker[i], whole.spans.kind[i],
                   whole.spans.quality[i]);
  }
  const RunDescription described = describe(run);
  EXPECT_FALSE(described.trusted);
  std::size_t violated = 0;
  for (const LawCheck& law : described.laws) violated += law.violated ? 1 : 0;
  EXPECT_GE(violated, 3U) << "the count, the utilisation and the queue";
}

TEST(Describe, AWrongNumberOfWorkersBreaksALaw) {
  auto run = run_of(testing::two_stages(200, 9, 3, 2));
  run.stages[1].servers = 1;
  const auto violated = [](const RunDescription& of) {
    return std::any_of(of.laws.begin(), of.laws.end(), [](const LawCheck& law) {
      return law.violated && law.law == "U = X S / c" && law.stage == "gpu";
    });
  };
  EXPECT_TRUE(violated(describe(run))) << "one stated, two seen";
  run.stages[1].servers = 2;
  EXPECT_FALSE(violated(describe(run)));
  run.stages[1].servers = 4;
  EXPECT_TRUE(violated(describe(run))) << "items waited for two that were never seen";
}

TEST(Describe, TwoClocksBreakTheQueueLaw) {
  auto run = run_of(testing::two_stages(200, 5, 3, 1));
  // The consumer's clock is 30 s ahead.
  for (std::size_t i = 0; i < run.spans.size(); ++i) {
    if (run.spans.stage[i] != 1 || run.spans.kind[i] != SpanKind::service) continue;
    run.spans.begin[i] += 30000000000;
    run.spans.end[i] += 30000000000;
  }
  for (std::size_t i = 0; i < run.spans.size(); ++i) {
    if (run.spans.kind[i] == SpanKind::queue_wait) {
      run.spans.begin[i] += 30000000000;
      run.spans.end[i] += 30000000000;
    }
  }
  const RunDescription described = describe(run);
  EXPECT_FALSE(described.trusted);
}

TEST(Describe, ABottleneckThatMoves) {
  // The first half is bound by the second stage, the second half by the first.
  std::vector<double> synth(200, 5), gpu(200, 8);
  std::fill(synth.begin() + 100, synth.end(), 20);
  const RunDescription run =
      describe(run_of({{"synth", synth, 1, {}, true}, {"gpu", gpu, 1, 3, true}}));
  ASSERT_TRUE(run.bottleneck);
  EXPECT_TRUE(run.bottleneck->moves);
  EXPECT_EQ(run.bottleneck->window_stage.front(), "gpu");
  EXPECT_EQ(run.bottleneck->window_stage[15], "synth");
}

TEST(Describe, ServersThatNobodyStatedAreObserved) {
  SimLog log;
  log.topology = false;
  const RunDescription run = describe(run_of(testing::two_stages(200, 5, 3, 2), log));
  ASSERT_TRUE(run.is_pipeline);
  EXPECT_EQ(row_of(run, "synth").servers, 5U);
  EXPECT_EQ(row_of(run, "synth").servers_from, "observed: the most at once");
  EXPECT_EQ(row_of(run, "gpu").servers, 2U);
  EXPECT_TRUE(run.permits.empty()) << "no permits stated, none checked";
  EXPECT_NE(book_of(run, "synth, 5 at once"), nullptr);
}

TEST(Describe, ServiceIsSplitByWhatLiesInside) {
  Trace run;
  const std::uint32_t gpu = run.stage_id("gpu"), kernel = run.stage_id("kernel");
  const std::uint32_t worker = run.worker_id(gpu, "0");
  for (std::uint32_t i = 0; i < 10; ++i) {
    run.items.intern(run.strings.intern("job/" + std::to_string(i)));
    const Nanos at = i * 10000000000;
    run.spans.push(at, at + 6500000000, i, gpu, worker, SpanKind::service, trace::Quality::exact);
    run.spans.push(at + 1000000000, at + 3000000000, i, gpu, worker, SpanKind::lock_wait,
                   trace::Quality::exact);
    run.spans.push(at + 3000000000, at + 6300000000, kNone, kernel, worker, SpanKind::service,
                   trace::Quality::exact);
  }
  const RunDescription described = describe(run);
  ASSERT_TRUE(described.is_pipeline) << described.not_pipeline_because;
  ASSERT_EQ(described.challenges.size(), 1U);
  const Challenge& challenge = described.challenges[0];
  EXPECT_EQ(challenge.stage, "gpu");
  EXPECT_NEAR(challenge.total_s, 65, 1e-9);
  ASSERT_EQ(challenge.shares.size(), 3U);
  EXPECT_EQ(challenge.shares[0].name, "kernel");
  EXPECT_NEAR(challenge.shares[0].seconds, 33, 1e-9);
  EXPECT_EQ(challenge.shares[1].name, "lock_wait");
  EXPECT_NEAR(challenge.shares[1].seconds, 20, 1e-9);
  EXPECT_EQ(challenge.shares[2].name, "rest");
  EXPECT_NEAR(challenge.shares[2].seconds, 12, 1e-9);
  const Book* book = book_of(described, "gpu worker 0");
  ASSERT_NE(book, nullptr);
  EXPECT_NEAR(kind(*book, SpanKind::service), 45, 1e-9);
  EXPECT_NEAR(kind(*book, SpanKind::lock_wait), 20, 1e-9);
  expect_closed(described);
}

TEST(Describe, AStageOfPartsIsSplitByThem) {
  Trace run;
  const std::uint32_t prove = run.stage_id("prove");
  const std::uint32_t start = run.stage_id("prove.start"), finish = run.stage_id("prove.finish");
  run.stages[start].parent = run.stages[finish].parent = prove;
  const std::uint32_t worker = run.worker_id(prove, "0");
  for (std::uint32_t i = 0; i < 5; ++i) {
    run.items.intern(run.strings.intern("job/" + std::to_string(i)));
    const Nanos at = i * 20;
    run.spans.push(at, at + 5, i, start, worker, SpanKind::service, trace::Quality::exact);
    run.spans.push(at + 8, at + 15, i, finish, worker, SpanKind::service, trace::Quality::exact);
  }
  const RunDescription described = describe(run);
  ASSERT_TRUE(described.is_pipeline) << described.not_pipeline_because;
  ASSERT_EQ(described.challenges.size(), 1U);
  EXPECT_NEAR(described.challenges[0].total_s, 75e-9, 1e-15);
  double shown = 0;
  for (const auto& share : described.challenges[0].shares) shown += share.seconds;
  EXPECT_NEAR(shown, 75e-9, 1e-15);
  EXPECT_EQ(row_of(described, "prove").service.n, 5U);
  EXPECT_EQ(row_of(described, "prove.finish").parent, "prove");
}

TEST(Describe, PlainSpansByName) {
  Trace run;
  const std::uint32_t main = run.stage_id("main"), parse = run.stage_id("parse");
  const std::uint32_t read = run.stage_id("read");
  run.worker_id(kNone, "thread 1");
  const auto add = [&](Nanos from, Nanos to, std::uint32_t stage) {
    run.spans.push(from, to, kNone, stage, 0, SpanKind::service, trace::Quality::exact);
  };
  add(10, 20, read);
  add(5, 40, parse);
  add(50, 60, read);
  add(0, 100, main);
  const RunDescription described = describe(run);
  EXPECT_FALSE(described.is_pipeline);
  EXPECT_FALSE(described.not_pipeline_because.empty());
  ASSERT_EQ(described.spans_by_name.size(), 3U);
  EXPECT_EQ(described.spans_by_name[0].name, "main");
  EXPECT_NEAR(described.spans_by_name[0].self_s, 55e-9, 1e-18);
  EXPECT_NEAR(described.spans_by_name[1].self_s, 25e-9, 1e-18);
  EXPECT_EQ(described.spans_by_name[2].count, 2U);
  EXPECT_NEAR(described.spans_by_name[2].total_s, 20e-9, 1e-18);
  EXPECT_EQ(described.stages.front().name, "main");
  expect_closed(described);
}

TEST(Describe, MemoryIsExplainedByItemsInFlight) {
  const auto stages = testing::two_stages(300, 5, 3, 1);
  const auto schedule = simulate(stages);
  Trace run = trace_of(stages, schedule, {});
  const double gib = 1024.0 * 1024 * 1024;
  run.memory.push_back(memory_of(schedule, 69 * gib, {14 * gib, 6 * gib}, 500000000));
  const RunDescription described = describe(run);
  ASSERT_EQ(described.memory.size(), 1U);
  const MemoryModel& model = described.memory[0];
  EXPECT_NEAR(model.base_bytes / gib, 69, .01);
  ASSERT_EQ(model.terms.size(), 2U);
  EXPECT_NEAR(model.terms[0].bytes_per_item / gib, 14, .01);
  EXPECT_NEAR(model.terms[1].bytes_per_item / gib, 6, .01);
  EXPECT_NEAR(model.peak_model_bytes, model.peak_bytes, .01 * gib);
  EXPECT_GT(model.explained, .999);
}

TEST(Describe, OddRunsSayWhatIsWrong) {
  const Trace empty;
  EXPECT_FALSE(describe(empty).trusted);
  EXPECT_TRUE(warned(describe(empty), TraceWarningKind::empty));

  Trace one;
  const std::uint32_t stage = one.stage_id("work");
  one.items.intern(one.strings.intern("job/0"));
  one.spans.push(5, 5, 0, stage, kNone, SpanKind::service, trace::Quality::exact);
  const RunDescription zero = describe(one);
  EXPECT_TRUE(zero.is_pipeline);
  EXPECT_EQ(zero.makespan_s, 0);
  EXPECT_FALSE(zero.bottleneck);
  EXPECT_EQ(zero.latency.n, 1U);
  expect_closed(zero);

  Trace half = run_of(testing::two_stages(20, 3, 2, 1));
  const Trace whole = run_of(testing::two_stages(20, 3, 2, 1));
  half.spans = {};
  for (std::size_t i = 0; i < whole.spans.size(); ++i) {
    if (whole.spans.stage[i] == 0)
      half.spans.push(whole.spans.begin[i], whole.spans.end[i], whole.spans.item[i], 0, kNone,
                      whole.spans.kind[i], trace::Quality::exact);
  }
  const RunDescription single = describe(half);
  EXPECT_TRUE(single.is_pipeline);
  EXPECT_EQ(single.stages.size(), 1U);
  expect_closed(single);
}

TEST(Describe, TimesFromTwoClocksAreRefused) {
  Trace run = run_of(testing::two_stages(20, 3, 2, 1));
  run.spans.push(std::numeric_limits<Nanos>::min(), std::numeric_limits<Nanos>::max(), 0, 0, kNone,
                 SpanKind::service, trace::Quality::exact);
  const RunDescription described = describe(run);
  EXPECT_FALSE(described.trusted);
  EXPECT_FALSE(described.is_pipeline);
  EXPECT_TRUE(warned(described, TraceWarningKind::two_clocks));
  EXPECT_GT(described.makespan_s, 0);
}

// Whatever the trace says, every book closes and every phase adds up.
TEST(Describe, RandomTracesClose) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    Trace run;
    const std::uint32_t stages = 1 + static_cast<std::uint32_t>(random.below(4));
    for (std::uint32_t s = 0; s < stages; ++s) {
      run.stage_id("stage" + std::to_string(s));
      if (random.below(2) == 0) run.stages[s].servers = static_cast<std::uint32_t>(random.below(4));
      if (random.below(2) == 0) run.stages[s].permits = static_cast<std::uint32_t>(random.below(4));
      if (random.below(2) == 0) run.stages[s].capacity = random.below(4);
      if (s > 0 && random.below(6) == 0)
        run.stages[s].parent = static_cast<std::uint32_t>(random.below(s));
    }
    const auto items = static_cast<std::uint32_t>(1 + random.below(12));
    for (std::uint32_t i = 0; i < items; ++i)
      run.items.intern(run.strings.intern("j/" + std::to_string(i)));
    for (std::uint32_t w = 0; w < 3; ++w)
      run.worker_id(random.below(4) == 0 ? kNone : static_cast<std::uint32_t>(random.below(stages)),
                    std::to_string(w));
    const std::size_t spans = 1 + random.below(60);
    // A book of a double of seconds holds nanoseconds up to some weeks.
    const std::uint64_t range = seed % 3 == 0 ? 1000000000000 : 1000;
    for (std::size_t i = 0; i < spans; ++i) {
      const auto from = static_cast<Nanos>(random.below(range)) - static_cast<Nanos>(range / 2);
      run.spans.push(
          from, from + static_cast<Nanos>(random.below(range / 4)),
          random.below(8) == 0 ? kNone : static_cast<std::uint32_t>(random.below(items)),
          random.below(20) == 0 ? kNone : static_cast<std::uint32_t>(random.below(stages)),
          random.below(3) == 0 ? kNone : static_cast<std::uint32_t>(random.below(3)),
          static_cast<SpanKind>(random.below(3) == 0 ? random.below(8) : 0), trace::Quality::exact);
    }
    const RunDescription described = describe(run);
    for (const Book& book : described.books) {
      // In nanoseconds, where they were summed.
      const auto nanos = [](double s) { return std::llround(s * 1e9); };
      long long total = nanos(book.unknown_s);
      for (const double s : book.seconds) total += nanos(s);
      EXPECT_EQ(total, nanos(book.wall_s)) << book.who << " seed " << seed;
    }
    if (described.phases) {
      EXPECT_EQ(described.phases->makespan_s,
                described.phases->first_completion_s + described.phases->interval_sum_s);
    }
  }
}

}  // namespace
}  // namespace assay::attribution
