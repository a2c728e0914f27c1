// SPDX-License-Identifier: Apache-2.0
#include "measure/metric_rules.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "measure/metric_source.hpp"
#include "measure/trial_runner.hpp"

namespace assay::measure {
namespace {

using Values = std::vector<std::optional<double>>;

Metric metric(const std::string& text) {
  auto parsed = parse_metric(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().to_text());
  return parsed ? *parsed : Metric{};
}

MetricRules rules(const std::vector<std::string>& texts) {
  std::vector<Metric> metrics = {*builtin_metric("wall")};  // is skipped
  for (const std::string& text : texts) metrics.push_back(metric(text));
  auto made = MetricRules::make(metrics);
  EXPECT_TRUE(made);
  return std::move(*made);
}

std::optional<double> value_of(const std::string& text, std::string_view output) {
  MetricRules made = rules({text});
  made.consume(output);
  const Values values = made.finish();
  EXPECT_EQ(values.size(), 1u);
  return values[0];
}

std::string error_of(const std::string& text) {
  const auto parsed = parse_metric(text);
  return parsed ? "no error" : parsed.error().to_text();
}

TEST(ParseMetric, ReadsNameUnitDirectionAndSource) {
  struct Case {
    const char *text, *name, *unit;
    Better better;
    const char* source;
  };
  const Case cases[] = {
      {R"(latency_ms=re:ms=(\d+))", "latency_ms", "s", Better::lower, R"(re:ms=(\d+))"},
      {"p99=json:/a/0", "p99", "1", Better::lower, "json:/a/0"},
      {"whole=json:", "whole", "1", Better::lower, "json:"},
      {"x=assay", "x", "1", Better::lower, "assay"},
      {"rate[req/s,higher]=re:[a=](.*)", "rate", "req/s", Better::higher, "[req/s]re:[a=](.*)"},
      {"rate[higher,req/s]=assay", "rate", "req/s", Better::higher, "[req/s]assay"},
      {"hits[higher]=assay", "hits", "1", Better::higher, "assay"},
      {"heap[MiB]=json:/heap", "heap", "B", Better::lower, "[MiB]json:/heap"},
      {"heap_kib=assay", "heap_kib", "B", Better::lower, "assay"},
      {"latency_ms[us]=assay", "latency_ms", "s", Better::lower, "[us]assay"},
      {"miss[%]=assay", "miss", "1", Better::lower, "[%]assay"},
      {"jobs_per_s[higher]=assay", "jobs_per_s", "1", Better::higher, "assay"},
  };
  for (const Case& c : cases) {
    const Metric read = metric(c.text);
    EXPECT_EQ(read.name, c.name) << c.text;
    EXPECT_EQ(read.unit, c.unit) << c.text;
    EXPECT_EQ(read.better, c.better) << c.text;
    EXPECT_EQ(read.source, c.source) << c.text;
    EXPECT_EQ(read.origin, MetricOrigin::output) << c.text;
    EXPECT_FALSE(read.gating) << c.text;
  }
}

TEST(ParseMetric, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"latency", "latency: a metric is NAME=SOURCE\n"},
      {"=re:(x)", "=re:(x): a metric needs a name\n"},
      {"a b=re:(x)",
       "a b=re:(x): a metric's name has letters, digits, _ . and - only\n  a b=re:(x)\n   ^"},
      {"wall=re:(x)", "wall=re:(x): 'wall' is a metric that assay measures itself\n"},
      {"x=", "metric x: the source is missing\n"},
      {"x=rex:(y)", "metric x: unknown source 'rex'\n"},
      {"x=json:p99", "metric x: 'p99' is no JSON pointer\n"},
      {"x=re:ab", "metric x: the pattern needs exactly one group, it has 0\n  ab\n"},
      {"x=re:(a)(b)", "metric x: the pattern needs exactly one group, it has 2\n  (a)(b)\n"},
      {"x=re:a(b[c-a])",
       "metric x: the pattern is malformed: invalid character class range: c-a\n"
       "  a(b[c-a])\n      ^\n"},
      {"x=re:(a", "metric x: the pattern is malformed: missing ): (a\n  (a\n"},
      {"x[ms=re:(a)", "x[ms=re:(a): this bracket is never closed\n  x[ms=re:(a)\n   ^"},
      {"x[ms]re:(a)", "x[ms]re:(a): '=' and a source must follow the bracket\n"},
      {"x[]=assay", "x[]=assay: '' is no unit\n"},
      {"x[ms,highr]=assay",
       "x[ms,highr]=assay: the direction is 'higher' or 'lower', not 'highr'\n"},
      {"x[higher,lower]=assay", "x[higher,lower]=assay: the brackets give the direction twice"},
      {"x=[ms]assay", "x=[ms]assay: the unit stands behind the name\n"},
      {"r[req/s]=assay", "r[req/s]=assay: is more of 'r' better or worse?\n"},
      {"r_per_s=assay", "r_per_s=assay: is more of 'r_per_s' better or worse?\n"},
  };
  for (const auto& [text, begin] : cases)
    EXPECT_EQ(error_of(text).substr(0, std::string_view(begin).size()), begin) << text << " gave:\n"
                                                                               << error_of(text);
  EXPECT_NE(error_of("x=jason:/a").find("did you mean json?"), std::string::npos);
}

