// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/terminal.hpp"

#include <gtest/gtest.h>

#include "prover/cli/process.hpp"

namespace prover::cli {
namespace {

TEST(Terminal, EveryKindOfErrorHasItsStatus) {
  const struct {
    ErrorKind kind;
    int status;
  } cases[] = {{ErrorKind::usage, 2},         {ErrorKind::too_large, 2},
               {ErrorKind::self_check, 2},    {ErrorKind::failed, 3},
               {ErrorKind::out_of_memory, 3}, {ErrorKind::draining, 3},
               {ErrorKind::cancelled, 130}};
  for (const auto& one : cases)
    EXPECT_EQ(status_of(Error{.what = "x", .where = {}, .hint = {}, .kind = one.kind}), one.status);
}

TEST(Terminal, ShowsDurationsAsPeopleSayThem) {
  const struct {
    double seconds;
    const char* text;
  } cases[] = {{0.2, "1 s"}, {59.5, "1 min 0 s"}, {61, "1 min 1 s"}, {3725, "1 h 2 min"}};
  for (const auto& one : cases) EXPECT_EQ(show_duration(one.seconds), one.text);
}

TEST(Process, UsesSomething) {
  EXPECT_GT(seconds_since_start(), 0);
  EXPECT_GE(cpu_seconds(), 0);
  EXPECT_GT(peak_rss_bytes(), 1u << 20);
}

}  // namespace
}  // namespace prover::cli
