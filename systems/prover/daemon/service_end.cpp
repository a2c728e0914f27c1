// SPDX-License-Identifier: Apache-2.0
// How jobs end: by the engine, or by being handed back; and who is told.
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "prover/base/text.hpp"
#include "prover/daemon/service.hpp"

namespace prover::daemon {
namespace {

double seconds_between(TimePoint a, TimePoint b) {
  return std::chrono::duration<double>(b - a).count();
}

// The engine counts its jobs; clients know the daemon's ids.
void name_job(Error& error, JobId engine_id, const std::string& id) {
  const std::string number = fmt::format("job {:08x}", static_cast<std::uint64_t>(engine_id));
  const std::string name = "job " + id;
  for (std::string* text : {&error.what, &error.where})
    for (std::size_t at = 0; (at = text->find(number, at)) != std::string::npos; at += name.size())
      text->replace(at, number.size(), name);
  if (error.where == "job") error.where = name;
}

}  // namespace

// On the engine's thread. The service may be gone once in_engine_ is 0.
void Service::ended(const RecordPtr& record, const JobSpec& spec, JobOutcome outcome) {
  if (outcome.error) name_job(*outcome.error, outcome.job, record->job.status.id);
  if (is_given_up(*record, outcome))
    hand_back(record);
  else
    take_end(record, spec, std::move(outcome));
  const std::lock_guard lock(mutex_);
  --in_engine_;
  changed_.notify_all();
}

// Nobody asked for its end: the daemon stops, or memory ran out.
bool Service::is_given_up(const Record& record, const JobOutcome& outcome) {
  if (!outcome.error) return false;
  const ErrorKind kind = outcome.error->kind;
  const std::lock_guard lock(mutex_);
  if (kind == ErrorKind::out_of_memory && !trouble_) trouble_ = outcome.error;
  return kind == ErrorKind::out_of_memory || kind == ErrorKind::draining ||
         (kind == ErrorKind::cancelled && !record.cancel_asked);
}

void Service::take_end(const RecordPtr& record, const JobSpec& spec, JobOutcome outcome) {
  JobEnd end;
  if (outcome.proof) {
    auto answers = parts_.circuits.answers(spec, *outcome.proof);
    if (answers)
      end.answers = std::move(*answers);
    else
      outcome.error = answers.error();
  }
  if (outcome.error) {
    end.state =
        outcome.error->kind == ErrorKind::cancelled ? JobState::cancelled : JobState::failed;
    end.error = std::move(outcome.error);
  }
  settle(record, std::make_shared<const JobEnd>(std::move(end)),
         seconds_between(outcome.submitted, outcome.done));
}

void Service::settle(const RecordPtr& record, std::shared_ptr<const JobEnd> end, double seconds) {
  const UnixMs when = now();
  const std::string id = record->job.status.id;
  const bool saved = parts_.journal.end(id, *end, when).has_value();
  std::vector<OnEnd> waiters;
  {
    const std::lock_guard lock(mutex_);
    JobStatus& status = record->job.status;
    status.state = end->state;
    status.ended = when;
    if (end->error) status.error = end->error->to_text();
    record->job.error = end->error;
    record->witness_bytes = 0;
    if (!saved) record->unsaved = end;
    ++(end->state == JobState::done     ? counts_.done
       : end->state == JobState::failed ? counts_.failed
                                        : counts_.cancelled);
    if (end->state == JobState::done) counts_.job_seconds += seconds;
    waiters = take_waiters(id);
  }
  std::string line = fmt::format("job {} {}: ", id, state_name(end->state));
  if (end->error)
    line += end->error->where == "job " + id ? end->error->what : one_line(*end->error);
  else
    line += fmt::format("{:.3f} s", seconds);
  log(line);
  for (const OnEnd& waiter : waiters) waiter(*end);
}

void Service::hand_back(const RecordPtr& record) {
  std::vector<OnEnd> waiters;
  {
    const std::lock_guard lock(mutex_);
    record->handed_back = true;
    waiters = take_waiters(record->job.status.id);
  }
  const bool kept = parts_.journal.is_durable();
  log(fmt::format("job {} {}", record->job.status.id, kept ? "handed back" : "given up"));
  const Error error{
      kept ? fmt::format("the daemon stops; job {} is kept", record->job.status.id)
           : fmt::format("the daemon stops, and its jobs with it: its journal is in memory"),
      {},
      kept ? "await it again when the daemon is back" : "submit it again",
      ErrorKind::draining};
  for (const OnEnd& waiter : waiters) waiter(fail(error));
}

std::vector<OnEnd> Service::take_waiters(const std::string& id) {
  std::vector<OnEnd> taken;
  for (auto it = waiters_.begin(); it != waiters_.end();) {
    if (it->second.first == id) {
      taken.push_back(std::move(it->second.second));
      it = waiters_.erase(it);
    } else {
      ++it;
    }
  }
  return taken;
}

std::uint64_t Service::await(const std::string& id, OnEnd on_end) {
  std::unique_lock lock(mutex_);
  auto record = find(id);
  if (!record) {
    lock.unlock();
    on_end(fail(record.error()));
    return 0;
  }
  const StoredJob& job = (*record)->job;
  if (job.status.state == JobState::pending && !(*record)->handed_back) {
    waiters_[++last_ticket_] = {id, std::move(on_end)};
    return last_ticket_;
  }
  if ((*record)->handed_back) {
    lock.unlock();
    on_end(fail(ErrorKind::draining, "the daemon stops", {},
                "await the job again when the daemon is back"));
    return 0;
  }
  JobEnd end{job.status.state, job.error, {}};
  const auto unsaved = (*record)->unsaved;
  lock.unlock();
  if (unsaved) {
    on_end(*unsaved);
    return 0;
  }
  if (end.state == JobState::done) {
    auto answers = parts_.journal.answers(id);
    if (!answers) {
      on_end(fail(answers.error()));
      return 0;
    }
    end.answers = std::move(*answers);
  }
  if (end.state == JobState::done && end.answers.empty()) {
    on_end(fail(ErrorKind::not_found, "the answers of the job were just forgotten", {},
                "raise [limits] answers or answers-age"));
    return 0;
  }
  on_end(std::move(end));
  return 0;
}

bool Service::give_up(std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  return waiters_.erase(ticket) == 1;
}

// Ends that found no room on the disk.
void Service::save_unsaved() {
  std::vector<std::pair<RecordPtr, std::shared_ptr<const JobEnd>>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, record] : jobs_)
      if (record->unsaved) all.emplace_back(record, record->unsaved);
  }
  for (const auto& [record, end] : all) {
    if (!parts_.journal.end(record->job.status.id, *end, record->job.status.ended)) return;
    const std::lock_guard lock(mutex_);
    record->unsaved.reset();
  }
}

