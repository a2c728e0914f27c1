// SPDX-License-Identifier: Apache-2.0
#include "measure/counters.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/process.hpp"

namespace assay::measure {
namespace {

TEST(Callgrind, SumsTheTotals) {
  const std::string head =
      "# callgrind format\nversion: 1\nevents: Ir\nsummary: 9\n\nfn=(1) f\n0 9\n\n";
  EXPECT_EQ(parse_callgrind(head + "totals: 9\n").value(), 9);
  EXPECT_EQ(parse_callgrind(head + "totals: 9\n" + head + "totals: 33\n").value(), 42);
  EXPECT_EQ(parse_callgrind("events: Dr Ir\ntotals: 5 7\n").value(), 7);
  EXPECT_EQ(parse_callgrind("events: Dr Ir\ntotals: 5\n").value(), 0);
  EXPECT_EQ(parse_callgrind("events: Ir\r\ntotals: 7\r\n").value(), 7);
}

TEST(Callgrind, RefusesWhatIsTornOrStrange) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "the callgrind output is torn: it has no totals"},
      {"events: Ir\nsummary: 6125385\n", "the callgrind output is torn: it has no totals"},
      {"events: Ir\ntotals: 61", "the callgrind output is torn: it has no totals"},
      {"events: Dr\ntotals: 1\n", "callgrind did not count instructions (Ir): 'events: Dr'"},
      {"totals: 1\n", "totals before events: 'totals: 1'"},
      {"events: Ir\ntotals: \n", "these totals are no numbers: 'totals: '"},
      {"events: Ir\ntotals: 1x\n", "these totals are no numbers: 'totals: 1x'"},
      {"events: Ir\ntotals: -1\n", "these totals are no numbers: 'totals: -1'"}};
  for (const auto& [text, what] : cases) {
    const auto count = parse_callgrind(text);
    ASSERT_FALSE(count) << text;
    EXPECT_EQ(count.error().what, what);
  }
}

TEST(InstructionCounter, DoesNotPassOffAnEstimate) {
  using Count = InstructionCounter::Count;
  EXPECT_EQ(InstructionCounter::between(Count{5, 10, 10}, Count{12, 30, 30}), 7);
  EXPECT_EQ(InstructionCounter::between(Count{5, 10, 10}, Count{12, 30, 29}), std::nullopt);
  EXPECT_EQ(InstructionCounter::between(Count{5, 10, 10}, Count{5, 10, 10}), std::nullopt);
  EXPECT_EQ(InstructionCounter::between(Count{5, 10, 10}, Count{4, 30, 30}), std::nullopt);
}

TEST(InstructionCounter, CountsHereOrSaysWhyNot) {
  auto counter = InstructionCounter::attach(0);
  if (!counter) {
    EXPECT_EQ(counter.error().what.find("this machine counts no instructions: "), 0u);
    EXPECT_FALSE(counter.error().hint.empty());
    return;
  }
  const auto count = counter->take();
  if (count) {
    EXPECT_GT(*count, 0);
  }
}

// Keeps PATH and TMPDIR as they were.
class Exact : public testing::Test {
 protected:
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("TMPDIR");
  }
  static bool has_valgrind() { return ExactCounter::make().has_value(); }
  static double count(ExactCounter& counter, const std::vector<std::string>& argv) {
    ProcessRequest request;
    request.argv = counter.wrap(argv);
    const auto ended = run_process(request);
    EXPECT_TRUE(ended && ended->ok());
    const auto collected = counter.collect();
    EXPECT_TRUE(collected) << (collected ? "" : collected.error().to_text());
    return collected.value_or(-1);
  }
  const std::string path_ = std::getenv("PATH");
};

TEST_F(Exact, SaysHowToGetValgrind) {
  ::setenv("PATH", "/nowhere", 1);
  const auto counter = ExactCounter::make();
  ASSERT_FALSE(counter);
  EXPECT_EQ(counter.error().to_text(),
            Error({"valgrind is not installed, and exact counts need it", "",
                   "install it (Debian, Ubuntu: sudo apt install valgrind), or leave --exact out"})
                .to_text());
}

