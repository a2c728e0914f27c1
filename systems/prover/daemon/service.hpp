// SPDX-License-Identifier: Apache-2.0
// The daemon's jobs, whatever network they come by. A job that was submitted is in the journal; it
// ends once, and its end is kept for whoever awaits it. What the engine gives up without having
// been told to (the daemon stops, memory ran out) stays in the journal and is proved after the next
// start, under the same id.
//
// Locks: `order_` makes one submission at a time (so that a repeated one finds the first), `mutex_`
// guards the table and is not held while the journal or a callback works.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prover/daemon/charges.hpp"
#include "prover/daemon/config.hpp"
#include "prover/daemon/job.hpp"
#include "prover/daemon/journal.hpp"

namespace prover::daemon {

using OnEnd = std::function<void(Result<JobEnd>)>;

struct Submitted {
  std::string id;
  bool is_new = true;  // no: the request id was known
};

struct Drained {
  std::uint64_t handed_back = 0;  // pending in the journal
};

class Service {
 public:
  struct Parts {  // all outlive the service
    Engine& engine;
    const Circuits& circuits;
    Journal& journal;
    const Work& work;
    ResidentMemory& memory;
    Limits limits;
    Options options;                   // the engine's, for admission
    FixedCharges fixed = {};           // of its budget
    std::function<UnixMs()> now = {};  // nothing: the system's clock
    // A line for each event of a job, without its end; from any thread. Nothing: no log. No
    // witness, seed or token is in it.
    std::function<void(const std::string&)> log = {};
  };
  // Puts what is pending in the journal into the engine again. Errors: the journal's.
  static Result<std::unique_ptr<Service>> start(Parts parts);
  // Hands back what is not done.
  ~Service();

  // The job is durable when this returns. Errors: usage, not_found, too_large, exhausted (a limit,
  // a full disk), draining.
  Result<Submitted> submit(JobRequest request);
  // Calls `on_end` once: now when the job has ended, else when it ends or is handed back
  // (ErrorKind::draining). Returns a ticket for give_up, 0 when it was called already.
  std::uint64_t await(const std::string& id, OnEnd on_end);
  // Whether the callback of the ticket will now never be called.
  bool give_up(std::uint64_t ticket);
  // Whether the job was there to be cancelled: false when it has ended, or is just ending.
  Result<bool> cancel(const std::string& id);

  Result<JobStatus> status(const std::string& id);
  std::vector<JobStatus> jobs();  // in the order of submission
  DaemonStatus status();

  Result<void> preload(const std::string& circuit);
  Result<void> evict(const std::string& circuit);

  // No new jobs; those that nobody works on yet are handed back, the others may go on for so long.
  // (With a journal in memory all may.) Then what is left is handed back too.
  Drained drain(std::chrono::milliseconds limit);
  // Returns when the engine has ended by itself, with why, or after so long.
  std::optional<Error> wait_for_trouble(std::chrono::milliseconds longest);

 private:
  struct Record {
    StoredJob job;
    std::uint64_t number = 0;  // rises
    JobId engine_id{};
    std::uint64_t witness_bytes = 0;
    bool cancel_asked = false, handed_back = false;
    std::shared_ptr<const JobEnd> unsaved;  // the journal had no room for it
  };
  using RecordPtr = std::shared_ptr<Record>;

  explicit Service(Parts parts);
  Result<void> recover();
  Result<void> give_to_engine(const RecordPtr& record, JobSpec spec);  // mutex_ is held
  Result<void> check_limits(const JobRequest& request, std::uint64_t witness_bytes) const;
  Result<std::optional<Submitted>> find_repeated(const JobRequest& request,
                                                 const std::string& digest) const;
  std::string draw_id() const;
  void insert(const RecordPtr& record);  // mutex_ is held
  void ended(const RecordPtr& record, const JobSpec& spec, JobOutcome outcome);
  bool is_given_up(const Record& record, const JobOutcome& outcome);
  void take_end(const RecordPtr& record, const JobSpec& spec, JobOutcome outcome);
  void settle(const RecordPtr& record, std::shared_ptr<const JobEnd> end, double seconds);
  void hand_back(const RecordPtr& record);
  void save_unsaved();
  void forget_old();
  std::vector<OnEnd> take_waiters(const std::string& id);  // mutex_ is held
  Result<RecordPtr> find(const std::string& id) const;     // mutex_ is held
  UnixMs now() const;
  void log(const std::string& line) const;
  static std::string one_line(const Error& error);  // without its hint

  const Parts parts_;
  std::mutex order_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, RecordPtr> jobs_;
  std::map<std::uint64_t, RecordPtr> by_number_;
  std::map<std::pair<std::string, std::string>, std::string> requests_;  // (client, request) -> id
  std::map<std::uint64_t, std::pair<std::string, OnEnd>> waiters_;
  std::uint64_t last_number_ = 0, last_ticket_ = 0, in_engine_ = 0;
  bool draining_ = false;
  std::optional<Error> trouble_;
  DaemonStatus counts_;  // its counters and `started`
};

}  // namespace prover::daemon
