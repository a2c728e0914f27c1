// SPDX-License-Identifier: Apache-2.0
// Loaded resources (proving keys, compiled circuits), each charged to the budget as long as it is
// here. Partitions pin what they need from their dispatch to their end; what nobody pins stays for
// later ones until its bytes are wanted, and then goes, the least recently used first.
//
// Why nobody waits forever: only one partition waits at a time, the dispatcher's, and those before
// it hold their pins and bytes already and need no more to come to their end. So in the end only
// the waiting one's own pins are left, everything else here can be evicted, and submit() has seen
// to it that this is enough. A preload holds no pin while it loads another resource, and never
// waits for bytes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "prover/engine/budget.hpp"
#include "prover/engine/options.hpp"
#include "prover/engine/work.hpp"

namespace prover {

// What is known of a loaded resource.
struct CachedResource {
  std::string name;
  std::optional<JobId> job;  // whose own it is, with SrsPolicy::per_job
  std::uint64_t bytes = 0;
  std::uint32_t pins = 0;
  std::uint64_t hits = 0;  // pins that found it loaded
};

// Since the engine started.
struct CacheCounts {
  std::uint64_t hits = 0, loads = 0, failed_loads = 0, evictions = 0;
};

class ResourceCache {
  struct Entry;

 public:
  // A resource that stays loaded until this is destroyed. Move-only; outlived by the cache.
  class Pin {
   public:
    Pin() = default;
    Pin(Pin&& other) noexcept;
    Pin& operator=(Pin&& other) noexcept;
    ~Pin() { release(); }
    void release();
    const ResourcePtr& resource() const;

   private:
    friend class ResourceCache;
    Pin(ResourceCache* cache, Entry* entry) : cache_(cache), entry_(entry) {}
    ResourceCache* cache_ = nullptr;
    Entry* entry_ = nullptr;
  };

  // Called by one thread at a time, without the cache's lock.
  using Load =
      std::function<Result<ResourcePtr>(const ResourceNeed& need, const std::stop_token& stop)>;
  enum class Bytes { wait, at_once };

  // Becomes the budget's Reclaim.
  ResourceCache(ByteBudget& budget, SrsPolicy policy);

  // Finds or loads what a job needs. Errors: the load's; cancelled when `stop` was requested first;
  // exhausted when the bytes are not there (Bytes::at_once).
  Result<Pin> pin(const ResourceNeed& need, JobId job, const Load& load,
                  const std::stop_token& stop, Bytes bytes);
  // Throws a resource out. Errors: not_found; exhausted while it is pinned.
  Result<void> evict(const std::string& name);
  // Throws out what is this job's own, pinned ones when their last pin goes.
  void drop_job(JobId job);

  std::vector<CachedResource> list() const;  // by name
  CacheCounts counts() const;

 private:
  using Key = std::pair<std::string, std::uint64_t>;  // name, job (0: everybody's)
  struct Entry {
    Reservation bytes;  // before the resource: given back when that is destroyed
    ResourcePtr resource;
    std::uint32_t pins = 0;
    bool dropped = false;  // goes with its last pin
    std::uint64_t hits = 0;
    std::uint64_t used = 0;  // the clock at its last pin or unpin
    Key key = {};
  };
  using Entries = std::map<Key, Entry>;

  void unpin(Entry& entry);
  bool reclaim(std::uint64_t missing);
  Result<Entry> load_entry(const ResourceNeed& need, const Load& load, const std::stop_token& stop,
                           Bytes bytes);

  ByteBudget& budget_;
  const SrsPolicy policy_;
  mutable std::mutex mutex_;
  std::condition_variable_any loaded_;
  Entries entries_;
  bool loading_ = false;
  std::uint64_t clock_ = 0;
  CacheCounts counts_;
};

}  // namespace prover
