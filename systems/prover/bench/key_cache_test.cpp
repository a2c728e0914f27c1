// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/key_cache.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "prover/files/zkey.hpp"

namespace prover::bench {
namespace {

class KeyCache : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "prover-keys-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(keys()))
      all.insert(entry.path().filename());
    return all;
  }
  // A folder that has to be made, and one above it.
  std::string keys() const { return folder_ + "/a/keys"; }

  std::string folder_;
};

circuit::Request small() { return {.constraints = 30}; }

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(KeyName, TellsKindSizesAndCurve) {
  const struct {
    circuit::Request request;
    const char* name;
  } cases[] = {
      {{.kind = circuit::Kind::dense, .seed = 9, .constraints = 8190}, "dense-8190-bn254-v1"},
      {{.kind = circuit::Kind::poseidon, .constraints = 500}, "poseidon-500-bn254-v1"},
      {{.kind = circuit::Kind::poseidon, .depth = 4}, "poseidon-depth4-bn254-v1"},
      {{.kind = circuit::Kind::sha256, .curve = CurveId::bls12_381, .bits = 8},
       "sha256-bits8-bls12-381-v1"},
      {{.kind = circuit::Kind::porep, .partition = 3}, "porep-depth10-challenges1-bn254-v1"},
      {{.kind = circuit::Kind::porep, .depth = 3, .challenges = 2},
       "porep-depth3-challenges2-bn254-v1"},
  };
  for (const auto& one : cases) EXPECT_EQ(key_name(one.request), one.name);
}

TEST_F(KeyCache, MakesAKeyOnce) {
  const auto first = cached_key(small(), keys(), 1);
  ASSERT_TRUE(first) << first.error().to_text();
  EXPECT_TRUE(first->made);
  EXPECT_EQ(names(),
            (std::set<std::string>{"dense-30-bn254-v1.zkey", "dense-30-bn254-v1.zkey.lock"}));
  const auto key = files::ZkeyFile::open(first->path);
  ASSERT_TRUE(key) << key.error().to_text();
  EXPECT_TRUE(key->key().insecure());
  const auto again = cached_key(small(), keys(), 1);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->made);
  EXPECT_EQ(again->path, first->path);
}

TEST_F(KeyCache, IsMadeOnceBySeveralProcessesAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      const auto key = cached_key(small(), keys(), 1);
      _exit(!key ? 2 : key->made ? 1 : 0);
    }
    children.push_back(pid);
  }
  int made = 0;
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_LT(WEXITSTATUS(status), 2);
    made += WEXITSTATUS(status);
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(names().size(), 2u) << "nothing temporary stays";
}

TEST_F(KeyCache, IsTheSameEverywhere) {
  const auto here = cached_key(small(), keys(), 1), there = cached_key(small(), folder_ + "/b", 2);
  ASSERT_TRUE(here && there);
  EXPECT_TRUE(content(here->path) == content(there->path));
}

TEST_F(KeyCache, WhatIsGivenUpLeavesNoKey) {
  int asked = 0;
  const auto key = cached_key(small(), keys(), 1, [&](double) { return ++asked < 3; });
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(names(), std::set<std::string>{"dense-30-bn254-v1.zkey.lock"});
  EXPECT_TRUE(cached_key(small(), keys(), 1)) << "the next one makes it";
}

TEST_F(KeyCache, AFolderThatCannotBeIsNamed) {
  std::ofstream(folder_ + "/file") << "no folder";
  const auto key = cached_key(small(), folder_ + "/file/keys", 1);
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().kind, ErrorKind::usage);
  EXPECT_NE(key.error().to_text().find("--key-cache DIR"), std::string::npos);
}

TEST(KeyFolder, FollowsTheEnvironment) {
  const char* old_home = std::getenv("HOME");
  const std::string home = old_home == nullptr ? "" : old_home;
  setenv("HOME", "/home/someone", 1);
  setenv("XDG_CACHE_HOME", "/var/tmp/c", 1);
  EXPECT_EQ(*default_key_folder(), "/var/tmp/c/prover/keys");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(*default_key_folder(), "/home/someone/.cache/prover/keys");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(*default_key_folder(), "/home/someone/.cache/prover/keys");
  unsetenv("HOME");
  ASSERT_FALSE(default_key_folder());
  setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace prover::bench
