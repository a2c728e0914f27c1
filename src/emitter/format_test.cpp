// SPDX-License-Identifier: Apache-2.0
// The layout's header says what docs/event_file_format.md says.
#include <gtest/gtest.h>

#include <algorithm>
#include <assay/trace_format.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace assay::emit::format {
namespace {

using Row = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::string page() {
  std::ifstream stream(ASSAY_FORMAT_PAGE);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The body rows of the first table behind `mark`.
std::vector<Row> table_after(const std::string& mark) {
  std::istringstream lines(page().substr(std::min(page().find(mark), page().size())));
  std::vector<Row> rows;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|") && inside) break;
    inside = inside || line.starts_with("|---");
    if (!inside || line.starts_with("|---")) continue;
    Row cells;
    std::istringstream parts(line.substr(1));
    for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(trimmed(cell));
    rows.push_back(cells);
  }
  return rows;
}

struct Member {
  std::string name;
  std::size_t offset, bytes;
};

#define MEMBER(type, member) \
  Member { #member, offsetof(type, member), sizeof(type::member) }

void expect_members(const std::string& mark, const std::vector<Member>& members, std::size_t size) {
  const std::vector<Row> rows = table_after(mark);
  ASSERT_EQ(rows.size(), members.size()) << mark;
  std::size_t end = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][2], members[i].name);
    EXPECT_EQ(rows[i][0], std::to_string(members[i].offset)) << members[i].name;
    EXPECT_EQ(rows[i][1], std::to_string(members[i].bytes)) << members[i].name;
    EXPECT_EQ(members[i].offset, end) << "no gap before " << members[i].name;
    end = members[i].offset + members[i].bytes;
  }
  EXPECT_EQ(end, size) << mark;
}

TEST(Format, MembersLieWhereThePageSays) {
  expect_members(
      "### FileHeader",
      {MEMBER(FileHeader, magic), MEMBER(FileHeader, version), MEMBER(FileHeader, header_bytes),
       MEMBER(FileHeader, slot_bytes), MEMBER(FileHeader, clock), MEMBER(FileHeader, pid),
       MEMBER(FileHeader, parent_pid), MEMBER(FileHeader, start_ticks), MEMBER(FileHeader, boot_id),
       MEMBER(FileHeader, realtime_ns), MEMBER(FileHeader, pairs), MEMBER(FileHeader, latest),
       MEMBER(FileHeader, ended), MEMBER(FileHeader, dropped), MEMBER(FileHeader, stopped),
       MEMBER(FileHeader, names_lost), MEMBER(FileHeader, ring_bytes),
       MEMBER(FileHeader, limit_bytes), MEMBER(FileHeader, program)},
      sizeof(FileHeader));
  expect_members(
      "### ChunkHeader",
      {MEMBER(ChunkHeader, magic), MEMBER(ChunkHeader, kind), MEMBER(ChunkHeader, reserved0),
       MEMBER(ChunkHeader, bytes), MEMBER(ChunkHeader, dropped), MEMBER(ChunkHeader, reserved)},
      sizeof(ChunkHeader));
  expect_members("### Slot",
                 {MEMBER(Slot, begin), MEMBER(Slot, end), MEMBER(Slot, job), MEMBER(Slot, part),
                  MEMBER(Slot, head)},
                 sizeof(Slot));
}

TEST(Format, TypesAndKindsHaveTheNumbersOfThePage) {
  const std::pair<SlotType, const char*> types[] = {
      {SlotType::none, "none"},       {SlotType::span, "span"},     {SlotType::instant, "instant"},
      {SlotType::counter, "counter"}, {SlotType::memory, "memory"}, {SlotType::setting, "setting"},
      {SlotType::stage, "stage"},     {SlotType::thread, "thread"}, {SlotType::worker, "worker"}};
  const std::vector<Row> type_rows = table_after("| type |");
  ASSERT_EQ(type_rows.size(), std::size(types));
  for (std::size_t i = 0; i < std::size(types); ++i) {
    EXPECT_EQ(type_rows[i][0], std::to_string(static_cast<int>(types[i].first)));
    EXPECT_EQ(type_rows[i][1], types[i].second);
  }
  const std::pair<Kind, const char*> kinds[] = {
      {Kind::service, "service"},           {Kind::queue_wait, "queue_wait"},
      {Kind::blocked_send, "blocked_send"}, {Kind::wait_permit, "wait_permit"},
      {Kind::starved, "starved"},           {Kind::lock_wait, "lock_wait"},
      {Kind::transfer, "transfer"},         {Kind::other, "other"}};
  const std::vector<Row> kind_rows = table_after("| kind | |");
  ASSERT_EQ(kind_rows.size(), std::size(kinds));
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    EXPECT_EQ(kind_rows[i][0], std::to_string(static_cast<int>(kinds[i].first)));
    EXPECT_EQ(kind_rows[i][1], kinds[i].second);
  }
}

TEST(Format, ConstantsAreThoseOfThePage) {
  const std::string text = page();
  const auto has = [&](const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  };
  has("Version: **" + std::to_string(kVersion) + "**");
  has("| version | " + std::to_string(kVersion) + " |");
  has("| slot_bytes | " + std::to_string(sizeof(Slot)) + " |");
  has(std::to_string(kMostNames) + " at most");
  has("at most " + std::to_string(kLongestName) + " bytes");
  has(std::to_string(kLostName) + " a name that could not be kept");
  has(std::to_string(kLimitReached) + " = a limit");
  has(std::string("START") + kFileSuffix);
  const auto spelled = [](std::uint64_t word) {
    return "| magic | `" + std::string(reinterpret_cast<const char*>(&word), 8) + "` |";
  };
  has(spelled(kFileMagic));
  has(spelled(kChunkMagic));
  has(std::to_string(static_cast<int>(Clock::tsc)) + " = ticks of the time-stamp counter, " +
      std::to_string(static_cast<int>(Clock::monotonic)) + " = ns of CLOCK_MONOTONIC");
  has(std::to_string(static_cast<int>(ChunkKind::slots)) + " = slots, " +
      std::to_string(static_cast<int>(ChunkKind::names)) + " = names");
}

}  // namespace
}  // namespace assay::emit::format
