// SPDX-License-Identifier: Apache-2.0
#include "prover/work/matrices.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "prover/field/isa.hpp"
#include "prover/field/mul_x86_64.hpp"
#include "prover/field/params.hpp"

namespace prover::work {
namespace {

constexpr std::uint32_t kOne = 0, kMinusOne = 1;
// Entries, and rows, until a stop is looked for and read pages go.
constexpr std::uint32_t kGrain = std::uint32_t{1} << 14;

// Numbers values in the order in which they come.
class Numbering {
 public:
  // With 1 and -1 in front.
  template <class Fr>
  static Numbering of() {
    Numbering numbering;
    // Keys hold values times R^2: the Montgomery form of the Montgomery form.
    const Fr one = Fr::from_plain(Fr::one().montgomery());
    numbering.number_of(one.montgomery());
    numbering.number_of((-one).montgomery());
    return numbering;
  }

  // The value's number, and whether it is a new one.
  std::pair<std::uint32_t, bool> number_of(const msm::Scalar& value) {
    const auto at = numbers_.find(value);
    if (at != numbers_.end()) return {at->second, false};
    if (numbers_.size() < kMostDistinct) numbers_.emplace(value, count_);
    return {count_++, true};
  }
  std::uint32_t count() const { return count_; }

 private:
  struct Hash {
    std::size_t operator()(const msm::Scalar& limbs) const {
      return static_cast<std::size_t>((limbs[0] ^ limbs[1]) * 0x9e3779b97f4a7c15u ^ limbs[2]);
    }
  };
  std::unordered_map<msm::Scalar, std::uint32_t, Hash> numbers_;
  std::uint32_t count_ = 0;
};

// take(entry) for all coefficients, until it says no. Pages go when they were read: the section is
// several times as large as what is made of it. False when `take` said no or `stop` was requested.
template <class Take>
bool read_coefficients(const files::Zkey& key, const files::MappedFile& file,
                       const std::stop_token& stop, const Take& take) {
  const files::Bytes records = key.coefficients.records();
  const std::uint32_t count = key.coefficients.size();
  for (std::uint32_t begin = 0; begin < count; begin += kGrain) {
    if (stop.stop_requested()) return false;
    const std::uint32_t end = std::min(begin + kGrain, count);
    for (std::uint32_t i = begin; i < end; ++i)
      if (!take(key.coefficients[i])) return false;
    constexpr std::size_t kBytes = files::Coefficients::kRecordBytes;
    file.advise(records.subspan(begin * kBytes, (end - begin) * kBytes), files::Use::done);
  }
  return true;
}

template <class Fr>
std::uint64_t count_values(const files::Zkey& key, const files::MappedFile& file) {
  Numbering numbering = Numbering::of<Fr>();
  (void)read_coefficients(key, file, {}, [&](const files::Coefficient& entry) {
    numbering.number_of(field::load_limbs<4>(entry.value));
    return true;
  });
  return numbering.count();
}

}  // namespace

std::uint64_t distinct_values(const files::Zkey& key, const files::MappedFile& file) {
  return key.curve == CurveId::bn254 ? count_values<field::Bn254Fr>(key, file)
                                     : count_values<field::Bls12_381Fr>(key, file);
}

template <class Fr>
std::uint64_t Matrices<Fr>::bytes_for(std::uint64_t domain, std::uint64_t coefficients,
                                      std::uint64_t distinct) {
  return 2 * (domain + 1) * sizeof(std::uint32_t) + coefficients * sizeof(Entry) +
         distinct * sizeof(Fr);
}

// The file may change while it is read: then nothing is read or written out of range here, and what
// comes out is wrong, as the proofs' self-check will say.
template <class Fr>
Result<Matrices<Fr>> Matrices<Fr>::build(const files::Zkey& key, const files::MappedFile& file,
                                         std::uint64_t distinct, const std::stop_token& stop) {
  const auto refused = [&]() -> Result<Matrices> {
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "stopped");
    if (auto reason = files::check_coefficients(key); !reason) return fail(reason.error());
    return fail(ErrorKind::usage, "the coefficients changed while they were read",
                key.where(files::ZkeySection::coefficients), "load the key again");
  };
  const auto in_range = [&](const files::Coefficient& entry) {
    return entry.matrix <= 1 && entry.row < key.domain_size && entry.wire < key.wires;
  };
  Matrices result;
  Matrix* const matrices[2] = {&result.a_, &result.b_};
  for (Matrix* const matrix : matrices) matrix->starts.resize(std::size_t{key.domain_size} + 1);
  const bool counted = read_coefficients(key, file, stop, [&](const files::Coefficient& entry) {
    if (in_range(entry)) ++matrices[entry.matrix]->starts[entry.row + 1];
    return in_range(entry);
  });
  if (!counted) return refused();
  // starts[row + 1] becomes the place of the row's next entry, and ends as its end.
  for (Matrix* const matrix : matrices) {
    std::uint32_t sum = 0;
    for (std::uint32_t& start : matrix->starts) sum += std::exchange(start, sum);
    matrix->entries.resize(sum);
  }
  Numbering numbering = Numbering::of<Fr>();
  const Fr one = Fr::from_plain(Fr::one().montgomery());
  result.values_.reserve(distinct);
  result.values_.assign({one, -one});
  const bool placed = read_coefficients(key, file, stop, [&](const files::Coefficient& entry) {
    const Fr value = Fr::load(entry.value);
    if (!in_range(entry) || !value.is_reduced()) return false;
    Matrix& matrix = *matrices[entry.matrix];
    const std::uint32_t at = matrix.starts[entry.row + 1];
    if (at >= matrix.entries.size()) return false;
    ++matrix.starts[entry.row + 1];
    const auto [number, is_new] = numbering.number_of(value.montgomery());
    if (is_new) result.values_.push_back(value);
    matrix.entries[at] = {entry.wire, number};
    return true;
  });
  if (!placed) return refused();
  for (const Matrix* const matrix : matrices)
    if (matrix->starts.back() != matrix->entries.size()) return refused();
  return result;
}

