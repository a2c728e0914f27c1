// SPDX-License-Identifier: Apache-2.0
#include "prover/files/sections.hpp"

#include "prover/files/testing.hpp"

namespace prover::files {
namespace {

constexpr SectionName kNames[] = {{1, "first", true}, {2, "second", false}};
constexpr Format kFormat = {"test", 3, "a test writes such files", kNames};

Edit sample() { return empty_container("test", 3).add_section(2, "two").add_section(1, "one!"); }

Result<SectionTable> parse(const Edit& edit) {
  return SectionTable::parse(edit.bytes(), "f", kFormat);
}

TEST(SectionTable, FindsSectionsInAnyOrder) {
  const Edit file = sample().add_section(77, "");
  const Result<SectionTable> table = parse(file);
  ASSERT_EQ(said(table), "fine");
  EXPECT_EQ(table->at(1).offset, 12U + 12 + 3 + 12);
  EXPECT_EQ(table->at(1).bytes.size(), 4U);
  EXPECT_EQ(table->find(2)->offset, 24U);
  EXPECT_EQ(table->find(3), nullptr);
  EXPECT_EQ(table->where(1, 2), "f: section 1 (first), offset 41");
  EXPECT_EQ(table->where(77), "f: section 77 (not known), offset 55");
}

TEST(SectionTable, RefusesWithThePlace) {
  const std::string text = sample().text();
  const struct {
    Edit edit;
    const char* said;
  } cases[] = {
      {Edit(""), "f: the file has 0 bytes, too few for any test file"},
      {Edit(text.substr(0, 11)), "f: the file has 11 bytes, too few for any test file"},
      {sample().u32(0, 0x6e74771b), "f: this is no test file: it begins with '\\x1bwtn'"},
      {sample().u32(4, 2), "f: version 2 of the test format is not known"},
      {sample().u32(8, 0), "f: the header says 0 sections; a file has 1 to 64"},
      {sample().u32(8, 65), "f: the header says 65 sections; a file has 1 to 64"},
      {sample().u32(8, 0xffffffff), "f: the header says 4294967295 sections; a file has 1 to 64"},
      {sample().u32(8, 3), "f: offset 43: the file ends within the head of its 3. section"},
      {sample().u32(8, 1), "f: offset 27: 16 bytes follow the last section"},
      {Edit(text.substr(0, 38)), "f: offset 27: the file ends within the head of its 2. section"},
      {Edit(text.substr(0, 42)),
       "f: section 1 (first), offset 27: the section's head says 4 bytes, and 3 are left in the "
       "file"},
      {sample().u64(16, 0xffffffffffffffff),
       "f: section 2 (second), offset 12: the section's head says 18446744073709551615 bytes, and "
       "19 are left in the file"},
      {sample().u64(16, 0xfffffffffffffff4),
       "f: section 2 (second), offset 12: the section's head says 18446744073709551604 bytes, and "
       "19 are left in the file"},
      {sample().u32(12, 1),
       "f: section 1 (first), offset 27: the section is there twice, first at offset 12"},
      {sample().add_section(77, "").add_section(77, "x"),
       "f: section 77 (not known), offset 55: the section is there twice, first at offset 43"},
      {sample().add_text("x"), "f: offset 43: 1 bytes follow the last section"},
      {empty_container("test", 3).add_section(2, "two"), "f: section 1 (first) is missing"},
  };
  for (const auto& it : cases) {
    const Result<SectionTable> table = parse(it.edit);
    EXPECT_EQ(said(table), it.said);
    if (!table) {
      EXPECT_EQ(table.error().kind, ErrorKind::usage);
      EXPECT_FALSE(table.error().hint.empty()) << it.said;
    }
  }
}

}  // namespace
}  // namespace prover::files
