// SPDX-License-Identifier: Apache-2.0
// The measured pipeline as a machine that can be run again with something changed: an event-driven
// replay of a chain of stages with servers, bounded queues, permits and the services as measured.
//
// An item enters the first stage as soon as a server and a permit are free there (and the source
// has it), is served part by part, waits for a place in the next queue, and goes on. A part with
// fewer servers than its stage (a device under a lock) is waited for while the worker is held.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attribution/pipeline.hpp"
#include "base/result.hpp"

namespace assay::attribution {

struct ReplayStage {
  std::uint32_t servers = 1;
  std::uint64_t capacity = UINT64_MAX;  // of the queue before it; of no meaning for the first stage
  std::uint32_t permits = 0;            // 0 = none
  // Whether the server, and the permit, are held until the item has its place in the next queue.
  bool server_through_send = true, permit_through_send = true;
  bool by_order = false;  // the queue gives out the item that entered the pipeline first; else FIFO
  // Servers of each part, in order; 0 = as many as the stage has. One part at least.
  std::vector<std::uint32_t> part_servers = {0};

  bool operator==(const ReplayStage&) const = default;
};

// When the source has something to give, by place in the order of entry. Both empty: always.
struct ReplaySource {
  std::vector<Nanos> arrival = {};      // not before this time after the first begin
  std::vector<std::uint32_t> job = {};  // the job of each place, numbered in order of entry
  std::uint32_t jobs_in_flight = 0;     // 0 = not limited; needs `job`
  bool operator==(const ReplaySource&) const = default;
};

// services[column][row] in ns, where the columns are the parts of all stages in order; entry[p] =
// row of the item that enters as number p (a row may enter twice: bootstrap). All pointers are the
// caller's.
struct ReplayInput {
  std::span<const ReplayStage> stages;
  std::span<const std::span<const Nanos>> services;
  std::span<const std::uint32_t> entry;
  const ReplaySource* source = nullptr;
  // What the machine takes between the steps, ns; empty = nothing. delays[column][row] passes
  // before the part's service, its server taken; holds[stage][row] after the item has its place in
  // the next queue, until who sent it (and its permit, where held through the send) is free.
  std::span<const std::span<const Nanos>> delays = {};
  std::span<const std::span<const Nanos>> holds = {};
};

// Keeps its buffers between runs. Deterministic: events at one time in the order of their making.
class Replayer {
 public:
  // Time from the first begin to the last end, ns; 0 without items. Every item is served.
  Nanos makespan(const ReplayInput& input);
  std::uint64_t replays() const { return replays_; }

 private:
  struct Event {
    Nanos at;
    std::uint32_t order, stage, part, slot;
  };
  // First in, first out over one buffer that is reused; or smallest first.
  struct Queue {
    std::vector<std::uint32_t> slots = {};
    std::size_t head = 0;
    bool smallest_first = false;
    std::size_t size() const { return slots.size() - head; }
    void clear(bool by_order);
    void push(std::uint32_t slot);
    std::uint32_t pop();
  };
  struct Part {
    std::span<const Nanos> service, delay = {};
    std::uint32_t free = 0;
    bool locked = false;
    Queue waiting = {};
  };
  struct Station {
    std::uint32_t idle = 0, permits = 0;
    bool has_permits = false;
    std::uint32_t first_part = 0, parts = 0;
    std::span<const Nanos> hold = {};
    Queue queue = {}, sending = {};
  };

  void prepare(const ReplayInput& input);
  void schedule(Nanos at, std::uint32_t stage, std::uint32_t part, std::uint32_t slot);
  void serve(std::uint32_t stage, std::uint32_t part, std::uint32_t slot);
  void enter_part(std::uint32_t stage, std::uint32_t part, std::uint32_t slot);
  void leave_part(std::uint32_t stage, std::uint32_t part);
  void finish(std::uint32_t stage, std::uint32_t slot);
  bool start(std::uint32_t stage);
  bool send(std::uint32_t stage);
  void release_sender(std::uint32_t stage);
  bool source_has_next();
  void complete(std::uint32_t slot);
  void settle();

  const ReplayInput* input_ = nullptr;
  std::vector<Station> stations_;
  std::vector<Part> parts_;
  std::vector<Event> heap_;
  std::vector<std::uint32_t> job_left_;
  std::uint32_t jobs_done_ = 0, next_ = 0, order_ = 0, waked_for_ = 0;
  Nanos now_ = 0, last_ = 0;  // last_: the latest completion
  std::uint64_t replays_ = 0;
};

// A run made ready for replay. Rows = items in the order in which they entered the first stage.
struct RunModel {
  std::vector<std::string> stage_names = {};
  std::vector<ReplayStage> stages = {};
  struct Column {
    std::uint32_t stage = 0;
    std::uint32_t part = 0;
    std::string name = {};  // "gpu", "prove.start"
  };
  std::vector<Column> columns = {};
  std::vector<std::vector<Nanos>> services = {};  // [column][row]
  // What the log shows between the steps: [column][row] from the moment at which the worker, the
  // item and (for the first stage) the source were there to the begin of the part; [stage][row]
  // from a place in the next queue to the sender's release. Empty: nothing beyond the clock's
  // rounding, or the log does not tell.
  std::vector<std::vector<Nanos>> hand_over = {}, send_delay = {};
  std::vector<std::string> keys = {};  // by row
  ReplaySource source = {};
  Nanos measured = 0;                   // the makespan of the log
  Nanos resolution = 1;                 // of its clock
  std::vector<std::string> notes = {};  // what was derived, in sentences
};

// The pipeline's model, with what the log does not say in so many words derived from it: whether a
// permit is held through the send, how the queues are ordered, what the source withheld.
//   whole   names of stages whose parts are to be taken as one service (the other side has none)
// Errors: servers, capacity or permits that nobody stated, each named; items that do not pass every
// stage exactly once.
Result<RunModel> model_of(const Pipeline& pipeline, const trace::Trace& run,
                          std::span<const std::string> whole = {});

// The replay of a run as it was, ns: to be held beside `measured`.
Nanos replay(Replayer& replayer, const RunModel& model);

}  // namespace assay::attribution
