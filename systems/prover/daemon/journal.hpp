// SPDX-License-Identifier: Apache-2.0
// Jobs on disk, so that they survive the daemon. A job and its witnesses are there, and flushed,
// before its submission is answered; when it ends, its witnesses go and its answers come in the
// same transaction. A daemon that is killed at any moment leaves each job either pending (then it
// is proved again) or ended. One daemon at a time has the file.
//
// Schema (user_version 1): job, one row each; witness and answer, one row for each partition.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prover/base/result.hpp"
#include "prover/daemon/job.hpp"
#include "prover/daemon/sqlite.hpp"

namespace prover::daemon {

struct StoredJob {
  JobStatus status;
  std::string digest;                 // of what was asked for; empty without a request id
  std::optional<std::uint64_t> seed;  // nothing: it has witnesses
  std::optional<UnixMs> deadline;
  std::optional<Error> error;
};

class Journal {
 public:
  // `path` is a file, or "memory". Errors: another daemon has it, no journal, of a newer version.
  static Result<std::unique_ptr<Journal>> open(const std::string& path);

  bool is_durable() const { return durable_; }
  const std::string& path() const { return database_.path(); }
  // At most so many bytes, as if the disk were full behind them. For tests.
  Result<void> limit(std::uint64_t bytes);

  Result<void> add(const StoredJob& job, std::span<const work::WitnessFile> witnesses);
  // Errors leave the job pending.
  Result<void> end(const std::string& id, const JobEnd& end, UnixMs when);
  Result<void> forget(std::span<const std::string> ids);

  Result<std::vector<StoredJob>> jobs();  // in the order of add()
  Result<std::vector<work::WitnessFile>> witnesses(const std::string& id);
  Result<std::vector<work::PartitionJson>> answers(const std::string& id);

 private:
  Journal(Database database, bool durable) : database_(std::move(database)), durable_(durable) {}
  Result<void> prepare();
  void forget_witnesses();  // mutex_ is held

  std::mutex mutex_;
  Database database_;
  const bool durable_;
};

}  // namespace prover::daemon
