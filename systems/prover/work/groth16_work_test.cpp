// SPDX-License-Identifier: Apache-2.0
// Partitions become proofs that the readers of snarkjs's formats accept, and nothing else does.
#include "prover/work/groth16_work.hpp"

#include "prover/engine/engine.hpp"
#include "prover/groth16/prove.hpp"
#include "prover/groth16/verify.hpp"
#include "prover/work/synthesis.hpp"
#include "prover/work/testing.hpp"

namespace prover::work {
namespace {

std::unique_ptr<Groth16Work> work_with(const Settings& settings = {}) {
  return must(Groth16Work::create(settings));
}

// Whether what a partition's JSON says verifies, by the code that reads snarkjs's files.
template <class C>
bool verifies(const std::string& zkey, const PartitionJson& json) {
  const auto key = must(files::ZkeyFile::open(zkey));
  const auto proof = must(files::parse_proof(json.proof, "proof.json"));
  std::vector<msm::Scalar> inputs;
  for (const files::Integer& value : must(files::parse_publics(json.publics, "p.json", C::kId)))
    inputs.push_back({value[0], value[1], value[2], value[3]});
  return groth16::verify(groth16::verifying_key<C>(key.key()), std::span<const msm::Scalar>(inputs),
                         groth16::from_text<C>(proof))
      .valid;
}

template <class C>
class Groth16WorkTest : public testing::Test {
 protected:
  static constexpr CurveId kCurve = C::kId;
};
using Curves = testing::Types<curve::Bn254, curve::Bls12_381>;
TYPED_TEST_SUITE(Groth16WorkTest, Curves);

TYPED_TEST(Groth16WorkTest, proofs_verify_under_every_setting) {
  const Folder folder;
  const auto source = make_key(folder, "dense", small_dense(TypeParam::kId));
  const auto circuit = must(Circuit::open(source));
  const Settings settings[] = {
      {},
      {.compiled = false},
      {.compiled = false, .lc_pool = false, .lc_inline = 2, .presize = false},
      {.presize = false, .g2 = G2::parallel},
      {.window = 3},
      {.g2 = G2::parallel, .window = 11, .prove_threads = 3}};
  for (const Settings& setting : settings) {
    const auto work = work_with(setting);
    const auto job = must(Groth16Job::from_seed(circuit, 5, 2));
    Steps steps(*work, job);
    ASSERT_TRUE(steps.load());
    const auto proof = steps.prove_all();
    ASSERT_TRUE(proof) << proof.error().to_text();
    const auto good = steps.check(*proof);
    EXPECT_TRUE(good) << good.error().to_text();
    const auto json = must(to_json(*job, *proof));
    ASSERT_EQ(json.size(), 2u);
    for (const PartitionJson& part : json) EXPECT_TRUE(verifies<TypeParam>(source.key_path, part));
    EXPECT_NE(json[0].publics, json[1].publics);
  }
}

// What one step of the engine hands to the next, with and without matrices.
TYPED_TEST(Groth16WorkTest, matrices_and_builders_say_the_same) {
  using circuit::Kind;
  const Folder folder;
  std::vector<circuit::Request> requests = {
      small_dense(TypeParam::kId),
      small_poseidon(TypeParam::kId),
      {.kind = Kind::sha256, .curve = TypeParam::kId, .bits = 8}};
  if (TypeParam::kId == CurveId::bn254)  // its key takes longest
    requests.push_back({.kind = Kind::porep, .curve = TypeParam::kId, .depth = 2});
  for (const circuit::Request& request : requests) {
    const std::string name(circuit::kind_name(request.kind));
    const auto circuit = must(Circuit::open(make_key(folder, name, request)));
    const auto job = must(Groth16Job::from_seed(circuit, 9, 2));
    std::vector<std::unique_ptr<Assignment>> made;
    for (const Settings& settings :
         {Settings{}, Settings{.presize = false}, Settings{.compiled = false, .lc_inline = 1}}) {
      const auto work = work_with(settings);
      Steps steps(*work, job);
      ASSERT_TRUE(steps.load());
      made.push_back(must(steps.synthesize(1)));
    }
    const auto& first = static_cast<const Synthesised<TypeParam>&>(*made[0]);
    EXPECT_EQ(first.rows.a.size(), circuit->domain());
    for (const auto& other : made) {
      const auto& second = static_cast<const Synthesised<TypeParam>&>(*other);
      EXPECT_EQ(first.witness, second.witness) << name;
      EXPECT_EQ(first.rows.a, second.rows.a) << name;
      EXPECT_EQ(first.rows.b, second.rows.b) << name;
      EXPECT_EQ(first.rows.c, second.rows.c) << name;
    }
  }
}

// Where the system allows it, locking changes nothing; where not, the way out is said.
TYPED_TEST(Groth16WorkTest, pinned_vectors) {
  const Folder folder;
  const auto circuit = must(Circuit::open(make_key(folder, "dense", small_dense(TypeParam::kId))));
  for (const Settings& settings : {Settings{.pin = true}, Settings{.presize = false, .pin = true},
                                   Settings{.compiled = false, .pin = true}}) {
    const auto work = work_with(settings);
    Steps steps(*work, must(Groth16Job::from_seed(circuit, 5, 1)));
    ASSERT_TRUE(steps.load());
    const auto proof = steps.prove_all();
    if (proof) {
      EXPECT_TRUE(steps.check(*proof));
    } else {
      EXPECT_NE(proof.error().what.find("RLIMIT_MEMLOCK"), std::string::npos);
      EXPECT_NE(proof.error().hint.find("ulimit -l"), std::string::npos);
    }
  }
}

TYPED_TEST(Groth16WorkTest, witnesses_from_outside) {
  const Folder folder;
  const auto source = make_key(folder, "poseidon", small_poseidon(TypeParam::kId));
  const auto circuit = must(Circuit::open(source));
  const auto witness = read_witness(folder / "poseidon.wtns");
  EXPECT_EQ(witness->size(), circuit->witness_bytes());
  const auto work = work_with();
  const auto job = must(Groth16Job::from_witnesses(circuit, {witness, witness, witness}));
  Steps steps(*work, job);
  ASSERT_TRUE(steps.load());
  const auto proof = must(steps.prove_all());
  const auto good = steps.check(proof);
  EXPECT_TRUE(good) << good.error().to_text();
  const auto key = must(files::ZkeyFile::open(source.key_path));
  const auto file = must(files::WtnsFile::open(folder / "poseidon.wtns"));
  const auto proven = must(groth16::prove(key.key(), "k", file.witness(), "w", {}));
  for (const PartitionJson& part : must(to_json(*job, proof))) {
    EXPECT_TRUE(verifies<TypeParam>(source.key_path, part));
    EXPECT_EQ(part.publics, files::to_json(proven.publics));
  }
}

TYPED_TEST(Groth16WorkTest, jobs_go_through_the_engine) {
  const Folder folder;
  const auto dense = must(Circuit::open(make_key(folder, "dense", small_dense(TypeParam::kId))));
  const auto poseidon =
      must(Circuit::open(make_key(folder, "poseidon", small_poseidon(TypeParam::kId))));
  for (const bool compiled : {true, false}) {
    const auto work = work_with({.compiled = compiled});
    Timeline timeline;
    ResidentMemory resident;
    const Options options{.partition_workers = 3, .prove_workers = 2};
    auto engine = must(Engine::start(options, *work, *work, timeline, resident));
    std::mutex mutex;
    std::vector<std::pair<std::shared_ptr<const Groth16Job>, JobOutcome>> outcomes;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const auto job = must(Groth16Job::from_seed(seed % 2 == 0 ? dense : poseidon, 10 * seed, 3));
      const auto id = engine->submit({.partitions = 3, .input = job}, [&, job](JobOutcome outcome) {
        const std::lock_guard lock(mutex);
        outcomes.emplace_back(job, std::move(outcome));
      });
      ASSERT_TRUE(id) << id.error().to_text();
    }
    engine->drain();
    ASSERT_EQ(outcomes.size(), 4u);
    for (const auto& [job, outcome] : outcomes) {
      ASSERT_TRUE(outcome.proof) << outcome.error->to_text();
      for (const PartitionJson& part : must(to_json(*job, *outcome.proof)))
        EXPECT_TRUE(verifies<TypeParam>(job->circuit().source().key_path, part));
    }
  }
}

}  // namespace
}  // namespace prover::work
