// SPDX-License-Identifier: Apache-2.0
#include "trace/timestamps.hpp"

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

using Reader = std::optional<Stamp> (*)(std::string_view);

struct Case {
  const char* text;
  std::optional<Nanos> ns;
  Nanos resolution = 0;
  std::size_t length = 0;
};

void check(Reader reader, std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    const auto stamp = reader(c.text);
    ASSERT_EQ(stamp.has_value(), c.ns.has_value()) << c.text;
    if (!stamp) continue;
    EXPECT_EQ(stamp->ns, *c.ns) << c.text;
    EXPECT_EQ(stamp->resolution, c.resolution) << c.text;
    EXPECT_EQ(stamp->length, c.length) << c.text;
  }
}

constexpr Nanos kMs = 1'000'000, kS = 1'000'000'000;
constexpr Nanos kDay = 1'772'600'767 * kS;  // 2026-03-04T05:06:07Z

TEST(Timestamps, Decimals) {
  check([](std::string_view text) { return parse_decimal(text, kMs); },
        {{"12", 12 * kMs, kMs, 2},
         {"12.5,", 12 * kMs + 500'000, 100'000, 4},
         {"-3.25", -3'250'000, 10'000, 5},
         {"+1", kMs, kMs, 2},
         {"0.1234567", 123'456, 1, 9},
         {"7.", 7 * kMs, kMs, 1},
         {"9223372036854", Nanos{9223372036854} * kMs, kMs, 13},
         {"9223372036855", std::nullopt},
         {"99999999999999999999", std::nullopt},
         {"", std::nullopt},
         {"-", std::nullopt},
         {"x1", std::nullopt}});
}

TEST(Timestamps, Iso) {
  check(parse_iso, {{"2026-03-04T05:06:07.123456Z INFO", kDay + 123'456'000, 1'000, 27},
                    {"2026-03-04 05:06:07,123 x", kDay + 123 * kMs, kMs, 23},
                    {"2026-03-04T06:06:07+01:00", kDay, kS, 25},
                    {"2026-03-04T06:06:07+0100", kDay, kS, 24},
                    {"2026-03-04T05:06:07.000000001Z", kDay + 1, 1, 30},
                    {"1970-01-01T00:00:00Z", 0, kS, 20},
                    {"1969-12-31T23:59:59Z", -kS, kS, 20},
                    {"2024-02-29T00:00:00Z", 1'709'164'800 * kS, kS, 20},
                    {"2023-02-29T00:00:00Z", std::nullopt},
                    {"2026-13-04T05:06:07Z", std::nullopt},
                    {"2026-03-04T25:06:07Z", std::nullopt},
                    {"2026-03-04", std::nullopt},
                    {"2026-03-04T05:06", std::nullopt}});
}

TEST(Timestamps, GoDurations) {
  check(parse_go_duration, {{"1h30m6.34s", 5406 * kS + 340 * kMs, 10 * kMs, 10},
                            {"12ms", 12 * kMs, kMs, 4},
                            {"12.3\xC2\xB5s", 12'300, 100, 7},
                            {"450ns)", 450, 1, 5},
                            {"7.05s time.idle", 7'050 * kMs, 10 * kMs, 5},
                            {"2min", 120 * kS, 60 * kS, 4},
                            {"12", std::nullopt},
                            {"12parsecs", std::nullopt},
                            {"12msx", std::nullopt},
                            {"1.2.3s", std::nullopt},
                            {"", std::nullopt}});
}

TEST(Timestamps, AnyStamp) {
  check(parse_stamp, {{"1772600767", kDay, kS, 10},
                      {"1772600767.25", kDay + 250 * kMs, 10 * kMs, 13},
                      {"1772600767123", kDay + 123 * kMs, kMs, 13},
                      {"12.345678] x", 12'345'678'000, 1'000, 9},
                      {"05:06:07.5", 18'367 * kS + 500 * kMs, 100 * kMs, 10},
                      {"250ms", 250 * kMs, kMs, 5},
                      {"12345 pid", std::nullopt},
                      {"abc", std::nullopt}});
}

TEST(Timestamps, OfALine) {
  check(line_stamp,
        {{"2026-03-04T05:06:07Z INFO x", kDay, kS, 20},
         {"[2026-03-04 05:06:07.000] x", kDay, kMs, 24},
         {"[   12.345678] x", 12'345'678'000, 1'000, 13},
         {"level=info ts=2026-03-04T05:06:07Z msg=x", kDay, kS, 34},
         {"{\"level\":\"info\",\"ts\":1772600767.5,\"x\":1}", kDay + 500 * kMs, 100 * kMs, 33},
         {"{\"timestamp\":\"2026-03-04T05:06:07Z\"}", kDay, kS, 34},
         {"started job", std::nullopt},
         {"", std::nullopt}});
}

}  // namespace
}  // namespace assay::trace