TEST(ParseMetric, NamesBuiltinsOnce) {
  const auto all = builtin_metrics();
  EXPECT_EQ(all.size(), 9u);
  for (const Metric& m : all) {
    EXPECT_EQ(builtin_metric(m.name), m);
    EXPECT_FALSE(m.method.empty()) << m.name;
    EXPECT_EQ(
        std::count_if(all.begin(), all.end(), [&](const Metric& n) { return n.name == m.name; }),
        1);
  }
  EXPECT_FALSE(builtin_metric("Wall"));
}

TEST(MetricRules, FindsValues) {
  struct Case {
    const char *rule, *output;
    std::optional<double> value;
  };
  const Case cases[] = {
      {R"(latency_ms=re:gpu_ms=(\d+))", "GPU_END j gpu_ms=12\n", 0.012},
      {R"(x=re:x=(\S+))", "x=1.5e3\r\n", 1500},
      {R"(x=re:x=(\S+))", "x=-2\n", -2},
      {R"(x=re:x=(\S+))", "x=abc\n", {}},
      {R"(x=re:x=(\S+))", "x=nan\nx=inf\n", {}},
      {R"(x=re:x=(\S+))", "x=1", {}},           // torn
      {R"(x=re:x=(\S+))", "x=1\nx=20", 1},      // only the last is torn
      {R"(x=re:x=(\S+))", "x=1 x=2\n", 1},      // first match of a line
      {R"(x=re:^x=(\S+)$)", "ax=1\nx=2\n", 2},  // anchors are those of the line
      {R"(x=re:x=(\S+))", "x=9\nx=4\n", 4},     // the first of two is dropped
      {R"(x=re:x=(\S+))", "x=9\nx=4\nx=5\n", 4.5},
      {R"(x=re:(\d+))", "99\n98\n1\n2\n3\n4\n5\n6\n7\n8\n9\n9\n9\n9\n9\n9\n9\n9\n9\n0\n", 8.5},
      {"x=assay", "ASSAY x=3\n", 3},
      {"x=assay", "ASSAY x=3 ms\n", 0.003},
      {"x=assay", "ASSAY x = 3 ms \r\n", 0.003},
      {"x=assay", "ASSAY x=2 KiB\n", 2048},
      {"x=assay", "ASSAY x=2 MB\n", 2e6},
      {"x=assay", "ASSAY x=5 %\n", 0.05},
      {"x=assay", "ASSAY x=5 widgets\n", 5},
      {"x=assay", "ASSAY y=3\n ASSAY x=4\nassay x=5\n", {}},
      {"x=assay", "ASSAY x\nASSAY\nASSAY =\nASSAY x=\n", {}},
      {"x_ms=assay", "ASSAY x_ms=3\n", 0.003},
      {"x_ms=assay", "ASSAY x_ms=3 us\n", 3e-6},
      {"x_ms=assay", "ASSAY x_ms=3 MiB\n", {}},  // a size is no time
      {"x[s]=assay:other", "ASSAY other=3 ms\n", 0.003},
      {"p[ms]=json:/a/0", R"({"a": [7]})", 0.007},  // complete without newline
      {"p=json:/a", "{\n \"a\": 7\n}\n", 7},
      {"p=json:/a", "log\n{\"a\": 1}\n{\"a\": 2}\nbye\n", 2},
      {"p=json:/a", "{\"a\": 1}\n{\"a\": 2", 1},
      {"p=json:/b", "{\"a\": 1}\n", {}},
      {"p=json:/a", "{\"a\": \"1\"}\n", {}},
      {"p=json:/a", "", {}},
      {"p=json:", "12\n", 12},
      {"p=json:", "12", {}},  // may be the beginning of 123
  };
  for (const Case& c : cases) EXPECT_EQ(value_of(c.rule, c.output), c.value) << c.rule << c.output;
}

