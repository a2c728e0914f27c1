// SPDX-License-Identifier: Apache-2.0
#include "trace/suggest.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trace/importer.hpp"
#include "trace/rules.hpp"
#include "trace/source.hpp"

namespace assay::trace {
namespace {

// Three workers, 60 jobs; job i takes 100 + i ms on worker i % 3. `begin`, `end` make the lines.
template <class Begin, class End>
std::string make_log(Begin begin, End end) {
  std::string log;
  for (int round = 0; round < 20; ++round) {
    for (int w = 0; w < 3; ++w) log += begin(round * 1000 + w, round * 3 + w, w) + "\n";
    for (int w = 0; w < 3; ++w) {
      const int i = round * 3 + w;
      log += end(round * 1000 + w + 100 + i, i, w, 100 + i) + "\n";
    }
  }
  return log;
}

std::string at(int ms) {
  return fmt::format("2026-03-04T05:{:02}:{:02}.{:03}Z", ms / 60000, ms / 1000 % 60, ms % 1000);
}

// "stage: count, sum in ms" of the run that the guessed rules make.
std::string guessed(const std::string& log) {
  const auto source = memory_source(log, "run.log");
  const auto trace = import_run(*source, "text", {});
  if (!trace) return trace.error().to_text();
  std::string text;
  for (std::uint32_t s = 0; s < trace->stages.size(); ++s) {
    Nanos sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < trace->spans.size(); ++i) {
      if (trace->spans.stage[i] != s) continue;
      sum += trace->spans.end[i] - trace->spans.begin[i];
      ++count;
    }
    text += fmt::format("{}{}: {}, {}", text.empty() ? "" : "; ", trace->stages[s].name, count,
                        sum / 1'000'000);
  }
  return text + fmt::format("; items {}, workers {}", trace->items.size(), trace->workers.size());
}

constexpr int kSum = 60 * 100 + 59 * 60 / 2;

TEST(Suggest, PlainText) {
  const std::string log = make_log(
      [](int t, int i, int w) {
        return fmt::format("{} INFO engine: Starting proof {} on worker {}", at(t), i, w);
      },
      [](int t, int i, int w, int) {
        return fmt::format("{} INFO engine: Finished proof {} on worker {}", at(t), i, w);
      });
  EXPECT_EQ(guessed(log), fmt::format("proof: 60, {}; items 60, workers 3", kSum));
}

TEST(Suggest, LogfmtWithCompositeKeys) {
  const std::string log = make_log(
      [](int t, int i, int w) {
        return fmt::format("ts={} level=info msg=\"prove started\" job={:04x} part={} worker=w{}",
                           at(t), i / 10, i % 10, w);
      },
      [](int t, int i, int w, int d) {
        return fmt::format(
            "ts={} level=info msg=\"prove done\" worker=w{} job={:04x} part={} elapsed_ms={}",
            at(t), w, i / 10, i % 10, d);
      });
  EXPECT_EQ(guessed(log), fmt::format("prove: 60, {}; items 60, workers 3", kSum));
  const auto rules = parse_rules(suggest_rules(log), "s.toml");
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->item, (std::vector<std::string>{"job", "part"}));
}

TEST(Suggest, JsonLinesAndEventNames) {
  const std::string log = make_log(
      [](int t, int i, int w) {
        return fmt::format(R"({{"ts":"{}","event":"GPU_START","job":"{:04x}","worker":{}}})", at(t),
                           i, w);
      },
      [](int t, int i, int w, int d) {
        return fmt::format(R"({{"ts":"{}","event":"GPU_END","job":"{:04x}","worker":{},"ms":{}}})",
                           at(t), i, w, d);
      });
  EXPECT_EQ(guessed(log), fmt::format("gpu: 60, {}; items 60, workers 3", kSum));
}

TEST(Suggest, DurationsAlone) {
  std::string log;
  for (int i = 0; i < 60; ++i)
    log += fmt::format("{} DEBUG store: flush {} took {}ms\n", at(i * 1000), i, 10 + i % 2);
  EXPECT_TRUE(guessed(log).starts_with("flush: 60, 630;")) << guessed(log);
  log.clear();
  for (int i = 0; i < 60; ++i)
    log += fmt::format("{} op={} dur_us={}\n", at(i * 1000), i % 2 == 0 ? "read" : "write", 1000);
  EXPECT_TRUE(guessed(log).starts_with("read: 30, 30; write: 30, 30;")) << guessed(log);
}

TEST(Suggest, DurationsWithoutTimestampsAreLaidEndToEnd) {
  std::string log;
  for (int i = 0; i < 60; ++i) log += fmt::format("step {} took 1m0.5s\n", i);
  const auto source = memory_source(log, "run.log");
  const auto trace = import_run(*source, "", {});
  ASSERT_TRUE(trace) << trace.error().to_text();
  ASSERT_EQ(trace->spans.size(), 60U);
  EXPECT_EQ(trace->spans.begin[0], 0);
  EXPECT_EQ(trace->spans.begin[59], trace->spans.end[58]);
  bool told = false;
  for (const auto& w : trace->warnings)
    told = told || w.text.starts_with("no line has a timestamp: 60 spans are laid end to end");
  EXPECT_TRUE(told);
}

TEST(Suggest, SaysThatTheRulesWereGuessed) {
  const auto source = memory_source("2026-03-04T05:06:07Z x took 5ms\n", "run.log");
  const auto trace = import_run(*source, "", {});
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->warnings[0].text,
            "the rules of this log were guessed from its shape (1 event): 'assay trace rules "
            "--suggest run.log' prints them; write them down and give them with --rules");
}

TEST(Suggest, NothingToSay) {
  for (const char* log : {"", "hello\nworld\n", "\n\n", "a=1 b=2\nc=3\n"}) {
    const std::string text = suggest_rules(log);
    const auto rules = parse_rules(text, "s");
    ASSERT_TRUE(rules) << text;
    EXPECT_TRUE(rules->events.empty()) << text;
    EXPECT_NE(text.find("# No line begins and ends something"), std::string::npos);
  }
}

// Whatever stands in the lines, the proposal is a rules file.
TEST(Suggest, HostileLinesMakeRulesThatParse) {
  const char* logs[] = {"1.5 start {x} \"q\" 7\n2.5 end {x} \"q\" 7\n",
                        "1.5 begin \\ 'a' a=\"\\\" 1\n2.5 end \\ 'a' a=\"\\\" 1\n",
                        "^start 1\nend 1$\n",
                        "start\nend\n",
                        "t=1 t=2 d=5ms v=1 label=2 worker=1 worker=2 took 3ms 4ms\n",
                        "\xC3\xA9tape took 5ms\n",
                        "=5ms\n\"=\"5ms\n:5ms :::5ms\n",
                        "a.service.servce took 5ms\n",
                        "a\x7f"
                        "b took 5ms\n"};
  for (const char* log : logs) {
    const std::string text = suggest_rules(log);
    const auto rules = parse_rules(text, "s");
    EXPECT_TRUE(rules) << text << (rules ? "" : rules.error().to_text());
  }
}

}  // namespace
}  // namespace assay::trace
