// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/parse.hpp"

#include <gtest/gtest.h>

#include "prover/bench/settings.hpp"
#include "prover/cli/help.hpp"

namespace prover::cli {
namespace {

Result<bench::BatchOptions> parse(const std::vector<std::string>& words) {
  return parse_batch(words);
}

TEST(Parse, ReadsEveryWayOfWritingAnOption) {
  const auto options =
      parse({"-c", "15", "-j15", "--partitions=10", "--channel", "auto", "--json", "-", "--inject",
             "synth=+20%", "--inject=prove=-5%", "--lookahead", "2", "--lookahead", "3"});
  ASSERT_TRUE(options) << options.error().to_text();
  EXPECT_EQ(options->jobs, 15u);
  EXPECT_EQ(options->jobs_at_once(), 15u);
  EXPECT_EQ(options->partitions, 10u);
  EXPECT_EQ(options->json, "-");
  EXPECT_DOUBLE_EQ(options->synthetic.synth.factor, 1.2);
  EXPECT_DOUBLE_EQ(options->synthetic.start.factor, 0.95);
  EXPECT_EQ(options->engine.lookahead, 3u) << "the last one counts";
  EXPECT_FALSE(options->assay_metrics);
  EXPECT_TRUE(parse({"--assay-metrics"})->assay_metrics);
  EXPECT_TRUE(parse({}));
}

TEST(Parse, SaysWhatIsWrong) {
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
      {{"--work", "groth16"},
       "--work: 'groth16' is no work\n  the only work so far is 'synthetic'"},
  };
  for (const auto& one : cases) {
    const auto options = parse(one.words);
    ASSERT_FALSE(options) << one.text;
    EXPECT_EQ(options.error().to_text(), one.text);
    EXPECT_EQ(options.error().kind, ErrorKind::usage);
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--count"}, {"-c"}, {"--assay-metrics=x"}, {"-c", "1", "2"}}) {
    const auto options = parse(words);
    ASSERT_FALSE(options) << words.front();
    EXPECT_EQ(options.error().kind, ErrorKind::usage);
  }
}

TEST(Help, ExplainsEveryOptionWithinTheColumns) {
  const std::string help = bench_batch_help();
  for (const bench::Setting& setting : bench::settings())
    EXPECT_NE(help.find("--" + std::string(setting.name) + " "), std::string::npos) << setting.name;
  for (const std::string& text : {help, overview(), bench_help()}) {
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      EXPECT_LE(end - begin, 100u) << text.substr(begin, end - begin);
    EXPECT_EQ(begin, text.size()) << "ends with a newline";
  }
}

}  // namespace
}  // namespace prover::cli
