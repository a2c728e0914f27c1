// SPDX-License-Identifier: Apache-2.0
// Small histograms of one or more samples on a common axis, for one line of text each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::report {

inline constexpr std::size_t kHistogramBins = 40;

struct Histogram {
  std::string title;      // of the metric
  bool log_axis = false;  // bins of equal ratio, when the values span more than a factor of 10
  double lo = 0, hi = 0;  // ends of the axis: smallest and largest value of all samples
  std::string lo_text, hi_text;                    // the same, formatted
  std::vector<std::string> labels;                 // one a sample
  std::vector<std::vector<std::uint32_t>> counts;  // samples x kHistogramBins
};

// Nothing when a sample has fewer than six values or all values are equal: there is no shape then.
std::optional<Histogram> make_histogram(std::string title, const std::string& unit,
                                        std::span<const std::vector<double>> samples,
                                        std::span<const std::string> labels);

// One line a sample and one for the axis, each ended by a newline. Heights share one scale; a bin
// that is not empty never looks empty. Nothing ("") when `width` (0 = no limit) is too small.
std::string draw(const Histogram& histogram, bool unicode, std::size_t width);

}  // namespace assay::report
