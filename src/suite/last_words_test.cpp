// SPDX-License-Identifier: Apache-2.0
#include "suite/last_words.hpp"

#include <gtest/gtest.h>

namespace assay::suite {
namespace {

TEST(LastWords, AreTheLastLinesOfWhoeverSpoke) {
  struct Case {
    std::string err, out, words;
  };
  const Case cases[] = {
      {"", "", ""},
      {" \n\n", "  went wrong \r\n", "went wrong"},
      {"flag -C must be first\nusage: go test\n", "ok", "flag -C must be first | usage: go test"},
      {"1\n2\n\n3\n4\n5\n", "", "1 | 3 | 4 | 5"}};
  for (const Case& c : cases) EXPECT_EQ(last_words(c.err, c.out), c.words);
  EXPECT_LT(last_words(std::string(5000, 'x'), "").size(), 200u);
}

}  // namespace
}  // namespace assay::suite
