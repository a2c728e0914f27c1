// SPDX-License-Identifier: Apache-2.0
#include "history/accepted.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace assay::history {
namespace {

namespace fs = std::filesystem;

class AcceptedFile : public ::testing::Test {
 protected:
  AcceptedFile() {
    char pattern[] = "/tmp/assay-accepted-XXXXXX";
    folder_ = mkdtemp(pattern);
    store_ = folder_ + "/lab.db";
  }
  ~AcceptedFile() override { fs::remove_all(folder_); }
  void write(const std::string& text) const { std::ofstream(accepted_path(store_)) << text; }

  std::string folder_, store_;
};

Accepted one(const std::string& record, const std::string& commit = "") {
  return {.record = record,
          .commit = commit,
          .benchmark = "b",
          .what = "Check \"it\"\n",
          .metric = "wall",
          .ratio = 1.05,
          .memory_ratio = 1.25,
          .reason = "security",
          .at_ms = 7};
}

TEST_F(AcceptedFile, KeepsWhatIsAppended) {
  EXPECT_TRUE(read_accepted(store_)->empty());
  ASSERT_TRUE(append_accepted(store_, one("aaaaaaaa")));
  Accepted second = one("aaaaaaaa", std::string(40, '1'));
  second.memory_ratio.reset();
  second.benchmark = "other";
  ASSERT_TRUE(append_accepted(store_, second));
  const auto all = read_accepted(store_);
  ASSERT_TRUE(all) << all.error().to_text();
  EXPECT_EQ(*all, (std::vector<Accepted>{one("aaaaaaaa"), second}));
  EXPECT_EQ(accepted_of(*all, "other"), std::vector<Accepted>{second});
}

TEST_F(AcceptedFile, RefusesWhatMakesNoSense) {
  ASSERT_TRUE(append_accepted(store_, one("aaaaaaaa")));
  const auto twice = append_accepted(store_, one("aaaaaaaa"));
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().what.find("accepted already: security"), std::string::npos);
  Accepted bare = one("bbbbbbbb");
  bare.reason = " \n";
  EXPECT_FALSE(append_accepted(store_, bare));
  bare.reason = std::string(5000, 'x');
  EXPECT_FALSE(append_accepted(store_, bare));
  EXPECT_EQ(read_accepted(store_)->size(), 1u);
  EXPECT_FALSE(append_accepted("/nowhere/lab.db", one("cccccccc")));
}

TEST_F(AcceptedFile, ATornLastLineDoesNotCount) {
  ASSERT_TRUE(append_accepted(store_, one("aaaaaaaa")));
  std::ofstream(accepted_path(store_), std::ios::app) << R"({"record": "bbb)";
  EXPECT_EQ(read_accepted(store_)->size(), 1u);
  ASSERT_TRUE(append_accepted(store_, one("cccccccc")));
  EXPECT_EQ(*read_accepted(store_), (std::vector<Accepted>{one("aaaaaaaa"), one("cccccccc")}));
}

TEST_F(AcceptedFile, NamesTheDamagedLine) {
  for (
      const char* line :
      {"nonsense", "{}", "[]", R"({"record":1})",
       R"({"record":"a","commit":"","benchmark":"b","what":"","metric":"m","reason":"r","ratio":0})",
       R"({"record":"a","commit":"","benchmark":"b","what":"","metric":"m","reason":"r","ratio":1,"memory_ratio":"x"})"}) {
    write(std::string("\n") + line + "\n");
    const auto all = read_accepted(store_);
    ASSERT_FALSE(all) << line;
    EXPECT_NE(all.error().to_text().find("accepted.jsonl:2"), std::string::npos)
        << all.error().to_text();
    EXPECT_FALSE(append_accepted(store_, one("aaaaaaaa"))) << "nothing is added to a damaged file";
  }
}

TEST(BenchmarkKey, IsTheSameForEveryRevision) {
  const auto plan = [](std::vector<Subject> arms) {
    Plan made;
    made.arms = std::move(arms);
    return made;
  };
  const auto built = [](const std::string& commit) {
    Subject subject{.argv = {"./bench"}};
    subject.build = BuildSpec{.repository = "/r", .revision = commit, .commit = commit};
    return subject;
  };
  const std::string key = benchmark_key(plan({built("1"), built("2")}));
  EXPECT_EQ(benchmark_key(plan({built("2"), built("3"), built("4")})), key);
  EXPECT_NE(benchmark_key(plan({Subject{.argv = {"./bench"}}, Subject{.argv = {"./other"}}})), key);
  EXPECT_EQ(benchmark_key(plan({Subject{.argv = {"a"}}, Subject{.argv = {"b"}}})),
            benchmark_key(plan({Subject{.argv = {"b"}}, Subject{.argv = {"a"}}})));
  Subject other = built("1");
  other.build->repository = "/other";
  EXPECT_NE(benchmark_key(plan({other, other})), key);
}

}  // namespace
}  // namespace assay::history
