// SPDX-License-Identifier: Apache-2.0
// Agreement of the numbers is checked by tests/conformance; here are the shape of answers and bad
// requests.
#include "verdict/protocol.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace assay::verdict {
namespace {

Json ask(std::string_view line) {
  const std::string text = answer(line);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return json ? std::move(*json) : Json();
}

TEST(Protocol, DecideAnswersEveryField) {
  const Json out =
      ask(R"({"id":"x","a":[1,1,1,1,1,1],"b":[1.5,1.5,1.5,1.5,1.5,1.5],"tolerance":0.02})");
  EXPECT_EQ(out["id"], Json("x"));
  EXPECT_EQ(out["verdict"], Json("SLOWER"));
  EXPECT_EQ(out["reason"], Json("exact"));
  EXPECT_EQ(out["runs"], Json(6));
  EXPECT_EQ(out["more"], Json(0));
  EXPECT_TRUE(out["tail_z"].is_null());
  ASSERT_EQ(out["looks"].size(), 1u);
  EXPECT_EQ(out["looks"].items()[0]["n"], Json(6));
  EXPECT_EQ(out["looks"].items()[0]["guard"], Json(false));
  EXPECT_FALSE(ask(R"({"a":[],"b":[],"brief":true})").has("looks"));
  EXPECT_TRUE(ask(R"({"a":[],"b":[]})")["id"].is_null());
}

TEST(Protocol, OtherOperations) {
  EXPECT_EQ(ask(R"({"op":"holm","p":[0.001,0.5]})")["reject"], parse_json("[true,false]").value());
  EXPECT_EQ(ask(R"({"op":"bh","p":[]})")["adjusted"].size(), 0u);
  EXPECT_EQ(ask(R"({"op":"builds","e":[0.1,0.11,0.1],"tolerance":0.01})")["verdict"],
            Json("SLOWER"));
  EXPECT_EQ(ask(R"({"op":"factorial","y":[[1,2,3,4],[1,2,3,5]]})")["effects"].size(), 3u);
  const Json sweep = ask(R"({"op":"sweep","y":[[1,2],[1,2]]})");
  EXPECT_EQ(sweep["verdict"], Json("UNDECIDED"));
  EXPECT_TRUE(sweep["at"].is_null());
  EXPECT_EQ(sweep["ratio"].items()[0], Json(1.0));
}

TEST(Protocol, BadRequestsAreAnswered) {
  const struct {
    const char* request;
    const char* error;
  } cases[] = {
      {"[1]", "a request is a JSON object"},
      {"3", "a request is a JSON object"},
      {R"({"op":"guess"})",
       "op: unknown operation; decide, holm, bh, noise_floor, builds, factorial and sweep are "
       "known"},
      {R"({"op":7})", "op: a word is wanted"},
      {R"({})", "a: a list of numbers is wanted"},
      {R"({"a":[1],"b":"x"})", "b: a list of numbers is wanted"},
      {R"({"a":[1,null],"b":[1,2]})", "a[1]: not a finite number"},
      {R"({"a":[],"b":[],"tolerance":0})", "tolerance: a number above 0 and up to 1000 is wanted"},
      {R"({"a":[],"b":[],"tolerance":"2%"})",
       "tolerance: a number above 0 and up to 1000 is wanted"},
      {R"({"a":[],"b":[],"alpha":2})", "alpha: a number above 0 and up to 1 is wanted"},
      {R"({"a":[],"b":[],"max_runs":-1})",
       "max_runs: a whole number from 0 to 1000000000 is wanted"},
      {R"({"a":[],"b":[],"max_runs":1.5})",
       "max_runs: a whole number from 0 to 1000000000 is wanted"},
      {R"({"a":[],"b":[],"sys_sigma":-1})", "sys_sigma: a number from 0 to 1000 is wanted"},
      {R"({"a":[],"b":[],"sys_sigma":0.1})",
       "sys_k: a noise floor has comparisons behind it; give sys_k >= 1"},
      {R"({"a":[],"b":[],"brief":"yes"})", "brief: true or false is wanted"},
      {R"({"op":"holm","p":[1.5]})", "p: a p-value lies between 0 and 1"},
      {R"({"op":"holm","p":[0.5],"level":0})", "level: a number above 0 and up to 1 is wanted"},
      {R"({"op":"builds","e":[0.1,0.1]})", "e: 2 builds a side, at least 3 are needed"},
      {R"({"op":"noise_floor","runs":[[[1],[1]]]})",
       "a noise floor needs 5 comparisons, not 1; compare the program with more differently "
       "laid-out copies of itself"},
      {R"({"op":"noise_floor","runs":[[1]]})", "runs[0]: a pair of series is wanted"},
      {R"({"op":"factorial","y":[[1,2,3]]})",
       "3 cells are not all combinations of 1 to 10 switches; give 2, 4, 8, ... 1024 cells a "
       "round"},
      {R"({"op":"factorial","y":[]})", "y: a list of rounds is wanted"},
      {R"({"op":"factorial","y":[1]})", "y[0]: a list of numbers is wanted"},
      {R"({"op":"sweep","y":[[]]})", "y[0]: all rounds are equally long, and not empty"},
      {R"({"op":"sweep","y":[[1,2],[1]]})", "y[1]: all rounds are equally long, and not empty"},
      {R"({"op":"sweep","y":[[1,0]]})",
       "round 1, column 2: a value that is not positive has no logarithm"},
      {R"({"op":"sweep","y":[[1]]})", "a sweep has 2 to 256 levels, not 1"},
  };
  for (const auto& c : cases) {
    const Json out = ask(c.request);
    EXPECT_EQ(out["error"], Json(c.error)) << c.request;
    EXPECT_EQ(out.size(), 2u) << c.request;
  }
}

TEST(Protocol, TheIdComesBackWithAnError) {
  EXPECT_EQ(ask(R"({"id":[1,{"k":null}],"op":"?"})")["id"],
            parse_json(R"([1,{"k":null}])").value());
  EXPECT_TRUE(ask("{\"id\":1,").has("error"));
  EXPECT_TRUE(ask("").has("error"));
  EXPECT_TRUE(ask(std::string(100000, '[')).has("error"));
  EXPECT_TRUE(ask(std::string(kMaxRequestBytes + 1, ' ')).has("error"));
}

TEST(Protocol, ExtremeNumbersStayFinite) {
  const Json out = ask(R"({"a":[1e-300,1e-300,1e-300,1e-300,1e-300,1e-300],)"
                       R"("b":[1e300,1e300,1e300,1e300,1e300,1e300]})");
  EXPECT_EQ(out["verdict"], Json("SLOWER"));
  EXPECT_TRUE(out["ratio"].is_null());  // beyond a double
  EXPECT_TRUE(ask(R"({"a":[1e999],"b":[1]})").has("error"));
}

}  // namespace
}  // namespace assay::verdict
