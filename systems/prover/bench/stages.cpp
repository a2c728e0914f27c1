// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "prover/base/text.hpp"
#include "prover/bench/inspect.hpp"
#include "prover/bench/metered.hpp"
#include "prover/bench/report.hpp"
#include "prover/bench/resources.hpp"

namespace prover::bench {
namespace {

struct Call {
  StageRow row;
  std::vector<StageRow> inside;
};

// Sums of the calls that a partition goes through, and of the stages inside each.
class Calls {
 public:
  explicit Calls(groth16::StageTotals& totals) : totals_(totals) {}

  template <class Do>
  auto time(const char* name, const Do& what) {
    const TimePoint begin = std::chrono::steady_clock::now();
    const double cpu = process_cpu_s();
    auto done = what();
    add(name, milliseconds(begin, std::chrono::steady_clock::now()), (process_cpu_s() - cpu) * 1e3);
    return done;
  }

  // Means over so many partitions.
  std::vector<StageRow> rows(std::uint32_t partitions) const {
    std::vector<StageRow> all;
    for (const Call& call : calls_) {
      all.push_back(call.row);
      all.insert(all.end(), call.inside.begin(), call.inside.end());
    }
    for (StageRow& row : all) row.wall_ms /= partitions, row.cpu_ms /= partitions;
    return all;
  }

 private:
  void add(const char* name, double wall_ms, double cpu_ms) {
    auto at = std::ranges::find(calls_, name, [](const Call& call) { return call.row.name; });
    if (at == calls_.end()) at = calls_.insert(at, Call{{name, 0}, {}});
    ++at->row.n;
    at->row.wall_ms += wall_ms;
    at->row.cpu_ms += cpu_ms;
    for (const groth16::StageTime& stage : totals_.take()) {
      auto in = std::ranges::find(at->inside, stage.name, &StageRow::name);
      if (in == at->inside.end()) in = at->inside.insert(in, StageRow{stage.name, 1});
      ++in->n;
      in->wall_ms += stage.wall_s * 1e3;
      in->cpu_ms += stage.cpu_s * 1e3;
    }
  }

  groth16::StageTotals& totals_;
  std::vector<Call> calls_;
};

Result<PartProof> prove_one(const Load& load, const Source& source, Calls& calls,
                            ResidentMemory& resident) {
  auto made = calls.time("synthesis", [&] { return load.work().synthesize(source, {}); });
  if (!made) return fail(made.error());
  auto device =
      calls.time("upload", [&] { return load.device().upload(source, std::move(*made)); });
  if (!device) return fail(device.error());
  DeviceProof& proof = **device;
  auto started = calls.time("start", [&] { return proof.start({}); });
  if (!started) return fail(started.error());
  resident.sample();
  calls.time("free a, b, c", [&] { return proof.free_vectors(), 0; });
  auto part = calls.time("finish", [&] { return proof.finish({}); });
  calls.time("free the rest", [&] { return device->reset(), 0; });
  return part;
}

}  // namespace

double StagesResult::cpu_ms() const {
  double sum = 0;
  for (const StageRow& row : rows) sum += row.depth == 0 ? row.cpu_ms : 0;
  return sum;
}

Result<StagesResult> run_stages(const BatchOptions& options, const Load& load,
                                ResidentMemory& resident, const std::function<bool()>& go_on) {
  if (auto ok = check(options); !ok) return fail(ok.error());
  PROVER_CHECK(options.settings.work.stages != nullptr, "somewhere to tell the stages");
  const auto spec = load.job(0, options.partitions);
  if (!spec) return fail(spec.error());
  const auto resources = Resources(load.work()).of(*spec);
  if (!resources) return fail(resources.error());
  Calls calls(*options.settings.work.stages);
  Proof proof{JobId{1}, options.partitions, {}};
  for (std::uint32_t i = 0; i < options.partitions; ++i) {
    if (!go_on()) return fail(ErrorKind::cancelled, "interrupted");
    auto part = prove_one(load, {{JobId{1}, i}, *spec, *resources}, calls, resident);
    if (!part) return fail(part.error());
    proof.bytes.insert(proof.bytes.end(), part->bytes.begin(), part->bytes.end());
  }
  const Claim claim{*spec, proof};
  const auto checked = calls.time("check", [&] { return load.work().check({&claim, 1}).front(); });
  if (!checked) return fail(checked.error());
  return StagesResult{calls.rows(options.partitions), resident.peak(), load.warnings()};
}

std::string stages_text(const BatchOptions& options, const StagesResult& result) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "prover bench stages: {} partitions of {}, one after the other\n",
                 options.partitions, options.load.name());
  text += settings_text(options);
  const double whole = result.cpu_ms();
  fmt::format_to(out, "{:18}{:>10}{:>10}{:>9}\n", "a partition's mean", "cpu", "wall", "of cpu");
  for (const StageRow& row : result.rows)
    fmt::format_to(out, "{:18}{:>10}{:>10}{:>7.1f} %\n", std::string(2 * row.depth, ' ') + row.name,
                   show_ms(row.cpu_ms), show_ms(row.wall_ms),
                   whole > 0 ? 100 * row.cpu_ms / whole : 0);
  fmt::format_to(out, "{:18}{:>10}\n\n", "all", show_ms(whole));
  fmt::format_to(out, "peak memory {} ({})\n", show_bytes(result.peak.bytes), result.peak.method);
  return text;
}

std::string stages_lines(const StagesResult& result) {
  std::string text = fmt::format("ASSAY partition_cpu={} s\n", result.cpu_ms() / 1e3);
  for (const StageRow& row : result.rows)
    if (row.name.find(' ') == std::string::npos)
      text += fmt::format("ASSAY {}_cpu={} s\n", row.name, row.cpu_ms / 1e3);
  if (result.peak.bytes > 0) text += fmt::format("ASSAY peak_memory={} B\n", result.peak.bytes);
  return text;
}

}  // namespace prover::bench
