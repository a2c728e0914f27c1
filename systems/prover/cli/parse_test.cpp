// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/parse.hpp"

#include <gtest/gtest.h>

#include "prover/cli/bench_output.hpp"

namespace prover::cli {
namespace {

const Command& command_of(const std::string& name) {
  for (const Command& command : commands())
    if (command.name == name) return command;
  ADD_FAILURE() << name;
  return commands().front();
}

Result<bench::BatchOptions> parse_batch(const std::vector<std::string>& words) {
  const auto arguments = parse(command_of("bench batch"), words);
  if (!arguments) return fail(arguments.error());
  return bench_options(bench::Command::batch, *arguments);
}

TEST(Parse, ReadsEveryWayOfWritingAnOption) {
  const auto options = parse_batch({"-c", "15", "-j15", "--partitions=10", "--channel", "auto",
                                    "--json", "-", "--inject", "synth=+20%", "--inject=prove=-5%",
                                    "--lookahead", "2", "--lookahead", "3", "--work", "synthetic"});
  ASSERT_TRUE(options) << options.error().to_text();
  EXPECT_EQ(options->jobs, 15u);
  EXPECT_EQ(options->jobs_at_once(), 15u);
  EXPECT_EQ(options->partitions, 10u);
  EXPECT_EQ(options->json, "-");
  EXPECT_DOUBLE_EQ(options->load.synthetic.synth.factor, 1.2);
  EXPECT_DOUBLE_EQ(options->load.synthetic.start.factor, 0.95);
  EXPECT_EQ(options->settings.engine.lookahead, 3u) << "the last one counts";
  EXPECT_FALSE(options->assay_metrics);
  EXPECT_TRUE(parse_batch({"--assay-metrics"})->assay_metrics);
  EXPECT_TRUE(parse_batch({}));
}

TEST(Parse, SaysWhatIsWrongWithABatch) {
  const struct {
    std::vector<std::string> words;
    const char* text;
  } cases[] = {
      {{"--chanel", "4"},
       "prover bench batch: there is no option '--chanel'\n  did you mean '--channel'?"},
      {{"--zzz"},
       "prover bench batch: there is no option '--zzz'\n  'prover bench batch --help' lists them"},
      {{"fifteen"},
       "prover bench batch: 'fifteen' is no option\n  options begin with --; 'prover bench batch "
       "--help' lists them"},
      {{"-c", "0"}, "--count 0: 0 is out of range\n  give a number from 1 to 1000000"},
      {{"-c", "2", "-j", "3"},
       "--in-flight: 3 jobs cannot be in flight when there are 2 in all\n  give -j at most as many "
       "as -c"},
      {{"--work", "dance"}, "--work: 'dance' is none of dense, poseidon, sha256, porep, synthetic"},
      {{"--synth-ms", "20", "--work", "dense"},
       "--synth-ms: it is an option of --work synthetic, and the work is dense\n  leave it out, or "
       "choose other work with --work"},
      {{"--work", "sha256", "--constraints", "9"},
       "--constraints: it is an option of --work dense and poseidon, and the work is sha256\n  "
       "leave "
       "it out, or choose other work with --work"},
      {{"--work", "synthetic", "--compiled", "off"},
       "--compiled: it is an option of Groth16 partitions, and the work is synthetic\n  leave it "
       "out, or choose other work with --work"},
      {{"--work", "dense", "--constraints", "0"},
       "--constraints: 0 is out of range\n  give a number from 1 to 67108864"},
  };
  for (const auto& one : cases) {
    const auto options = parse_batch(one.words);
    ASSERT_FALSE(options) << one.text;
    EXPECT_EQ(options.error().to_text(), one.text);
    EXPECT_EQ(options.error().kind, ErrorKind::usage);
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--count"}, {"-c"}, {"--assay-metrics=x"}, {"-c", "1", "2"}}) {
    const auto options = parse_batch(words);
    ASSERT_FALSE(options) << words.front();
    EXPECT_EQ(options.error().kind, ErrorKind::usage);
  }
}

TEST(Parse, TakesPositionalsInAnyPlace) {
  const Command& info = command_of("info");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"f", "--json"}, {"--json", "f"}, {"--json", "--", "f"}}) {
    const auto arguments = parse(info, words);
    ASSERT_TRUE(arguments) << arguments.error().to_text();
    EXPECT_EQ(arguments->positionals, std::vector<std::string>{"f"});
    EXPECT_TRUE(arguments->has("json"));
  }
  EXPECT_EQ(parse(info, std::vector<std::string>{"--", "--json"})->positionals.front(), "--json");
  EXPECT_EQ(parse(info, std::vector<std::string>{"-"})->positionals.front(), "-");
}

TEST(Parse, GivesDefaultsAndNumbers) {
  const auto arguments =
      parse(command_of("circuit dense"), std::vector<std::string>{"--constraints", "12"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->value("curve"), "bn254");
  EXPECT_FALSE(arguments->has("curve"));
  EXPECT_EQ(arguments->value("r1cs"), std::nullopt);
  EXPECT_EQ(**arguments->count("constraints", 1, 100), 12u);
  EXPECT_EQ(arguments->count("constraints", 1, 10).error().to_text(),
            "--constraints 12: 12 is out of range\n  give a number from 1 to 10");
}

TEST(Parse, HelpWinsOverEverything) {
  const Command& dense = command_of("circuit dense");
  EXPECT_EQ(parse(dense, std::vector<std::string>{"--nonsense", "--help"})->help, Help::full);
  EXPECT_EQ(parse(dense, std::vector<std::string>{"-h"})->help, Help::brief);
  EXPECT_EQ(parse(dense, std::vector<std::string>{})->help, Help::none);
}

TEST(Parse, SaysWhatIsWrongWithWords) {
  const struct {
    const char* command;
    std::vector<std::string> words;
    const char* text;
  } cases[] = {
      {"info", {}, "prover info: FILE is missing\n  usage: prover info FILE [OPTIONS]"},
      {"info",
       {"a", "b\x1b"},
       "prover info: 'b\\x1b' is one word too many\n  usage: prover info FILE [OPTIONS]"},
      {"info",
       {"a", "--jsno"},
       "prover info: there is no option '--jsno'\n  did you mean '--json'?"},
      {"circuit sha256",
       {"--curve", "bn255"},
       "--curve: 'bn255' is none of bn254, bls12-381\n  did you mean 'bn254'?"},
      {"completion",
       {"csh"},
       "prover completion SHELL: 'csh' is none of bash, zsh, fish\n  did you mean 'zsh'?"},
  };
  for (const auto& one : cases) {
    const auto arguments = parse(command_of(one.command), one.words);
    ASSERT_FALSE(arguments) << one.text;
    EXPECT_EQ(arguments.error().to_text(), one.text);
    EXPECT_EQ(arguments.error().kind, ErrorKind::usage);
  }
}

}  // namespace
}  // namespace prover::cli
