// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "base/check.hpp"
#include "base/text.hpp"
#include "trace/importers/text.hpp"
#include "trace/topology.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kRules = R"toml(# TIMELINE,<offset_ms>,<event>,<job>,<k=v,k=v>
item = ["job", "partition"]

[[event]]
match = "TIMELINE,{t:ms},SYNTH_START,{job}"
pairs = ["worker={worker}", "partition={partition:int}"]
begin = "synth.service"

[[event]]
match = "TIMELINE,{t:ms},SYNTH_END,{job}"
pairs = ["worker={worker}", "partition={partition:int}", "synth_ms={d:ms}"]
end = "synth.service"
begin = "synth.blocked_send"

[[event]]
match = "TIMELINE,{t:ms},CHAN_SEND,{job}"
pairs = ["worker={worker}", "partition={partition:int}", "blocked_ms={d:ms}"]
end = "synth.blocked_send"

[[event]]
match = "TIMELINE,{t:ms},GPU_QUEUE,{job}"
pairs = ["partition={partition:int}"]
begin = "gpu.queue_wait"

[[event]]
match = "TIMELINE,{t:ms},GPU_PICKUP,{job}"
pairs = ["worker={worker}", "partition={partition:int}"]
end = "gpu.queue_wait"

[[event]]
match = "TIMELINE,{t:ms},GPU_START,{job}"
pairs = ["worker={worker}", "partition={partition:int}"]
begin = "gpu.service"

[[event]]
match = "TIMELINE,{t:ms},GPU_END,{job}"
pairs = ["worker={worker}", "partition={partition:int}", "gpu_ms={d:ms}"]
end = "gpu.service"

[[stage]]
name = "synth"

[[stage]]
name = "gpu"
kind = "gpu"
after = "synth"
servers = "count(worker)"
)toml";

constexpr std::array<std::string_view, 7> kEvents = {
    "SYNTH_START", "SYNTH_END", "CHAN_SEND", "GPU_QUEUE", "GPU_PICKUP", "GPU_START", "GPU_END"};
// What cannot be read when that event never occurs.
constexpr std::array<std::string_view, 7> kMeans = {
    "when a partition's synthesis began cannot be read from this log",
    "when a partition's synthesis ended cannot be read from this log",
    "time blocked in a send cannot be read from this log; it is derived by replay, and the books "
    "of "
    "the producers close per permit, not per thread",
    "time waited for the GPU cannot be read from this log",
    "time waited for the GPU cannot be read from this log",
    "service of the GPU is what gpu_ms of GPU_END says",
    "service of the GPU cannot be read from this log"};

const Rules& rules() {
  static const Rules compiled = [] {
    auto parsed = parse_rules(kRules, "timeline");
    ASSAY_CHECK(parsed.has_value(), "the built-in rules are rules");
    parsed->quiet = true;
    return std::move(*parsed);
  }();
  return compiled;
}

// The first of these settings that the log echoes as a number from 1.
std::optional<std::pair<std::uint64_t, std::string>> first_setting(
    const Trace& trace, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Bound bound{Bound::From::setting, 0, std::string(name)};
    const auto number = resolve(trace, kNone, bound);
    if (number && *number >= 1 && *number < kNone) return {{*number, bound.to_text()}};
  }
  return std::nullopt;
}

void lay_settings(Trace& trace) {
  const std::uint32_t synth = trace.find_stage("synth"), gpu = trace.find_stage("gpu");
  if (const auto found = first_setting(trace, {"partition_workers"})) {
    trace.stages[synth].permits = static_cast<std::uint32_t>(found->first);
    trace.stages[synth].servers = static_cast<std::uint32_t>(found->first);
    trace.stages[synth].servers_from = found->second;
  }
  if (const auto found = first_setting(trace, {"gpu_workers", "prove_workers"})) {
    trace.stages[gpu].servers = static_cast<std::uint32_t>(found->first);
    trace.stages[gpu].servers_from = found->second;
  }
  if (const auto found =
          first_setting(trace, {"channel", "channel_capacity", "lookahead", "synthesis_lookahead"}))
    trace.stages[gpu].capacity = found->first;
}

// Jobs have the same number of partitions, counted from 0: every product must be there.
void check_counts(Trace& trace) {
  std::set<std::string_view> jobs;
  std::uint64_t partitions = 0;
  for (const std::uint32_t key : trace.items.key) {
    const std::string_view text = trace.strings.at(key);
    const std::size_t slash = text.rfind('/');
    jobs.insert(text.substr(0, slash));
    std::uint64_t partition = 0;
    if (slash == std::string_view::npos) continue;
    const char* end = text.data() + text.size();
    if (std::from_chars(text.data() + slash + 1, end, partition).ec == std::errc() &&
        partition < 1'000'000)
      partitions = std::max(partitions, partition + 1);
  }
  const std::uint64_t expected = jobs.size() * std::max<std::uint64_t>(1, partitions);
  if (expected != trace.items.size())
    trace.warn(
        TraceWarningKind::counts_disagree,
        fmt::format("{} jobs x {} partitions make {} items, the log has {}: lines were lost, "
                    "or jobs differ in partitions",
                    jobs.size(), partitions, expected, trace.items.size()));
}

class TimelineImporter final : public Importer {
 public:
  std::string_view name() const override { return "timeline"; }
  std::string_view caveat() const override {
    return "1 ms resolution unless offsets have decimals; time blocked in a send is there only "
           "when CHAN_SEND is written";
  }
  int sniff(std::string_view head) const override {
    for (std::size_t at = head.find("TIMELINE,"); at != std::string_view::npos;
         at = head.find("TIMELINE,", at + 1)) {
      const std::string_view line = head.substr(at, head.find('\n', at) - at);
      for (const std::string_view event : kEvents) {
        const std::size_t comma = line.find(',', 9);
        if (comma != std::string_view::npos && line.substr(comma + 1).starts_with(event)) return 95;
      }
    }
    return 0;
  }
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    std::vector<std::uint64_t> matches;
    auto trace = read_by_rules(source, options, rules(), name(), &matches);
    if (!trace) return trace;
    std::vector<TraceWarning> found;
    found.swap(trace->warnings);
    for (std::size_t i = 0; i < kEvents.size(); ++i)
      if (matches[i] == 0 && trace->bytes_read > 0)
        trace->warn(TraceWarningKind::never_occurs,
                    fmt::format("{} never occurs: {}", kEvents[i], kMeans[i]));
    check_counts(*trace);
    trace->warnings.insert(trace->warnings.end(), found.begin(), found.end());
    lay_topology(*trace, topology_of(*trace));
    lay_settings(*trace);
    return trace;
  }

 private:
  // Without a worker in the log there is nothing to count: no news in a log without GPU lines.
  static Rules topology_of(const Trace& trace) {
    Rules laid;
    laid.stages = rules().stages;
    const std::uint32_t gpu = trace.find_stage("gpu");
    const bool named =
        std::ranges::any_of(trace.workers, [&](const Worker& w) { return w.stage == gpu; });
    if (!named) laid.stages.back().servers = {};
    return laid;
  }
};

}  // namespace

std::string_view timeline_rules_text() { return kRules; }

const Importer& timeline_importer() {
  static const TimelineImporter importer;
  return importer;
}

}  // namespace assay::trace
