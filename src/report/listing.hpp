// SPDX-License-Identifier: Apache-2.0
// The table of `assay list`. Its rows are plain data, so that this folder knows nothing of the
// store.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/json.hpp"
#include "model/conclusion.hpp"
#include "model/plan.hpp"
#include "report/options.hpp"

namespace assay::report {

struct ListRow {
  std::string id;
  std::int64_t created_at_ms = 0;  // Unix time, milliseconds
  PlanKind kind = PlanKind::compare;
  std::string title;
  std::uint64_t trials = 0;
  std::optional<Verdict> overall;  // nothing while not concluded
  bool interrupted = false;        // can be resumed
  bool running = false;            // somebody measures it right now
  std::string answer = {};         // in place of a verdict, when there is one
};

// "now", "3 min ago", from 30 days on the date (UTC): "2025-11-30".
std::string age_text(std::int64_t created_at_ms, std::int64_t now_ms);

// id, age, kind, runs, verdict ("interrupted", "running", "unfinished"), title; one line a row, in
// the given order. `now_ms` makes the ages.
std::string list_text(std::span<const ListRow> rows, std::int64_t now_ms,
                      const TextOptions& options);
// {"schema_version", "kind": "list", "records": [{id, created_at_ms, kind, title, runs, verdict,
// answer, interrupted, running}]}; verdict is null while nothing is concluded and for kinds that do
// not judge, unless a run failed.
Json list_json(std::span<const ListRow> rows);

}  // namespace assay::report
