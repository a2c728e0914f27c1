// SPDX-License-Identifier: Apache-2.0
// Input: a metric as the user writes it, a newline, then the output of a program. Whatever
// parse_metric accepts must make rules, and the value must not depend on where the output was cut.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "measure/metric_rules.hpp"
#include "measure/trial_runner.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = input.find('\n');
  const auto metric = assay::measure::parse_metric(std::string(input.substr(0, newline)));
  if (!metric) {
    ASSAY_CHECK(!metric.error().what.empty(), "an error says what is wrong");
    return 0;
  }
  auto rules = assay::measure::MetricRules::make({&*metric, 1});
  ASSAY_CHECK(rules, "a parsed metric makes rules");
  const std::string_view output =
      newline == std::string_view::npos ? std::string_view() : input.substr(newline + 1);
  rules->consume(output);
  const auto whole = rules->finish();
  ASSAY_CHECK(whole.size() == 1, "one value per rule");
  // The pieces are as long as the bytes at their cuts say.
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t length = 1 + static_cast<unsigned char>(output[at]) % 7u;
    rules->consume(output.substr(at, length));
    at += length;
  }
  ASSAY_CHECK(rules->finish() == whole, "the value does not depend on the cuts");
  return 0;
}
