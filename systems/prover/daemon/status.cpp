// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/status.hpp"

#include <fmt/format.h>

#include "prover/base/text.hpp"
#include "prover/engine/names.hpp"

namespace prover::daemon {
namespace {

// Texts come from clients: everything that JSON or a terminal would take for its own is escaped.
std::string in_quotes(std::string_view text) {
  std::string shown = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      shown.append(1, '\\').append(1, c);
    else if (byte < 0x20 || byte >= 0x7f)
      shown += fmt::format("\\u{:04x}", byte);
    else
      shown += c;
  }
  return shown + "\"";
}

double seconds(UnixMs span) { return static_cast<double>(span) / 1e3; }

std::string engine_json(const Snapshot& engine) {
  return fmt::format(
      "{{\"partitions_proved\": {}, \"partitions_in_flight\": {}, \"reserved_bytes\": {}, "
      "\"reserved_peak_bytes\": {}, \"cache_hits\": {}, \"cache_loads\": {}, \"cache_evictions\": "
      "{}}}",
      engine.partitions_proved, engine.in_flight.total(), engine.reserved, engine.reserved_peak,
      engine.cache.hits, engine.cache.loads, engine.cache.evictions);
}

struct Metric {
  const char* name;
  const char* type;
  const char* help;
  std::string value;
};

std::string whole(std::uint64_t value) { return fmt::format("{}", value); }

}  // namespace

std::string job_json(const JobStatus& job) {
  return fmt::format(
      "{{\"id\": {}, \"state\": \"{}\", \"circuit\": {}, \"partitions\": {}, \"priority\": {}, "
      "\"client\": {}, \"request_id\": {}, \"submitted_ms\": {}, \"ended_ms\": {}, \"error\": {}}}",
      in_quotes(job.id), state_name(job.state), in_quotes(job.circuit), job.partitions,
      job.priority, in_quotes(job.client), in_quotes(job.request_id), job.submitted,
      job.ended == 0 ? "null" : fmt::format("{}", job.ended),
      job.error.empty() ? "null" : in_quotes(job.error));
}

std::string status_json(const DaemonStatus& status, std::span<const JobStatus> jobs) {
  std::string text = fmt::format(
      "{{\n \"schema_version\": 1,\n \"kind\": \"prover-daemon\",\n \"draining\": {},\n "
      "\"uptime_s\": {:.3f},\n \"pending\": {},\n \"kept\": {},\n \"submitted\": {},\n \"done\": "
      "{},\n \"failed\": {},\n \"cancelled\": {},\n \"refused\": {},\n \"witness_bytes\": {},\n "
      "\"unsaved\": {},\n \"resident_bytes\": {},\n \"memory_budget\": {},\n \"engine\": {},\n "
      "\"circuits\": [",
      status.draining, seconds(status.now - status.started), status.pending, status.kept,
      status.submitted, status.done, status.failed, status.cancelled, status.refused,
      status.witness_bytes, status.unsaved, status.resident,
      status.budget ? whole(*status.budget) : "null", engine_json(status.engine));
  const char* comma = "";
  for (const CircuitStatus& circuit : status.circuits) {
    text += fmt::format(
        "{}\n  {{\"name\": {}, \"curve\": {}, \"domain\": {}, \"key_bytes\": {}, \"insecure\": {}, "
        "\"builder\": {}}}",
        comma, in_quotes(circuit.name), in_quotes(circuit.curve), circuit.domain, circuit.key_bytes,
        circuit.insecure, circuit.builder);
    comma = ",";
  }
  text += "],\n \"loaded\": [";
  comma = "";
  for (const CachedResource& one : status.loaded) {
    text += fmt::format("{}\n  {{\"name\": {}, \"bytes\": {}, \"pins\": {}}}", comma,
                        in_quotes(one.name), one.bytes, one.pins);
    comma = ",";
  }
  text += "],\n \"jobs\": [";
  comma = "";
  for (const JobStatus& job : jobs) {
    text += fmt::format("{}\n  {}", comma, job_json(job));
    comma = ",";
  }
  return text + "]\n}\n";
}

std::string metrics_text(const DaemonStatus& s) {
  const Metric metrics[] = {
      {"prover_draining", "gauge", "1 while the daemon stops and takes no jobs.",
       s.draining ? "1" : "0"},
      {"prover_uptime_seconds", "gauge", "Since the daemon started.",
       fmt::format("{:.3f}", seconds(s.now - s.started))},
      {"prover_jobs_pending", "gauge", "Jobs that are not done.", whole(s.pending)},
      {"prover_jobs_kept", "gauge", "Ended jobs whose answers can be awaited.", whole(s.kept)},
      {"prover_jobs_submitted_total", "counter", "Jobs taken.", whole(s.submitted)},
      {"prover_jobs_refused_total", "counter", "Jobs refused, for whatever reason.",
       whole(s.refused)},
      {"prover_job_seconds_total", "counter", "From submission to proof, summed over done jobs.",
       fmt::format("{:.6f}", s.job_seconds)},
      {"prover_partitions_proved_total", "counter", "Partitions proved.",
       whole(s.engine.partitions_proved)},
      {"prover_partitions_in_flight", "gauge", "Partitions between synthesis and proof.",
       whole(s.engine.in_flight.total())},
      {"prover_permits_taken", "gauge", "Permits of partition workers in use.",
       whole(s.engine.permits_taken)},
      {"prover_memory_reserved_bytes", "gauge", "Of the budget, keys and queue included.",
       whole(s.engine.reserved)},
      {"prover_memory_reserved_peak_bytes", "gauge", "The most that was ever reserved.",
       whole(s.engine.reserved_peak)},
      {"prover_memory_fixed_bytes", "gauge",
       "Reserved as long as the daemon runs: the program, as measured at its start, and witnesses.",
       whole(s.engine.charges[Charge::fixed])},
      {"prover_memory_unaccounted_bytes", "gauge", "Measured, and reserved by nobody.",
       whole(s.engine.charges.unaccounted)},
      {"prover_memory_resident_bytes", "gauge", "Resident memory of the process, measured.",
       whole(s.resident)},
      {"prover_witness_bytes", "gauge", "Witnesses of jobs that are not done.",
       whole(s.witness_bytes)},
      {"prover_answers_unsaved", "gauge", "Answers that the journal's disk has no room for.",
       whole(s.unsaved)},
      {"prover_cache_hits_total", "counter", "Keys and circuits that were loaded already.",
       whole(s.engine.cache.hits)},
      {"prover_cache_loads_total", "counter", "Keys and circuits loaded.",
       whole(s.engine.cache.loads)},
      {"prover_cache_evictions_total", "counter", "Keys and circuits thrown out.",
       whole(s.engine.cache.evictions)},
  };
  std::string text;
  for (const Metric& metric : metrics)
    text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", metric.name, metric.help,
                        metric.type, metric.value);
  text +=
      "# HELP prover_jobs_ended_total Jobs by how they ended.\n"
      "# TYPE prover_jobs_ended_total counter\n";
  text += fmt::format("prover_jobs_ended_total{{state=\"done\"}} {}\n", s.done);
  text += fmt::format("prover_jobs_ended_total{{state=\"failed\"}} {}\n", s.failed);
  text += fmt::format("prover_jobs_ended_total{{state=\"cancelled\"}} {}\n", s.cancelled);
  if (s.budget)
    text += fmt::format(
        "# HELP prover_memory_budget_bytes What may be reserved.\n"
        "# TYPE prover_memory_budget_bytes gauge\nprover_memory_budget_bytes {}\n",
        *s.budget);
  return text;
}

}  // namespace prover::daemon
