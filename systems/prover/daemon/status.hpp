// SPDX-License-Identifier: Apache-2.0
// What the daemon tells about itself, as JSON and as Prometheus reads it.
#pragma once

#include <span>
#include <string>

#include "prover/daemon/job.hpp"

namespace prover::daemon {

// `schema_version` 1; the jobs in the order of their submission.
std::string status_json(const DaemonStatus& status, std::span<const JobStatus> jobs);
std::string job_json(const JobStatus& job);
// Text format 0.0.4: every metric with HELP and TYPE.
std::string metrics_text(const DaemonStatus& status);

}  // namespace prover::daemon
