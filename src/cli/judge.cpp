// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>

#include "cli/commands.hpp"
#include "verdict/protocol.hpp"

namespace assay::cli {

const CommandSpec& judge_spec() {
  static const CommandSpec kSpec = {
      .name = "judge",
      .summary = "Apply the decision rule to measurements from elsewhere",
      .usage = {"judge --serve"},
      .details =
          "One JSON request a line on stdin, one reply a line on stdout, in order. The operations "
          "(decide, holm, bh, noise_floor, builds, factorial, sweep) are described in "
          "docs/statistics.md.",
      .positionals = {},
      .examples = {{"assay judge --serve < requests.jsonl", "Answer a file of requests"}},
      .flags = {{.name = "serve",
                 .help = "answer requests until stdin ends",
                 .group = "Judging",
                 .common = true}}};
  return kSpec;
}

Result<int> run_judge(const Arguments& arguments, Terminal& terminal) {
  if (!arguments.has("serve"))
    return fail("judge needs --serve", {}, "usage: assay judge --serve < requests.jsonl");
  std::ios::sync_with_stdio(false);
  std::string line;
  while (!terminal.out_closed() && terminal.written() && std::getline(std::cin, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    terminal.print(verdict::answer(line) + "\n");
  }
  return kFine;
}

}  // namespace assay::cli
