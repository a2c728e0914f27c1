// SPDX-License-Identifier: Apache-2.0
#include "prover/work/key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "prover/base/text.hpp"
#include "prover/groth16/sums.hpp"
#include "prover/msm/msm.hpp"
#include "prover/work/checksum.hpp"

namespace prover::work {
namespace {

using files::Bytes;
using files::Zkey;

// What is kept: the points of sums, and the header's.
constexpr std::array<Bytes Zkey::*, 11> kKept = {
    &Zkey::a,     &Zkey::b1,    &Zkey::b2,     &Zkey::c,      &Zkey::h,     &Zkey::alpha1,
    &Zkey::beta1, &Zkey::beta2, &Zkey::gamma2, &Zkey::delta1, &Zkey::delta2};

// Copies what `part`, which lies at `offset` of the file, has of a span of the file.
void take(const Bytes file, std::uint64_t offset, Bytes part, Bytes wanted, std::byte* to) {
  const auto begin = static_cast<std::uint64_t>(wanted.data() - file.data());
  const std::uint64_t from = std::max(begin, offset);
  const std::uint64_t end = std::min(begin + wanted.size(), offset + part.size());
  if (from < end) std::memcpy(to + (from - begin), part.data() + (from - offset), end - from);
}

}  // namespace

template <class C>
std::uint64_t Key<C>::bytes_for(const Zkey& key) {
  std::uint64_t bytes = std::uint64_t{key.domain_size} * C::Fr::kBytes;  // the twiddles
  for (const auto part : kKept) bytes += (key.*part).size();
  return bytes;
}

template <class C>
Result<std::shared_ptr<const Key<C>>> Key<C>::load(const Circuit::State& circuit, unsigned threads,
                                                   const std::stop_token& stop) {
  using files::ZkeySection;
  const Zkey& from = circuit.key();
  const files::MappedFile& file = circuit.file.file();
  auto result = std::make_shared<Key>();
  Zkey& key = result->key_ = from;
  std::uint64_t bytes = 0;
  for (const auto part : kKept) bytes += (from.*part).size();
  auto memory = Buffer::allocate(bytes, "the key " + printable(file.path()));
  if (!memory) return fail(memory.error());
  result->memory_ = std::move(*memory);
  std::byte* at = result->memory_.bytes().data();
  std::array<std::byte*, kKept.size()> places{};
  for (std::size_t i = 0; i < kKept.size(); ++i) {
    places[i] = at;
    key.*kKept[i] = Bytes(at, (from.*kKept[i]).size());
    at += (from.*kKept[i]).size();
  }
  key.coefficients = {};
  key.ic = {};
  auto read =
      read_through(file, circuit.source.sha256, stop, [&](std::uint64_t offset, Bytes part) {
        for (std::size_t i = 0; i < kKept.size(); ++i)
          take(file.bytes(), offset, part, from.*kKept[i], places[i]);
      });
  if (!read) return fail(read.error());

  if (auto good = groth16::check_header<C>(key); !good) return fail(good.error());
  const auto check = [&](auto group, ZkeySection section, Bytes points) -> Result<void> {
    using Group = typename decltype(group)::type;
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "stopped");
    const auto bad = msm::first_bad_point<Group>(points, threads);
    if (!bad) return {};
    return fail(
        groth16::off_curve(key, section, *bad, curve::Affine<typename Group::Coordinate>::kBytes));
  };
  const std::type_identity<typename C::G1> g1;
  if (auto ok = check(g1, ZkeySection::a, key.a); !ok) return fail(ok.error());
  if (auto ok = check(g1, ZkeySection::b1, key.b1); !ok) return fail(ok.error());
  if (auto ok = check(g1, ZkeySection::c, key.c); !ok) return fail(ok.error());
  if (auto ok = check(g1, ZkeySection::h, key.h); !ok) return fail(ok.error());
  const std::type_identity<typename C::G2> g2;
  if (auto ok = check(g2, ZkeySection::b2, key.b2); !ok) return fail(ok.error());
  auto domain = ntt::Domain<typename C::Fr>::create(key.domain_log2);
  if (!domain) return fail(domain.error());
  result->domain_.emplace(std::move(*domain));
  return std::shared_ptr<const Key>(std::move(result));
}

template class Key<curve::Bn254>;
template class Key<curve::Bls12_381>;

}  // namespace prover::work
