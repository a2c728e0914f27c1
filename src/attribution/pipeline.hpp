// SPDX-License-Identifier: Apache-2.0
// A trace::Trace seen as a pipeline: which item was in which stage from when to when. The books,
// the laws and the replay all read this view, so that they agree on what a visit is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/events.hpp"

namespace assay::attribution {

using trace::kNone;
using trace::Nanos;

// What bounds a stage. Absent = not stated by the rules, the emitter or the log: then there is no
// replay.
struct PipelineStage {
  std::uint32_t stage = kNone;  // in Trace::stages
  std::string name = {};
  std::optional<std::uint32_t> servers = {};
  std::optional<std::uint64_t> capacity = {};  // of the queue before it
  std::optional<std::uint32_t> permits = {};
  // A stage whose work is cut into parts (prove = prove.start on the device, then prove.finish):
  // indices into Pipeline::parts, in order. The worker of this stage is held through all of them; a
  // part with fewer servers than its stage is waited for (lock_wait). Empty: the stage has one
  // service.
  std::vector<std::uint32_t> parts = {};
};

// A time that may be absent, in eight bytes: a run of ten million spans has five million visits,
// and their memory is what explaining it costs. Behaves as std::optional<Nanos> does.
class MaybeTime {
 public:
  MaybeTime() = default;
  MaybeTime(Nanos at) : at_(at) {}
  explicit operator bool() const { return has_value(); }
  bool has_value() const { return at_ != kAbsent; }
  Nanos operator*() const { return at_; }
  Nanos value_or(Nanos other) const { return has_value() ? at_ : other; }
  bool operator==(const MaybeTime&) const = default;

 private:
  static constexpr Nanos kAbsent = std::numeric_limits<Nanos>::min();
  Nanos at_ = kAbsent;
};

// Times of the parts of a stage, ns; nearly always none, and then eight bytes.
class PartTimes {
 public:
  PartTimes() = default;
  PartTimes(std::vector<Nanos> times)
      : times_(times.empty() ? nullptr : std::make_unique<std::vector<Nanos>>(std::move(times))) {}
  PartTimes(const PartTimes& other) : PartTimes(std::vector<Nanos>(other.begin(), other.end())) {}
  PartTimes(PartTimes&&) noexcept = default;
  PartTimes& operator=(const PartTimes& other) { return *this = PartTimes(other); }
  PartTimes& operator=(PartTimes&&) noexcept = default;
  ~PartTimes() = default;

  void assign(std::size_t count, Nanos value) {
    *this = PartTimes(std::vector<Nanos>(count, value));
  }
  std::size_t size() const { return times_ ? times_->size() : 0; }
  bool empty() const { return size() == 0; }
  Nanos& operator[](std::size_t i) { return (*times_)[i]; }
  Nanos operator[](std::size_t i) const { return (*times_)[i]; }
  const Nanos* begin() const { return times_ ? times_->data() : nullptr; }
  const Nanos* end() const { return begin() + size(); }
  bool operator==(const std::vector<Nanos>& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::unique_ptr<std::vector<Nanos>> times_;
};

// One item in one stage. Times in ns; nothing = the log does not say.
//   queued -> begin: queue_wait;  begin -> end: service (its parts and lock waits inside);
//   end -> sent: blocked_send.
struct Visit {
  std::uint32_t item = kNone;
  std::uint32_t worker = kNone;
  MaybeTime queued = {}, sent = {};
  Nanos begin = 0, end = 0;
  // Service of each part, in the stage's order, ns; and the wait before each part.
  PartTimes part_service = {}, part_wait = {};
};

struct Pipeline {
  // Upstream before downstream. A linear chain: events.md's pipelines are; a run whose edges branch
  // is not a pipeline (build_pipeline says so).
  std::vector<PipelineStage> stages = {};
  std::vector<PipelineStage> parts = {};
  // visits[s]: the visits of stages[s], ascending by begin.
  std::vector<std::vector<Visit>> visits = {};
  Nanos begin = 0, end = 0;  // first begin and last end of any visit
};

// The stages that have service spans of items, chained by the run's edges where it has them, else
// by the median order in which items pass them. Errors: no service span has an item ("no items:
// plain spans"); the edges branch or loop, with the stages named.
Result<Pipeline> build_pipeline(const trace::Trace& run);

}  // namespace assay::attribution
