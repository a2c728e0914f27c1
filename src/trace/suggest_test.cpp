// SPDX-License-Identifier: Apache-2.0
#include "trace/suggest.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

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

// "stage: count, sum in ms", by name, of the run that the guessed rules make.
std::string guessed(const std::string& log) {
  const auto source = memory_source(log, "run.log");
  const auto trace = import_run(*source, "text", {});
  if (!trace) return trace.error().to_text();
  std::vector<std::string> stages;
  for (std::uint32_t s = 0; s < trace->stages.size(); ++s) {
    Nanos sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < trace->spans.size(); ++i) {
      if (trace->spans.stage[i] != s) continue;
      sum += trace->spans.end[i] - trace->spans.begin[i];
      ++count;
    }
    stages.push_back(fmt::format("{}: {}, {}", trace->stages[s].name, count, sum / 1'000'000));
  }
  std::ranges::sort(stages);
  return fmt::format("{}; items {}, workers {}", fmt::join(stages, "; "), trace->items.size(),
                     trace->workers.size());
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

// Lines of one log take turns; each of `lines` has {0} for its number and {1} for its ms.
std::string durations_of(const std::vector<std::string>& lines) {
  std::string log;
  for (int i = 0; i < 20; ++i)
    for (std::size_t k = 0; k < lines.size(); ++k)
      log += fmt::format("2024-05-01 10:00:{:02},{:03} ", i, 100 + 100 * k) +
             fmt::format(fmt::runtime(lines[k]), i, 10 * (k + 1), i % 3) + "\n";
  return log;
}

std::vector<std::string> matches_of(const std::string& log) {
  std::vector<std::string> matches;
  const auto rules = parse_rules(suggest_rules(log), "s");
  if (!rules) return {rules.error().to_text()};
  for (const EventRule& rule : rules->events) matches.push_back(rule.pattern.text());
  std::ranges::sort(matches);
  return matches;
}

TEST(Suggest, EveryShapeOfALineHasItsOwnRuleAndStage) {
  struct Case {
    std::vector<std::string> lines;
    std::vector<std::string> matches;  // sorted
    std::string stages;                // 20 spans of 10, 20, 30 ms
  };
  const Case cases[] = {
      {{"INFO [worker-{2}] load user from db id={0} took {1}.0ms",
        "INFO [worker-{2}] parse request id={0} took {1}.0ms",
        "INFO [worker-{2}] render template id={0} took {1}.0ms"},
       {"load user from db id={id:int} took {d:duration}",
        "parse request id={id:int} took {d:duration}",
        "render template id={id:int} took {d:duration}"},
       "load_user_from_db: 20, 200; parse_request: 20, 400; render_template: 20, 600; items 20, "
       "workers 9"},
      {{"parse_request id={0} took {1}ms", "render_page id={0} took {1}ms"},
       {"parse_request id={id:int} took {d:duration}", "render_page id={id:int} took {d:duration}"},
       "parse_request: 20, 200; render_page: 20, 400; items 20, workers 0"},
      {{"parse took {1}.5ms (id={0})", "render took {1}.5ms (id={0})"},
       {"parse took {d:duration}", "render took {d:duration}"},
       "parse: 20, 210; render: 20, 410; items 20, workers 0"},
      // Only what stands in front of the message differs.
      {{"INFO parser: done took {1}ms", "INFO painter: done took {1}ms"},
       {"painter: done took {d:duration}", "parser: done took {d:duration}"},
       "painter: 20, 400; parser: 20, 200; items 0, workers 0"},
      {{"- app.db - INFO - flush took {1}ms", "- app.net - INFO - flush took {1}ms"},
       {"app.db - {_:any} - flush took {d:duration}",
        "app.net - {_:any} - flush took {d:duration}"},
       "app_db_flush: 20, 200; app_net_flush: 20, 400; items 0, workers 0"},
      // The level is no part of the shape.
      {{"INFO  parse id={0} took {1}ms", "ERROR parse id={0} took {1}ms"},
       {"parse id={id:int} took {d:duration}"},
       "parse: 40, 600; items 20, workers 0"},
      // One pattern is part of the other.
      {{"parse id={0} took {1}ms", "re-parse id={0} took {1}ms", "parse id={0} took {1}ms again"},
       {"parse id={id:int} took {d:duration}", "parse id={id:int} took {d:duration} again",
        "re-parse id={id:int} took {d:duration}"},
       "parse: 20, 200; parse_again: 20, 600; re-parse: 20, 400; items 20, workers 0"},
      // Names in key=value and JSON.
      {{"level=info msg=flush id={0} dur_ms={1}", "level=info msg=compact id={0} dur_ms={1}"},
       {"msg=compact", "msg=flush"},
       "compact: 20, 400; flush: 20, 200; items 20, workers 0"},
      // A field more makes no other stage, and no other rule.
      {{"msg=flush id={0} dur_ms={1}", "msg=flush retry=1 id={0} worker={2} dur_ms={1}"},
       {"msg=flush"},
       "flush: 40, 600; items 20, workers 3"},
      {{"a={0} dur_ms={1}", "b={0} dur_ms={1}"},
       {"a={_:any} dur_ms={d:ms}", "b={_:any} dur_ms={d:ms}"},
       "dur_ms: 40, 600; items 0, workers 0"},
      {{"stage=\"load user\" id={0} dur_ms={1}", "stage=\"load page\" id={0} dur_ms={1}"},
       {"stage=\"{stage}\""},
       "load page: 20, 400; load user: 20, 200; items 20, workers 0"},
      {{"wait for lock {0} took {1}ms", "wait lock {0} took {1}ms",
        "[gpu{2}] wait on lock took {1}ms"},
       {"wait for lock {_:any} took {d:duration}", "wait lock {_:any} took {d:duration}",
        "wait on lock took {d:duration}"},
       "wait_for_lock: 20, 200; wait_lock: 20, 400; wait_on_lock: 20, 600; items 0, workers 3"},
  };
  for (const Case& c : cases) {
    const std::string log = durations_of(c.lines);
    EXPECT_EQ(matches_of(log), c.matches) << suggest_rules(log);
    EXPECT_EQ(guessed(log), c.stages) << suggest_rules(log);
  }
}

