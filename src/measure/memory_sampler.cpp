// SPDX-License-Identifier: Apache-2.0
#include "measure/memory_sampler.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

namespace assay::measure {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::size_t kMostOpen = 256;
constexpr milliseconds kScanEvery{50};
constexpr int kScanShare = 50;     // at most one part in 50 of a CPU goes into looking at /proc,
constexpr int kHurriedShare = 10;  // one in 10 while processes come and go
// A number that was seen longer ago may belong to another process now. Pids repeat after 32768
// processes at the soonest, which takes seconds at any rate that a machine can start them.
constexpr seconds kForget{1};

nanoseconds monotonic_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

bool contains(const std::vector<pid_t>& sorted, pid_t pid) {
  return std::binary_search(sorted.begin(), sorted.end(), pid);
}

// Reads a small file of procfs into `buffer`; empty when the process is gone.
std::string_view read_small(const std::string& path, char* buffer, std::size_t size) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return {};
  const ssize_t got = ::read(file.value(), buffer, size);
  return got > 0 ? std::string_view(buffer, static_cast<std::size_t>(got)) : std::string_view{};
}

// Field 4 of /proc/PID/stat, behind the last ')' because the name may hold anything. -1: not found.
pid_t parent_of(std::string_view stat) {
  const std::size_t name = stat.rfind(')');
  if (name == std::string_view::npos || name + 4 >= stat.size()) return -1;
  pid_t parent = -1;
  std::from_chars(stat.data() + name + 4, stat.data() + stat.size(), parent);
  return parent;
}

// Field 2 of statm in bytes.
std::optional<std::uint64_t> resident_of(std::string_view statm) {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t blank = statm.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  std::uint64_t pages = 0;
  const auto [end, error] =
      std::from_chars(statm.data() + blank + 1, statm.data() + statm.size(), pages);
  if (error != std::errc()) return std::nullopt;
  return pages * page;
}

const MemorySample& larger(const MemorySample& a, const MemorySample& b) {
  return b.tree_bytes > a.tree_bytes ? b : a;
}

}  // namespace

void Series::add(const MemorySample& sample) {
  pending_ = waiting_ == 0 ? sample : larger(pending_, sample);
  if (++waiting_ < stride_) return;
  waiting_ = 0;
  if (samples_.size() == kMost) {
    // Full: halve it, and let every later element stand for twice as many samples.
    for (std::size_t i = 0; i < kMost / 2; ++i)
      samples_[i] = larger(samples_[2 * i], samples_[2 * i + 1]);
    samples_.resize(kMost / 2);
    stride_ *= 2;
    waiting_ = stride_ / 2;
    return;
  }
  samples_.push_back(pending_);
}

std::vector<MemorySample> Series::take(nanoseconds zero) {
  std::vector<MemorySample> all;
  all.swap(samples_);
  if (waiting_ > 0) {
    if (all.size() == kMost)
      all.back() = larger(all.back(), pending_);
    else
      all.push_back(pending_);
  }
  for (MemorySample& sample : all) sample.at -= zero;
  stride_ = 1;
  waiting_ = 0;
  return all;
}

MemorySampler::MemorySampler(pid_t root, std::string proc) : root_(root), proc_(std::move(proc)) {}

void MemorySampler::exclude_existing() {
  excluded_.clear();
  foreign_.clear();
  members_.clear();
  for (const auto& [pid, parent] : list_strangers())
    if (parent == root_) excluded_.push_back(pid);
  std::sort(excluded_.begin(), excluded_.end());
  foreign_.clear();
}

void MemorySampler::start(Time now) {
  started_ = now;
  due_ = now + kFirst;
  next_scan_ = now;
  peak_ = 0;
  samples_ = 0;
  members_.clear();
}

std::vector<MemorySampler::Member>::const_iterator MemorySampler::place_of(pid_t pid) const {
  return std::lower_bound(members_.begin(), members_.end(), pid,
                          [](const Member& member, pid_t wanted) { return member.pid < wanted; });
}

bool MemorySampler::is_member(pid_t pid) const {
  const std::vector<Member>::const_iterator at = place_of(pid);
  return at != members_.end() && at->pid == pid;
}

