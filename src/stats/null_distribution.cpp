// SPDX-License-Identifier: Apache-2.0
#include "stats/null_distribution.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "base/check.hpp"

namespace assay::stats {
namespace {

constexpr std::size_t kPairs = 36;  // cross pairs in a block of 6 + 6
using BlockPmf = std::array<double, kPairs + 1>;

// ways[k][u]: choices of k ranks out of those seen so far whose rank sum exceeds its minimum by u.
BlockPmf block_pmf() {
  std::array<BlockPmf, 7> ways{};
  ways[0][0] = 1;
  for (std::size_t rank = 1; rank <= 12; ++rank) {
    for (std::size_t k = std::min<std::size_t>(rank, 6); k >= 1; --k) {
      const std::size_t shift = rank - k;
      for (std::size_t u = kPairs + 1; u-- > shift;) ways[k][u] += ways[k - 1][u - shift];
    }
  }
  BlockPmf pmf{};
  for (std::size_t u = 0; u <= kPairs; ++u) pmf[u] = ways[6][u] / 924.0;  // 924 = 12 over 6
  return pmf;
}

std::vector<double> convolve(const std::vector<double>& f, const BlockPmf& g) {
  std::vector<double> h(f.size() + kPairs, 0.0);
  for (std::size_t i = 0; i < f.size(); ++i)
    for (std::size_t u = 0; u <= kPairs; ++u) h[i + u] += f[i] * g[u];
  return h;
}

std::vector<double> accumulate(std::vector<double> pmf) {
  double sum = 0;
  for (double& value : pmf) value = std::min(1.0, sum += value);
  return pmf;
}

// Every distribution up to the largest one asked for. Readers pass without a lock once it is there.
class PooledTables {
 public:
  const NullDistribution& at(std::size_t blocks) {
    if (const auto* found = ready_[blocks].load(std::memory_order_acquire)) return *found;
    const std::lock_guard lock(mutex_);
    for (; done_ < blocks; ++done_) {
      pmf_ = convolve(pmf_, block_);
      owned_[done_ + 1] = std::make_unique<NullDistribution>(accumulate(pmf_));
      ready_[done_ + 1].store(owned_[done_ + 1].get(), std::memory_order_release);
    }
    return *ready_[blocks].load(std::memory_order_acquire);
  }

 private:
  std::mutex mutex_;
  const BlockPmf block_ = block_pmf();
  std::vector<double> pmf_ = {1.0};  // of done_ blocks
  std::size_t done_ = 0;
  std::array<std::unique_ptr<const NullDistribution>, kMaxBlocks + 1> owned_;
  std::array<std::atomic<const NullDistribution*>, kMaxBlocks + 1> ready_{};
};

}  // namespace

double NullDistribution::cdf(std::size_t c) const {
  ASSAY_CHECK(c < cdf_.size(), "a count inside the distribution");
  return cdf_[c];
}

int NullDistribution::critical(double two_sided) const {
  const double tail = 0.5 * two_sided * (1 + 1e-12);
  return static_cast<int>(std::upper_bound(cdf_.begin(), cdf_.end(), tail) - cdf_.begin()) - 1;
}

double NullDistribution::two_sided_p(std::size_t low, std::size_t high) const {
  return std::min(1.0, 2 * std::min(cdf(low), cdf(high)));
}

const NullDistribution& pooled_count(std::size_t blocks) {
  ASSAY_CHECK(blocks >= 1 && blocks <= kMaxBlocks, "1 to 150 blocks");
  static PooledTables tables;
  return tables.at(blocks);
}

NullDistribution signed_rank_count(std::size_t n) {
  ASSAY_CHECK(n >= 1 && n <= 1000, "1 to 1000 differences");  // 2^-1000 is still a normal double
  std::vector<double> pmf(n * (n + 1) / 2 + 1, 0.0);
  pmf[0] = 1;
  std::size_t top = 0;  // largest sum so far
  for (std::size_t rank = 1; rank <= n; ++rank) {
    top += rank;
    for (std::size_t s = top + 1; s-- > 0;)
      pmf[s] = 0.5 * (pmf[s] + (s >= rank ? pmf[s - rank] : 0.0));
  }
  return NullDistribution(accumulate(std::move(pmf)));
}

}  // namespace assay::stats
