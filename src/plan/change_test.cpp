// SPDX-License-Identifier: Apache-2.0
#include "plan/change.hpp"

#include <gtest/gtest.h>

namespace assay::plan {
namespace {

TEST(ParseChange, KnowsEverySort) {
  struct Case {
    const char* text;
    ChangeKind kind;
    const char *key, *off, *on;
    std::vector<std::string> words;
  };
  const Case cases[] = {
      {"pin=PROVER_PIN=on", ChangeKind::environment, "PROVER_PIN", "", "on", {}},
      {"pin=env:A=b=c", ChangeKind::environment, "A", "", "b=c", {}},
      {"early=--early-free -x 'a b'", ChangeKind::flag, "", "", "", {"--early-free", "-x", "a b"}},
      {"f=flag:fast", ChangeKind::flag, "", "", "", {"fast"}},
      {"early=--cap=4", ChangeKind::flag, "", "", "", {"--cap=4"}},
      {"cap=set:cap=4,1", ChangeKind::value, "cap", "4", "1", {}},
      {"lto=define:LTO=1", ChangeKind::definition, "LTO", "", "LTO=1", {}},
      {"lto=define:LTO", ChangeKind::definition, "LTO", "", "LTO", {}},
      {"pool=patch:a/pool.diff", ChangeKind::patch, "", "", "a/pool.diff", {}},
      {"size=commit:HEAD~2", ChangeKind::commit, "", "", "HEAD~2", {}},
  };
  for (const Case& c : cases) {
    const auto spec = parse_change(c.text);
    ASSERT_TRUE(spec) << c.text << ": " << spec.error().what;
    EXPECT_EQ(spec->change.kind, c.kind) << c.text;
    EXPECT_EQ(spec->key, c.key) << c.text;
    EXPECT_EQ(spec->off, c.off) << c.text;
    EXPECT_EQ(spec->on, c.on) << c.text;
    EXPECT_EQ(spec->words, c.words) << c.text;
  }
}

TEST(ParseChange, SaysWhatIsWrong) {
  struct Case {
    const char *text, *what;
  };
  const Case cases[] = {
      {"pin", "'pin' has no name in front"},
      {"=X=1", "'=X=1' has no name in front"},
      {"a b=X=1", "'a b=X=1' has no name in front"},
      {"pin=", "change 'pin': '' is no change"},
      {"pin=on", "change 'pin': 'on' is no change"},
      {"p=ptach:x.diff", "change 'p': unknown sort of change 'ptach'"},
      {"cap=set:cap=4", "change 'cap': '4' is not one value off and one on"},
      {"cap=set:cap=4,4", "change 'cap': cap is 4 both off and on"},
      {"cap=set:=4,1", "change 'cap': '=4,1' names no placeholder"},
      {"e=env:1X=2", "change 'e': '1X=2' sets no environment variable"},
      {"d=define:-x", "change 'd': '-x' defines nothing"},
      {"c=commit:", "change 'c': '' is no commit"},
      {"c=commit:--all", "change 'c': '--all' is no commit"},
  };
  for (const Case& c : cases) {
    const auto spec = parse_change(c.text);
    ASSERT_FALSE(spec) << c.text;
    EXPECT_EQ(spec.error().what, c.what) << c.text;
  }
}

TEST(ParseChanges, ReadsAFile) {
  const auto changes = parse_changes(
      "[change.pin]\nenv = \"PIN=on\"\n[change.cap]\nvalue = \"cap\"\noff = 4\non = 1\n"
      "[change.early]\nflag = \"--early\"\n",
      "c.toml");
  ASSERT_TRUE(changes) << changes.error().what;
  ASSERT_EQ(changes->size(), 3u);
  EXPECT_EQ((*changes)[0].change.spec, "env:PIN=on");
  EXPECT_EQ((*changes)[0].where, "c.toml:1:9");
  EXPECT_EQ((*changes)[1].off, "4");
  EXPECT_EQ((*changes)[1].on, "1");
  EXPECT_EQ((*changes)[2].words, std::vector<std::string>{"--early"});
}

TEST(ParseChanges, PointsAtThePlace) {
  struct Case {
    const char *toml, *where, *what;
  };
  const Case cases[] = {
      {"[change.a]\nenvv = \"X=1\"\n", "c.toml:2:1", "unknown key 'envv'"},
      {"[change.a]\nenv = \"X=1\"\nflag = \"-x\"\n", "c.toml:3:1", "'flag' beside 'env'"},
      {"[change.a]\n", "c.toml:1:9", "change 'a' says nothing"},
      {"[change.a]\nvalue = \"cap\"\noff = 1\n", "c.toml:2:1", "'value' without 'on'"},
      {"[change.a]\nenv = \"X=1\"\non = 1\n", "c.toml:3:1", "'on' goes with 'value' only"},
      {"[change.a]\nenv = [1]\n", "c.toml:2:7", "'env' must be a string or a number, not a list"},
      {"[chnage.a]\nenv = \"X=1\"\n", "c.toml:1:2", "unknown table or key 'chnage'"},
      {"[change.a]\nenv = \"X\"\n", "c.toml:2:7", "'X' sets no environment variable"},
      {"", "c.toml", "the file has no change"},
  };
  for (const Case& c : cases) {
    const auto changes = parse_changes(c.toml, "c.toml");
    ASSERT_FALSE(changes) << c.toml;
    EXPECT_NE(changes.error().what.find(c.what), std::string::npos)
        << c.toml << changes.error().what;
    EXPECT_TRUE(changes.error().where.starts_with(c.where)) << c.toml << changes.error().where;
  }
}

std::vector<ChangeSpec> changes_of(const std::vector<std::string>& texts) {
  std::vector<ChangeSpec> changes;
  for (const std::string& text : texts) changes.push_back(*parse_change(text));
  return changes;
}

TEST(Configurations, AreEverySubset) {
  const Subject base{.argv = {"./run", "--cap={cap}"}, .env = {{"PIN", "off"}, {"B", "{cap}"}}};
  const auto arms =
      configurations(base, changes_of({"pin=PIN=on", "cap=set:cap=4,1", "x=-x 'y z'"}));
  ASSERT_TRUE(arms) << arms.error().what;
  ASSERT_EQ(arms->size(), 8u);
  EXPECT_EQ((*arms)[0].label, "all off");
  EXPECT_EQ((*arms)[0].argv, (std::vector<std::string>{"./run", "--cap=4"}));
  EXPECT_EQ((*arms)[0].env[0].second, "off");
  EXPECT_EQ((*arms)[5].label, "pin+x");
  EXPECT_EQ((*arms)[7].label, "all on");
  EXPECT_EQ((*arms)[7].argv, (std::vector<std::string>{"./run", "--cap=1", "-x", "y z"}));
  EXPECT_EQ((*arms)[7].env,
            (std::vector<std::pair<std::string, std::string>>{{"B", "1"}, {"PIN", "on"}}));
}

TEST(Configurations, OfAShellLineAppendToIt) {
  const Subject base{.argv = {"/bin/sh", "-c", "./run | tail"}};
  const auto arms = configurations(base, changes_of({"a=-a", "b=-b 'c d'"}));
  ASSERT_TRUE(arms);
  EXPECT_EQ((*arms)[3].argv[2], "./run | tail -a -b 'c d'");
}

TEST(Configurations, BuildTrees) {
  Subject base{.argv = {"./run"}};
  base.build = BuildSpec{.command = "cc {defines} run.c"};
  auto changes = changes_of({"lto=define:LTO=1", "p=patch:p.diff", "c=commit:HEAD~1"});
  changes[1].when_on = TreeStep{TreeStepKind::patch, "p.diff", "text"};
  changes[2].when_off = TreeStep{TreeStepKind::revert, "HEAD~1", "abc"};
  const auto arms = configurations(base, changes);
  ASSERT_TRUE(arms) << arms.error().what;
  EXPECT_EQ((*arms)[0].build->command, "cc  run.c");
  EXPECT_EQ((*arms)[0].build->steps, (std::vector<TreeStep>{*changes[2].when_off}));
  EXPECT_EQ((*arms)[7].build->command, "cc -DLTO=1 run.c");
  EXPECT_EQ((*arms)[7].build->steps, (std::vector<TreeStep>{*changes[1].when_on}));
}

TEST(Configurations, SayWhatCannotBe) {
  struct Case {
    std::vector<std::string> changes;
    const char* what;
  };
  std::vector<std::string> eleven;
  for (char c = 'a'; c <= 'k'; ++c) eleven.push_back(std::string{c} + "=--" + c);
  const Case cases[] = {
      {{}, "no change was given"},
      {{"a=-a"}, "one change alone is a comparison"},
      {eleven, "11 changes, at most 10 can be told apart"},
      {{"a=-a", "a=-b"}, "two changes are called 'a'"},
      {{"a=X=1", "b=X=2"}, "change 'b': 'a' sets X too"},
      {{"a=-x", "b=-x"}, "change 'b': it is the same as 'a'"},
      {{"a=-a", "cap=set:cap=1,2"}, "change 'cap': nothing uses it, {cap} is nowhere"},
      {{"a=-a", "d=define:X"}, "change 'd': a definition needs a build command"},
      {{"a=-a", "c=commit:HEAD"}, "change 'c': it changes the tree, and nothing is built from it"},
  };
  for (const Case& c : cases) {
    const auto arms = configurations(Subject{.argv = {"./run"}}, changes_of(c.changes));
    ASSERT_FALSE(arms) << c.what;
    EXPECT_EQ(arms.error().what, c.what);
  }
}

}  // namespace
}  // namespace assay::plan
