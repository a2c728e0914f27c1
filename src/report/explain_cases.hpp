// SPDX-License-Identifier: Apache-2.0
// Explanations made by hand, for the tests of the reports: two stages, five producers, one server.
#pragma once

#include <string>

#include "attribution/delta.hpp"
#include "attribution/description.hpp"

namespace assay::report {

inline attribution::Distribution around(std::uint64_t n, double mean) {
  attribution::Distribution d{.n = n,
                              .mean = mean,
                              .median = 0.99 * mean,
                              .p90 = 1.2 * mean,
                              .p99 = 1.35 * mean,
                              .min = 0.7 * mean,
                              .max = 1.5 * mean,
                              .total = mean * static_cast<double>(n)};
  for (int i = 0; i <= 100; ++i) d.curve.push_back(mean * (0.7 + 0.008 * i));
  return d;
}

inline attribution::StageRow stage_row(const std::string& name, double service, double busy) {
  attribution::StageRow row;
  row.name = name;
  row.service = around(400, service);
  row.utilisation = busy;
  row.busy_s = 400 * service;
  row.in_flight_max = 5;
  row.in_flight_mean = 4.61;
  return row;
}

// 2,801 s: gpu bounds it.
inline attribution::RunDescription run_case(const std::string& source = "before.log",
                                            double gpu = 7.0) {
  attribution::RunDescription run;
  run.source = source;
  run.format = "timeline";
  run.clock = {.source = "offset in ms", .resolution_ns = 1'000'000};
  run.is_pipeline = true;
  run.items = 400;
  run.jobs = 40;
  run.spans = 1200;
  run.makespan_s = 2.3 + 400 * gpu;
  run.settings = {{.name = "lookahead", .value = "3"}};
  auto synth = stage_row("synth", 29.0, 0.83);
  synth.servers = 5;
  synth.servers_from = "declared";
  synth.permits = 5;
  synth.blocked_send = around(400, 5.1);
  synth.blocked_derived = true;
  auto server = stage_row("gpu", gpu, 0.991);
  server.servers = 1;
  server.servers_from = "count(worker)";
  server.capacity = 3;
  server.queue_wait = around(400, 19.5);
  server.service.skew = "mean 7,000 ms, median 6,930: the slowest tenth holds 14 % of the time";
  run.stages = {synth, server};
  run.books = {{.who = "synth, 5 permits", .wall_s = 14006},
               {.who = "gpu worker 0", .wall_s = 2801.3, .unknown_s = -0.5}};
  run.books[0].seconds[0] = 11600;
  run.books[0].seconds[2] = 2040;
  run.books[0].unknown_s = 366;
  run.books[1].seconds[0] = 2776.8;
  run.books[1].seconds[4] = 25;
  run.phases = attribution::Phases{.fill_s = 36.2,
                                   .steady_s = 2700,
                                   .drain_s = 65.1,
                                   .makespan_s = run.makespan_s,
                                   .first_completion_s = 36.2,
                                   .interval_sum_s = run.makespan_s - 36.2};
  run.laws = {{.law = "U = X S / c", .stage = "gpu", .left = 0.991, .right = 0.991}};
  attribution::Bottleneck b{.stage = "gpu",
                            .utilisation = 0.991,
                            .upstream_blocked = 0.146,
                            .next = "synth",
                            .headroom = 0.16};
  for (int i = 0; i < 20; ++i) {
    b.window_stage.push_back(i == 0 ? "synth" : "gpu");
    b.window_utilisation.push_back(i == 0 ? 1.0 : 0.99);
  }
  run.bottleneck = b;
  run.latency = around(400, 61.0);
  return run;
}

// The gpu takes 10 % longer: +280 s.
inline attribution::DeltaDescription delta_case() {
  attribution::DeltaDescription delta;
  delta.a = {run_case()};
  delta.b = {run_case("after.log", 7.7)};
  attribution::Attribution a;
  a.delta_s = 280;
  a.lo_s = 262;
  a.hi_s = 297;
  a.parts = {{.factor = "gpu.service", .seconds = 280.4, .lo = 263.0, .hi = 296.1},
             {.factor = "synth.service", .seconds = 0.01, .lo = -0.2, .hi = 0.2}};
  a.remainder_s = -0.41;
  a.model_error_s = {0.3, -0.4};
  a.interval_basis = "within this run";
  a.replays = 4;
  delta.attribution = a;
  attribution::StageDelta stage;
  stage.stage = "gpu";
  stage.a = around(400, 7.0);
  stage.b = around(400, 7.7);
  stage.mean_delta_s = 0.7;
  stage.lo_s = 0.57;
  stage.hi_s = 0.83;
  stage.shape = attribution::Shape::shift;
  stage.sentence = "all of them slower by about 10 %";
  delta.stages = {stage};
  attribution::TailDelta tail;
  tail.p99_a_s = 82.4;
  tail.p99_b_s = 88.0;
  tail.items_a = tail.items_b = 4;
  tail.rows = {{.stage = "synth", .a_s = 40.1, .b_s = 40.0},
               {.stage = "gpu", .kind = trace::SpanKind::queue_wait, .a_s = 35.0, .b_s = 40.3}};
  tail.gap_b_s = 0.1;
  delta.tails = {tail};
  return delta;
}

// Nested spans without items: no pipeline.
inline attribution::RunDescription spans_case() {
  attribution::RunDescription run;
  run.source = "trace.json";
  run.format = "chrome";
  run.not_pipeline_because = "no items: plain spans";
  run.spans = 4200;
  run.makespan_s = 12.31;
  run.spans_by_name = {{.name = "matmul", .count = 4000, .total_s = 9.0, .self_s = 8.9},
                       {.name = "step", .count = 200, .total_s = 12.3, .self_s = 3.4}};
  run.spans_by_name[0].duration = around(4000, 0.00225);
  run.spans_by_name[1].duration = around(200, 0.0615);
  return run;
}

inline attribution::MemoryModel memory_case() {
  attribution::MemoryModel m;
  m.scope = "tree";
  m.method = "samples of the tree";
  m.samples = 512;
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  m.base_bytes = 69 * kGiB;
  m.terms = {{.stage = "synth", .bytes_per_item = 20 * kGiB, .in_flight_at_peak = 12},
             {.stage = "gpu", .bytes_per_item = 10 * kGiB, .in_flight_at_peak = 2}};
  m.residual_bytes = 3 * kGiB;
  m.explained = 0.98;
  m.peak_bytes = 331 * kGiB;
  m.peak_at_s = 312;
  m.peak_model_bytes = 329 * kGiB;
  return m;
}

}  // namespace assay::report
