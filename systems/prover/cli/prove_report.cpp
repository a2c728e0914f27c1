// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/prove_report.hpp"

#include <fmt/format.h>

#include <bit>

#include "prover/base/text.hpp"
#include "prover/cli/process.hpp"

namespace prover::cli {

ProveReport begin_report(const files::Zkey& key, unsigned threads) {
  ProveReport report;
  report.curve = key.curve;
  report.wires = key.wires;
  report.publics = key.publics;
  report.domain = key.domain_size;
  report.coefficients = key.coefficients.size();
  report.isa = field::current_isa();
  report.threads = threads;
  report.open_s = seconds_since_start();
  return report;
}

void finish_report(ProveReport& report, std::vector<groth16::StageTime> stages) {
  report.stages = std::move(stages);
  report.wall_s = seconds_since_start();
  report.cpu_s = cpu_seconds();
  report.peak_rss = peak_rss_bytes();
}

std::string report_text(const ProveReport& report) {
  const std::uint32_t rows = report.domain;
  std::string text = fmt::format(
      "proved and verified: {}, {} wires, {} public, domain 2^{}\n"
      "wall {}, CPU {}, peak memory {}; {}, {} thread{}\n\n  {:<16}{:>10}{:>10}\n",
      curve_name(report.curve), report.wires, report.publics, std::countr_zero(rows),
      show_ms(report.wall_s * 1e3), show_ms(report.cpu_s * 1e3), show_bytes(report.peak_rss),
      isa_name(report.isa), report.threads, report.threads == 1 ? "" : "s", "stage", "wall", "CPU");
  if (!report.checked_with.empty())
    text.insert(0, fmt::format("the witness satisfies {}\n", printable(report.checked_with)));
  const auto row = [&](std::string_view name, double wall_s, double cpu_s) {
    text +=
        fmt::format("  {:<16}{:>10}{:>10}\n", name, show_ms(wall_s * 1e3), show_ms(cpu_s * 1e3));
  };
  double wall_s = report.wall_s, cpu_s = report.cpu_s;
  for (const groth16::StageTime& stage : report.stages) {
    row(stage.name, stage.wall_s, stage.cpu_s);
    wall_s -= stage.wall_s;
    cpu_s -= stage.cpu_s;
  }
  row("rest", std::max(wall_s, 0.0), std::max(cpu_s, 0.0));
  return text;
}

std::string report_json(const ProveReport& report) {
  std::string stages;
  for (const groth16::StageTime& stage : report.stages)
    stages += fmt::format("{}\n  {{\"name\": \"{}\", \"wall_s\": {:.6f}, \"cpu_s\": {:.6f}}}",
                          stages.empty() ? "" : ",", stage.name, stage.wall_s, stage.cpu_s);
  return fmt::format(
      "{{\n \"schema_version\": 1,\n \"kind\": \"prover-prove\",\n \"curve\": \"{}\",\n \"wires\": "
      "{},\n \"publics\": {},\n \"domain\": {},\n \"coefficients\": {},\n \"isa\": \"{}\",\n "
      "\"threads\": {},\n \"witness_checked\": {},\n \"open_s\": {:.6f},\n \"wall_s\": {:.6f},\n "
      "\"cpu_s\": {:.6f},\n "
      "\"peak_rss_bytes\": {},\n \"stages\": [{}\n ]\n}}\n",
      curve_name(report.curve), report.wires, report.publics, report.domain, report.coefficients,
      isa_name(report.isa), report.threads, !report.checked_with.empty(), report.open_s,
      report.wall_s, report.cpu_s, report.peak_rss, stages);
}

}  // namespace prover::cli
