// SPDX-License-Identifier: Apache-2.0
#include "prover/ntt/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

#include "prover/base/parallel.hpp"
#include "prover/ntt/kernels.hpp"

namespace prover::ntt {
namespace {

// Layers [depth, depth + log_rows), on tiles whose rows are `stride` apart.
struct Pass {
  unsigned depth, log_rows;
  std::size_t stride, columns;
};

// The passes of `inverse`, in order; `forward` takes them backwards. The last one has the tiles
// that lie together, those before it have whole columns of at most 2^8 rows.
std::vector<Pass> plan(unsigned log_size, unsigned threads) {
  constexpr unsigned kMaxLogRows = 8, kWorthThreads = 12;
  unsigned inner = std::min(log_size, kTileLog);
  if (threads > 1 && log_size >= kWorthThreads) inner = std::min(inner, log_size - 4);
  const unsigned outer = log_size - inner, count = (outer + kMaxLogRows - 1) / kMaxLogRows;
  std::vector<Pass> passes;
  unsigned depth = 0;
  const auto add = [&](unsigned log_rows) {
    const std::size_t stride = std::size_t{1} << (log_size - depth - log_rows);
    std::size_t columns = std::min(stride, kTileElements >> log_rows);
    const auto tiles = [&] { return (stride / columns) << depth; };
    while (columns > 64 && threads > 1 && tiles() < 4 * threads) columns /= 2;
    passes.push_back({depth, log_rows, stride, columns});
    depth += log_rows;
  };
  for (unsigned i = 0; i < count; ++i) add((outer * (i + 1)) / count - (outer * i) / count);
  if (inner > 0) add(inner);
  return passes;
}

// kScratchBytes of this thread.
std::byte* scratch() {
  constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, kAlignment); }
  };
  thread_local std::unique_ptr<std::byte, Free> bytes(
      static_cast<std::byte*>(::operator new(kScratchBytes, kAlignment)));
  return bytes.get();
}

template <class Fr>
std::byte* bytes_of(std::span<Fr> values) {
  return std::as_writable_bytes(values).data();
}
template <class Fr>
const std::byte* bytes_of(std::span<const Fr> values) {
  return std::as_bytes(values).data();
}

template <class Fr>
const Kernels& table() {
  return kernels<typename Fr::Params>(field::current_isa());
}

template <class Fr>
void run(const Pass& pass, Layers layers, std::span<Fr> values, std::span<const Fr> twiddles,
         unsigned threads) {
  const std::size_t across = pass.stride / pass.columns;
  parallel(threads, across << pass.depth, [&](std::size_t i) {
    const std::size_t block = i / across, column = i % across * pass.columns;
    const std::size_t first = ((block << pass.log_rows) * pass.stride) + column;
    layers({bytes_of(values) + first * kElementBytes, pass.stride, pass.log_rows, pass.columns},
           block, bytes_of(twiddles), scratch());
  });
}

// For the simple loops: threads take this many elements at a time.
constexpr std::size_t kGrain = 1 << 13;

}  // namespace

// The exponent of place 2^k + s (s < 2^k) is that of s plus N / 2^(k + 2).
template <class Fr>
typename Domain<Fr>::Twiddles Domain<Fr>::compute(unsigned log_size) {
  const std::size_t count = std::max<std::size_t>((std::size_t{1} << log_size) / 2, 1);
  Twiddles twiddles{Pages<Fr>(count), Pages<Fr>(count)};
  twiddles.forward[0] = twiddles.inverse[0] = Fr::one();
  for (unsigned k = 0; (std::size_t{1} << k) < count; ++k) {
    const std::size_t group = std::size_t{1} << k;
    const Fr step = field::root_of_unity<Fr>(k + 2);
    for (std::size_t s = 0; s < group; ++s)
      twiddles.forward[group + s] = twiddles.forward[s] * step;
    // w^-e = -w^(N/2 - e), and N/2 - e has the place with the bits of s inverted.
    for (std::size_t s = 0; s < group; ++s)
      twiddles.inverse[group + s] = -twiddles.forward[2 * group - 1 - s];
  }
  return twiddles;
}

template <class Fr>
std::shared_ptr<const typename Domain<Fr>::Twiddles> Domain<Fr>::shared(unsigned log_size) {
  static std::mutex mutex;
  static std::array<std::weak_ptr<const Twiddles>, kMaxLogSize + 1> known;
  const std::lock_guard lock(mutex);
  if (auto twiddles = known[log_size].lock()) return twiddles;
  auto twiddles = std::make_shared<const Twiddles>(compute(log_size));
  known[log_size] = twiddles;
  return twiddles;
}

