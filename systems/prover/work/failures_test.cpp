// SPDX-License-Identifier: Apache-2.0
// What is wrong is refused where it is seen first, by name, and proofs that are not of a job's
// partitions are found by the check.
#include <fstream>

#include "prover/circuit/sha256_native.hpp"
#include "prover/engine/engine.hpp"
#include "prover/work/testing.hpp"

namespace prover::work {
namespace {

using circuit::kind_name;

// A key and a witness of the small dense circuit, and a Work.
class WorkFailures : public testing::Test {
 protected:
  WorkFailures()
      : source_(make_key(folder_, "dense", small_dense(CurveId::bn254))),
        witness_path_(folder_ / "dense.wtns") {}

  std::shared_ptr<const Circuit> circuit() const { return must(Circuit::open(source_)); }
  WitnessFile witness() const { return read_witness(witness_path_); }
  // With other bytes for the value of a wire.
  WitnessFile witness_with(std::uint32_t wire, const std::string& value) const {
    std::vector<std::byte> bytes = *witness();
    const auto file = must(files::Wtns::parse(bytes, "w"));
    std::byte* const at = bytes.data() + (file.value(wire) - bytes.data());
    std::copy_n(std::as_bytes(std::span(value)).data(), value.size(), at);
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  }
  // Overwrites a byte of the key within one of its sections; gives its offset in the file.
  std::uint64_t damage(files::Bytes (*section)(const files::Zkey&), std::uint64_t at) const {
    const auto file = must(files::ZkeyFile::open(source_.key_path));
    const auto offset =
        static_cast<std::uint64_t>(section(file.key()).data() - file.file().bytes().data()) + at;
    std::fstream out(source_.key_path, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(offset));
    out.put('\xfe');
    return offset;
  }
  Result<void> load_error() const {
    Steps steps(*work_, must(Groth16Job::from_seed(circuit(), 1, 1)));
    return steps.load();
  }

  const Folder folder_;
  const CircuitSource source_;
  const std::string witness_path_;
  const std::unique_ptr<Groth16Work> work_ = must(Groth16Work::create({}));
};

TEST_F(WorkFailures, a_value_that_is_none_is_named) {
  const auto job = must(
      Groth16Job::from_witnesses(circuit(), {witness(), witness_with(5, std::string(32, '\xff'))}));
  Steps steps(*work_, job);
  ASSERT_TRUE(steps.load());
  EXPECT_TRUE(steps.prove(0));
  const auto part = steps.prove(1);
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().kind, ErrorKind::usage);
  EXPECT_EQ(part.error().what,
            "witness 1: section 2 (values), offset 236: the value of wire 5 is not below the "
            "field's prime");
}

TEST_F(WorkFailures, a_witness_that_does_not_satisfy_the_circuit_ends_its_job_alone) {
  Timeline timeline;
  ResidentMemory resident;
  auto engine = must(Engine::start({}, *work_, *work_, timeline, resident));
  std::mutex mutex;
  std::vector<JobOutcome> outcomes(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto second = i == 0 ? witness_with(4, "lie") : witness();
    const auto job = must(Groth16Job::from_witnesses(circuit(), {witness(), second}));
    must(engine->submit({.partitions = 2, .input = job}, [&, i](JobOutcome outcome) {
      const std::lock_guard lock(mutex);
      outcomes[i] = std::move(outcome);
    }));
  }
  engine->drain();
  ASSERT_TRUE(outcomes[0].error);
  EXPECT_EQ(outcomes[0].error->kind, ErrorKind::self_check);
  EXPECT_NE(outcomes[0].error->what.find("partition 1: the finished proof does not verify"),
            std::string::npos)
      << outcomes[0].error->to_text();
  EXPECT_FALSE(outcomes[0].proof);
  EXPECT_TRUE(outcomes[1].proof);
}

TEST_F(WorkFailures, damaged_points_are_named_when_the_key_is_loaded) {
  const auto offset = damage([](const files::Zkey& key) { return key.b1; }, 2 * 64);
  const auto loaded = load_error();
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().what, "point 2 is not on the curve");
  EXPECT_EQ(loaded.error().where,
            source_.key_path + ": section 6 (b1), offset " + std::to_string(offset));
}

