// SPDX-License-Identifier: Apache-2.0
// The way of a proof through the program, and every way to leave it.
#include <gtest/gtest.h>

#include <cctype>
#include <csignal>
#include <fstream>
#include <iterator>

#include "prover/cli/program_support.hpp"
#include "prover/files/zkey.hpp"

namespace prover::cli {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Proofs : public InFolder {
 protected:
  // Circuit, witness and key, and nothing but the key's warning is said.
  void make(const std::vector<std::string>& words) {
    ASSERT_EQ(circuit("poseidon", words).status, 0);
    const Finished made = run({.words = {"setup", path("c.r1cs"), path("k.zkey"), "--seed", "7"}});
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.out, "");
    EXPECT_TRUE(has(made.err, "prover: warning: ")) << made.err;
    EXPECT_TRUE(has(made.err, "k.zkey is INSECURE: its trapdoor follows from the seed"));
  }
  Finished prove(std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"prove", path("k.zkey"), path("w.wtns"), path("proof.json"), path("public.json")});
    return run({.words = more});
  }
  Finished verify() {
    return run({.words = {"verify", path("v.json"), path("public.json"), path("proof.json")}});
  }
  // The witness's last value becomes another.
  void spoil_witness() {
    std::string bytes = content(path("w.wtns"));
    bytes[bytes.size() - 32] = static_cast<char>(bytes[bytes.size() - 32] ^ 2);
    std::ofstream(path("w.wtns"), std::ios::binary) << bytes;
  }
  // Whether the process has a new file open: one without a name, or where the file system has none
  // of these, a third one in the folder.
  bool is_writing(pid_t pid) {
    std::error_code error;
    const std::filesystem::path fds = "/proc/" + std::to_string(pid) + "/fd";
    for (std::filesystem::directory_iterator it(fds, error), end; !error && it != end;
         it.increment(error))
      if (const std::string file = std::filesystem::read_symlink(it->path(), error).string();
          file.starts_with(path("")) &&
          has(file, " (deleted)"))  // the sanitizer has such files too
        return true;
    return files() != 2;
  }
  bool exists(const char* name) { return std::filesystem::exists(path(name)); }
};

TEST_F(Proofs, AreMadeAndVerifiedOnBothCurves) {
  for (const char* curve : {"bn254", "bls12-381"}) {
    make({"--curve", curve, "--depth", "1"});
    EXPECT_EQ(run({.words = {"check", path("k.zkey")}}).status, 0);
    EXPECT_EQ(run({.words = {"vkey", path("k.zkey"), path("v.json")}}).status, 0);
    const Finished proved = prove({"--check-witness", path("c.r1cs"), "--threads", "2"});
    EXPECT_EQ(proved.status, 0) << proved.err;
    EXPECT_TRUE(has(proved.out, std::string("proved and verified: ") + curve)) << proved.out;
    EXPECT_TRUE(has(proved.out, "msm_b2")) << proved.out;
    const Finished verified = verify();
    EXPECT_EQ(verified.status, 0) << verified.err;
    EXPECT_EQ(verified.out, "the proof is valid\n");
    EXPECT_EQ(verified.err, "");
    for (const char* name : {"k.zkey", "proof.json", "public.json", "v.json"})
      EXPECT_EQ(run({.words = {"info", path(name)}}).status, 0) << name;
  }
}

TEST_F(Proofs, OfSomethingElseAreNotValid) {
  make({"--depth", "1"});
  ASSERT_EQ(run({.words = {"vkey", path("k.zkey"), path("v.json")}}).status, 0);
  ASSERT_EQ(prove().status, 0);
  std::ofstream(path("public.json")) << "[\"1\"]\n";
  const Finished invalid = verify();
  EXPECT_EQ(invalid.status, 1);
  EXPECT_EQ(invalid.out, "the proof is NOT valid: the pairing equation does not hold\n");
  std::ofstream(path("public.json")) << "[\"1\", \"2\"]\n";
  const Finished misfit = verify();
  EXPECT_EQ(misfit.status, 2);
  EXPECT_TRUE(has(misfit.err,
                  "public.json: there are 2 public values, and the verification key "
                  "is for 1"))
      << misfit.err;
  const Finished json =
      run({.words = {"verify", path("v.json"), path("public.json"), path("proof.json"), "--json"}});
  EXPECT_EQ(json.status, 2);
  EXPECT_EQ(json.out, "");
}

TEST_F(Proofs, AWitnessThatFailsGivesNoneAndIsNotShown) {
  make({"--depth", "1"});
  spoil_witness();
  const Finished checked = prove({"--check-witness", path("c.r1cs")});
  EXPECT_EQ(checked.status, 2);
  EXPECT_TRUE(has(checked.err, "w.wtns: constraint ")) << checked.err;
  EXPECT_TRUE(has(checked.err, " is not satisfied: A (")) << checked.err;
  const Finished unchecked = prove();
  EXPECT_EQ(unchecked.status, 2) << unchecked.err;
  EXPECT_FALSE(exists("proof.json"));
  EXPECT_FALSE(exists("public.json"));
  // No number in a message is as long as a value of the witness.
  for (const std::string& text : {checked.err, unchecked.err}) {
    std::size_t digits = 0;
    for (const char c : text) {
      digits = std::isxdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
      EXPECT_LT(digits, 16u) << text;
    }
  }
}