template <class Fr>
Result<Domain<Fr>> Domain<Fr>::create(unsigned log_size) {
  if (log_size > kMaxLogSize)
    return fail(ErrorKind::usage,
                fmt::format("a domain of 2^{} elements is too large for this curve", log_size), {},
                fmt::format("its field of scalars has domains of up to 2^{}", kMaxLogSize));
  try {
    return Domain(log_size, shared(log_size));
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::out_of_memory,
                fmt::format("no memory for the roots of unity of a domain of 2^{}", log_size));
  }
}

template <class Fr>
void Domain<Fr>::inverse(std::span<Fr> values, unsigned threads) const {
  PROVER_CHECK(values.size() == size(), "a vector of another size than its domain");
  const auto passes = plan(log_size_, threads);
  for (const Pass& pass : passes)
    run(pass, table<Fr>().descend, values, std::span(twiddles_->inverse), threads);
}

template <class Fr>
void Domain<Fr>::forward(std::span<Fr> coefficients, unsigned threads) const {
  PROVER_CHECK(coefficients.size() == size(), "a vector of another size than its domain");
  const auto passes = plan(log_size_, threads);
  for (auto pass = passes.rbegin(); pass != passes.rend(); ++pass)
    run(*pass, table<Fr>().ascend, coefficients, std::span(twiddles_->forward), threads);
}

// v^i for the place of i: twice the exponents of w's table below N / 2, and one more from there on.
template <class Fr>
void Domain<Fr>::shift_to_coset(std::span<Fr> coefficients, unsigned threads) const {
  PROVER_CHECK(coefficients.size() == size(), "a vector of another size than its domain");
  Fr scale = Fr::one();
  for (unsigned i = 0; i < log_size_; ++i) scale = scale.halved();
  const Fr odd_scale = scale * field::root_of_unity<Fr>(log_size_ + 1);
  const Kernels& kernels = table<Fr>();
  const std::span<const Fr> twiddles = twiddles_->forward;
  const auto shift = [&](std::span<Fr> part, const Fr& factor) {
    parallel_ranges(threads, part.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      kernels.shift(bytes_of(part) + begin * kElementBytes,
                    bytes_of(twiddles) + begin * kElementBytes, bytes_of(std::span(&factor, 1)),
                    end - begin);
    });
  };
  const std::size_t half = std::max<std::size_t>(size() / 2, 1);
  shift(coefficients.first(half), scale);
  shift(coefficients.subspan(half), odd_scale);
}

template <class Fr>
void multiply_subtract(std::span<Fr> a, std::span<const Fr> b, std::span<const Fr> c,
                       unsigned threads) {
  PROVER_CHECK(a.size() == b.size() && a.size() == c.size(), "vectors of several sizes");
  const Kernels& kernels = table<Fr>();
  parallel_ranges(threads, a.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    const std::size_t offset = begin * kElementBytes;
    kernels.multiply_subtract(bytes_of(a) + offset, bytes_of(b) + offset, bytes_of(c) + offset,
                              end - begin);
  });
}

template <class Fr>
void to_plain(std::span<Fr> values, unsigned threads) {
  const Kernels& kernels = table<Fr>();
  parallel_ranges(threads, values.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    kernels.to_plain(bytes_of(values) + begin * kElementBytes, end - begin);
  });
}

template <class Fr>
void from_plain(std::span<Fr> values, unsigned threads) {
  const Kernels& kernels = table<Fr>();
  parallel_ranges(threads, values.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    kernels.from_plain(bytes_of(values) + begin * kElementBytes, end - begin);
  });
}

#define PROVER_FOR(Fr)                                                                         \
  template class Domain<Fr>;                                                                   \
  template void multiply_subtract<Fr>(std::span<Fr>, std::span<const Fr>, std::span<const Fr>, \
                                      unsigned);                                               \
  template void to_plain<Fr>(std::span<Fr>, unsigned);                                         \
  template void from_plain<Fr>(std::span<Fr>, unsigned);
PROVER_FOR(field::Bn254Fr)
PROVER_FOR(field::Bls12_381Fr)
#undef PROVER_FOR

}  // namespace prover::ntt
