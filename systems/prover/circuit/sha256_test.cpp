// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/sha256.hpp"

#include <string>

#include "prover/circuit/test_support.hpp"

namespace prover::circuit {
namespace {

std::string hex(const Digest& digest) {
  std::string text;
  for (const std::uint8_t byte : digest)
    for (const int nibble : {byte >> 4, byte & 15}) text += "0123456789abcdef"[nibble];
  return text;
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Source: the examples of FIPS 180-4 (NIST, Cryptographic Standards and Guidelines, SHA256.pdf),
// and the empty message of NIST's CAVP.
const struct {
  const char* message;
  const char* digest;
} kPublished[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnop"
     "q"
     "rsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

std::vector<bool> bits_of(std::string_view message) {
  std::vector<bool> bits;
  for (const char byte : message)
    for (int i = 7; i >= 0; --i) bits.push_back((static_cast<unsigned char>(byte) >> i & 1) != 0);
  return bits;
}

// The digest that the publics are.
template <class F>
Digest digest_of(const std::vector<F>& witness) {
  Digest digest{};
  for (std::size_t i = 0; i < 256; ++i)
    digest[i / 8] = static_cast<std::uint8_t>(digest[i / 8] << 1 | (witness[1 + i] == F::one()));
  return digest;
}

TEST(Sha256, HasThePublishedValues) {
  for (const auto& one : kPublished) EXPECT_EQ(hex(sha256(bytes_of(one.message))), one.digest);
  const std::string million(1000000, 'a');
  EXPECT_EQ(hex(sha256(bytes_of(million))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

template <class T>
class Sha256Circuit : public testing::Test {};
TYPED_TEST_SUITE(Sha256Circuit, Fields);

TYPED_TEST(Sha256Circuit, HasThePublishedValues) {
  using F = TypeParam;
  for (const auto& one : kPublished) {
    WitnessOnly<F> values;
    sha256_circuit(values, bits_of(one.message));
    ASSERT_EQ(values.publics().size(), 257u);
    EXPECT_EQ(hex(digest_of(values.publics())), one.digest);
  }
}

// Everything about an empty message is known but its publics: 256 bits, the carries of four sums,
// and 8 sums.
TYPED_TEST(Sha256Circuit, Constants) {
  Counter<TypeParam> counter;
  sha256_circuit(counter, {});
  EXPECT_EQ(counter.constraints(), 256u + 4 + 8);
}

TYPED_TEST(Sha256Circuit, EveryWireMatters) {
  using F = TypeParam;
  const auto build = [](auto& cs) { sha256_circuit(cs, bits_of("abc")); };
  R1csRecorder<F> cs;
  build(cs);
  EXPECT_EQ(cs.publics(), 256u);
  EXPECT_EQ(hex(digest_of(cs.witness())), kPublished[1].digest);
  expect_tight(cs, 20);
  expect_agreement(cs, build);
}

}  // namespace
}  // namespace prover::circuit
