// SPDX-License-Identifier: Apache-2.0
// Versions of the store file: newer ones refused, older ones migrated, and the document says the
// same.
#include "history/schema.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "history/store.hpp"
#include "history/test_records.hpp"
#include "model/codec.hpp"

namespace assay::history {
namespace {

// What schema 0 looked like: no floors, no p_seq.
constexpr const char* kSchema0 = R"(
CREATE TABLE experiments (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, created_at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL, title TEXT NOT NULL, comparison_key TEXT NOT NULL, host TEXT NOT NULL,
  plan TEXT NOT NULL) STRICT;
CREATE INDEX experiments_by_key ON experiments (comparison_key);
CREATE TABLE entries (
  experiment INTEGER NOT NULL REFERENCES experiments (number) ON DELETE CASCADE,
  position INTEGER NOT NULL, type TEXT NOT NULL CHECK (type IN ('trial', 'build', 'stop')),
  arm INTEGER, block INTEGER, slot INTEGER, warmup INTEGER, started_at_ms INTEGER,
  duration_ns INTEGER, payload TEXT NOT NULL, UNIQUE (experiment, position)) STRICT;
CREATE INDEX entries_other ON entries (experiment) WHERE type <> 'trial';
CREATE TABLE conclusions (
  experiment INTEGER PRIMARY KEY REFERENCES experiments (number) ON DELETE CASCADE,
  concluded_at_ms INTEGER NOT NULL, overall TEXT NOT NULL, ended_by TEXT NOT NULL,
  payload TEXT NOT NULL) STRICT;
PRAGMA application_id = 1095979865;
)";

class Schema : public testing::Test {
 protected:
  void run_sql(const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_free(message);
    sqlite3_close(handle);
  }
  // The rows of a query, columns joined by '|'.
  std::string rows(const std::string& sql) const {
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    std::string text;
    const auto add = [](void* out, int columns, char** values, char**) {
      for (int i = 0; i < columns; ++i)
        *static_cast<std::string*>(out) +=
            std::string(values[i] != nullptr ? values[i] : "NULL") + "|";
      *static_cast<std::string*>(out) += "\n";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), add, &text, nullptr), SQLITE_OK);
    sqlite3_close(handle);
    return text;
  }
  std::string opening() const {
    const auto store = open_store(path_);
    return store ? "opened" : store.error().to_text();
  }
  // Columns of all tables: name, type, NOT NULL, default, key; and the indexes.
  std::string shape() const {
    return rows(
               "SELECT t.name, c.* FROM sqlite_schema t, pragma_table_xinfo(t.name) c "
               "WHERE t.type = 'table' ORDER BY t.name, c.cid") +
           rows("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' ORDER BY name");
  }
  void make_schema_0(const std::string& more) const {
    const Record header = sample_header();
    const std::string plan = to_json(header.plan).dump(), host = to_json(header.host).dump();
    Conclusion conclusion = sample_conclusion(0.25, 1e-9);
    conclusion.findings.push_back(conclusion.findings[0]);
    conclusion.findings[2].metric = 1;
    conclusion.findings[2].reading.p_seq = 0.125;
    run_sql(
        "PRAGMA journal_mode = WAL;" + std::string(kSchema0) +
        fmt::format("INSERT INTO experiments VALUES (1, 'old12345', 1000, 'compare', 'old', '{}', "
                    "'{}', '{}');"
                    "INSERT INTO entries VALUES (1, 0, 'trial', 1, 0, 0, 1, 5, 6, "
                    "'{{\"values\":[1.5,2.5,null]}}');"
                    "INSERT INTO conclusions VALUES (1, 77, 'SLOWER', 'decided', '{}');",
                    comparison_key(header.plan), host, plan, to_json(conclusion).dump()) +
        more);
  }

  TempFolder folder_;
  const std::string path_ = folder_ / "lab.db";
};