// The processes that are neither members nor known to be foreign, with their parents. Foreign ones
// that are gone are forgotten.
std::vector<std::pair<pid_t, pid_t>> MemorySampler::list_strangers() {
  std::vector<std::pair<pid_t, pid_t>> strangers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(proc_.c_str()), ::closedir);
  if (!folder) return strangers;
  std::vector<pid_t> still_foreign;
  std::string path;
  char buffer[512];
  while (const dirent* entry = ::readdir(folder.get())) {
    const char* name = entry->d_name;
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name, name + std::strlen(name), pid);
    if (error != std::errc() || *end != '\0' || pid == root_ || is_member(pid)) continue;
    if (contains(foreign_, pid)) {
      still_foreign.push_back(pid);
      continue;
    }
    path.assign(proc_).append("/").append(name).append("/stat");
    const pid_t parent = parent_of(read_small(path, buffer, sizeof buffer));
    if (parent >= 0) strangers.emplace_back(pid, parent);
  }
  std::sort(still_foreign.begin(), still_foreign.end());
  foreign_ = std::move(still_foreign);
  return strangers;
}

// True when the stranger is a descendant: then it is a member, unless it is gone already.
bool MemorySampler::adopt(pid_t pid, pid_t parent) {
  if (parent == root_ ? contains(excluded_, pid) : !is_member(parent)) return false;
  Member member{pid, Fd()};
  if (members_.size() < kMostOpen) {
    const std::string path = proc_ + "/" + std::to_string(pid) + "/statm";
    member.statm.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!member.statm) return true;
  }
  members_.insert(place_of(pid), std::move(member));
  return true;
}

// Foreign for good is who has a foreign parent: only descendants of members ever become children of
// root. Whose parent was gone before it could be read stays a stranger, to be looked at again.
bool MemorySampler::reject(pid_t pid, pid_t parent) {
  const bool foreign = parent == 0 || parent == root_ || contains(foreign_, parent);
  if (foreign) foreign_.insert(std::lower_bound(foreign_.begin(), foreign_.end(), pid), pid);
  return foreign;
}

void MemorySampler::scan(Time now) {
  const Time begin = monotonic_now();
  if (now - scanned_ > kForget) foreign_.clear();
  scanned_ = now;
  std::vector<std::pair<pid_t, pid_t>> strangers = list_strangers();
  // Again while somebody is settled: a parent may stand behind its child in the list.
  const auto settle = [&](bool (MemorySampler::*with)(pid_t, pid_t)) {
    while (std::erase_if(strangers, [&](const std::pair<pid_t, pid_t>& one) {
             return (this->*with)(one.first, one.second);
           }) > 0) {
    }
  };
  settle(&MemorySampler::adopt);
  settle(&MemorySampler::reject);
  scan_cost_ = monotonic_now() - begin;
  next_scan_ = now + std::max<Time>(kScanEvery, scan_cost_ * kScanShare);
}

// Nothing when the process is gone.
std::optional<std::uint64_t> MemorySampler::resident_bytes(const Member& member) {
  char buffer[128];
  if (!member.statm)
    return resident_of(
        read_small(proc_ + "/" + std::to_string(member.pid) + "/statm", buffer, sizeof buffer));
  const ssize_t got = ::pread(member.statm.value(), buffer, sizeof buffer, 0);
  return got > 0 ? resident_of({buffer, static_cast<std::size_t>(got)}) : std::nullopt;
}

void MemorySampler::sample(Time now) {
  if (now >= next_scan_) scan(now);
  std::uint64_t sum = 0;
  const auto gone = [&](const Member& member) {
    const std::optional<std::uint64_t> bytes = resident_bytes(member);
    sum += bytes.value_or(0);
    return !bytes;
  };
  // Somebody ended: others may have begun.
  if (std::erase_if(members_, gone) > 0)
    next_scan_ = std::min(next_scan_, now + scan_cost_ * kHurriedShare);
  const Time elapsed = now - started_;
  const milliseconds every(elapsed < seconds(1) ? 10 : elapsed < seconds(10) ? 20 : 50);
  due_ = now + every;
  if (members_.empty()) return;
  peak_ = std::max(peak_, sum);
  ++samples_;
  series_.add({now, sum});
}

MemorySampler::Reading MemorySampler::finish(Time zero) {
  Reading reading;
  reading.samples = samples_;
  if (samples_ > 0) reading.peak_bytes = peak_;
  reading.series = series_.take(zero);
  members_.clear();
  return reading;
}

}  // namespace assay::measure
