// SPDX-License-Identifier: Apache-2.0
// Reading. A store file may be damaged in any way that SQLite does not see (it has no checksums
// over rows): whatever is read is parsed and checked, and an Error names the record and the entry.
#include <fmt/format.h>

#include "base/text.hpp"
#include "history/record_check.hpp"
#include "history/sqlite_store.hpp"
#include "model/codec.hpp"
#include "model/words.hpp"

namespace assay::history {
namespace {

constexpr int kNamesShown = 5;

// Runs a query and gives every row to `row`, which may stop it with an Error.
template <class Bind, class Row>
Result<void> for_each_row(const Database& database, std::string_view sql, Bind bind, Row row) {
  auto statement = database.prepare(sql);
  if (!statement) return fail(statement.error());
  bind(*statement);
  for (;;) {
    const auto more = statement->step();
    if (!more) return fail(more.error());
    if (!*more) return {};
    if (Result<void> good = row(*statement); !good) return good;
  }
}

Error damaged(const Error& cause, const std::string& id, const std::string& part,
              const std::string& location) {
  Error error{fmt::format("record {}: {} is damaged: {}", id, part,
                          cause.where.empty() ? cause.what : cause.where + ": " + cause.what),
              location, ""};
  error.hint =
      fmt::format("the other records are not affected; 'assay rm {}' removes this one", id);
  return error;
}

// The JSON of a row, with the members that are columns put back.
Result<Entry> entry_from_row(const Statement& row) {
  auto json = parse_json(row.text(8));
  if (!json) return fail(json.error());
  if (!json->is_object()) return fail("not an object");
  const std::string type = row.text(1);
  json->set("type", type);
  if (type == "trial") {
    int column = 2;
    for (const char* name : {"arm", "block", "slot", "warmup", "started_at_ms", "duration_ns"}) {
      const int at = column++;
      if (row.is_null(at)) continue;
      if (at == 5)
        json->set(name, row.whole(at) != 0);
      else
        json->set(name, row.whole(at));
    }
  }
  return entry_from_json(*json);
}

}  // namespace

Error SqliteStore::not_found(const std::string& prefix) {
  std::vector<std::string> ids;
  const auto listed = for_each_row(
      *database_, "SELECT id FROM experiments ORDER BY number DESC LIMIT ?",
      [](Statement& query) { query.bind(std::int64_t{kNamesShown}); },
      [&](const Statement& row) -> Result<void> {
        ids.push_back(printable(row.text(0)));
        return {};
      });
  if (!listed) return listed.error();
  return {fmt::format("no record '{}': ", printable(prefix)) +
              (ids.empty() ? std::string("the store is empty")
                           : fmt::format("the newest {} {}", ids.size() == 1 ? "is" : "are",
                                         fmt::join(ids, ", "))),
          location(), ids.empty() ? "" : "'assay list' shows all"};
}

Result<SqliteStore::Found> SqliteStore::find(const std::string& prefix) {
  std::vector<Found> fits;
  std::int64_t count = 0;
  const auto listed = for_each_row(
      *database_,
      "SELECT number, id, count(*) OVER () FROM experiments WHERE substr(id, 1, length(?1)) = ?1 "
      "ORDER BY number DESC LIMIT ?2",
      [&](Statement& query) { query.bind(prefix).bind(std::int64_t{kNamesShown}); },
      [&](const Statement& row) -> Result<void> {
        fits.push_back({row.whole(0), row.text(1)});
        count = row.whole(2);
        return {};
      });
  if (!listed) return fail(listed.error());
  if (fits.empty() || prefix.empty()) return fail(not_found(prefix));
  if (count == 1) return fits.front();
  std::vector<std::string> ids;
  for (const Found& found : fits) ids.push_back(printable(found.id));
  return fail(fmt::format("'{}' fits {} records: {}{}", printable(prefix), count,
                          fmt::join(ids, ", "), count > kNamesShown ? ", ..." : ""),
              location(), "give more letters of the id");
}

Result<Record> SqliteStore::read_header(const Found& found) {
  Record record;
  record.id = found.id;
  const auto read = for_each_row(
      *database_, "SELECT created_at_ms, plan, host FROM experiments WHERE number = ?",
      [&](Statement& query) { query.bind(found.number); },
      [&](const Statement& row) -> Result<void> {
        record.created_at_ms = row.whole(0);
        const auto plan_json = parse_json(row.text(1));
        const auto plan = plan_json ? plan_from_json(*plan_json) : fail(plan_json.error());
        if (!plan) return fail(damaged(plan.error(), found.id, "the plan", location()));
        if (const auto good = check_plan_shape(*plan); !good)
          return fail(damaged(good.error(), found.id, "the plan", location()));
        const auto host_json = parse_json(row.text(2));
        const auto host = host_json ? host_from_json(*host_json) : fail(host_json.error());
        if (!host) return fail(damaged(host.error(), found.id, "the host", location()));
        record.plan = *plan;
        record.host = *host;
        return {};
      });
  if (!read) return fail(read.error());
  return record;
}

Result<void> SqliteStore::read_entries(const Found& found, Record& record) {
  return for_each_row(
      *database_,
      "SELECT position, type, arm, block, slot, warmup, started_at_ms, duration_ns, payload "
      "FROM entries WHERE experiment = ? ORDER BY position",
      [&](Statement& query) { query.bind(found.number); },
      [&](const Statement& row) -> Result<void> {
        const std::string part = fmt::format("entry {}", record.entries.size() + 1);
        if (row.whole(0) != static_cast<std::int64_t>(record.entries.size()))
          return fail(damaged({"it is missing", "", ""}, found.id, part, location()));
        auto entry = entry_from_row(row);
        if (!entry) return fail(damaged(entry.error(), found.id, part, location()));
        if (const auto good = check_entry_shape(record.plan, *entry); !good)
          return fail(damaged(good.error(), found.id, part, location()));
        record.entries.push_back(std::move(*entry));
        return {};
      });
}

Result<void> SqliteStore::read_conclusion(const Found& found, Record& record) {
  return for_each_row(
      *database_, "SELECT payload FROM conclusions WHERE experiment = ?",
      [&](Statement& query) { query.bind(found.number); },
      [&](const Statement& row) -> Result<void> {
        const auto json = parse_json(row.text(0));
        const auto conclusion = json ? conclusion_from_json(*json) : fail(json.error());
        if (!conclusion)
          return fail(damaged(conclusion.error(), found.id, "the conclusion", location()));
        if (const auto good = check_conclusion_shape(record, *conclusion); !good)
          return fail(damaged(good.error(), found.id, "the conclusion", location()));
        record.conclusion = *conclusion;
        return {};
      });
}

Result<Record> SqliteStore::load(const std::string& id) {
  const auto picture = Transaction::begin_reading(*database_);  // ends by itself, rolled back
  if (!picture) return fail(picture.error());
  const auto found = find(id);
  if (!found) return fail(found.error());
  auto record = read_header(*found);
  if (!record) return record;
  if (const auto read = read_entries(*found, *record); !read) return fail(read.error());
  if (const auto read = read_conclusion(*found, *record); !read) return fail(read.error());
  return record;
}

Result<Record> SqliteStore::load_to_continue(const std::string& id) {
  const auto found = find(id);
  if (!found) return fail(found.error());
  if (const auto ours = become_writer(found->id); !ours) return fail(ours.error());
  auto record = load(found->id);
  if (!record) give_up(found->id);
  return record;
}

Result<std::string> SqliteStore::find_id(const std::string& id) {
  const auto found = find(id);
  if (!found) return fail(found.error());
  return found->id;
}

// Tolerant: a damaged record is still listed, so that it can be removed.
Result<std::vector<Summary>> SqliteStore::list() {
  std::vector<Summary> summaries;
  const auto listed = for_each_row(
      *database_,
      "SELECT id, created_at_ms, kind, title, overall, ended_by,"
      "       (SELECT count(*) FROM entries WHERE experiment = number) -"
      "       (SELECT count(*) FROM entries WHERE experiment = number AND type <> 'trial'),"
      // Few conclusions have one, and a damaged payload has none.
      "       CASE WHEN instr(payload, '\"answer\"') > 0 AND json_valid(payload)"
      "            THEN json_extract(payload, '$.answer') END"
      "  FROM experiments LEFT JOIN conclusions ON experiment = number"
      " ORDER BY created_at_ms DESC, number DESC",
      [](Statement&) {},
      [&](const Statement& row) -> Result<void> {
        Summary summary;
        summary.id = row.text(0);
        summary.created_at_ms = row.whole(1);
        summary.kind = from_word<PlanKind>(row.text(2)).value_or(PlanKind::compare);
        summary.title = row.text(3);
        summary.overall = from_word<Verdict>(row.text(4));
        const bool ended =
            !row.is_null(4) && from_word<EndedBy>(row.text(5)) != EndedBy::interrupted;
        summary.running = !ended && writers_.is_elsewhere(summary.id);
        summary.interrupted = !ended && !summary.running;
        summary.trials = static_cast<std::uint64_t>(row.whole(6));
        summary.answer = row.text(7);
        summaries.push_back(std::move(summary));
        return {};
      });
  if (!listed) return fail(listed.error());
  return summaries;
}

Result<std::vector<EarlierRun>> SqliteStore::earlier_runs(const std::string& key,
                                                          std::int64_t since_ms) {
  std::vector<EarlierRun> runs;
  const auto listed = for_each_row(
      *database_,
      "SELECT id, created_at_ms, p_seq FROM experiments JOIN conclusions ON experiment = number"
      // No damaged row may reach the rule: a p outside [0, 1] is none.
      " WHERE comparison_key = ? AND concluded_at_ms > ? AND p_seq BETWEEN 0 AND 1"
      " ORDER BY created_at_ms, number",
      [&](Statement& query) { query.bind(key).bind(since_ms); },
      [&](const Statement& row) -> Result<void> {
        runs.push_back({row.text(0), row.whole(1), row.real(2)});
        return {};
      });
  if (!listed) return fail(listed.error());
  return runs;
}

Result<std::vector<NoiseFloor>> SqliteStore::floors(const std::string& host,
                                                    const std::string& subject_key,
                                                    std::int64_t since_ms) {
  std::vector<NoiseFloor> floors;
  const auto listed = for_each_row(
      *database_,
      // With max() the other columns are those of its row (SQLite, "bare columns").
      "SELECT metric, sys_sigma, sys_k, pair_sigma, max(measured_at_ms) FROM floors"
      // What check_plan would refuse is no floor.
      " WHERE host = ? AND subject_key = ? AND measured_at_ms >= ?"
      "   AND sys_sigma BETWEEN 0 AND 10 AND pair_sigma BETWEEN 0 AND 10"
      "   AND sys_k BETWEEN 1 AND 1000000 GROUP BY metric ORDER BY metric",
      [&](Statement& query) { query.bind(host).bind(subject_key).bind(since_ms); },
      [&](const Statement& row) -> Result<void> {
        floors.push_back(
            {row.text(0), row.real(1), static_cast<int>(row.whole(2)), row.real(3), row.whole(4)});
        return {};
      });
  if (!listed) return fail(listed.error());
  return floors;
}

}  // namespace assay::history
