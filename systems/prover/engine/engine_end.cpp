// SPDX-License-Identifier: Apache-2.0
// How partitions, jobs and the engine end: what is released, who is told, and the finaliser, which
// assembles proofs, checks them and answers.
#include <fmt/format.h>

#include <utility>

#include "prover/engine/engine.hpp"
#include "prover/engine/names.hpp"
#include "prover/engine/steps.hpp"

namespace prover {

void Engine::end(PartitionPtr partition, Result<PartProof> result) {
  if (!partition) return;
  const JobPtr job = partition->job;
  const Task task = partition->task;
  const PartitionTimes times = partition->times;
  const bool no_memory = !result && result.error().kind == ErrorKind::out_of_memory;
  const Holdings held = no_memory ? holdings() : Holdings{};  // while it is still held
  synthesis_ended(*partition);
  reaper_.free(std::move(partition));  // before its job hears of it
  if (result && result->task != task)
    result =
        fail(ErrorKind::self_check,
             fmt::format("the device answered partition {} of job {} with the proof of another",
                         task.partition, static_cast<std::uint64_t>(task.job)));
  // Before the partition stops counting: a job that fails must not look whole or empty in between.
  if (!result) fail_job(job, result.error());
  if (no_memory) fail_engine(result.error(), held);
  std::vector<JobGroup> groups;
  {
    const std::lock_guard lock(mutex_);
    --job->outstanding;
    if (result && !job->error) {
      PROVER_CHECK(!job->parts[task.partition], "a partition is proved once");
      job->parts[task.partition] = std::move(*result);
      job->times[task.partition] = times;
      ++job->proved;
      ++totals_.partitions_proved;
    }
    groups = ready_to_finalise(job);
  }
  for (JobGroup& group : groups) to_finalise_.push(std::move(group));
}

// What can be finalised now because this job changed: a failed job when nothing of it is on its way
// any more, a whole one when its batch is; and the rest of the batch that a failed one leaves.
std::vector<Engine::JobGroup> Engine::ready_to_finalise(const JobPtr& job) {
  std::vector<JobGroup> groups;
  if (job->finalising) return groups;
  if (const auto batch = job->batch) {
    if (job->error) {
      batch->leave(*job);
      job->batch.reset();
    }
    if (!batch->jobs.empty() && batch->is_whole()) groups.push_back(std::move(batch->jobs));
  } else if (job->is_whole()) {
    groups.push_back({job});
  }
  if (job->error && job->outstanding == 0) groups.push_back({job});
  for (const JobGroup& group : groups)
    for (const JobPtr& one : group) {
      one->finalising = true;
      one->batch.reset();
    }
  return groups;
}

bool Engine::fail_job(const JobPtr& job, const Error& error) {
  std::vector<JobGroup> groups;
  {
    const std::lock_guard lock(mutex_);
    if (job->error || job->finalising) return false;
    job->error = error;
    collector_.remove(*job);
    backlog_.remove(job->id);
    backlog_changed_.notify_one();  // its turn in the synthesis may be another's now
    groups = ready_to_finalise(job);
  }
  // Outside the lock: it wakes whoever waits for bytes or a permit for this job.
  job->stop.request_stop();
  for (PartitionPtr& partition : channel_.take_job(job->id))
    end(std::move(partition), fail(stopped_error()));
  for (JobGroup& group : groups) to_finalise_.push(std::move(group));
  return true;
}

Holdings Engine::holdings() { return {flight_.now(), budget_.reserved(), resident_.sample()}; }

void Engine::fail_engine(const Error& error, const Holdings& held) {
  JobGroup all;
  {
    const std::lock_guard lock(mutex_);
    if (fatal_) return;
    fatal_ = Fatal{error, held};
    accepting_ = false;
    for (const auto& [id, job] : jobs_) all.push_back(job);
  }
  for (const JobPtr& job : all)
    fail_job(job, {"the engine ran out of memory", "job", {}, ErrorKind::cancelled});
}

void Engine::finalise() {
  assay::emit::name_thread("finalise", 0);
  while (auto jobs = to_finalise_.pop()) finalise_group(*jobs);
}

// The proof is the parts of this job, all of them, in the order of the partitions.
Result<Proof> Engine::assemble(Job& job) {
  Proof proof{job.id, job.spec.partitions, {}};
  for (std::uint32_t i = 0; i < job.spec.partitions; ++i) {
    PROVER_CHECK(job.parts[i] && job.parts[i]->task == (Task{job.id, i}),
                 "a proof holds exactly its own partitions");
    proof.bytes.insert(proof.bytes.end(), job.parts[i]->bytes.begin(), job.parts[i]->bytes.end());
  }
  return proof;
}

// By job: its proof, checked, or the error that it ends with. All proofs are checked at once.
std::vector<Result<Proof>> Engine::checked_proofs(const JobGroup& jobs) {
  std::vector<Result<Proof>> proofs;
  std::vector<Claim> claims;
  std::vector<std::size_t> whose;
  for (const JobPtr& job : jobs)
    proofs.push_back(job->error ? Result<Proof>(fail(*job->error))
                                : guarded([&] { return assemble(*job); }));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!proofs[i]) continue;
    claims.push_back({jobs[i]->spec, *proofs[i]});
    whose.push_back(i);
  }
  if (claims.empty()) return proofs;
  auto answers =
      guarded([&]() -> Result<std::vector<Result<void>>> { return work_.check(claims); });
  if (answers && answers->size() != claims.size())
    answers = fail(ErrorKind::self_check,
                   fmt::format("{} answers to {} claims", answers->size(), claims.size()));
  std::vector<std::pair<std::size_t, Error>> bad;  // claims refer to the proofs until here
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!answers)
      bad.emplace_back(whose[i], answers.error());
    else if (!answers->at(i))
      bad.emplace_back(whose[i], answers->at(i).error());
  }
  for (auto& [i, error] : bad) {
    error.where = fmt::format("self-check of job {:08x}", static_cast<std::uint64_t>(jobs[i]->id));
    proofs[i] = fail(std::move(error));
  }
  return proofs;
}