TEST_F(WorkFailures, damaged_coefficients_are_named_when_the_matrices_are_loaded) {
  // The wire of the first becomes a number that no wire has.
  damage([](const files::Zkey& key) { return key.coefficients.records(); }, 11);
  const auto loaded = load_error();
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().where.find("section 4 (coefficients), offset "), std::string::npos)
      << loaded.error().to_text();
}

TEST_F(WorkFailures, a_damaged_header_is_refused_at_once) {
  damage([](const files::Zkey& key) { return key.gamma2; }, 7);
  const auto opened = Circuit::open(source_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().where, source_.key_path);
}

TEST_F(WorkFailures, only_the_pinned_key_is_taken) {
  const auto bytes = read_witness(source_.key_path);
  const auto digest =
      circuit::sha256({reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()});
  std::string hexadecimal;
  for (const std::uint8_t byte : digest) {
    hexadecimal += "0123456789ABCDEF"[byte >> 4];
    hexadecimal += "0123456789abcdef"[byte & 15];
  }
  CircuitSource pinned = source_;
  pinned.sha256 = hexadecimal;
  const auto opened = Circuit::open(pinned);
  ASSERT_TRUE(opened) << opened.error().to_text();
  Steps steps(*work_, must(Groth16Job::from_seed(*opened, 1, 1)));
  EXPECT_TRUE(steps.load());

  // Changed after it was opened, in a place that nobody reads: found when it is loaded.
  damage([](const files::Zkey& key) { return key.ic; }, 0);
  Steps again(*work_, must(Groth16Job::from_seed(*opened, 1, 1)));
  const auto loaded = again.load();
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().what.find("its SHA-256 is "), std::string::npos);
  EXPECT_EQ(loaded.error().where, source_.key_path);

  EXPECT_FALSE(Circuit::open(pinned));
  for (const std::string& bad : {std::string(63, 'a'), std::string(64, 'g')}) {
    pinned.sha256 = bad;
    EXPECT_EQ(Circuit::open(pinned).error().where, "sha256");
  }
}

TEST_F(WorkFailures, keys_and_witnesses_of_other_circuits) {
  CircuitSource other = source_;
  other.builder = small_poseidon(CurveId::bn254);
  EXPECT_NE(Circuit::open(other).error().what.find("the poseidon circuit has"), std::string::npos);
  other.builder = small_dense(CurveId::bls12_381);
  EXPECT_NE(Circuit::open(other).error().what.find("is one of bn254"), std::string::npos);
  make_key(folder_, "longer", small_dense(CurveId::bn254, 61));
  const auto job =
      Groth16Job::from_witnesses(circuit(), {witness(), read_witness(folder_ / "longer.wtns")});
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().where, "witness 1");
  EXPECT_EQ(job.error().what, "the witness has 63 wires, circuit 'dense' has 62");
  EXPECT_FALSE(Groth16Job::from_witnesses(circuit(), {}));
  EXPECT_FALSE(Groth16Job::from_witnesses(circuit(), {nullptr}));
  for (const std::string& name : {std::string(), std::string("a b"), std::string(65, 'a')}) {
    other = source_;
    other.name = name;
    EXPECT_EQ(Circuit::open(other).error().where, "name");
  }
}

TEST_F(WorkFailures, without_a_builder_jobs_bring_witnesses_and_compiled_stays_on) {
  CircuitSource plain = source_;
  plain.builder.reset();
  const auto opened = must(Circuit::open(plain));
  EXPECT_EQ(Groth16Job::from_seed(opened, 1, 1).error().kind, ErrorKind::usage);
  const auto work = must(Groth16Work::create({.compiled = false}));
  Steps steps(*work, must(Groth16Job::from_witnesses(opened, {witness()})));
  ASSERT_TRUE(steps.load());
  const auto part = steps.prove(0);
  ASSERT_FALSE(part);
  EXPECT_NE(part.error().what.find("--compiled off"), std::string::npos) << part.error().what;
  Steps compiled(*work_, must(Groth16Job::from_witnesses(opened, {witness()})));
  ASSERT_TRUE(compiled.load());
  EXPECT_TRUE(compiled.check(must(compiled.prove_all())));
}

