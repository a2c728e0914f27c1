// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "prover/bench/microbench.hpp"

namespace prover::bench {
namespace {

constexpr std::array<std::string_view, 4> kColumns = {"gmp", "portable", "adx", "ifma"};

// Three significant digits.
std::string shown(double ns) { return fmt::format("{:.{}f}", ns, ns < 10 ? 2 : ns < 100 ? 1 : 0); }

const Figure* find(const std::vector<Figure>& figures, const Figure& row, std::string_view by) {
  const auto at = std::ranges::find_if(figures, [&](const Figure& figure) {
    return figure.operation == row.operation && figure.on == row.on && figure.by == by;
  });
  return at == figures.end() ? nullptr : &*at;
}

}  // namespace

std::string microbench_text(const std::vector<Figure>& figures) {
  std::string text = fmt::format("{:<32}", "ns of one, best, one thread");
  for (const std::string_view column : kColumns) text += fmt::format("{:>10}", column);
  text += "\n";
  const Figure* last = nullptr;
  for (const Figure& row : figures) {
    if (last != nullptr && last->operation == row.operation && last->on == row.on) continue;
    last = &row;
    text += fmt::format("{:<32}", fmt::format("{}, {}", row.operation, row.on));
    for (const std::string_view column : kColumns) {
      const Figure* const figure = find(figures, row, column);
      text += fmt::format("{:>10}", figure == nullptr ? "-" : shown(figure->best_ns));
    }
    text += "\n";
  }
  return text;
}

std::string microbench_json(const std::vector<Figure>& figures, const MicrobenchOptions& options) {
  std::string rows;
  for (const Figure& figure : figures)
    rows += fmt::format(
        "{}\n  {{\"operation\": \"{}\", \"on\": \"{}\", \"by\": \"{}\", \"best_ns\": {:.4g}, "
        "\"median_ns\": {:.4g}}}",
        rows.empty() ? "" : ",", figure.operation, figure.on, figure.by, figure.best_ns,
        figure.median_ns);
  return fmt::format(
      "{{\n \"schema_version\": 1,\n \"kind\": \"prover-bench-field\",\n \"samples\": {},\n "
      "\"figures\": [{}\n ]\n}}\n",
      options.samples, rows);
}

}  // namespace prover::bench