TEST(MetricRules, KeepsOrderAndStartsAnew) {
  MetricRules made = rules({"b=assay", R"(a_us=re:a=(\d+))", "c=json:/c"});
  made.consume("ASSAY b=1\na=2\n{\"c\": 3}\n");
  EXPECT_EQ(made.finish(), (Values{1.0, 2e-6, 3.0}));
  EXPECT_EQ(made.finish(), (Values{{}, {}, {}}));
  made.consume("ASSAY b=4\nASSAY b=5");
  EXPECT_EQ(made.finish(), (Values{4.0, {}, {}}));
  made.consume("1\n");  // not the rest of the torn line before
  EXPECT_EQ(made.finish()[0], std::nullopt);
}

TEST(MetricRules, DoesNotCareHowTheOutputIsCut) {
  const std::string output =
      "warming up\nx=1.25 ms\n\nASSAY y=7 us\r\nx=2.5\nx=3.5\n{\"z\": 9}\nASSAY y=8 us\nx=100";
  const std::vector<std::string> texts = {R"(x=re:x=(\S+))", "y=assay", "z=json:/z"};
  MetricRules whole = rules(texts);
  whole.consume(output);
  const Values expected = whole.finish();
  EXPECT_EQ(expected, (Values{3.0, 8e-6, 9.0}));
  Random random(7);
  MetricRules cut = rules(texts);
  for (int round = 0; round < 200; ++round) {
    for (std::size_t at = 0; at < output.size();) {
      const std::size_t n = random.below(5);
      cut.consume(std::string_view(output).substr(at, n));
      at += n;
    }
    ASSERT_EQ(cut.finish(), expected) << round;
  }
}

TEST(MetricRules, CutsVeryLongLines) {
  MetricRules made = rules({R"(x=re:x=(\d+))", R"(end=re:(\d+)$)"});
  const std::string filler(MetricRules::kLongestLine - 4, '.');
  made.consume(filler + "x=123456\nx=5\n");  // the cut falls into the number
  EXPECT_EQ(made.finish(), (Values{5.0, 5.0}));
  EXPECT_EQ(made.losses(),
            (std::vector<std::string>{
                "a line of the output is longer than 1.00 MiB: the rest of it is not "
                "looked at"}));
  made.consume("x=7 " + filler);
  made.consume(filler);
  made.consume("\n");
  EXPECT_EQ(made.finish(), (Values{7.0, {}}));
  EXPECT_TRUE(made.losses().empty());  // told already
  made.consume("x=7\n");
  EXPECT_EQ(made.finish(), (Values{7.0, 7.0}));
  EXPECT_TRUE(made.losses().empty());
}

TEST(MetricRules, TellsOnceWhatIsNoNumber) {
  const struct {
    const char *rule, *output, *loss;
  } cases[] = {
      {"v=assay", "ASSAY v=inf\n", "'inf', which is no number"},
      {"v=assay", "ASSAY v=nan\n", "'nan', which is no number"},
      {"v=assay", "ASSAY v=1e400\n", "'1e400', which is no number"},
      {"v=assay", "ASSAY v=0x10\n", "'0x10', which is no number"},
      {"v=assay", "ASSAY v=1,5\n", "'1,5', which is no number"},
      {"v=assay", "ASSAY v=1,5 ms\n", "'1,5', which is no number"},
      {"v=assay", "ASSAY v=\n", "'', which is no number"},
      {"v=assay", "ASSAY v=1e308 GiB\n", "'1e308', which is too large"},
      {R"(v=re:v=(\S+))", "v=nan\n", "'nan', which is no number"},
      {"v=json:/v", "{\"v\": \"1,5\"}\n", "\"1,5\", which is no number"},
      {"v=json:/v", "{\"v\": null}\n", "null, which is no number"},
  };
  for (const auto& c : cases) {
    MetricRules made = rules({c.rule});
    made.consume(c.output);
    EXPECT_EQ(made.finish(), Values{{}}) << c.output;
    EXPECT_EQ(made.losses(),
              std::vector<std::string>{std::string("metric v: the command printed ") + c.loss})
        << c.output;
    made.consume(c.output);
    EXPECT_EQ(made.finish(), Values{{}}) << c.output;
    EXPECT_TRUE(made.losses().empty()) << c.output;
  }
}

