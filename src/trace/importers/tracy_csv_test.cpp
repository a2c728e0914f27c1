// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/tracy_csv.hpp"

#include <gtest/gtest.h>

#include "trace/importers/importer_lines.hpp"

namespace assay::trace {
namespace {

using testing::import;
using testing::Lines;
using testing::spans_of;

TEST(TracyCsvImporter, EveryZone) {
  const auto run = import(tracy_csv_importer(),
                          "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n"
                          "Frame,main.cpp,12,1000,500,42,\n"
                          "map<int, float>::insert,m.hpp,7,1100,100,42,\r\n"
                          "\"quoted, name\",m.hpp,7,1200,0,7,x\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(spans_of(*run), (Lines{"Frame service 1000..1500 thread 42 exact -",
                                   "map<int, float>::insert service 1100..1200 thread 42 exact -",
                                   "quoted, name service 1200..1200 thread 7 exact -"}));
  EXPECT_EQ(run->workers[0].tid, 42);
  EXPECT_TRUE(run->warnings.empty());
}

TEST(TracyCsvImporter, TotalsAreSaidToBeTotals) {
  const auto run =
      import(tracy_csv_importer(),
             "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns\n"
             "Frame,main.cpp,12,900,90.5,3,300,100,500,1.5\n"
             "f<a,b>,m.hpp,7,100,9.5,1,100,100,100,0\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(spans_of(*run), (Lines{"Frame service 0..900 all zones derived -",
                                   "f<a,b> service 900..1000 all zones derived -"}));
  EXPECT_EQ(run->counters.value, (std::vector<double>{3, 1}));
  ASSERT_EQ(run->warnings.size(), 1U);
  EXPECT_EQ(run->warnings[0].kind, TraceWarningKind::derived);
}

TEST(TracyCsvImporter, BadLinesAreCounted) {
  const std::string header = "name,src_file,src_line,ns_since_start,exec_time_ns,thread\n";
  const struct {
    const char* line;
    Loss loss;
  } cases[] = {
      {"a,b,1\n", Loss::malformed_record},     {"a,b,1,x,5,1\n", Loss::bad_field},
      {"a,b,1,5,-5,1\n", Loss::negative_span}, {"a,b,1,9223372036854775807,1,1\n", Loss::bad_field},
      {"a\xff,b,1,5,5,1\n", Loss::bad_bytes},  {"a,b,1,5,5", Loss::torn_line},
  };
  for (const auto& c : cases) {
    const auto run = import(tracy_csv_importer(), header + c.line);
    ASSERT_TRUE(run) << c.line;
    EXPECT_EQ(run->lost(c.loss), 1U) << c.line;
  }
  for (const char* text : {"", "a,b\n1,2\n", "name,src_file\n"}) {
    EXPECT_FALSE(import(tracy_csv_importer(), text)) << text;
  }
}

TEST(TracyCsvImporter, Sniffs) {
  EXPECT_EQ(
      tracy_csv_importer().sniff("name,src_file,src_line,ns_since_start,exec_time_ns,thread\n"),
      95);
  EXPECT_EQ(tracy_csv_importer().sniff("name,begin,end\n"), 0);
  EXPECT_EQ(tracy_csv_importer().sniff(""), 0);
}

}  // namespace
}  // namespace assay::trace