TEST_F(Schema, MigratesSchema0) {
  make_schema_0("");
  ASSERT_EQ(opening(), "opened");
  const std::string migrated = shape();
  auto store = open_store(path_);
  ASSERT_TRUE(store);
  const auto record = (*store)->load("old12345");
  ASSERT_TRUE(record) << record.error().to_text();
  EXPECT_EQ(record->plan, sample_header().plan);
  ASSERT_EQ(record->entries.size(), 1u);
  EXPECT_EQ(std::get<Trial>(record->entries[0]).values[1], 2.5);
  const auto runs = (*store)->earlier_runs(comparison_key(sample_header().plan), 0);
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(runs->front().p_seq, 0.125);  // computed from the conclusion; memory does not gate
  EXPECT_TRUE((*store)->put_floor("h", "s", {"wall", 0.01, 5, 0.03, 1}));
  store->reset();

  std::filesystem::remove(path_);
  ASSERT_EQ(opening(), "opened");
  EXPECT_EQ(shape(), migrated);  // the same tables as in a new store
  EXPECT_EQ(rows("PRAGMA user_version"), fmt::format("{}|\n", kSchemaVersion));
}

TEST_F(Schema, LeavesTheFileAloneWhenAMigrationFails) {
  make_schema_0("CREATE TABLE floors (x INTEGER);");
  const std::string before = read_file(path_);
  EXPECT_EQ(opening(), path_ +
                           ": cannot be brought from schema 0 to 1: damaged: table floors already "
                           "exists\n  save what is readable with 'sqlite3 " +
                           path_ + " .recover', and name another store with --store PATH");
  EXPECT_TRUE(read_file(path_) == before);
}

TEST_F(Schema, RefusesWhatItDoesNotKnow) {
  const std::pair<const char*, const char*> cases[] = {
      {"PRAGMA user_version = 7",
       "written by a newer assay: schema 7, this one reads up to 1\n  update assay, or name "
       "another "
       "store with --store PATH"},
      {"PRAGMA user_version = -3",
       "damaged: schema -3 does not exist\n  name another store with --store PATH"},
      {"PRAGMA application_id = 252006675",
       "not an assay store: an SQLite database of another program (application id 0x0f055113)\n  "
       "name "
       "another store with --store PATH"},
      {"PRAGMA application_id = 0",
       "not an assay store: an SQLite database of another program (application id 0x00000000)\n  "
       "name "
       "another store with --store PATH"}};
  for (const auto& [sql, text] : cases) {
    std::filesystem::remove(path_);
    ASSERT_EQ(opening(), "opened");
    run_sql(sql);
    const std::string before = read_file(path_);
    EXPECT_EQ(opening(), path_ + ": " + text);
    EXPECT_TRUE(read_file(path_) == before);
  }
}

TEST_F(Schema, NamesMissingTables) {
  ASSERT_EQ(opening(), "opened");
  run_sql("DROP TABLE entries");
  EXPECT_EQ(opening(),
            path_ + ": damaged: no such table: entries\n  save what is readable with 'sqlite3 " +
                path_ + " .recover', and name another store with --store PATH");
}

// The text between the first ```KIND after `from` and the closing fence.
std::string fenced(const std::string& document, const std::string& kind, const std::string& from) {
  const std::size_t start = document.find("```" + kind + "\n", document.find(from));
  if (start == std::string::npos) return "no such block";
  const std::size_t begin = start + kind.size() + 4;
  return document.substr(begin, document.find("```", begin) - begin);
}

TEST_F(Schema, IsTheDocumentedOne) {
  const std::string document = read_file(std::string(ASSAY_SOURCE_DIR) + "/docs/record_format.md");
  EXPECT_NE(document.find(fmt::format("Schema version: **{}**", kSchemaVersion)),
            std::string::npos);
  EXPECT_NE(document.find(fmt::format("application_id = {}", kApplicationId)), std::string::npos);
  EXPECT_EQ(fenced(document, "sql", "## Tables"), schema_sql());
}

}  // namespace
}  // namespace assay::history
