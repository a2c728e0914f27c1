// SPDX-License-Identifier: Apache-2.0
#include "history/writers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "history/test_processes.hpp"
#include "history/test_records.hpp"

namespace assay::history {
namespace {

TEST(Writers, OneARecord) {
  const TempFolder folder;
  Writers one(folder / "lab.db"), other(folder / "lab.db");
  EXPECT_FALSE(other.is_elsewhere("ab12cd34"));
  EXPECT_TRUE(*one.claim("ab12cd34"));
  EXPECT_TRUE(*one.claim("ab12cd34"));  // it is already
  EXPECT_TRUE(one.has("ab12cd34"));
  EXPECT_FALSE(one.is_elsewhere("ab12cd34"));
  EXPECT_TRUE(other.is_elsewhere("ab12cd34"));
  EXPECT_FALSE(*other.claim("ab12cd34"));
  EXPECT_TRUE(*other.claim("ab12cd35"));  // another record
  EXPECT_TRUE(one.is_elsewhere("ab12cd35"));
  one.release("ab12cd34");
  EXPECT_TRUE(*other.claim("ab12cd34"));
  EXPECT_TRUE(other.has("ab12cd35"));
}

TEST(Writers, LookingFirstDoesNotStandInTheWay) {
  const TempFolder folder;
  { EXPECT_TRUE(*Writers(folder / "lab.db").claim("a")); }
  Writers one(folder / "lab.db");
  EXPECT_FALSE(one.is_elsewhere("a"));  // opens for reading
  EXPECT_TRUE(*one.claim("a"));         // and again for writing
  EXPECT_TRUE(Writers(folder / "lab.db").is_elsewhere("a"));
}

TEST(Writers, DeathGivesTheRecordBack) {
  const TempFolder folder;
  Child holder([&](int pipe) {
    Writers writers(folder / "lab.db");
    send(pipe, *writers.claim("ab12cd34") ? "x" : "-");
    pause();
  });
  ASSERT_EQ(holder.next_byte(), 'x');
  Writers here(folder / "lab.db");
  EXPECT_FALSE(*here.claim("ab12cd34"));
  holder.kill_now();
  EXPECT_TRUE(*here.claim("ab12cd34"));
}

TEST(Writers, NamesTheFileThatCannotBe) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "lab.db-writers");
  Writers writers(folder / "lab.db");
  const auto claimed = writers.claim("a");
  ASSERT_FALSE(claimed);
  EXPECT_EQ(claimed.error().where, folder / "lab.db-writers");
  EXPECT_EQ(claimed.error().what, "cannot be opened: Is a directory");
}

}  // namespace
}  // namespace assay::history
