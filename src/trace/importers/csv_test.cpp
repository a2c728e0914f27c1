// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/csv.hpp"

#include <gtest/gtest.h>

#include "trace/rules.hpp"
#include "trace/source.hpp"

namespace assay::trace {
namespace {

std::string outcome(const std::string& text, const char* rules_text = nullptr,
                    const std::string& format = "") {
  ImportOptions options;
  std::optional<Rules> rules;
  if (rules_text != nullptr) {
    rules = *parse_rules(rules_text, "r.toml");
    options.rules = &*rules;
  }
  const auto source = memory_source(text, "run.csv");
  const auto trace = import_run(*source, format, options);
  if (!trace) return trace.error().to_text();
  std::string out;
  for (std::size_t i = 0; i < trace->spans.size(); ++i) {
    const Spans& s = trace->spans;
    out += trace->stages[s.stage[i]].name + "." + std::string(to_word(s.kind[i]));
    if (s.item[i] != kNone)
      out += " " + std::string(trace->strings.at(trace->items.key[s.item[i]]));
    if (s.worker[i] != kNone) out += " w" + trace->workers[s.worker[i]].label;
    out += " " + std::to_string(s.begin[i] / 1000) + ".." + std::to_string(s.end[i] / 1000) +
           (s.quality[i] == Quality::derived ? " derived; " : "; ");
  }
  for (std::size_t i = 0; i < trace->counters.size(); ++i)
    out += std::string(trace->strings.at(trace->counters.name[i])) + "=" +
           std::to_string(trace->counters.value[i]) + "; ";
  for (std::size_t i = 0; i < trace->instants.size(); ++i)
    out += std::string(trace->strings.at(trace->instants.name[i])) + "!; ";
  for (const Loss loss : {Loss::bad_field, Loss::malformed_record, Loss::torn_line,
                          Loss::negative_span, Loss::duration_differs})
    if (trace->lost(loss) > 0)
      out += std::to_string(trace->lost(loss)) + " " + std::string(to_text(loss)) + "; ";
  return out;
}

TEST(Csv, Reads) {
  const std::pair<const char*, const char*> cases[] = {
      {"begin_ms,end_ms,stage,job,partition,worker\n1,3,gpu,a1,0,w0\n2.5,4,gpu,a1,1,w1\n",
       "gpu.service a1/0 ww0 1000..3000; gpu.service a1/1 ww1 2500..4000; "},
      {"begin_ms,end_ms,stage,item\n1,3,gpu,\n1,3,gpu,\"\"\n1,3,gpu,a\n",
       "gpu.service 1000..3000; gpu.service 1000..3000; gpu.service a 1000..3000; "},
      {"begin_ms,end_ms,stage,job,partition\n1,3,gpu,a,\n1,3,gpu,,\n",
       "gpu.service a 1000..3000; gpu.service 1000..3000; "},
      {"stage;start_s;duration_ms\ngpu;1.5;250\n", "gpu.service 1500000..1750000; "},
      {"stage\ttime_us\tdur_us\ngpu\t1000\t250\n", "gpu.service 750..1000 derived; "},
      {"time,stage,duration\n2026-03-04T05:06:07Z,gpu,1m0.5s\n",
       "gpu.service -60500000..0 derived; "},
      {"\xEF\xBB\xBF"
       "begin_ms,end_ms,stage,kind\r\n1,3,\"a, \"\"b\"\"\",queue_wait\r\n",
       "a, \"b\".queue_wait 1000..3000; "},
      {"t_ms,name,value\n1,depth,3.5\n", "depth=3.500000; "},
      {"t_ms,name,job\n1,tick,a\n", "tick!; "},
      {"begin_ms,end_ms,stage\n1,3\n3,1,gpu\nx,3,gpu\n\"1,2,gpu\n1,3,gpu\n1,3,gp",
       "gpu.service 1000..3000; 1 line with a field that does not parse; 2 malformed record; 1 "
       "torn "
       "last line; 1 span that ends before it begins; "},
      {"begin_ms,end_ms,duration_ms,stage\n1,3,2,a\n1,3,9,a\n",
       "a.service 1000..3000; a.service 1000..3000; 1 duration that differs from its span; "},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(outcome(text), expected) << text;
}

TEST(Csv, NumbersNeedAUnit) {
  const std::string text = "begin,end,stage\n1,3,gpu\n";
  EXPECT_EQ(
      outcome(text),
      "run.csv:2: column 'begin' holds numbers without a unit\n  call it begin_ms (or _s, _us, "
      "_ns), or say it in the rules: [csv] time = \"ms\"");
  EXPECT_EQ(outcome(text, "[csv]\ntime = \"ms\"\n"), "gpu.service 1000..3000; ");
}

TEST(Csv, AHeaderWithoutTimesIsRefused) {
  EXPECT_EQ(outcome("a,b\n1,2\n", nullptr, "csv"),
            "run.csv:1:1: the header has no column of times (t, time, timestamp, begin, end)\n  "
            "a,b\n  ^\n  name the columns: begin_ms,end_ms,stage,item,worker");
}

}  // namespace
}  // namespace assay::trace
