// SPDX-License-Identifier: Apache-2.0
// The Store contract: records of experiments, appended while they run and never lost.
// The file format is docs/record_format.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "model/record.hpp"

namespace assay::history {

struct Summary {
  std::string id;
  std::int64_t created_at_ms = 0;
  PlanKind kind = PlanKind::compare;
  std::string title;  // the plan's name or the arms' labels
  std::uint64_t trials = 0;
  std::optional<Verdict> overall;  // nothing while not concluded
  std::string answer;              // of an experiment over many arms: "STEP at cap=4"; else empty
  bool interrupted = false;        // not concluded, or ended by an interruption: can be resumed
  bool running = false;            // not concluded yet: another process is writing it
};

// What to do with records that could be resumed.
enum class Interrupted { keep, drop };

// A past comparison of the same commands, for the correction of re-runs (rule.md section 8).
struct EarlierRun {
  std::string id;
  std::int64_t created_at_ms = 0;
  double p_seq = 1;  // smallest over the gating findings
};

// A record has one writer at a time: create and load_to_continue make this store the writer until
// it is closed (or its process dies), append and conclude become it when nobody is. Whatever would
// change a record that another store writes is an Error: "record ab12cd34 is being written by
// another process".
class Store {
 public:
  virtual ~Store() = default;

  // Writes the header of a new record (no entries) and returns its id. `record.id` is ignored.
  virtual Result<std::string> create(const Record& header) = 0;
  // One entry, one transaction. When it returns, kill -9 does not lose it. Errors: the record has a
  // conclusion that is not an interruption; it has got entries that this store has not seen.
  virtual Result<void> append(const std::string& id, const Entry& entry) = 0;
  // Behind it a power cut does not lose anything appended before.
  virtual Result<void> make_durable() = 0;
  virtual Result<void> conclude(const std::string& id, const Conclusion& conclusion) = 0;

  // `id` may be any unambiguous prefix. Errors name what was found instead.
  virtual Result<Record> load(const std::string& id) = 0;
  // The same, as its only writer: what was loaded stays true while this store is open.
  virtual Result<Record> load_to_continue(const std::string& id) = 0;
  // The whole id, of damaged records too.
  virtual Result<std::string> find_id(const std::string& id) = 0;
  virtual Result<std::vector<Summary>> list() = 0;         // newest first
  virtual Result<void> remove(const std::string& id) = 0;  // a prefix will do here too

  // Comparisons with the same identity that concluded after `since_ms`, oldest first.
  // Identity: comparison_key of the plan.
  virtual Result<std::vector<EarlierRun>> earlier_runs(const std::string& key,
                                                       std::int64_t since_ms) = 0;

  // Noise floors per host and command, newest per metric, none older than `since_ms`.
  virtual Result<void> put_floor(const std::string& host, const std::string& subject_key,
                                 const NoiseFloor& floor) = 0;
  virtual Result<std::vector<NoiseFloor>> floors(const std::string& host,
                                                 const std::string& subject_key,
                                                 std::int64_t since_ms) = 0;

  virtual std::uint64_t size_bytes() const = 0;  // of the store's files
  virtual std::string location() const = 0;
  // Deletes records older than `before_ms` but those that are being written, and with
  // Interrupted::keep those that can be resumed; returns how many; then compacts. Floors stay.
  virtual Result<std::uint64_t> collect(std::int64_t before_ms, Interrupted interrupted) = 0;
};

// What makes two comparisons the same question: kind, gates, and of every arm but the control argv,
// env, cwd, input, binary digest, and commit and command of its build.
std::string comparison_key(const Plan& plan);
// What a noise floor belongs to: argv and env of one command.
std::string subject_key(const Subject& subject);

// The store file for a command: `asked` (--store), $ASSAY_STORE, the nearest .assay/lab.db upward
// from `cwd`, else .assay/lab.db at the git root or in `cwd`. Does not touch the disk.
std::string locate_store(const std::optional<std::string>& asked, const std::string& cwd);

// Opens or creates the SQLite store; creates its folder with a .gitignore of "*". An older schema
// is migrated, a newer one refused; a corrupt, read-only, full or locked file is a clear Error.
Result<std::unique_ptr<Store>> open_store(const std::string& path);
// The same for reading: a store that exists. Where its file or folder may not be written it is read
// as it lies there, and whatever would change it is an Error.
Result<std::unique_ptr<Store>> open_store_to_read(const std::string& path);

}  // namespace assay::history
