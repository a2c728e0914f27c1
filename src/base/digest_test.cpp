// SPDX-License-Identifier: Apache-2.0
#include "base/digest.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

// FIPS 180-4 examples.
TEST(Digest, MatchesPublishedVectors) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 digest;
  digest.update("a");
  digest.update("bc");
  EXPECT_EQ(digest.finish(), sha256("abc"));
  EXPECT_EQ(digest.finish(), sha256(""));
}

TEST(Digest, NamesAMissingFile) {
  const auto digest = sha256_of_file("/nonexistent/file");
  ASSERT_FALSE(digest);
  EXPECT_EQ(digest.error().where, "/nonexistent/file");
}

}  // namespace
}  // namespace assay