// Values are stored times R^2, so their product with a plain integer is in Montgomery form. Most
// are 1 or -1: those wires are summed as they are, and the sum is multiplied once.
template <class Fr>
template <class F>
F Matrices<Fr>::dot(const Matrix& matrix, std::size_t row,
                    std::span<const msm::Scalar> witness) const {
  F sum, plain;
  bool any_plain = false;
  for (std::uint32_t i = matrix.starts[row]; i < matrix.starts[row + 1]; ++i) {
    const Entry entry = matrix.entries[i];
    const F wire = F::from_montgomery(witness[entry.wire]);
    if (wire.is_zero()) continue;
    if (entry.value <= kMinusOne) {
      plain = entry.value == kOne ? plain + wire : plain - wire;
      any_plain = true;
    } else {
      sum += F::from_montgomery(values_[entry.value].montgomery()) * wire;
    }
  }
  if (any_plain) sum += F::from_montgomery(values_[kOne].montgomery()) * plain;
  return sum;
}

template <class Fr>
template <class F>
bool Matrices<Fr>::multiply_with(std::span<const msm::Scalar> witness, Pages<Fr>& a, Pages<Fr>& b,
                                 Pages<Fr>& c, const std::stop_token& stop) const {
  const std::size_t rows = a_.starts.size() - 1;
  for (std::size_t row = 0; row < rows; ++row) {
    if (row % kGrain == 0 && stop.stop_requested()) return false;
    const F x = dot<F>(a_, row, witness), y = dot<F>(b_, row, witness);
    a.push_back(Fr::from_montgomery(x.montgomery()));
    b.push_back(Fr::from_montgomery(y.montgomery()));
    c.push_back(Fr::from_montgomery((x * y).montgomery()));
  }
  return true;
}

template <class Fr>
bool Matrices<Fr>::multiply(std::span<const msm::Scalar> witness, Pages<Fr>& a, Pages<Fr>& b,
                            Pages<Fr>& c, const std::stop_token& stop) const {
#if defined(__x86_64__)
  if (field::current_isa() >= field::Isa::adx)
    return multiply_with<field::Field<typename Fr::Params, field::AdxMul>>(witness, a, b, c, stop);
#endif
  return multiply_with<Fr>(witness, a, b, c, stop);
}

template class Matrices<field::Bn254Fr>;
template class Matrices<field::Bls12_381Fr>;

}  // namespace prover::work
