// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/duration.hpp"

#include <gtest/gtest.h>

namespace prover::daemon {
namespace {

TEST(Duration, ReadsWhatItShows) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"250ms", 250}, {"30s", 30000}, {"5m", 300000}, {"2h", 7200000}, {"365d", 31536000000}};
  for (const auto& [text, milliseconds] : cases) {
    const auto span = parse_duration(text);
    ASSERT_TRUE(span) << text;
    EXPECT_EQ(span->count(), milliseconds) << text;
    EXPECT_EQ(show_duration_exactly(*span), text);
  }
  EXPECT_EQ(show_duration_exactly(std::chrono::milliseconds(90000)), "90s");
  EXPECT_EQ(show_duration_exactly(std::chrono::milliseconds(0)), "0s");
}

TEST(Duration, RefusesWhatIsNone) {
  for (const char* text : {"", "s", "-1s", "1.5s", "10 s", "5 minutes", "366d", "99999999999999d"})
    EXPECT_FALSE(parse_duration(text)) << text;
  EXPECT_EQ(parse_duration("10").error().to_text(),
            "'10' is a number without its unit\n  write for example 250ms, 30s, 5m, 2h or 7d");
}

TEST(Loopback, IsAllThatIsTaken) {
  for (const char* text : {"127.0.0.1:1", "127.9.8.7:65535", "localhost:80", "[::1]:9"})
    EXPECT_TRUE(parse_loopback(text)) << text;
  EXPECT_EQ(parse_loopback("[::1]:9")->host, "::1");
  for (const char* text : {"", ":1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
                           "0.0.0.0:1", "10.0.0.1:1", "example.org:1", "127.1:1", "[::]:1"})
    EXPECT_FALSE(parse_loopback(text)) << text;
  EXPECT_EQ(parse_loopback("0.0.0.0:1").error().what,
            "'0.0.0.0' is not of the loopback: other machines could reach it");
}

}  // namespace
}  // namespace prover::daemon