void Service::forget_old() {
  std::vector<std::string> old;
  {
    const std::lock_guard lock(mutex_);
    std::uint64_t kept = 0;
    const UnixMs oldest = now() - parts_.limits.answers_age.count();
    for (auto it = by_number_.rbegin(); it != by_number_.rend(); ++it) {
      const Record& record = *it->second;
      if (record.job.status.state == JobState::pending || record.unsaved) continue;
      if (++kept > parts_.limits.answers || record.job.status.ended < oldest)
        old.push_back(record.job.status.id);
    }
    for (const std::string& id : old) {
      const RecordPtr record = jobs_.at(id);
      by_number_.erase(record->number);
      requests_.erase({record->job.status.client, record->job.status.request_id});
      jobs_.erase(id);
    }
  }
  // What stays on a disk that refuses is forgotten at the next start.
  static_cast<void>(parts_.journal.forget(old));
}

Result<JobStatus> Service::status(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto record = find(id);
  if (!record) return fail(record.error());
  return (*record)->job.status;
}

std::vector<JobStatus> Service::jobs() {
  const std::lock_guard lock(mutex_);
  std::vector<JobStatus> all;
  for (const auto& [number, record] : by_number_) all.push_back(record->job.status);
  return all;
}

DaemonStatus Service::status() {
  DaemonStatus status;
  {
    const std::lock_guard lock(mutex_);
    status = counts_;
    status.draining = draining_ || trouble_;
    for (const auto& [id, record] : jobs_) {
      ++(record->job.status.state == JobState::pending ? status.pending : status.kept);
      status.witness_bytes += record->witness_bytes;
      status.unsaved += record->unsaved != nullptr;
    }
  }
  status.now = now();
  status.resident = parts_.memory.sample();
  status.budget = parts_.options.memory_budget;
  status.engine = parts_.engine.snapshot();
  status.circuits = parts_.circuits.list();
  status.loaded = parts_.engine.resident();
  return status;
}

Drained Service::drain(std::chrono::milliseconds limit) {
  {
    const std::lock_guard order(order_);  // no submission is between journal and engine
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  // What nobody has begun goes back at once, unless there is nowhere for it to stay.
  std::thread handing([this] {
    if (parts_.journal.is_durable())
      parts_.engine.hand_back();
    else
      parts_.engine.drain();
  });
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [&] { return in_engine_ == 0 || trouble_; });
  lock.unlock();
  parts_.engine.cancel_all();
  handing.join();
  lock.lock();
  changed_.wait(lock, [&] { return in_engine_ == 0; });
  lock.unlock();
  save_unsaved();
  lock.lock();
  Drained drained;
  for (const auto& [id, record] : jobs_)
    drained.handed_back += record->job.status.state == JobState::pending;
  return drained;
}

std::optional<Error> Service::wait_for_trouble(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest, [&] { return trouble_.has_value(); });
  return trouble_;
}

}  // namespace prover::daemon