TEST_F(Exact, RemovesItsFolder) {
  if (!has_valgrind()) GTEST_SKIP() << "no valgrind";
  std::string folder = testing::TempDir() + "exact_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ::setenv("TMPDIR", folder.c_str(), 1);
  {
    auto first = ExactCounter::make();
    auto second = ExactCounter::make();
    ASSERT_TRUE(first && second);
    *first = std::move(*second);
    EXPECT_FALSE(std::filesystem::is_empty(folder));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST_F(Exact, CountsTheSameTwiceAndMoreForMore) {
  if (!has_valgrind()) GTEST_SKIP() << "no valgrind";
  auto counter = ExactCounter::make();
  const double once = count(*counter, {"/bin/true"});
  EXPECT_GT(once, 10'000);
  EXPECT_NEAR(count(*counter, {"/bin/true"}), once, once * 0.001);
  // A shell that forks: its own instructions count once, those of the two children come on top.
  const double shell = count(*counter, {"/bin/sh", "-c", ":"});
  const double twice = count(*counter, {"/bin/sh", "-c", "/bin/true; /bin/true; :"});
  EXPECT_GT(twice, shell + 2 * once * 0.99);
  EXPECT_LT(twice, shell + 2 * once + shell * 0.5);
}

TEST_F(Exact, ForksDoNotCountTheirParentAgain) {
  if (!has_valgrind()) GTEST_SKIP() << "no valgrind";
  auto counter = ExactCounter::make();
  const std::string loop = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; ";
  const double alone = count(*counter, {"/bin/sh", "-c", loop + ":"});
  const double forked = count(*counter, {"/bin/sh", "-c", loop + "(:); (:); (:)"});
  EXPECT_GT(forked, alone * 0.9);
  EXPECT_LT(forked, alone * 1.1);
}

// Stands in for valgrind: writes `counts` and `log` where it is told to.
void make_fake_valgrind(const std::string& folder, const std::string& counts,
                        const std::string& log) {
  std::ofstream(folder + "/valgrind") << "#!/bin/sh\n"
                                         "for word; do case $word in\n"
                                         "  --callgrind-out-file=*) out=${word#*=} ;;\n"
                                         "  --log-file=*) log=${word#*=} ;;\n"
                                         "esac; done\n"
                                         "printf '" +
                                             counts + "' > \"$out\"\nprintf '" + log +
                                             "' > \"$log\"\n";
  std::filesystem::permissions(folder + "/valgrind", std::filesystem::perms::owner_all);
}

TEST_F(Exact, ExplainsBadCounts) {
  std::string folder = testing::TempDir() + "exact_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ::setenv("PATH", (folder + ":" + path_).c_str(), 1);
  const auto what_of = [&](const std::string& counts, const std::string& log) {
    make_fake_valgrind(folder, counts, log);
    auto counter = ExactCounter::make();
    ProcessRequest request;
    request.argv = counter->wrap(std::vector<std::string>{"/bin/true"});
    EXPECT_TRUE(run_process(request));
    const auto count = counter->collect();
    EXPECT_FALSE(counter->collect());  // forgotten
    return count ? std::to_string(*count) : count.error().what;
  };
  EXPECT_EQ(what_of("events: Ir\\ntotals: 5\\n", "==7== all is well\\n"), "5.000000");
  EXPECT_NE(what_of("events: Ir\\ntotals: 5", "").find("the callgrind output is torn"),
            std::string::npos);
  EXPECT_EQ(
      what_of("events: Ir\\ntotals: 5\\n",
              "==7== \\n==7== Process terminating with default action of signal 4 (SIGILL)\\n"),
      "the program ended with SIGILL: valgrind may not know one of its instructions");
  std::filesystem::remove_all(folder);
}

TEST_F(Exact, ExplainsMissingCounts) {
  if (!has_valgrind()) GTEST_SKIP() << "no valgrind";
  auto counter = ExactCounter::make();
  const auto nothing = counter->collect();
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().what, "valgrind left no instruction counts");
  EXPECT_EQ(nothing.error().hint, "the command was killed, or never started");
}

}  // namespace
}  // namespace assay::measure
