// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/prove_report.hpp"

#include <gtest/gtest.h>

namespace prover::cli {
namespace {

ProveReport report() {
  ProveReport one;
  one.curve = CurveId::bls12_381;
  one.wires = 1000;
  one.publics = 2;
  one.domain = 1024;
  one.coefficients = 5000;
  one.isa = field::Isa::adx;
  one.open_s = 0.001;
  one.wall_s = 1.5;
  one.cpu_s = 1.25;
  one.peak_rss = std::uint64_t{20} << 20;
  one.stages = {{"msm_a", 0.5, 0.4}, {"verify", 0.25, 0.25}};
  return one;
}

TEST(ProveReport, AddsUp) {
  EXPECT_EQ(report_text(report()),
            "proved and verified: bls12-381, 1000 wires, 2 public, domain 2^10\n"
            "wall 1.5 s, CPU 1.25 s, peak memory 20 MiB; adx, 1 thread\n"
            "\n"
            "  stage                 wall       CPU\n"
            "  msm_a               500 ms    400 ms\n"
            "  verify              250 ms    250 ms\n"
            "  rest                750 ms    600 ms\n");
}

TEST(ProveReport, IsJson) {
  EXPECT_EQ(report_json(report()),
            "{\n \"schema_version\": 1,\n \"kind\": \"prover-prove\",\n \"curve\": \"bls12-381\",\n"
            " \"wires\": 1000,\n \"publics\": 2,\n \"domain\": 1024,\n \"coefficients\": 5000,\n"
            " \"isa\": \"adx\",\n \"threads\": 1,\n \"witness_checked\": false,\n \"open_s\": "
            "0.001000,\n \"wall_s\": 1.500000,\n"
            " \"cpu_s\": 1.250000,\n \"peak_rss_bytes\": 20971520,\n \"stages\": [\n"
            "  {\"name\": \"msm_a\", \"wall_s\": 0.500000, \"cpu_s\": 0.400000},\n"
            "  {\"name\": \"verify\", \"wall_s\": 0.250000, \"cpu_s\": 0.250000}\n ]\n}\n");
}

}  // namespace
}  // namespace prover::cli
