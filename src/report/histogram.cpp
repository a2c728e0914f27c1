// SPDX-License-Identifier: Apache-2.0
#include "report/histogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/check.hpp"
#include "base/text.hpp"
#include "report/plain.hpp"

namespace assay::report {
namespace {

constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> kAscii = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};

std::string bars(std::span<const std::uint32_t> counts, std::uint32_t highest, bool unicode) {
  std::string line;
  for (const std::uint32_t count : counts) {
    const double share = static_cast<double>(count) / highest;
    const auto level = static_cast<std::size_t>(std::ceil(share * 8));
    line += unicode ? kBlocks[level] : kAscii[level];
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

std::optional<Histogram> make_histogram(std::string title, const std::string& unit,
                                        std::span<const std::vector<double>> samples,
                                        std::span<const std::string> labels) {
  ASSAY_CHECK(samples.size() == labels.size(), "every sample has a label");
  Histogram histogram;
  bool first = true;
  for (const auto& sample : samples) {
    if (sample.size() < 6) return std::nullopt;
    for (const double value : sample) {
      histogram.lo = first ? value : std::min(histogram.lo, value);
      histogram.hi = first ? value : std::max(histogram.hi, value);
      first = false;
    }
  }
  const double span = histogram.hi - histogram.lo;
  if (first || !(span > 0) || !std::isfinite(span)) return std::nullopt;
  histogram.title = std::move(title);
  histogram.log_axis = histogram.lo > 0 && histogram.hi > 10 * histogram.lo;
  histogram.lo_text = plain(format_value(histogram.lo, unit));
  histogram.hi_text = plain(format_value(histogram.hi, unit));
  histogram.labels.assign(labels.begin(), labels.end());
  for (const auto& sample : samples) {
    auto& counts = histogram.counts.emplace_back(kHistogramBins);
    for (const double value : sample) {
      const double at = histogram.log_axis
                            ? std::log(value / histogram.lo) / std::log(histogram.hi / histogram.lo)
                            : (value - histogram.lo) / span;
      const auto bin = static_cast<std::size_t>(std::max(0.0, at) * kHistogramBins);
      ++counts[std::min(bin, kHistogramBins - 1)];
    }
  }
  return histogram;
}

std::string draw(const Histogram& histogram, bool unicode, std::size_t width) {
  std::size_t label_width = 0;
  for (const auto& label : histogram.labels)
    label_width = std::max(label_width, display_width(label));
  const std::size_t title_width = display_width(histogram.title);
  const std::size_t margin = title_width + 2 + label_width + (label_width > 0 ? 2 : 0);
  if (width != 0 && margin + kHistogramBins > width) return {};

  std::uint32_t highest = 1;
  for (const auto& counts : histogram.counts)
    highest = std::max(highest, *std::max_element(counts.begin(), counts.end()));
  std::string out;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const std::string head = pad(i == 0 ? histogram.title : "", title_width + 2) +
                             (i < histogram.labels.size() ? histogram.labels[i] : "");
    out += pad(head, margin) + bars(histogram.counts[i], highest, unicode) + "\n";
  }
  const std::string lo = fit(histogram.lo_text, 16), hi = fit(histogram.hi_text, 16);
  const std::string middle = histogram.log_axis ? "(log)" : "";
  const std::size_t taken = display_width(lo) + display_width(hi);
  const std::size_t gap =
      kHistogramBins > taken + middle.size() + 1 ? kHistogramBins - taken - middle.size() : 2;
  out += std::string(margin, ' ') + lo + std::string(gap / 2, ' ') + middle +
         std::string(gap - gap / 2, ' ') + hi + "\n";
  return out;
}

}  // namespace assay::report
