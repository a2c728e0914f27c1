// SPDX-License-Identifier: Apache-2.0
// The program as its users see it: what it prints, how it exits, how it dies of memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "prover/base/sanitized.hpp"
#include "prover/cli/program_support.hpp"

namespace prover::cli {
namespace {

std::vector<std::string> batch(std::vector<std::string> more) {
  more.insert(more.begin(), {"bench", "batch", "--work", "synthetic"});
  return more;
}

TEST(Program, ExitsAsItsHelpSays) {
  const struct {
    std::vector<std::string> words;
    int status;
    const char* part;  // of what it printed
  } cases[] = {
      {{"--help"}, 0, "usage: prover COMMAND"},
      {{"help"}, 0, "usage: prover COMMAND"},
      {{"--version"}, 0, "prover 0."},
      {{"help", "prove"}, 0, "usage: prover prove KEY.zkey"},
      {{"help", "circuit"}, 0, "circuit sha256"},
      {{"help", "circuit", "sha256"}, 0, "--bits N"},
      {{"help", "cirquit"}, 2, "did you mean 'circuit'?"},
      {{"circuit", "dense", "--r1cs", "a", "--wtns", "a"}, 2, "a: two results would be written"},
      {{"bench", "--help"}, 0, "bench batch"},
      {{"circuit", "-h"}, 0, "circuit sha256"},
      {{"circuit", "dense", "-h"}, 0, "--constraints N"},
      {{"bench", "batch", "--help"}, 0, "--permit-scope send|synthesis"},
      {{"completion", "bash"}, 0, "complete -F _prover prover"},
      {{}, 2, "a command is needed"},
      {{"porve"}, 2, "'porve' is no command"},
      {{"bench"}, 2, "bench needs to know what"},
      {{"bench", "signle"}, 2, "did you mean 'single'?"},
      {{"bench", "loop", "--memory-budget", "1GiB"}, 2, "there is no option '--memory-budget'"},
      {{"bench", "stages", "--work", "synthetic"}, 2, "synthetic work has nothing to look into"},
      {{"circuit", "dense"}, 2, "neither --r1cs nor --wtns is given"},
      {{"circuit", "dense", "--constraints", "0", "--wtns", "/dev/null"},
       2,
       "--constraints: 0 is out of range"},
      {{"circuit", "dense", "--constraints", "9", "--r1cs", "/nonexistent/c"}, 2, "/nonexistent/c"},
      {{"info"}, 2, "FILE is missing"},
      {{"info", "/nonexistent/k.zkey"}, 2, "/nonexistent/k.zkey"},
      {{"bench", "batch", "--lookahaed", "1"}, 2, "did you mean '--lookahead'?"},
      {{"bench", "batch", "--work", "synthetic", "--memory-budget", "1GiB", "--partition-mib",
        "100000"},
       2,
       "it would never run: give at least"},
      {{"bench", "batch", "--timeline", "/nonexistent/t"}, 2, "cannot write this file"},
      {{"bench", "batch", "--json", "/nonexistent/t"}, 2, "cannot write this file"},
  };
  for (const auto& one : cases) {
    const Finished result = run({.words = one.words});
    EXPECT_EQ(result.status, one.status) << result.err;
    EXPECT_TRUE(has(one.status == 0 ? result.out : result.err, one.part)) << result.err;
    if (one.status != 0) {
      EXPECT_EQ(result.out, "");
    }
  }
}

TEST(Program, ReportsOnStandardOutputAlone) {
  const Finished result =
      run({.words = batch({"-c", "3", "--partitions", "4", "--synth-ms", "1", "--prove-ms", "1",
                           "--finish-ms", "0", "--partition-mib", "1", "--assay-metrics",
                           "--timeline", "-"})});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(
      has(result.out, "partitions  3 x 4 = 12 asked, 12 proved, 12 in the proofs: complete"));
  EXPECT_TRUE(has(result.out, "\nASSAY throughput="));
  EXPECT_TRUE(has(result.out, "TIMELINE-SETTING effective_permit_scope=send\n"));
  const auto count = [&](const std::string& event) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = result.out.find("," + event + ",", at)) != std::string::npos;
         ++at)
      ++found;
    return found;
  };
  for (const char* event : {"SYNTH_START", "SYNTH_END", "CHAN_SEND", "GPU_QUEUE", "GPU_PICKUP",
                            "GPU_START", "GPU_FINISH", "GPU_END"})
    EXPECT_EQ(count(event), 12u) << event;
}

TEST(Program, ATimelineThatIsLostFailsTheRun) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const Finished result =
      run({.words = batch({"-c", "1", "--partitions", "1", "--synth-ms", "0", "--prove-ms", "0",
                           "--finish-ms", "0", "--timeline", "/dev/full"})});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(has(result.err, "lines were lost or torn: No space left on device")) << result.err;
}

