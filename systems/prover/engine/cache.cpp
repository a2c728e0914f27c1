// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/cache.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "prover/base/text.hpp"

namespace prover {

using Pin = ResourceCache::Pin;

Pin::Pin(Pin&& other) noexcept
    : cache_(std::exchange(other.cache_, nullptr)), entry_(std::exchange(other.entry_, nullptr)) {}

Pin& Pin::operator=(Pin&& other) noexcept {
  if (this == &other) return *this;
  release();
  cache_ = std::exchange(other.cache_, nullptr);
  entry_ = std::exchange(other.entry_, nullptr);
  return *this;
}

void Pin::release() {
  if (ResourceCache* cache = std::exchange(cache_, nullptr)) cache->unpin(*entry_);
}

const ResourcePtr& Pin::resource() const { return entry_->resource; }

ResourceCache::ResourceCache(ByteBudget& budget, SrsPolicy policy)
    : budget_(budget), policy_(policy) {
  budget_.set_reclaim([this](std::uint64_t missing) { return reclaim(missing); });
}

Result<Pin> ResourceCache::pin(const ResourceNeed& need, JobId job, const Load& load,
                               const std::stop_token& stop, Bytes bytes) {
  const std::uint64_t owner =
      policy_ == SrsPolicy::per_job ? static_cast<std::uint64_t>(job) : std::uint64_t{0};
  const Key key(need.name, owner);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (const auto found = entries_.find(key); found != entries_.end()) {
      Entry& entry = found->second;
      ++entry.pins;
      ++entry.hits;
      ++counts_.hits;
      entry.used = ++clock_;
      return Pin(this, &entry);
    }
    if (!loading_) break;
    if (!loaded_.wait(lock, stop, [&] { return !loading_; }))
      return fail(ErrorKind::cancelled, "stopped before it was loaded", need.name);
  }
  loading_ = true;
  lock.unlock();
  auto made = load_entry(need, load, stop, bytes);
  lock.lock();
  loading_ = false;
  loaded_.notify_all();
  if (!made) {
    if (!stop.stop_requested()) ++counts_.failed_loads;
    return fail(made.error());
  }
  ++counts_.loads;
  Entry& entry = entries_.emplace(key, std::move(*made)).first->second;
  entry.key = key;
  entry.pins = 1;
  entry.used = ++clock_;
  return Pin(this, &entry);
}

// Throws nothing: an exception of `load` (bad_alloc) would leave the cache loading for ever.
Result<ResourceCache::Entry> ResourceCache::load_entry(const ResourceNeed& need, const Load& load,
                                                       const std::stop_token& stop, Bytes bytes) {
  Entry entry;
  auto reserved = bytes == Bytes::wait ? budget_.acquire(need.bytes, stop, Charge::cache)
                                       : budget_.try_acquire(need.bytes, Charge::cache);
  if (!reserved && bytes == Bytes::wait)
    return fail(ErrorKind::cancelled, "stopped before it was loaded", need.name);
  if (!reserved)
    return fail(ErrorKind::exhausted,
                fmt::format("its {} are not free now", show_bytes(need.bytes)), need.name,
                "try again when there is less to prove, or give a larger --memory-budget");
  entry.bytes = std::move(*reserved);
  try {
    auto loaded = load(need, stop);
    if (!loaded) return fail(loaded.error());
    entry.resource = std::move(*loaded);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::out_of_memory, "out of memory");
  }
  return entry;
}

void ResourceCache::unpin(Entry& entry) {
  Entries::node_type gone;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    entry.used = ++clock_;
    if (--entry.pins > 0) return;
    if (entry.dropped) gone = entries_.extract(entry.key);
  }
  if (!gone) budget_.reclaimable();
}

bool ResourceCache::reclaim(std::uint64_t missing) {
  std::vector<Entries::node_type> gone;
  const std::lock_guard lock(mutex_);
  std::vector<Entries::iterator> idle;
  std::uint64_t all = 0;
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    if (at->second.pins > 0) continue;
    idle.push_back(at);
    all += at->second.bytes.bytes();
  }
  if (all < missing || missing == 0) return false;  // nothing is thrown out in vain
  std::sort(idle.begin(), idle.end(),
            [](const auto& a, const auto& b) { return a->second.used < b->second.used; });
  std::uint64_t freed = 0;
  for (const auto& at : idle) {
    if (freed >= missing) break;
    freed += at->second.bytes.bytes();
    ++counts_.evictions;
    gone.push_back(entries_.extract(at));
  }
  return true;  // `lock` goes before `gone`
}

Result<void> ResourceCache::evict(const std::string& name) {
  std::vector<Entries::node_type> gone;
  const std::lock_guard lock(mutex_);
  const auto begin = entries_.lower_bound({name, 0});
  auto end = begin;
  std::uint32_t pins = 0;
  for (; end != entries_.end() && end->first.first == name; ++end) pins += end->second.pins;
  if (begin == end) return fail(ErrorKind::not_found, "it is not loaded", name);
  if (pins > 0)
    return fail(ErrorKind::exhausted, fmt::format("{} partitions are using it", pins), name,
                "try again when they are proved, or cancel their jobs");
  for (auto at = begin; at != end;) {
    ++counts_.evictions;
    gone.push_back(entries_.extract(at++));
  }
  return {};
}

void ResourceCache::drop_job(JobId job) {
  if (policy_ != SrsPolicy::per_job) return;
  std::vector<Entries::node_type> gone;
  const std::lock_guard lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto next = std::next(at);
    if (at->first.second == static_cast<std::uint64_t>(job)) {
      if (at->second.pins == 0)
        gone.push_back(entries_.extract(at));
      else
        at->second.dropped = true;
    }
    at = next;
  }
}

std::vector<CachedResource> ResourceCache::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<CachedResource> all;
  for (const auto& [key, entry] : entries_) {
    CachedResource one{key.first, {}, entry.bytes.bytes(), entry.pins, entry.hits};
    if (key.second != 0) one.job = JobId{key.second};
    all.push_back(std::move(one));
  }
  return all;
}

CacheCounts ResourceCache::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace prover
