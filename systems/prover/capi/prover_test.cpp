// SPDX-License-Identifier: Apache-2.0
// The keys and witnesses are circom's and snarkjs's, of the fuzz targets' corpus.
#include "prover/capi/prover.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "prover/capi/c_caller.h"
#include "prover/files/json.hpp"
#include "prover/files/zkey.hpp"
#include "prover/groth16/proof.hpp"
#include "prover/groth16/verify.hpp"

namespace prover {
namespace {

std::string key_path(const std::string& curve) {
  return std::string(PROVER_CORPUS) + "/zkey/" + curve + ".zkey";
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string witness(const std::string& curve) {
  return contents(std::string(PROVER_CORPUS) + "/wtns/" + curve + ".wtns");
}

struct Free {
  void operator()(char* text) const { std::free(text); }
};
using Text = std::unique_ptr<char, Free>;

struct Answer {
  int code = -1;
  std::string proof, publics, error;
};

// With buffers of these sizes.
Answer prove(void* object, const std::string& wtns, unsigned long long proof_size,
             unsigned long long public_size) {
  std::vector<char> proof(proof_size + 1, 'x'), publics(public_size + 1, 'x');
  char error[512] = "";
  Answer answer;
  answer.code = groth16_prover_prove(object, wtns.data(), wtns.size(), proof.data(), &proof_size,
                                     publics.data(), &public_size, error, sizeof error);
  answer.error = error;
  answer.proof.assign(proof.data(), std::min<std::size_t>(proof_size, proof.size()));
  answer.publics.assign(publics.data(), std::min<std::size_t>(public_size, publics.size()));
  return answer;
}

template <class C>
bool verifies(const std::string& curve, const Answer& answer) {
  const auto key = files::ZkeyFile::open(key_path(curve));
  const auto proof = files::parse_proof(answer.proof, "proof", key->key().curve);
  const auto publics = files::parse_publics(answer.publics, "publics", key->key().curve);
  if (!proof || !publics) return false;
  std::vector<msm::Scalar> inputs;
  for (const files::Integer& value : *publics)
    inputs.push_back({value[0], value[1], value[2], value[3]});
  const auto points = groth16::from_text<C>(*proof);
  return groth16::verify(groth16::verifying_key<C>(key->key()), inputs, points).valid;
}

TEST(Capi, ACallerInCGetsProofsThatVerify) {
  for (const std::string curve : {"bn128", "bls12381"}) {
    const std::string wtns = witness(curve);
    char *proof = nullptr, *publics = nullptr, error[256] = "";
    const int code = prove_from_c(key_path(curve).c_str(), wtns.data(), wtns.size(), &proof,
                                  &publics, error, sizeof error);
    const Text proof_owner(proof), publics_owner(publics);
    ASSERT_EQ(code, PROVER_OK) << error;
    const Answer answer{code, proof, publics, error};
    EXPECT_TRUE(curve == "bn128" ? verifies<curve::Bn254>(curve, answer)
                                 : verifies<curve::Bls12_381>(curve, answer));
  }
}

class OneProver : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(groth16_prover_create(&object_, key_.data(), key_.size(), nullptr, 0), PROVER_OK);
    groth16_proof_size(&proof_size_);
    ASSERT_EQ(groth16_public_size_for_zkey_buf(key_.data(), key_.size(), &public_size_, nullptr, 0),
              PROVER_OK);
  }
  void TearDown() override { groth16_prover_destroy(object_); }

