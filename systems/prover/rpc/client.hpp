// SPDX-License-Identifier: Apache-2.0
// The eight calls, from the side of a client. Every call may wait for the daemon; errors have the
// kind that the daemon gave them, and one that cannot be reached says so.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "prover/daemon/job.hpp"
#include "prover/daemon/service.hpp"

namespace prover::rpc {

struct Target {
  std::string socket;   // or, when it is empty:
  std::string address;  // HOST:PORT
  std::string token;
};

// Whether a call shall go on; asked a few times a second while it waits.
using GoOn = std::function<bool()>;

struct DaemonView {
  std::vector<daemon::JobStatus> jobs;
  std::string json;  // as HTTP's /status
};

class Client {
 public:
  static std::unique_ptr<Client> create(const Target& target);
  ~Client();

  Result<daemon::Submitted> submit(const daemon::JobRequest& request);
  // ErrorKind::deadline after `limit`; ErrorKind::cancelled when `go_on` says no. The job goes on.
  Result<std::vector<work::PartitionJson>> await(const std::string& id,
                                                 std::optional<std::chrono::milliseconds> limit,
                                                 const GoOn& go_on);
  // When `go_on` says no, or this process ends, the job is cancelled.
  Result<std::vector<work::PartitionJson>> prove(const daemon::JobRequest& request,
                                                 const GoOn& go_on);
  Result<void> cancel(const std::string& id);
  Result<daemon::JobStatus> status(const std::string& id);
  Result<DaemonView> status();
  Result<std::string> metrics();
  Result<void> preload(const std::string& circuit);
  Result<void> evict(const std::string& circuit);

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace prover::rpc