TEST(MetricRules, TellsWhyThereIsNoJson) {
  for (const char* output : {"{\"v\": nan}\n", "{\"v\": 0x10}\n", "v: 1\n"}) {
    MetricRules made = rules({"v=json:/v"});
    made.consume(output);
    EXPECT_EQ(made.finish(), Values{{}}) << output;
    ASSERT_EQ(made.losses().size(), 1u) << output;
    EXPECT_EQ(made.losses()[0].find("the output holds no JSON document: "), 0u) << made.losses()[0];
  }
}

// One object serves all sides: what the first one printed cannot be compared with another unit.
TEST(MetricRules, TheFirstUnitHoldsForAllRuns) {
  const struct {
    std::string rule, first, then;
    std::optional<double> value;
    std::string loss;
  } cases[] = {
      {"x=assay", "3 s", "4 ms", 0.004, ""},
      {"x=assay", "3 KiB", "4 MB", 4e6, ""},
      {"x=assay", "3 req/s", "4 req/s", 4, ""},
      {"x=assay", "3", "4", 4, ""},
      {"x=assay",
       "3 ms",
       "4 MiB",
       {},
       "it was printed in 'ms' first and then in 'MiB'; values in "
       "'MiB' are left out"},
      {"x=assay",
       "3 req/s",
       "4 krec/s",
       {},
       "it was printed in 'req/s' first and then in 'krec/s'; "
       "values in 'krec/s' are left out"},
      {"x=assay",
       "3",
       "4 ms",
       {},
       "it was printed without a unit first and then in 'ms'; values in "
       "'ms' are left out"},
      {"x=assay",
       "3 ms",
       "4",
       {},
       "it was printed in 'ms' first and then without a unit; values "
       "without a unit are left out"},
      {"x[ms]=assay", "3 B", "4 s", 4, ""},
      {"x[ms]=assay",
       "3 s",
       "4 B",
       {},
       "the command printed it in 'B', and its name says 's'; such "
       "a value is left out"},
  };
  for (const auto& c : cases) {
    const std::string what = c.rule + ": " + c.first + ", " + c.then;
    MetricRules made = rules({c.rule});
    made.consume("ASSAY x=" + c.first + "\n");
    made.finish();
    made.consume("ASSAY x=" + c.then + "\n");
    EXPECT_EQ(made.finish(), Values{c.value}) << what;
    EXPECT_EQ(made.losses(), c.loss.empty() ? std::vector<std::string>{}
                                            : std::vector<std::string>{"metric x: " + c.loss})
        << what;
  }
}

TEST(MetricRules, HoldsNoMoreJsonThanItSays) {
  MetricRules made = rules({"p=json:/p"});
  const std::string mebibyte(std::size_t{1} << 20, ' ');
  for (int i = 0; i < 16; ++i) made.consume(mebibyte);
  made.consume("{\"p\": 1}\n");
  EXPECT_EQ(made.finish(), (Values{{}}));
  EXPECT_EQ(made.losses().size(), 1u);
  made.consume("{\"p\": 1}\n");
  EXPECT_EQ(made.finish(), (Values{1.0}));
}

TEST(MetricRules, RefusesAStoredMetricThatIsBroken) {
  Metric broken = metric("x=assay");
  EXPECT_FALSE(MetricRules::make(std::vector<Metric>{broken, broken}));
  broken.source = "[ms";
  EXPECT_FALSE(MetricRules::make(std::vector<Metric>{broken}));
  broken.source = "";
  EXPECT_FALSE(MetricRules::make(std::vector<Metric>{broken}));
}

TEST(MetricSource, KnowsUnits) {
  EXPECT_EQ(scale_of_unit("GiB"), (Scale{0x1p30, "B"}));
  EXPECT_EQ(scale_of_unit("furlong"), (Scale{1, "furlong"}));
  EXPECT_EQ(scale_of_name("a_mib"), (Scale{1048576, "B"}));
  EXPECT_EQ(scale_of_name("plus"), std::nullopt);
  EXPECT_EQ(scale_of_name("jobs_per_s"), std::nullopt);
}

}  // namespace
}  // namespace assay::measure
