// SPDX-License-Identifier: Apache-2.0
// The closing books of one run: each worker's wall time, each item's latency, and the time of the
// servers of a stage whose workers the log does not name, split by kind without a remainder that is
// not shown. Whole nanoseconds until the last step. Internal to attribution.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "attribution/description.hpp"
#include "attribution/stage_times.hpp"
#include "attribution/sweep.hpp"

namespace assay::attribution {

using KindTimes = std::array<Wide, trace::kSpanKinds>;

struct Books {
  std::vector<Book> books = {};
  std::vector<Challenge> challenges = {};
  // Who has more time in its spans than there was, beyond what the clock's resolution explains.
  std::vector<std::string> overdrawn = {};
  std::uint64_t overlapping = 0;  // tracks without items whose spans overlap: they have no book
  bool too_many_workers = false;  // then their books are not kept one by one
};

class BookKeeper {
 public:
  // `pipeline` null: plain spans. The window is what workers are accounted for.
  BookKeeper(const trace::Trace& run, const Pipeline* pipeline, Nanos begin, Nanos end);

  // The items' book. First.
  void add_items();
  // The books of a stage: one per worker where each visit names its worker, else one of the stage.
  // `empty`: when it had no input.
  void add_stage(std::size_t stage, const StageTimes& times, const Stretches& empty);
  // Workers of no stage of the pipeline. Last.
  void add_other_workers();
  Books finish();
  // The spans by worker; null where there are too many workers.
  Groups* workers() { return workers_ ? &*workers_ : nullptr; }

 private:
  void add_worker(std::uint32_t worker, const Stretches* empty);
  void note_nested(const Swept& swept);
  void close(std::string who, Wide wall, const KindTimes& kinds, std::uint64_t spans);
  void challenge_parts(std::size_t stage);
  void challenge_nested();
  std::uint32_t stage_of_span(std::uint32_t span) const;
  std::string stage_name(std::uint32_t id) const;

  const trace::Trace& run_;
  const Pipeline* pipeline_;
  Nanos begin_, end_;
  std::vector<std::uint32_t> pipeline_stage_;  // by trace stage; parts: their stage's
  std::vector<std::uint32_t> worker_stage_;    // pipeline stage of a worker
  std::vector<bool> named_;                    // by pipeline stage: every visit has a worker
  std::vector<KindTimes> stage_kinds_;         // by pipeline stage, of spans with items
  std::vector<std::uint64_t> stage_spans_;
  std::optional<Groups> workers_;
  Sweep worker_sweep_;
  std::unordered_map<std::uint64_t, Wide> nested_;  // (outer stage, inner stage, kind) -> ns
  Books result_;
};

}  // namespace assay::attribution
