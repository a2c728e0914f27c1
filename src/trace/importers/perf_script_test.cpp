// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/perf_script.hpp"

#include <gtest/gtest.h>

#include "trace/importers/importer_lines.hpp"

namespace assay::trace {
namespace {

using testing::import;
using testing::Lines;
using testing::spans_of;

constexpr const char* kTwoThreads = R"(# captured on: a date
Web Content 1234/1235 [001] 10.001000:     250000 cpu-clock:pppH: 
	    55d0 sort+0x1c (/usr/bin/x)
	    55a0 main+0x20 (/usr/bin/x)

worker  77 10.001500: cycles: 
	ffffffff8104f45a [unknown] ([kernel.kallsyms])
	7f0012 [unknown] (/usr/lib/libc.so.6)

Web Content 1234/1235 [001] 10.002000:     250000 cpu-clock:pppH: 
	    55d0 copy(int, (lambda)#1)+0x1c (/usr/bin/x)
	    55a0 main+0x20 (/usr/bin/x)

Web Content 1234/1235 [000] 10.003000:     250000 cpu-clock:pppH: 
	    55a0 main+0x20 (/usr/bin/x)

Web Content 1234/1235 [000] 10.103000:     250000 cpu-clock:pppH: 
	    55a0 main+0x20 (/usr/bin/x)
)";

TEST(PerfScriptImporter, SamplesAreLaidOnTheTimeLineOfTheirThread) {
  const auto run = import(perf_script_importer(), kTwoThreads);
  ASSERT_TRUE(run);
  EXPECT_EQ(
      spans_of(*run),
      (Lines{"sort service 10001000000..10002000000 Web Content (1235) derived -",
             "copy(int, (lambda)#1) service 10002000000..10003000000 Web Content (1235) derived -",
             "main service 10001000000..10004000000 Web Content (1235) derived -",
             "main service 10103000000..10104000000 Web Content (1235) derived -",
             "[unknown] service 10001500000..10002500000 worker (77) derived -",
             "libc.so.6 service 10001500000..10002500000 worker (77) derived -"}));
  for (const std::uint64_t lost : run->losses) EXPECT_EQ(lost, 0U);
  EXPECT_EQ(run->workers[0].pid, 1234);
  EXPECT_EQ(run->workers[0].tid, 1235);
  EXPECT_EQ(run->workers[1].pid, -1);
  EXPECT_EQ(run->clock.resolution_ns, 1000);
}

TEST(PerfScriptImporter, OneLineSamplesAndTracepoints) {
  const auto run = import(perf_script_importer(),
                          "perf 12 1.5: 1 cycles: ffff10 native_write_msr+0x4 ([kernel.kallsyms])\n"
                          "bash 13 [002] 1.25: sched:sched_switch: prev_comm=bash ==> next=x\n"
                          "perf 12 1.000000001: 1 cycles: ffff10 early+0x4 (x)\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(spans_of(*run),
            (Lines{"early service 1000000001..1500000000 perf (12) derived -",
                   "native_write_msr service 1500000000..1999999999 perf (12) derived -"}));
  ASSERT_EQ(run->instants.size(), 1U);
  EXPECT_EQ(run->strings.at(run->instants.name[0]), "sched:sched_switch");
}

TEST(PerfScriptImporter, BadLinesAreCounted) {
  const struct {
    const char* text;
    Loss loss;
  } cases[] = {
      {"hello\n", Loss::malformed_record},
      {"comm x 1.5: cycles:\n", Loss::malformed_record},
      {"comm 5 1.5: cycles\n", Loss::malformed_record},
      {"comm 5 99999999999999999999.5: cycles:\n", Loss::malformed_record},
      {"comm 5 1.5: cycles:\n\tff a\xff+0x1 (x)\n", Loss::bad_bytes},
      {"comm 5 1.5: cycles:\n\tff a+0x1 (x", Loss::torn_line},
  };
  for (const auto& c : cases) {
    const auto run = import(perf_script_importer(), c.text);
    ASSERT_TRUE(run) << c.text;
    EXPECT_EQ(run->lost(c.loss), 1U) << c.text;
  }
}

TEST(PerfScriptImporter, Sniffs) {
  EXPECT_GT(perf_script_importer().sniff(kTwoThreads), 80);
  EXPECT_EQ(perf_script_importer().sniff("1.5: hello\n"), 0);
  EXPECT_EQ(perf_script_importer().sniff("main;a 3\n"), 0);
  EXPECT_EQ(perf_script_importer().sniff(""), 0);
}

}  // namespace
}  // namespace assay::trace
