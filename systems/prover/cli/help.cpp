// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/help.hpp"

#include <fmt/format.h>

#include <string_view>

#include "prover/bench/settings.hpp"

namespace prover::cli {
namespace {

constexpr std::size_t kIndent = 32, kColumns = 100;

// Words of `text` in lines of kColumns, behind `head`.
std::string wrapped(std::string head, std::string_view text) {
  std::string lines;
  head.resize(std::max(head.size() + 1, kIndent), ' ');
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (head.size() + end > kColumns) {
      lines += head.substr(0, head.find_last_not_of(' ') + 1) + "\n";
      head = std::string(kIndent, ' ');
    }
    head.append(text.substr(0, end)).append(" ");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + head.substr(0, head.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string overview() {
  return "prover: a memory-bounded, pipelined proving engine\n"
         "\n"
         "usage: prover bench batch [OPTIONS]   prove many jobs of many partitions, and measure "
         "it\n"
         "       prover --help, --version\n"
         "\n"
         "Today the engine is real and its work is synthetic: it takes time, CPU and memory as\n"
         "configured, and proves nothing. systems/prover/README.md says what is there and what is "
         "not.\n"
         "\n"
         "exit status: 0 all was proved; 2 the command line or the budget does not work out; 3 not "
         "all\n"
         "was proved, for want of memory too; 130 interrupted (143 by SIGTERM), after a drain\n";
}

std::string bench_help() {
  return "usage: prover bench batch [OPTIONS]   'prover bench batch --help' lists the options\n";
}

std::string bench_batch_help() {
  std::string text =
      "usage: prover bench batch [OPTIONS]\n"
      "\n"
      "Sends jobs of partitions through the engine and reports throughput, distributions, peak "
      "memory\n"
      "and whether all that was asked for was proved. A first Ctrl-C or SIGTERM lets the jobs in "
      "flight\n"
      "end, a second one cancels them.\n";
  std::string_view group;
  for (const bench::Setting& setting : bench::settings()) {
    if (group != setting.group) {
      group = setting.group;
      text += fmt::format("\n{}:\n", group);
    }
    std::string head =
        setting.short_name != 0 ? fmt::format("  -{}, ", setting.short_name) : "      ";
    head += fmt::format("--{}", setting.name);
    if (*setting.value != '\0') head += fmt::format(" {}", setting.value);
    text += wrapped(std::move(head), setting.help);
  }
  return text +
         "\nexamples:\n"
         "  prover bench batch -c 15 -j 15 --partitions 10\n"
         "      15 proofs of 10 partitions, all in flight at once\n"
         "  prover bench batch -c 15 -j 15 --memory-budget 96MiB --json report.json\n"
         "      the same within 96 MiB\n"
         "  prover bench batch --inject prove=+10% --timeline run.log\n"
         "      a slower device; the events of the run as TIMELINE lines\n";
}

}  // namespace prover::cli
