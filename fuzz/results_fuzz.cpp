// SPDX-License-Identifier: Apache-2.0
// Any bytes as a result file of one tool (ASSAY_RESULTS_FORMAT): either an error that says what and
// where, or series whose numbers are finite and whose counts fit, with a state that fits them.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "results/results.hpp"

namespace {

using namespace assay::results;

void check(const Series& series) {
  for (const Process& process : series.processes) {
    ASSAY_CHECK(process.iterations.empty() || process.iterations.size() == process.values.size(),
                "a count of iterations a value");
    for (const double value : process.values) ASSAY_CHECK(std::isfinite(value), "a finite value");
  }
  ASSAY_CHECK(!series.centre || std::isfinite(*series.centre), "a finite centre");
  ASSAY_CHECK(
      series.centre.has_value() || series.spread == std::nullopt || series.processes.empty(),
      "a spread around something");
  ASSAY_CHECK(series.state == State::ok || !series.message.empty(), "a failure says why");
  for (const Doubt& doubt : series.doubts)
    ASSAY_CHECK(!doubt.kind.empty() && !doubt.text.empty(), "a doubt says what");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Format& format : formats()) (void)format.recognise(text);
  const auto file = read(text, "fuzz", ASSAY_RESULTS_FORMAT);
  if (!file) {
    ASSAY_CHECK(!file.error().what.empty() && file.error().where.starts_with("fuzz"),
                "an error says what is wrong and where");
    return 0;
  }
  ASSAY_CHECK(!file->series.empty() && file->format == ASSAY_RESULTS_FORMAT, "what was asked for");
  for (const Series& series : file->series) check(series);
  return 0;
}