TEST_F(InFolder, CircuitsAreWrittenAndDescribed) {
  const struct {
    const char* kind;
    std::vector<std::string> words;
    const char* text;
  } cases[] = {
      {"dense",
       {"--constraints", "100"},
       "dense on bn254: 100 constraints, 102 wires, 1 public; domain 2^7\n"},
      {"poseidon",
       {"--curve", "bls12-381", "--depth", "2"},
       "poseidon on bls12-381: 484 constraints, 488 wires, 1 public; domain 2^9\n"},
      {"sha256",
       {"--bits", "8", "--json"},
       "\"constraints\": 28755,\n \"wires\": 28448,\n \"publics\": 256,\n \"domain\": 32768\n}\n"},
  };
  for (const auto& one : cases) {
    const Finished made = circuit(one.kind, one.words);
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.err, "");
    EXPECT_TRUE(has(made.out, one.text)) << made.out;
    EXPECT_EQ(files(), 2u) << "nothing temporary stays";
    for (const char* name : {"c.r1cs", "w.wtns"}) {
      const Finished info = run({.words = {"info", path(name)}});
      EXPECT_EQ(info.status, 0) << info.err;
      EXPECT_FALSE(info.out.empty());
    }
  }
}

TEST_F(InFolder, TheSameSeedWritesTheSameFiles) {
  const auto content = [&](const char* name) {
    std::ifstream file(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::string r1cs, wtns;
  for (const char* seed : {"4", "4", "5"}) {
    ASSERT_EQ(circuit("porep", {"--depth", "1", "--seed", seed}).status, 0);
    if (!r1cs.empty()) {
      EXPECT_EQ(content("c.r1cs") == r1cs, true) << "the circuit has no seed in it";
      EXPECT_EQ(content("w.wtns") == wtns, std::string(seed) == "4");
    }
    r1cs = content("c.r1cs");
    wtns = content("w.wtns");
  }
}

TEST(Program, RefusesAnUnknownInstructionSet) {
  setenv("PROVER_ISA", "avx3", 1);
  const Finished result = run({.words = {"--version"}});
  unsetenv("PROVER_ISA");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(has(result.err, "'avx3' is no instruction set")) << result.err;
}

TEST(Program, AFullDiskFailsAResult) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(full, 1);
    dup2(open("/dev/null", O_WRONLY), 2);
    execl(PROVER_PROGRAM, PROVER_PROGRAM, "--help", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  close(full);
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

// The first line of the timeline says that it runs.
TEST(Program, SigtermDrains) {
  const Finished result = run({.words = batch({"-c", "100000", "-j", "2", "--partitions", "2",
                                               "--synth-ms", "1", "--prove-ms", "1", "--finish-ms",
                                               "0", "--partition-mib", "0", "--timeline", "-"}),
                               .on_first_line = [](pid_t pid) { kill(pid, SIGTERM); }});
  EXPECT_EQ(result.status, 128 + SIGTERM);
  EXPECT_TRUE(has(result.err, "no new jobs; those in flight end")) << result.err;
  EXPECT_TRUE(has(result.out, "in the proofs: INCOMPLETE"));
  EXPECT_FALSE(has(result.out, "cancelled"));
}

constexpr rlim_t kDataLimit = rlim_t{200} << 20;

// The failure that a permit released before its send leads to, and its repair, under one limit: the
// leak would hold nearly 400 MiB, the repaired pipeline holds 80.
TEST(Program, AnEarlyPermitDiesOfMemoryWhereAPermitThroughTheSendDoesNot) {
#if defined(PROVER_SANITIZED)
  GTEST_SKIP() << "the sanitizer's own memory is beyond the limit of this test";
#endif
  const std::vector<std::string> common = {
      "-c", "4", "--partitions", "10", "--synth-ms", "20", "--prove-ms", "50", "--finish-ms", "5"};
  auto leaking = batch(common), repaired = batch(common);
  leaking.insert(leaking.end(), {"--channel", "1", "--permit-scope", "synthesis"});
  repaired.insert(repaired.end(), {"--channel", "auto", "--permit-scope", "send"});

  const Finished dead = run({.words = leaking, .data_limit = kDataLimit});
  EXPECT_EQ(dead.status, 3) << dead.out;
  EXPECT_TRUE(has(dead.err, "out of memory: synthesis of partition ")) << dead.err;
  EXPECT_TRUE(has(dead.err, "(RLIMIT_DATA is 200 MiB)")) << dead.err;
  EXPECT_TRUE(has(dead.err, "finished and not sent")) << dead.err;
  EXPECT_TRUE(has(dead.out, "partitions  4 x 10 = 40 asked, ")) << dead.out;
  EXPECT_TRUE(has(dead.out, "INCOMPLETE")) << dead.out;

  const Finished alive = run({.words = repaired, .data_limit = kDataLimit});
  EXPECT_EQ(alive.status, 0) << alive.err;
  EXPECT_TRUE(
      has(alive.out, "partitions  4 x 10 = 40 asked, 40 proved, 40 in the proofs: complete"));
}

}  // namespace
}  // namespace prover::cli