TEST(Suggest, PairsOfSeveralStagesStayApart) {
  std::string log;
  for (int i = 0; i < 20; ++i)
    for (const char* verb : {"started", "finished"})
      for (const char* stage : {"load user from db", "parse request", "render template"})
        log += fmt::format("2024-05-01 10:00:{:02},{:03} INFO [worker-{}] {} id={} {}\n", i,
                           verb[0] == 's' ? 100 : 150, i % 3, stage, i, verb);
  EXPECT_EQ(guessed(log),
            "load_user_from_db: 20, 1000; parse_request: 20, 1000; render_template: 20, 1000; "
            "items 20, workers 9");
}

// More shapes than rules are told, not merged.
TEST(Suggest, SaysHowManyShapesHaveNoRule) {
  std::vector<std::string> lines;
  for (char a = 'a'; a <= 'j'; ++a)
    for (char b = 'a'; b <= 'e'; ++b)
      lines.push_back(fmt::format("stage {}{}x id={{0}} took {{1}}ms", a, b));
  const std::string text = suggest_rules(durations_of(lines));
  EXPECT_EQ(matches_of(durations_of(lines)).size(), 40U);
  EXPECT_NE(text.find("# 10 more shapes of lines have no rule here"), std::string::npos) << text;
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
                        "a=\"b took 5ms\na='b c\\' took 5ms\na=\"\\\" {x} $\" took 5ms\n",
                        "worker-1 worker-2 took 5ms [gpu0] gpu1=3 core-4: 5 lane\n",
                        "INFO INFO  took 5ms INFO\nWARN took: took 5ms $\n^took 5ms$\n",
                        "- - . took 5ms.\nlevel=info level=\"warn\" took 5ms\n",
                        "start 1\nstart 2\nend 1\nend 2\nx: start 1\nx: end 1\n",
                        ("a\x7f"
                         "b took 5ms\n")};
  for (const char* log : logs) {
    const std::string text = suggest_rules(log);
    const auto rules = parse_rules(text, "s");
    EXPECT_TRUE(rules) << text << (rules ? "" : rules.error().to_text());
  }
}

}  // namespace
}  // namespace assay::trace
