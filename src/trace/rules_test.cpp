// SPDX-License-Identifier: Apache-2.0
#include "trace/rules.hpp"

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

std::string error_of(std::string_view text) {
  const auto rules = parse_rules(text, "r.toml");
  return rules ? "no error" : rules.error().to_text();
}

TEST(Rules, EverythingThatAFileMaySay) {
  const auto rules = parse_rules(R"toml(
item = ["job", "partition"]
setting = ["effective_lookahead={v:int}", "workers: {v}"]
expect = "setting(items)"
[[event]]
match = "START {job} w={worker}"
pairs = ["partition={partition:int}"]
begin = ["gpu.service", "http.get"]
end = "gpu.queue_wait"
[[event]]
re = 'END (?P<job>\w+) ms=(?P<d_ms>\d+)'
end = "gpu"
[[stage]]
name = "http.get"
[[stage]]
name = "gpu"
after = "http.get"
servers = "count(worker)"
capacity = 10
permits = "setting(partition_workers)"
kind = "gpu"
parent = "http.get"
[csv]
time = "us"
)toml",
                                 "r.toml");
  ASSERT_TRUE(rules) << rules.error().to_text();
  EXPECT_EQ(rules->item, (std::vector<std::string>{"job", "partition"}));
  ASSERT_EQ(rules->events.size(), 2U);
  const EventRule& first = rules->events[0];
  EXPECT_EQ(first.begin,
            (std::vector<SpanRef>{{"gpu", SpanKind::service}, {"http.get", SpanKind::service}}));
  EXPECT_EQ(first.end, (std::vector<SpanRef>{{"gpu", SpanKind::queue_wait}}));
  EXPECT_EQ(first.line, 6U);
  EXPECT_EQ(rules->events[1].pattern.fields()[1].type, FieldType::ms);
  ASSERT_EQ(rules->settings.size(), 2U);
  EXPECT_EQ(rules->settings[0].name, "lookahead");
  EXPECT_EQ(rules->settings[1].name, "workers");
  ASSERT_EQ(rules->stages.size(), 2U);
  const StageRule& gpu = rules->stages[1];
  EXPECT_EQ(gpu.servers.to_text(), "count(worker)");
  EXPECT_EQ(gpu.capacity.number, 10U);
  EXPECT_EQ(gpu.permits.to_text(), "setting(partition_workers)");
  EXPECT_EQ(gpu.kind, StageKind::gpu);
  EXPECT_EQ(rules->csv_time, "us");
  EXPECT_EQ(rules->expect.to_text(), "setting(items)");
  EXPECT_EQ(rules->format, "");
}

TEST(Rules, ErrorsPointAtThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"item = [", "r.toml:1:9: not valid TOML"},
      {"itme = [\"a\"]",
       "r.toml:1:1: unknown key 'itme' of a rules file\n  itme = [\"a\"]\n  ^ did you mean "
       "'item'?"},
      {"item = 5", "r.toml:1:8: item is a string, not a number"},
      {"[event]\nmatch = \"ab {c}\"", "r.toml:1:2: event is a list of tables"},
      {"[[event]]\nbegin = \"x\"", "r.toml:1:1: an event without a pattern"},
      {"[[event]]\nmatch = \"ab {c}\"", "r.toml:1:1: an event that means nothing"},
      {"[[event]]\nmatch = \"ab {c:flaot}\"\nbegin = \"x\"",
       "r.toml:2:16: unknown type 'flaot' of field 'c'\n  match = \"ab {c:flaot}\"\n"
       "                 ^ did you mean 'float'?"},
      {"[[event]]\nmatch = \"{c}\"\nbegin = \"x\"", "r.toml:2:10: no text to search for"},
      {"[[event]]\nmatch = \"ab\"\nbeginn = \"x\"",
       "r.toml:3:1: unknown key 'beginn' of [[event]]"},
      {"[[event]]\nmatch = \"ab\"\nbegin = \"gpu.servce\"",
       "r.toml:3:9: unknown kind 'servce'\n  begin = \"gpu.servce\"\n          ^ did you mean "
       "'service'?"},
      {"[[event]]\nmatch = \"ab\"\nspan = \"x\"", "r.toml:1:1: a span needs a field d"},
      {"[[event]]\nmatch = \"ab {v}\"\ncounter = \"x\"\n[[event]]\nmatch = \"ab\"\ncounter = \"y\"",
       "r.toml:4:1: a counter needs a field v"},
      {"[[event]]\nmatch = \"ab {t:int}\"\nbegin = \"x\"",
       "r.toml:1:1: field t has a type that is no time"},
      {"[[event]]\nmatch = \"ab\"\nre = 'cd'\nbegin = \"x\"",
       "r.toml:3:1: an event has one pattern, match or re"},
      {"[[event]]\nre = 'ab(c'\nbegin = \"x\"",
       "r.toml:2:7: the regular expression does not compile"},
      {"[[event]]\nmatch = \"ab\"\nbegin = \"{c}.service\"",
       "r.toml:3:9: the pattern has no field 'c'"},
      {"[[event]]\nmatch = \"ab\"\nbegin = \"x\"\n[[event]]\nmatch = \"ab\"\nend = \"x\"",
       "r.toml:5:1: this pattern stands twice\n  match = \"ab\"\n  ^ first in line 2"},
      {"[[event]]\nmatch = \"ab\"\nbegin = \"synth\"\n[[stage]]\nname = \"synth\"\nafter = "
       "\"syth\"",
       "r.toml:6:9: unknown stage 'syth'\n  after = \"syth\"\n          ^ did you mean 'synth'?"},
      {"[[event]]\nmatch = \"ab\"\nbegin = \"synth\"\n[[stage]]\nname = \"snyth\"",
       "r.toml:4:1: no event names stage 'snyth'"},
      {"[[stage]]\nname = \"a\"\n[[stage]]\nname = \"a\"", "r.toml:3:1: stage 'a' stands twice"},
      {"[[stage]]\nname = \"a\"\nservers = \"cuont(worker)\"",
       "r.toml:3:11: servers is a number, \"count(worker)\" or \"setting(NAME)\", not "
       "'cuont(worker)'"},
      {"[[stage]]\nname = \"a\"\nservers = 0", "r.toml:3:11: servers is between 1 and"},
      {"[[stage]]\nname = \"a\"\nkind = \"gpuu\"", "r.toml:3:8: unknown kind 'gpuu' of a stage"},
      {"[[stage]]\nname = \"a\"\nafter = \"a\"", "r.toml:1:1: stage 'a' comes after itself"},
      {"setting = \"lookahead=5\"", "r.toml:1:11: a setting needs a field v"},
      {"setting = \"={v} \"", "r.toml:1:12: no text to search for"},
      {"[csv]\ntime = \"mss\"", "r.toml:2:8: unknown unit 'mss'"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string error = error_of(text);
    EXPECT_TRUE(error.starts_with(expected)) << text << "\n" << error;
  }
}

}  // namespace
}  // namespace assay::trace