// Nobody else touches a job that is being finalised, so its fields need no lock here.
void Engine::finalise_group(const JobGroup& jobs) {
  std::vector<Result<Proof>> proofs = checked_proofs(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobPtr& job = jobs[i];
    if (!job->error && !proofs[i] && proofs[i].error().kind == ErrorKind::out_of_memory)
      fail_engine(proofs[i].error(), holdings());
    JobOutcome outcome;
    outcome.job = job->id;
    outcome.submitted = job->submitted;
    outcome.partitions_proved = job->proved;
    outcome.times = std::move(job->times);
    if (proofs[i])
      outcome.proof = std::move(*proofs[i]);
    else
      outcome.error = proofs[i].error();
    answer(job, std::move(outcome));
  }
}

void Engine::answer(const JobPtr& job, JobOutcome outcome) {
  outcome.done = std::chrono::steady_clock::now();
  assay::emit::instant(outcome.error ? names().job_failed : names().proof_done,
                       {.job = static_cast<std::uint64_t>(job->id)});
  alarms_.clear(job->deadline);
  alarms_.clear(job->batch_due);
  cache_.drop_job(job->id);
  {
    const std::lock_guard lock(mutex_);
    if (!outcome.error) {
      ++totals_.jobs_done;
    } else {
      ++totals_.jobs_failed;
      const ErrorKind kind = outcome.error->kind;
      totals_.jobs_cancelled += kind == ErrorKind::cancelled ? 1 : 0;
      totals_.jobs_deadline += kind == ErrorKind::deadline ? 1 : 0;
      totals_.jobs_handed_back += kind == ErrorKind::draining ? 1 : 0;
      totals_.jobs_self_check += kind == ErrorKind::self_check ? 1 : 0;
    }
  }
  if (job->on_done) job->on_done(std::move(outcome));
  const std::lock_guard lock(mutex_);
  jobs_.erase(job->id);
  job_ended_.notify_all();
}

}  // namespace prover
