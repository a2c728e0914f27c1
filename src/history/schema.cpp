// SPDX-License-Identifier: Apache-2.0
#include "history/schema.hpp"

#include <fmt/format.h>

#include <string>

namespace assay::history {
namespace {

constexpr const char* kElsewhere = "name another store with --store PATH";

constexpr std::string_view kSchema = R"(CREATE TABLE experiments (
  number         INTEGER PRIMARY KEY,      -- order of creation
  id             TEXT NOT NULL UNIQUE,     -- 8 lower-case letters and digits
  created_at_ms  INTEGER NOT NULL,         -- Unix time
  kind           TEXT NOT NULL,            -- of the plan
  title          TEXT NOT NULL,            -- the plan's name, or its commands
  comparison_key TEXT NOT NULL,            -- what makes two comparisons the same question
  host           TEXT NOT NULL,            -- JSON
  plan           TEXT NOT NULL             -- JSON
) STRICT;
CREATE INDEX experiments_by_key ON experiments (comparison_key);

CREATE TABLE entries (
  experiment    INTEGER NOT NULL REFERENCES experiments (number) ON DELETE CASCADE,
  position      INTEGER NOT NULL,          -- from 0, in the order it happened
  type          TEXT NOT NULL CHECK (type IN ('trial', 'build', 'stop')),
  arm           INTEGER,                   -- this and the next five: of trials, NULL elsewhere
  block         INTEGER,
  slot          INTEGER,
  warmup        INTEGER,                   -- 0 or 1
  started_at_ms INTEGER,                   -- Unix time
  duration_ns   INTEGER,
  payload       TEXT NOT NULL,             -- JSON: the members that are not columns
  UNIQUE (experiment, position)
) STRICT;
CREATE INDEX entries_other ON entries (experiment) WHERE type <> 'trial';

CREATE TABLE conclusions (
  experiment      INTEGER PRIMARY KEY REFERENCES experiments (number) ON DELETE CASCADE,
  concluded_at_ms INTEGER NOT NULL,        -- Unix time
  overall         TEXT NOT NULL,
  ended_by        TEXT NOT NULL,
  payload         TEXT NOT NULL,           -- JSON
  p_seq           REAL NOT NULL DEFAULT 1  -- smallest over the gating findings
) STRICT;

CREATE TABLE floors (
  host           TEXT NOT NULL,            -- fingerprint
  subject_key    TEXT NOT NULL,
  metric         TEXT NOT NULL,
  measured_at_ms INTEGER NOT NULL,         -- Unix time
  sys_sigma      REAL NOT NULL,            -- log units
  sys_k          INTEGER NOT NULL,         -- comparisons behind it
  pair_sigma     REAL NOT NULL,            -- log units
  PRIMARY KEY (host, subject_key, metric, measured_at_ms)
) STRICT, WITHOUT ROWID;
)";

// From schema 0 (before noise floors, and before a conclusion kept its p_seq in a column).
constexpr std::string_view kFrom0 = R"(
ALTER TABLE conclusions ADD COLUMN p_seq REAL NOT NULL DEFAULT 1;
UPDATE conclusions SET p_seq = coalesce((
  SELECT min(coalesce(finding.value ->> '$.reading.p_seq', 1.0))
    FROM experiments, json_each(conclusions.payload, '$.findings') AS finding
   WHERE experiments.number = conclusions.experiment
     AND experiments.plan ->> ('$.metrics[' || (finding.value ->> '$.metric') || '].gating')), 1.0);
CREATE TABLE floors (
  host           TEXT NOT NULL,
  subject_key    TEXT NOT NULL,
  metric         TEXT NOT NULL,
  measured_at_ms INTEGER NOT NULL,
  sys_sigma      REAL NOT NULL,
  sys_k          INTEGER NOT NULL,
  pair_sigma     REAL NOT NULL,
  PRIMARY KEY (host, subject_key, metric, measured_at_ms)
) STRICT, WITHOUT ROWID;
)";

// Entry v brings schema v to v + 1.
constexpr std::string_view kMigrations[] = {kFrom0};
static_assert(std::size(kMigrations) == kSchemaVersion);

struct Found {
  bool empty = false;  // no table of any kind
  std::int64_t application = 0;
  std::int64_t version = 0;
};

Result<Found> look(const Database& database) {
  const auto tables = database.query_whole("SELECT count(*) FROM sqlite_schema");
  if (!tables) return fail(tables.error());
  const auto application = database.query_whole("PRAGMA application_id");
  if (!application) return fail(application.error());
  const auto version = database.query_whole("PRAGMA user_version");
  if (!version) return fail(version.error());
  return Found{*tables == 0, *application, *version};
}

// In one picture: another process may be filling the file.
Result<Found> look_once(const Database& database) {
  const auto picture = Transaction::begin_reading(database);
  if (!picture) return fail(picture.error());
  return look(database);
}

// Whether anything has to be done; an Error for what assay may not touch.
Result<bool> needs_work(const Found& found, const std::string& path) {
  if (found.empty && found.application == 0 && found.version == 0) return true;
  if (found.application != kApplicationId)
    return fail(fmt::format("not an assay store: an SQLite database of another program "
                            "(application id {:#010x})",
                            static_cast<std::uint32_t>(found.application)),
                path, kElsewhere);
  if (found.version > kSchemaVersion)
    return fail(fmt::format("written by a newer assay: schema {}, this one reads up to {}",
                            found.version, kSchemaVersion),
                path, fmt::format("update assay, or {}", kElsewhere));
  if (found.version < 0)
    return fail(fmt::format("damaged: schema {} does not exist", found.version), path, kElsewhere);
  return found.version < kSchemaVersion;
}

std::string steps_from(const Found& found) {
  std::string sql;
  if (found.empty && found.application == 0) {
    sql = kSchema;
  } else {
    for (auto v = found.version; v < kSchemaVersion; ++v)
      sql += kMigrations[static_cast<std::size_t>(v)];
  }
  return sql + fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", kApplicationId,
                           kSchemaVersion);
}

Result<void> fill_or_migrate(const Database& database) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return fail(transaction.error());
  const auto found = look(database);  // again: another process may have done it in the meantime
  if (!found) return fail(found.error());
  const auto work = needs_work(*found, database.path());
  if (!work) return fail(work.error());
  if (!*work) return {};
  if (const auto done = database.execute(steps_from(*found)); !done) {
    return found->empty
               ? fail(done.error())
               : fail(done.error().within(fmt::format("cannot be brought from schema {} to {}",
                                                      found->version, kSchemaVersion)));
  }
  return transaction->commit();
}

}  // namespace

std::string_view schema_sql() { return kSchema; }

Result<void> prepare_schema(const Database& database) {
  const auto found = look_once(database);
  if (!found) return fail(found.error());
  const auto work = needs_work(*found, database.path());
  if (!work) return fail(work.error());
  return *work ? fill_or_migrate(database) : Result<void>{};
}

Result<void> check_schema(const Database& database) {
  const auto found = look_once(database);
  if (!found) return fail(found.error());
  if (found->empty)
    return fail("not an assay store: the file is empty", database.path(), kElsewhere);
  const auto work = needs_work(*found, database.path());
  if (!work) return fail(work.error());
  if (*work)
    return fail(
        fmt::format("written by an older assay (schema {}, now {}) and cannot be brought up "
                    "to date: it is read-only",
                    found->version, kSchemaVersion),
        database.path(), "copy it to where it may be written: --store COPY");
  return {};
}

}  // namespace assay::history