TEST_F(WorkFailures, a_proof_of_another_job_is_no_proof_of_this_one) {
  const auto opened = circuit();
  Steps one(*work_, must(Groth16Job::from_seed(opened, 1, 2)));
  Steps two(*work_, must(Groth16Job::from_seed(opened, 11, 2)));
  ASSERT_TRUE(one.load());
  ASSERT_TRUE(two.load());
  const Proof first = must(one.prove_all()), second = must(two.prove_all());
  const std::size_t size = first.bytes.size() / 2;
  const auto refused = [&](Steps& steps, const Proof& proof, const std::string& why) {
    const auto checked = steps.check(proof);
    ASSERT_FALSE(checked) << why;
    EXPECT_EQ(checked.error().kind, ErrorKind::self_check);
    EXPECT_NE(checked.error().what.find(why), std::string::npos) << checked.error().to_text();
  };
  refused(one, second, "partition 0: the proof is about other public values");
  Proof mixed = first;  // its first part, and the other job's second
  std::copy(second.bytes.begin() + static_cast<std::ptrdiff_t>(size), second.bytes.end(),
            mixed.bytes.begin() + static_cast<std::ptrdiff_t>(size));
  refused(one, mixed, "partition 1: the proof is about other public values");
  Proof swapped = first;
  std::rotate(swapped.bytes.begin(), swapped.bytes.begin() + static_cast<std::ptrdiff_t>(size),
              swapped.bytes.end());
  refused(one, swapped, "partition 0: the proof is about other public values");
  // The right public values with the points of another proof.
  Proof relabelled = first;
  std::copy_n(second.bytes.begin(), 256, relabelled.bytes.begin());
  refused(one, relabelled, "partition 0: the finished proof does not verify");
  Proof broken = first;
  std::fill_n(broken.bytes.begin(), 32, std::uint8_t{255});
  refused(one, broken, "partition 0: a coordinate is not below the prime");
  Proof shorter = first;
  shorter.bytes.pop_back();
  refused(one, shorter, "bytes for 2 partitions");
  EXPECT_FALSE(to_json(static_cast<const Groth16Job&>(*one.spec().input), shorter));
  EXPECT_FALSE(to_json(static_cast<const Groth16Job&>(*one.spec().input), broken));

  // Several claims in one equation, each with its own answer.
  const Claim claims[] = {{one.spec(), first}, {two.spec(), relabelled}, {two.spec(), second}};
  const auto answers = work_->check(claims);
  EXPECT_TRUE(answers[0]);
  EXPECT_FALSE(answers[1]);
  EXPECT_TRUE(answers[2]);
  // A job that was proved before a restart: its public values are found again.
  Steps later(*work_, must(Groth16Job::from_seed(opened, 1, 2)));
  EXPECT_TRUE(later.check(first));
  EXPECT_FALSE(later.check(second));
}

TEST_F(WorkFailures, cancelled_steps_end_early) {
  std::stop_source stop;
  stop.request_stop();
  for (const G2 g2 : {G2::serial, G2::parallel}) {
    const auto work = must(Groth16Work::create({.g2 = g2}));
    Steps steps(*work, must(Groth16Job::from_seed(circuit(), 1, 1)));
    ASSERT_TRUE(steps.load());
    EXPECT_EQ(work->synthesize(steps.source(0), stop.get_token()).error().kind,
              ErrorKind::cancelled);
    auto device = must(work->upload(steps.source(0), must(steps.synthesize(0))));
    EXPECT_EQ(device->start(stop.get_token()).error().kind, ErrorKind::cancelled);
    device.reset();
    device = must(work->upload(steps.source(0), must(steps.synthesize(0))));
    ASSERT_TRUE(device->start({}));
    if (g2 == G2::serial) {
      EXPECT_EQ(device->finish(stop.get_token()).error().kind, ErrorKind::cancelled);
    }
  }
}

TEST_F(WorkFailures, settings_out_of_range) {
  for (const Settings& bad : {Settings{.window = 1}, Settings{.window = 17},
                              Settings{.prove_threads = 0}, Settings{.lc_inline = 3}})
    EXPECT_EQ(Groth16Work::create(bad).error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace prover::work
