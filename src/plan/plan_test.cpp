// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace assay::plan {
namespace {

namespace fs = std::filesystem;

const OptionRule kRules[] = {{"tolerance", OptionKind::number}, {"time-budget", OptionKind::number},
                             {"max-runs", OptionKind::number},  {"seed", OptionKind::number},
                             {"gate", OptionKind::list},        {"metric", OptionKind::list},
                             {"name", OptionKind::text},        {"baseline-rev", OptionKind::text},
                             {"build", OptionKind::text},       {"candidate-rev", OptionKind::list},
                             {"strict", OptionKind::flag},      {"shell", OptionKind::flag}};

std::vector<TableRules> tables() {
  const std::vector<OptionRule> rules(std::begin(kRules), std::end(kRules));
  return {{"compare", TableShape::sides, {}, rules},
          {"measure", TableShape::word, {}, {{"runs", OptionKind::number}}},
          {"sweep",
           TableShape::trailing,
           {},
           {{"param", OptionKind::list}, {"shell", OptionKind::flag}}},
          {"timeline", TableShape::trailing, "range", {{"build", OptionKind::text}}}};
}

Result<std::vector<NamedPlan>> parse(std::string_view text) {
  return parse_plans(text, "assay.toml", tables());
}

std::string message(std::string_view text) {
  const auto plans = parse(text);
  return plans ? "parsed" : plans.error().to_text();
}

using Words = std::vector<std::string>;

TEST(Plan, ReadsCommandsAndOptionsInOrder) {
  const auto plans = parse(R"(# comparisons of the encoder
[compare.encode]
baseline = "./encode -6 in.bin"
candidate = './encode -7 in.bin'
tolerance = "2%"
time-budget = 300
gate = ["wall", "cpu"]
metric = 'latency_ms=re:GPU_END .* gpu_ms=(\d+)'
seed = 18446744073709
max-runs = 96.0
strict = true
shell = false

[compare.all-levels]
candidates = ["./encode -7", "./encode -8"]
baseline = "./encode -6"
tolerance = 0.025
)");
  ASSERT_TRUE(plans) << plans.error().to_text();
  ASSERT_EQ(plans->size(), 2u);
  const NamedPlan& encode = (*plans)[0];
  EXPECT_EQ(encode.name, "encode");
  EXPECT_EQ(encode.where, "assay.toml:2:10");
  EXPECT_EQ(encode.commands, (Words{"./encode -6 in.bin", "./encode -7 in.bin"}));
  EXPECT_TRUE(encode.trailing.empty());
  EXPECT_EQ(option_words(encode),
            (Words{"--tolerance=2%", "--time-budget=300", "--gate=wall", "--gate=cpu",
                   "--metric=latency_ms=re:GPU_END .* gpu_ms=(\\d+)", "--seed=18446744073709",
                   "--max-runs=96", "--strict"}));
  EXPECT_EQ(encode.options[0], (Option{"tolerance", {"2%"}, "assay.toml:5:1"}));
  const NamedPlan& levels = (*plans)[1];
  EXPECT_EQ(levels.name, "all-levels");
  EXPECT_EQ(levels.commands, (Words{"./encode -6", "./encode -7", "./encode -8"}));
  EXPECT_EQ(option_words(levels), (Words{"--tolerance=0.025"}));
}

TEST(Plan, ReadsRevisions) {
  const auto plans = parse(R"([compare.release]
baseline-rev = "main"
candidate-rev = ["HEAD", "topic/x"]
build = "make -j4"
command = "./bench --label 'two words'"
[compare.shelled]
command = "./bench | tail '"
shell = true
baseline-rev = "v1"
candidate-rev = "v2"
)");
  ASSERT_TRUE(plans) << plans.error().to_text();
  EXPECT_TRUE((*plans)[0].commands.empty());
  EXPECT_EQ((*plans)[0].trailing, (Words{"./bench", "--label", "two words"}));
  EXPECT_EQ(option_words((*plans)[0]), (Words{"--baseline-rev=main", "--candidate-rev=HEAD",
                                              "--candidate-rev=topic/x", "--build=make -j4"}));
  EXPECT_EQ((*plans)[1].trailing, (Words{"./bench | tail '"}));
}

TEST(Plan, AFileMayHaveNone) {
  for (const char* text : {"", "# nothing\n", "[compare]\n"}) {
    const auto plans = parse(text);
    ASSERT_TRUE(plans) << plans.error().to_text();
    EXPECT_TRUE(plans->empty());
  }
}

TEST(Plan, PointsAtUnknownKeys) {
  const std::string head = "[compare.e]\nbaseline = 'a'\ncandidate = 'b'\n";
  const std::pair<std::string, std::string> cases[] = {
      {head + "tolerence = \"2%\"\n",
       "assay.toml:4:1: unknown option 'tolerence' of comparison 'e'\n"
       "  tolerence = \"2%\"\n  ^ did you mean 'tolerance'?"},
      {head + "max_runs = 5\n",
       "assay.toml:4:1: unknown option 'max_runs' of comparison 'e'\n"
       "  max_runs = 5\n  ^ did you mean 'max-runs'?"},
      {head + "--strict = true\n",
       "assay.toml:4:1: unknown option '--strict' of comparison 'e'\n"
       "  --strict = true\n  ^ did you mean 'strict'?"},
      {head + "  colour = 1\n",
       "assay.toml:4:3: unknown option 'colour' of comparison 'e'\n  "
       "  colour = 1\n    ^\n"
       "  a comparison has the options of 'assay compare' (assay compare --help)"},
      {head + "gate.wall = true\n",
       "assay.toml:4:1: 'gate' must be a string or a finite number, not a table\n"
       "  gate.wall = true\n  ^"},
      {"[comparison.e]\n",
       "assay.toml:1:2: unknown table 'comparison'\n  [comparison.e]\n   ^\n"
       "  a file of plans has tables [compare.NAME], [measure.NAME], [sweep.NAME], "
       "[timeline.NAME]"},
      {"[comapre.e]\n",
       "assay.toml:1:2: unknown table 'comapre'\n  [comapre.e]\n   ^ did you mean 'compare'?"},
      {"compare = 3\n",
       "assay.toml:1:1: 'compare' must be a table, not a number\n  compare = 3\n  ^\n"
       "  give the comparison a name: [compare.NAME]"},
      {"[compare]\nbaseline = 'a'\n",
       "assay.toml:2:1: 'baseline' belongs to no comparison\n  baseline = 'a'\n  ^\n"
       "  give the comparison a name: [compare.NAME]"},
      {"[compare.\"two words\"]\n",
       "assay.toml:1:10: 'two words' cannot name a comparison\n  [compare.\"two words\"]\n"
       "           ^\n  letters, digits and _ . - make a name"},
      {"[compare.\"--strict\"]\n",
       "assay.toml:1:10: '--strict' cannot name a comparison\n  [compare.\"--strict\"]\n"
       "           ^\n  letters, digits and _ . - make a name"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(message(text), expected);
}

TEST(Plan, PointsAtWrongTypes) {
  const std::string head = "[compare.e]\nbaseline = 'a'\ncandidate = 'b'\n";
  const std::pair<std::string, std::string> cases[] = {
      {"tolerance = [2]\n",
       "'tolerance' must be a string or a finite number, not a list\n  tolerance = [2]\n"
       "              ^"},
      {"tolerance = inf\n",
       "'tolerance' must be a string or a finite number, not a number\n  tolerance = inf\n"
       "              ^"},
      {"tolerance = true\n",
       "'tolerance' must be a string or a finite number, not true or false\n  tolerance = true\n"
       "              ^"},
      {"strict = 'yes'\n",
       "'strict' must be true or false, not a string\n  strict = 'yes'\n           ^"},
      {"name = 7\n", "'name' must be a string, not a number\n  name = 7\n         ^"},
      {"name = 2026-01-02\n",
       "'name' must be a string, not a date\n  name = 2026-01-02\n         ^"},
      {"name = [\"a\"]\n", "'name' must be a string, not a list\n  name = [\"a\"]\n         ^"},
      {"gate = [\"wall\", true]\n",
       "'gate' must be a string or a finite number, not true or false\n"
       "  gate = [\"wall\", true]\n                  ^"},
      {"gate = []\n",
       "'gate' is an empty list\n  gate = []\n         ^\n  leave the line out, or list something"},
      {"name = \"a\\u0000b\"\n",
       "'name' contains a zero byte\n  name = \"a\\u0000b\"\n         ^"}};
  for (const auto& [line, expected] : cases) {
    const std::string text = message(head + line);
    EXPECT_EQ(text.substr(text.find(": ") + 2), expected);
    EXPECT_TRUE(text.starts_with("assay.toml:4:")) << text;
  }
}

TEST(Plan, PointsAtCommandsThatCannotRun) {
  const std::pair<std::string, std::string> cases[] = {
      {"[compare.e]\n",
       "assay.toml:1:10: comparison 'e' has no 'baseline'\n  [compare.e]\n           ^\n"
       "  add it: baseline = \"./old\""},
      {"[compare.e]\nbaseline = 'a'\n",
       "assay.toml:1:10: comparison 'e' has no 'candidate'\n  [compare.e]\n           ^\n"
       "  add it: candidate = \"./new\""},
      {"[compare.e]\nbaseline = ''\n",
       "assay.toml:2:12: 'baseline' is an empty command\n  baseline = ''\n             ^"},
      {"[compare.e]\nbaseline = 'a'\ncandidates = ['b', \" \\t\"]\n",
       "assay.toml:3:20: 'candidates' is an empty command\n  candidates = ['b', \" \\t\"]\n"
       "                     ^"},
      {"[compare.e]\nbaseline = 'a'\ncandidates = []\n",
       "assay.toml:3:14: 'candidates' is an empty list\n  candidates = []\n               ^\n"
       "  list the commands that are compared with the baseline"},
      {"[compare.e]\nbaseline = 'a'\ncandidates = 'b'\n",
       "assay.toml:3:14: 'candidates' must be a list of commands, not a string\n"
       "  candidates = 'b'\n               ^"},
      {"[compare.e]\nbaseline = 6\ncandidate = 'b'\n",
       "assay.toml:2:12: 'baseline' must be a string, not a number\n  baseline = 6\n             "
       "^"},
      {"[compare.e]\nbaseline = 'a'\ncandidate = 'b'\ncandidates = ['c']\n",
       "assay.toml:3:1: 'candidate' and 'candidates' exclude each other\n  candidate = 'b'\n  ^\n"
       "  move the command into the list"},
      {"[compare.e]\nbaseline = \"say 'hi\"\ncandidate = 'b'\n",
       "assay.toml:2:12: 'baseline' cannot be split into words\n  baseline = \"say 'hi\"\n"
       "             ^\n  column 5: this quote is never closed\n  say 'hi\n      ^\n"
       "  close it with another ', or escape it as \\'"},
      {"[compare.e]\nbaseline-rev = 'main'\n",
       "assay.toml:1:10: comparison 'e' has no 'candidate-rev'\n  [compare.e]\n           ^\n"
       "  'baseline-rev' needs it beside it"},
      {"[compare.e]\ncandidate-rev = 'main'\n",
       "assay.toml:1:10: comparison 'e' has no 'baseline-rev'\n  [compare.e]\n           ^\n"
       "  'candidate-rev' needs it beside it"},
      {"[compare.e]\nbaseline-rev = 'main'\ncandidate-rev = 'x'\n",
       "assay.toml:1:10: comparison 'e' has no 'command'\n  [compare.e]\n           ^\n"
       "  add the command that runs on both revisions: command = \"./bench\""},
      {"[compare.e]\nbaseline-rev = 'main'\ncandidate = 'x'\n",
       "assay.toml:3:1: 'candidate' and 'baseline-rev' exclude each other\n  candidate = 'x'\n  ^\n"
       "  revisions run one 'command'; commands are compared as they are"},
      {"[compare.e]\ncommand = './x'\nbaseline = './y'\n",
       "assay.toml:2:1: 'command' belongs to revisions\n  command = './x'\n  ^\n"
       "  add baseline-rev and candidate-rev, or call it baseline or candidate"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(message(text), expected);
}

TEST(Plan, PointsAtDuplicates) {
  EXPECT_TRUE(
      message("[compare.e]\nbaseline = 'a'\nbaseline = 'b'\n").starts_with("assay.toml:3:"));
  EXPECT_TRUE(message("[compare.e]\n[compare.e]\n").starts_with("assay.toml:2:"));
}

TEST(Plan, SelectsByName) {
  const auto plans = parse(
      "[compare.encode]\nbaseline='a'\ncandidate='b'\n[compare.decode]\nbaseline='a'\ncandidate='b'"
      "\n");
  ASSERT_TRUE(plans);
  const auto select = [](std::span<const NamedPlan> among, const std::string& name) {
    const auto plan = select_plan(among, name, "assay.toml");
    return plan ? plan->name : plan.error().to_text();
  };
  EXPECT_EQ(select(*plans, "decode"), "decode");
  EXPECT_EQ(select(*plans, "encdoe"),
            "assay.toml: no comparison is called 'encdoe'\n  did you mean 'encode'?");
  EXPECT_EQ(select(*plans, "render"),
            "assay.toml: no comparison is called 'render'\n  it has encode, decode");
  EXPECT_EQ(
      select({}, "render"),
      "assay.toml: no comparison is called 'render'\n  it has none: add a table [compare.NAME]");
}

constexpr const char* kMixed = R"([compare.encode]
baseline = './a'
candidate = './b'
[sweep.cap]
command = "./run --cap '{cap} x'"
param = ["cap=1,2,4", "n=1"]
[measure.floor]
command = "./run 'two words'"
runs = 50
[timeline.cap]
range = "v1..HEAD"
command = "./run"
[compare.decode]
baseline = './c'
candidate = './d'
)";

TEST(Plan, ReadsEveryCommandInTheOrderOfTheFile) {
  const auto plans = parse(kMixed);
  ASSERT_TRUE(plans) << plans.error().to_text();
  std::string order;
  for (const NamedPlan& plan : *plans) order += plan.command + "." + plan.name + " ";
  EXPECT_EQ(order, "compare.encode sweep.cap measure.floor timeline.cap compare.decode ");
  EXPECT_EQ((*plans)[1].trailing, (Words{"./run", "--cap", "{cap} x"}));
  EXPECT_EQ(option_words((*plans)[1]), (Words{"--param=cap=1,2,4", "--param=n=1"}));
  EXPECT_EQ((*plans)[2].commands, (Words{"./run 'two words'"}));
  EXPECT_EQ((*plans)[3].commands, (Words{"v1..HEAD"}));
  EXPECT_EQ((*plans)[3].trailing, (Words{"./run"}));
}

TEST(Plan, PointsAtWhatOtherCommandsLack) {
  const std::pair<std::string, std::string> cases[] = {
      {"[sweep.s]\nparam = ['c=1']\n",
       "assay.toml:1:8: sweep 's' has no 'command'\n  [sweep.s]\n         ^\n"
       "  add the command that it runs: command = \"./bench\""},
      {"[measure.m]\nbaseline = './a'\n",
       "assay.toml:2:1: unknown option 'baseline' of measurement 'm'\n  baseline = './a'\n  ^\n"
       "  a measurement has the options of 'assay measure' (assay measure --help)"},
      {"[sweep.s]\ncommand = './a'\nparm = 'c=1'\n",
       "assay.toml:3:1: unknown option 'parm' of sweep 's'\n  parm = 'c=1'\n  ^ did you mean "
       "'param'?"},
      {"[timeline.t]\ncommand = './a'\nrange = ''\n",
       "assay.toml:3:9: 'range' cannot be ''\n  range = ''\n          ^"},
      {"[timeline.t]\ncommand = './a'\nrange = '--x'\n",
       "assay.toml:3:9: 'range' cannot be '--x'\n  range = '--x'\n          ^"},
      {"[sweep.s]\ncommand = \"say 'hi\"\n",
       "assay.toml:2:11: 'command' cannot be split into words\n  command = \"say 'hi\"\n"
       "            ^\n  column 5: this quote is never closed\n  say 'hi\n      ^\n"
       "  close it with another ', or escape it as \\'"},
      {"[sweep]\ncommand = './a'\n",
       "assay.toml:2:1: 'command' belongs to no sweep\n  command = './a'\n  ^\n"
       "  give the sweep a name: [sweep.NAME]"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(message(text), expected);
}

TEST(Plan, SelectsSeveralByName) {
  const auto plans = parse(kMixed);
  ASSERT_TRUE(plans);
  const auto select = [&](const std::vector<std::string>& names) {
    const auto selected = select_plans(*plans, names, "p.toml");
    if (!selected) return selected.error().to_text();
    std::string text;
    for (const NamedPlan& plan : *selected) text += plan.command + "." + plan.name + " ";
    return text;
  };
  EXPECT_EQ(select({"decode", "encode"}), "compare.encode compare.decode ");
  EXPECT_EQ(select({"sweep.cap"}), "sweep.cap ");
  EXPECT_EQ(select({}).substr(0, 15), "compare.encode ");
  EXPECT_EQ(select({"cap"}),
            "p.toml: two experiments are called 'cap'\n  say which: sweep.cap or timeline.cap");
  EXPECT_EQ(select({"flor"}), "p.toml: no experiment is called 'flor'\n  did you mean 'floor'?");
  EXPECT_FALSE(select_plans({}, {}, "p.toml"));
}

TEST(Plan, FindsAndLoadsFiles) {
  char folder[] = "/tmp/assay-plan-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string top = fs::canonical(folder).string(), deep = top + "/a/b c";
  fs::create_directories(deep);
  const std::string path = top + "/assay.toml";
  std::ofstream(path) << "[compare.e]\nbaseline='a'\ncandidate='b'\n";
  fs::create_directories(top + "/a/assay.toml");  // a folder of that name is none
  EXPECT_EQ(find_plan_file(deep), path);
  EXPECT_EQ(find_plan_file(top), path);
  EXPECT_EQ(find_plan_file(top + "/a/../a/"), path);
  const auto load = [](const std::string& file) {
    const auto plans = load_plans(file, tables());
    return plans ? std::to_string(plans->size()) : plans.error().to_text();
  };
  EXPECT_EQ(load(path), "1");
  EXPECT_EQ(load(top + "/none"), top + "/none: no such file");
  EXPECT_EQ(load(top + "/a"), top + "/a: not a file");
  const std::string fifo = top + "/fifo";  // opening one would wait for a writer
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(load(fifo), fifo + ": not a file");
  std::ofstream(path) << std::string(3 << 20, '#');
  EXPECT_EQ(load(path), path + ": longer than 1.00 MiB\n  is this the right file?");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace assay::plan