TEST_F(Proofs, BadFilesAreNamed) {
  make({"--depth", "1"});
  const std::string key = content(path("k.zkey"));
  std::ofstream(path("k.zkey"), std::ios::binary) << key.substr(0, key.size() - 5);
  for (const char* command : {"check", "info"}) {
    const Finished torn = run({.words = {command, path("k.zkey")}});
    EXPECT_EQ(torn.status, 2);
    EXPECT_TRUE(has(torn.err, "k.zkey: section ")) << torn.err;
  }
  EXPECT_EQ(prove().status, 2);
  std::string flipped = key;
  flipped[key.size() - 1000] = static_cast<char>(flipped[key.size() - 1000] ^ 1);
  std::ofstream(path("k.zkey"), std::ios::binary) << flipped;
  const Finished unsound = run({.words = {"check", path("k.zkey")}});
  EXPECT_EQ(unsound.status, 2);
  EXPECT_TRUE(has(unsound.err, "k.zkey: section ")) << unsound.err;
  EXPECT_TRUE(has(unsound.err, "offset ")) << unsound.err;
  const Finished missing = run({.words = {"setup", path("none.r1cs"), path("k2.zkey")}});
  EXPECT_EQ(missing.status, 2);
  EXPECT_TRUE(has(missing.err, "none.r1cs")) << missing.err;
  EXPECT_FALSE(exists("k2.zkey"));
}

TEST_F(Proofs, ReportAsJson) {
  make({"--depth", "1"});
  const Finished alone = prove({"--json", "-"});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_TRUE(alone.out.starts_with("{\n \"schema_version\": 1,\n \"kind\": \"prover-prove\""));
  EXPECT_EQ(prove({"--json", path("report.json")}).status, 0);
  EXPECT_TRUE(has(content(path("report.json")), "\"open_s\": "));
}

TEST_F(Proofs, AFullDiskIsAFailure) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  make({"--depth", "1"});
  const Finished full =
      run({.words = {"prove", path("k.zkey"), path("w.wtns"), "/dev/full", path("public.json")}});
  EXPECT_EQ(full.status, 3);
  EXPECT_TRUE(has(full.err, "/dev/full")) << full.err;
}

// Setup is interrupted as soon as it has begun to write.
TEST_F(Proofs, AReportIsWrittenOverNothingElse) {
  make({"--depth", "1"});
  for (const char* name : {"k.zkey", "w.wtns", "c.r1cs", "proof.json", "public.json"}) {
    const Finished refused = prove({"--check-witness", path("c.r1cs"), "--json", path(name)});
    EXPECT_EQ(refused.status, 2) << name;
    EXPECT_TRUE(has(refused.err, name)) << refused.err;
  }
  EXPECT_EQ(prove().status, 0);
}

TEST_F(Proofs, AKeyThatDoesNotFitASatisfyingWitnessIsNamed) {
  make({"--depth", "1"});
  std::string bytes = content(path("k.zkey"));
  {
    const auto key = files::ZkeyFile::open(path("k.zkey"));
    ASSERT_TRUE(key);
    std::uint32_t i = 0;  // of the wire that is always 1: others may be 0, and then it is all one
    while (key->key().coefficients[i].wire != 0) ++i;
    bytes[static_cast<std::size_t>(key->key().coefficients[i].value -
                                   key->file().bytes().data())] ^= 1;
  }
  std::ofstream(path("k.zkey"), std::ios::binary) << bytes;
  const Finished refused = prove({"--check-witness", path("c.r1cs")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(has(refused.err, "k.zkey: the finished proof does not verify")) << refused.err;
  EXPECT_TRUE(has(refused.err, "the witness satisfies ")) << refused.err;
  EXPECT_FALSE(exists("proof.json"));
}

TEST_F(Proofs, AnInterruptedSetupLeavesNothing) {
  ASSERT_EQ(circuit("dense", {"--constraints", "120000"}).status, 0);
  const pid_t pid = fork();
  if (pid == 0) {
    execl(PROVER_PROGRAM, PROVER_PROGRAM, "setup", path("c.r1cs").c_str(), path("k.zkey").c_str(),
          "--threads", "1", nullptr);
    _exit(127);
  }
  int status = 0;
  while (!is_writing(pid) && waitpid(pid, &status, WNOHANG) == 0) usleep(1000);
  kill(pid, SIGINT);
  waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(files(), 2u) << "circuit and witness";
}

}  // namespace
}  // namespace prover::cli