  const std::string key_ = contents(key_path("bn128")), wtns_ = witness("bn128");
  void* object_ = nullptr;
  unsigned long long proof_size_ = 0, public_size_ = 0;
};

TEST_F(OneProver, ServesManyThreads) {
  std::vector<Answer> answers(4);
  std::vector<std::thread> threads;
  for (Answer& answer : answers)
    threads.emplace_back([&] { answer = prove(object_, wtns_, proof_size_, public_size_); });
  for (std::thread& thread : threads) thread.join();
  for (const Answer& answer : answers) {
    EXPECT_EQ(answer.code, PROVER_OK) << answer.error;
    EXPECT_TRUE(verifies<curve::Bn254>("bn128", answer));
  }
}

TEST_F(OneProver, TellsWhichBuffersWouldDo) {
  for (const auto& [proof, publics] : {std::pair{0ull, public_size_},
                                       {proof_size_, 0ull},
                                       {proof_size_, 5ull},
                                       {100ull, public_size_}}) {
    std::vector<char> proof_buffer(proof + 1), public_buffer(publics + 1);
    unsigned long long proof_size = proof, public_size = publics;
    const int code =
        groth16_prover_prove(object_, wtns_.data(), wtns_.size(), proof_buffer.data(), &proof_size,
                             public_buffer.data(), &public_size, nullptr, 0);
    ASSERT_EQ(code, PROVER_ERROR_SHORT_BUFFER);
    EXPECT_EQ(prove(object_, wtns_, proof_size, public_size).code, PROVER_OK);
  }
}

TEST_F(OneProver, ExactlyEnoughRoomIsEnough) {
  const Answer once = prove(object_, wtns_, proof_size_, public_size_);
  ASSERT_EQ(once.code, PROVER_OK);
  const Answer again = prove(object_, wtns_, proof_size_, once.publics.size());
  EXPECT_EQ(again.code, PROVER_OK) << again.error;
  EXPECT_EQ(again.publics, once.publics);
}

TEST_F(OneProver, NamesWhatIsWrongWithAWitness) {
  const Answer other_curve = prove(object_, witness("bls12381"), proof_size_, public_size_);
  EXPECT_EQ(other_curve.code, PROVER_ERROR);
  EXPECT_NE(other_curve.error.find("bls12-381"), std::string::npos) << other_curve.error;

  // One wire less: the count in the header, the size of section 2, and 32 bytes at the end.
  std::string shorter = wtns_;
  const std::size_t count_at = 12 + 12 + 4 + 32, size_at = count_at + 4 + 4;
  --shorter.at(count_at);
  shorter.at(size_at) = static_cast<char>(shorter.at(size_at) - 32);
  shorter.resize(shorter.size() - 32);
  const Answer too_few = prove(object_, shorter, proof_size_, public_size_);
  EXPECT_EQ(too_few.code, PROVER_INVALID_WITNESS_LENGTH) << too_few.error;

  std::string unsatisfied = wtns_;
  unsatisfied.back() = static_cast<char>(unsatisfied.back() ^ 1);
  EXPECT_EQ(prove(object_, unsatisfied, proof_size_, public_size_).code, PROVER_ERROR);
  EXPECT_EQ(prove(object_, "", proof_size_, public_size_).code, PROVER_ERROR);
  EXPECT_EQ(prove(object_, wtns_.substr(0, 50), proof_size_, public_size_).code, PROVER_ERROR);
}

TEST(Capi, NamesWhatIsWrongWithAKey) {
  void* object = nullptr;
  char error[32];
  EXPECT_EQ(groth16_prover_create_zkey_file(&object, "/nonexistent.zkey", error, sizeof error),
            PROVER_ERROR);
  EXPECT_EQ(std::string(error).find("/nonexistent.zkey"), 0u) << error;
  EXPECT_LT(std::string(error).size(), sizeof error);
  const std::string key = contents(key_path("bn128"));
  EXPECT_EQ(groth16_prover_create(&object, key.data(), key.size() - 1, error, sizeof error),
            PROVER_ERROR);
  EXPECT_EQ(groth16_prover_create(&object, nullptr, 0, error, 1), PROVER_ERROR);
  EXPECT_EQ(error[0], '\0');
  EXPECT_EQ(groth16_prover_create_zkey_file(nullptr, nullptr, nullptr, 0), PROVER_ERROR);
  EXPECT_EQ(groth16_prover_create_zkey_file(&object, nullptr, nullptr, 0), PROVER_ERROR);
  EXPECT_EQ(object, nullptr);
  groth16_prover_destroy(nullptr);
}

TEST(Capi, ProvesInOneCallToo) {
  const std::string key = contents(key_path("bn128")), wtns = witness("bn128");
  for (const bool from_file : {false, true}) {
    unsigned long long proof_size = 4096, public_size = 4096;
    std::vector<char> proof(proof_size), publics(public_size);
    char error[256] = "";
    const int code =
        from_file ? groth16_prover_zkey_file(key_path("bn128").c_str(), wtns.data(), wtns.size(),
                                             proof.data(), &proof_size, publics.data(),
                                             &public_size, error, sizeof error)
                  : groth16_prover(key.data(), key.size(), wtns.data(), wtns.size(), proof.data(),
                                   &proof_size, publics.data(), &public_size, error, sizeof error);
    ASSERT_EQ(code, PROVER_OK) << error;
    EXPECT_TRUE(verifies<curve::Bn254>("bn128", {code, proof.data(), publics.data(), error}));
  }
}

}  // namespace
}  // namespace prover
