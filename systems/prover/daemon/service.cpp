// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/service.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <utility>

#include "prover/base/text.hpp"
#include "prover/circuit/sha256_native.hpp"

namespace prover::daemon {
namespace {

UnixMs system_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// Of what a request asks for, so that a request id cannot stand for two things.
std::string digest_of(const JobRequest& request) {
  if (request.request_id.empty()) return {};
  std::string text = fmt::format("{}|{}|{}", request.circuit, request.partitions,
                                 request.seed ? fmt::format("{}", *request.seed) : "-");
  for (const work::WitnessFile& file : request.witnesses)
    text +=
        "|" +
        hex(circuit::sha256({reinterpret_cast<const std::uint8_t*>(file->data()), file->size()}));
  return hex(circuit::sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

std::uint64_t bytes_of(const JobRequest& request) {
  std::uint64_t sum = 0;
  for (const work::WitnessFile& file : request.witnesses) sum += file->size();
  return sum;
}

}  // namespace

Service::Service(Parts parts) : parts_(std::move(parts)) { counts_.started = now(); }

UnixMs Service::now() const { return parts_.now ? parts_.now() : system_now(); }

void Service::log(const std::string& line) const {
  if (parts_.log) parts_.log(line);
}

std::string Service::one_line(const Error& error) {
  std::string text = Error{error.what, error.where, {}, error.kind}.to_text();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Result<std::unique_ptr<Service>> Service::start(Parts parts) {
  std::unique_ptr<Service> service(new Service(std::move(parts)));
  if (auto done = service->recover(); !done) return fail(done.error());
  return service;
}

Service::~Service() { drain(std::chrono::milliseconds(0)); }

Result<void> Service::recover() {
  auto stored = parts_.journal.jobs();
  if (!stored) return fail(stored.error());
  const std::lock_guard order(order_);
  for (StoredJob& job : *stored) {
    const auto record = std::make_shared<Record>();
    record->job = std::move(job);
    const bool is_pending = record->job.status.state == JobState::pending;
    JobRequest request{.circuit = record->job.status.circuit,
                       .seed = record->job.seed,
                       .partitions = record->job.status.partitions};
    if (is_pending && !request.seed) {
      auto witnesses = parts_.journal.witnesses(record->job.status.id);
      if (!witnesses) return fail(witnesses.error());
      request.witnesses = std::move(*witnesses);
      record->witness_bytes = bytes_of(request);
    }
    std::optional<Error> error;
    {
      const std::lock_guard lock(mutex_);
      insert(record);
      if (!is_pending) continue;
      auto spec = parts_.circuits.spec_of(request);
      auto given = spec ? give_to_engine(record, std::move(*spec)) : fail(spec.error());
      if (!given) error = given.error();
    }
    if (!error) continue;
    // The configuration has lost its circuit, or memory for it. Who mends it gets the job proved.
    if (error->kind == ErrorKind::not_found || error->kind == ErrorKind::too_large)
      log(fmt::format("job {} stays in the journal: {}", record->job.status.id, error->what));
    else  // its key has become another one
      settle(record, std::make_shared<JobEnd>(JobEnd{JobState::failed, std::move(error), {}}), 0);
  }
  forget_old();
  return {};
}

Result<Submitted> Service::submit(JobRequest request) {
  const auto refuse = [&](Error error) {
    {
      const std::lock_guard lock(mutex_);
      ++counts_.refused;
    }
    log(fmt::format("refused: client '{}': {}", printable(request.client), one_line(error)));
    return fail(std::move(error));
  };
  if (!request.seed) request.partitions = static_cast<std::uint32_t>(request.witnesses.size());
  if (!request.deadline) request.deadline = parts_.limits.deadline;
  const std::string digest = digest_of(request);
  const std::uint64_t witness_bytes = bytes_of(request);
  const std::lock_guard order(order_);
  save_unsaved();
  forget_old();
  Result<void> ok;
  {
    const std::lock_guard lock(mutex_);
    auto repeated = find_repeated(request, digest);
    if (repeated && *repeated) return **repeated;
    ok = repeated ? check_limits(request, witness_bytes) : fail(repeated.error());
  }
  if (!ok) return refuse(ok.error());
  auto spec = parts_.circuits.spec_of(request);
  if (!spec) return refuse(spec.error());
  // What the engine would find too, before anything is stored.
  if (auto fits = check_fit(parts_.options.memory_budget, parts_.fixed, parts_.work,
                            request.circuit, *spec);
      !fits)
    return refuse(fits.error());

  const auto record = std::make_shared<Record>();
  record->job = {.status = {.id = draw_id(),
                            .client = request.client,
                            .request_id = request.request_id,
                            .circuit = request.circuit,
                            .partitions = request.partitions,
                            .priority = request.priority,
                            .submitted = now()},
                 .digest = digest,
                 .seed = request.seed};
  if (request.deadline) record->job.deadline = now() + request.deadline->count();
  record->witness_bytes = witness_bytes;
  if (auto kept = parts_.journal.add(record->job, request.witnesses); !kept)
    return refuse(kept.error());
  const std::string id = record->job.status.id;
  std::unique_lock lock(mutex_);
  if (auto given = give_to_engine(record, std::move(*spec)); !given) {
    lock.unlock();
    // Nobody was told of it. Should this fail too, then it is proved for nobody.
    static_cast<void>(parts_.journal.forget(std::span(&id, 1)));
    return refuse(given.error());
  }
  insert(record);
  ++counts_.submitted;
  lock.unlock();
  // A short job may have ended already: its line is the first then.
  log(fmt::format("job {} taken: client '{}', circuit '{}', partitions {}", id,
                  printable(request.client), request.circuit, request.partitions));
  return Submitted{id, true};
}

Result<std::optional<Submitted>> Service::find_repeated(const JobRequest& request,
                                                        const std::string& digest) const {
  if (request.request_id.empty()) return std::optional<Submitted>();
  const auto known = requests_.find({request.client, request.request_id});
  if (known == requests_.end()) return std::optional<Submitted>();
  if (jobs_.at(known->second)->job.digest != digest)
    return fail(ErrorKind::usage,
                fmt::format("request id '{}' was used for another job ({})",
                            printable(request.request_id), known->second),
                {}, "a request id stands for one circuit and its witnesses; take a new one");
  return std::optional<Submitted>({known->second, false});
}

Result<void> Service::check_limits(const JobRequest& request, std::uint64_t witness_bytes) const {
  const Limits& limits = parts_.limits;
  if (draining_ || trouble_)
    return fail(ErrorKind::draining, "the daemon is stopping and takes no new jobs", {},
                "submit again when it is back");
  if (request.partitions == 0)
    return fail(ErrorKind::usage, "a job without witnesses and without a seed", {},
                "give a witness for each partition, or a seed and their number");
  if (request.partitions > limits.partitions)
    return fail(
        ErrorKind::too_large,
        fmt::format("{} partitions; at most {} are taken", request.partitions, limits.partitions),
        {}, "submit several jobs, or raise [limits] partitions-per-job");
  std::uint64_t pending = 0, of_client = 0, bytes = witness_bytes;
  for (const auto& [id, record] : jobs_) {
    if (record->job.status.state != JobState::pending) continue;
    ++pending;
    of_client += record->job.status.client == request.client;
    bytes += record->witness_bytes;
  }
  if (pending >= limits.queue)
    return fail(ErrorKind::exhausted, fmt::format("the queue is full: {} jobs", pending), {},
                "await one and try again, or raise [limits] queue");
  if (of_client >= limits.jobs_per_client)
    return fail(ErrorKind::exhausted,
                fmt::format("client '{}' has {} jobs that are not done", printable(request.client),
                            of_client),
                {}, "await one and try again, or raise [limits] jobs-per-client");
  if (bytes <= limits.witness_bytes) return {};
  if (witness_bytes > limits.witness_bytes)
    return fail(ErrorKind::too_large,
                fmt::format("{} of witnesses; at most {} are held", show_bytes(witness_bytes),
                            show_bytes(limits.witness_bytes)),
                {}, "submit fewer partitions at once, or raise [limits] witness-memory");
  return fail(ErrorKind::exhausted,
              fmt::format("the witnesses of all jobs would be {}; at most {} are held",
                          show_bytes(bytes), show_bytes(limits.witness_bytes)),
              {}, "await a job and try again, or raise [limits] witness-memory");
}

std::string Service::draw_id() const {
  std::uint8_t bytes[8];
  PROVER_CHECK(getrandom(bytes, sizeof bytes, 0) == sizeof bytes, "the system has random bytes");
  return hex(bytes);
}

void Service::insert(const RecordPtr& record) {
  record->number = ++last_number_;
  jobs_[record->job.status.id] = record;
  by_number_[record->number] = record;
  if (!record->job.status.request_id.empty())
    requests_[{record->job.status.client, record->job.status.request_id}] = record->job.status.id;
}

// The engine may end the job before submit() returns: its callback then waits for mutex_.
Result<void> Service::give_to_engine(const RecordPtr& record, JobSpec spec) {
  spec.priority = record->job.status.priority;
  if (record->job.deadline)
    spec.deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(*record->job.deadline - now());
  const auto id = parts_.engine.submit(
      spec, [this, record, spec](JobOutcome outcome) { ended(record, spec, std::move(outcome)); });
  if (!id) return fail(id.error());
  record->engine_id = *id;
  ++in_engine_;
  return {};
}

Result<Service::RecordPtr> Service::find(const std::string& id) const {
  const auto found = jobs_.find(id);
  if (found != jobs_.end()) return found->second;
  return fail(ErrorKind::not_found, fmt::format("there is no job '{}'", printable(id)), {},
              "'prover status' lists those that are pending or whose answers are kept");
}

Result<bool> Service::cancel(const std::string& id) {
  JobId engine_id{};
  RecordPtr waiting;
  {
    const std::lock_guard lock(mutex_);
    const auto record = find(id);
    if (!record) return fail(record.error());
    if ((*record)->job.status.state != JobState::pending || (*record)->unsaved) return false;
    (*record)->cancel_asked = true;
    engine_id = (*record)->engine_id;
    waiting = *record;
  }
  if (engine_id != JobId{}) return parts_.engine.cancel(engine_id);
  // It waits in the journal for its circuit.
  settle(waiting,
         std::make_shared<JobEnd>(
             JobEnd{JobState::cancelled,
                    Error{"the job was cancelled", "job " + id, {}, ErrorKind::cancelled},
                    {}}),
         0);
  return true;
}

Result<void> Service::preload(const std::string& circuit) {
  auto spec = parts_.circuits.resources_of(circuit);
  if (!spec) return fail(spec.error());
  return parts_.engine.preload(*spec);
}

Result<void> Service::evict(const std::string& circuit) {
  auto spec = parts_.circuits.resources_of(circuit);
  if (!spec) return fail(spec.error());
  Result<void> first =
      fail(ErrorKind::not_found, fmt::format("nothing of '{}' is loaded", circuit));
  bool evicted = false;
  for (const ResourceNeed& need : parts_.work.needs(*spec)) {
    auto done = parts_.engine.evict(need.name);
    if (done)
      evicted = true;
    else if (done.error().kind != ErrorKind::not_found)
      return done;
  }
  return evicted ? Result<void>() : first;
}

}  // namespace prover::daemon
