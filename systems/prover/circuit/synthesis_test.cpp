// SPDX-License-Identifier: Apache-2.0
// Whatever the options, synthesis by the builder says what the recorded circuit says.
#include "prover/circuit/synthesis.hpp"

#include "prover/circuit/builder.hpp"
#include "prover/circuit/test_support.hpp"

namespace prover::circuit {
namespace {

template <class F>
class SynthesisTest : public testing::Test {};
TYPED_TEST_SUITE(SynthesisTest, Fields);

template <class F>
F row_times(const R1csRecorder<F>& recorder, Matrix matrix, std::uint32_t row,
            const std::vector<F>& witness) {
  F sum;
  for (const auto& entry : recorder.row(matrix, row))
    sum += recorder.coefficients()[entry.coefficient] *
           witness[wire_of(entry.variable, recorder.publics())];
  return sum;
}

// The rows and wires of the recorded circuit.
template <class F>
Evaluated<F> expected_rows(const Request& request) {
  R1csRecorder<F> recorder;
  build(recorder, request);
  const std::vector<F> witness = recorder.witness();
  Evaluated<F> rows;
  for (const F& value : witness) rows.witness.push_back(value.montgomery());
  for (std::uint32_t i = 0; i < recorder.constraints(); ++i) {
    rows.a.push_back(row_times(recorder, Matrix::a, i, witness));
    rows.b.push_back(row_times(recorder, Matrix::b, i, witness));
    rows.c.push_back(row_times(recorder, Matrix::c, i, witness));
  }
  for (std::uint32_t i = 0; i <= recorder.publics(); ++i) rows.a.push_back(witness[i]);
  return rows;
}

template <class F>
void expect_agreement_of(const Request& request, std::span<const SynthesisOptions> combinations) {
  const Size size = *size_of(request);
  const std::uint64_t domain = 2 * std::uint64_t{size.domain()};  // as a key may have it
  Evaluated<F> expected = expected_rows<F>(request);
  for (auto* const vector : {&expected.a, &expected.b, &expected.c}) vector->resize(domain);
  const SharedSector<F> sector = sector_for<F>(request);
  for (const SynthesisOptions& options : combinations) {
    const auto wires = build_witness<F>(request, size, sector, options, {});
    ASSERT_TRUE(wires);
    EXPECT_EQ(*wires, expected.witness);
    const auto rows = build_rows<F>(request, size, domain, sector, options, {});
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->witness, expected.witness);
    EXPECT_EQ(rows->a, expected.a);
    EXPECT_EQ(rows->b, expected.b);
    EXPECT_EQ(rows->c, expected.c);
  }
}

TYPED_TEST(SynthesisTest, all_options_give_the_same_rows) {
  std::vector<SynthesisOptions> all;
  for (const bool recycle : {true, false})
    for (const std::uint32_t inline_terms : {0u, 1u, 2u, 4u})
      for (const bool presize : {true, false}) all.push_back({recycle, inline_terms, presize});
  const CurveId curve = curve_of<TypeParam>();
  expect_agreement_of<TypeParam>({.kind = Kind::dense, .curve = curve, .constraints = 3000}, all);
  expect_agreement_of<TypeParam>({.kind = Kind::poseidon, .curve = curve, .depth = 3}, all);
  // The large ones by fewer: each kind of combination once.
  const SynthesisOptions some[] = {{true, 0, true}, {false, 1, false}, {true, 2, false}};
  expect_agreement_of<TypeParam>({.kind = Kind::sha256, .curve = curve, .bits = 8}, some);
  const SynthesisOptions few[] = {{false, 4, true}};
  expect_agreement_of<TypeParam>({.kind = Kind::porep, .curve = curve, .depth = 2}, few);
}

TYPED_TEST(SynthesisTest, it_stops_when_told) {
  const Request request{.kind = Kind::dense, .curve = curve_of<TypeParam>(), .constraints = 9000};
  const Size size = *size_of(request);
  std::stop_source stop;
  stop.request_stop();
  const auto wires = build_witness<TypeParam>(request, size, nullptr, {}, stop.get_token());
  ASSERT_FALSE(wires);
  EXPECT_EQ(wires.error().kind, ErrorKind::cancelled);
  const auto rows =
      build_rows<TypeParam>(request, size, size.domain(), nullptr, {}, stop.get_token());
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace prover::circuit
