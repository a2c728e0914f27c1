// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/batch.hpp"

#include <algorithm>

namespace prover {

void Batch::leave(const Job& job) {
  std::erase_if(jobs, [&](const JobPtr& one) { return one.get() == &job; });
}

bool Batch::is_whole() const {
  return std::all_of(jobs.begin(), jobs.end(), [](const JobPtr& job) { return job->is_whole(); });
}

Collector::Key Collector::key_of(const Job& job) {
  std::string names;
  for (const ResourceNeed& need : job.needs) names += need.name + '\n';
  return {job.spec.priority, std::move(names)};
}

std::optional<std::vector<JobPtr>> Collector::add(const JobPtr& job) {
  const auto at = open_.try_emplace(key_of(*job)).first;
  at->second.push_back(job);
  if (at->second.size() < size_) return std::nullopt;
  return std::move(open_.extract(at).mapped());
}

std::vector<std::vector<JobPtr>> Collector::take_due(TimePoint now) {
  std::vector<std::vector<JobPtr>> due;
  for (auto at = open_.begin(); at != open_.end();) {
    const auto next = std::next(at);
    if (at->second.front()->submitted + wait_ <= now)
      due.push_back(std::move(open_.extract(at).mapped()));
    at = next;
  }
  return due;
}

std::vector<std::vector<JobPtr>> Collector::take_all() {
  std::vector<std::vector<JobPtr>> all;
  for (auto& [key, jobs] : open_) all.push_back(std::move(jobs));
  open_.clear();
  return all;
}

void Collector::remove(const Job& job) {
  const auto at = open_.find(key_of(job));
  if (at == open_.end()) return;
  std::erase_if(at->second, [&](const JobPtr& one) { return one.get() == &job; });
  if (at->second.empty()) open_.erase(at);
}

bool Collector::holds(const Job& job) const {
  const auto at = open_.find(key_of(job));
  return at != open_.end() && std::any_of(at->second.begin(), at->second.end(),
                                          [&](const JobPtr& one) { return one.get() == &job; });
}

std::size_t Collector::size() const {
  std::size_t jobs = 0;
  for (const auto& [key, waiting] : open_) jobs += waiting.size();
  return jobs;
}

}  // namespace prover
