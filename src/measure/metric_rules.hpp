// SPDX-License-Identifier: Apache-2.0
// Own metrics from what a program prints, read while it prints: nothing but one line (and, for JSON
// sources, at most 16 MiB) is held.
//
// A program that prints a metric several times, once an iteration, gives ONE value: the median of
// its values without the first max(1, 10 %) of them (docs/statistics.md section 1), because
// iterations of one process are not independent runs. With a single value that value counts.
//
// A metric of source `assay` takes its unit from the lines when its name has none: the first unit
// seen holds for all runs of all sides, and a value in a unit of another kind (s, then B) is none.
//
// Caveats: a line gives at most one value per metric, its first match. A last line without newline
// may be torn and is not matched; only JSON objects and arrays, which show that they are complete,
// may end without one. A line beyond 1 MiB is cut; a match that touches the cut does not count.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/metric.hpp"

namespace assay::measure {

class MetricRules {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;
  static constexpr std::size_t kMostJson = std::size_t{16} << 20;
  static constexpr std::size_t kMostValues = std::size_t{1} << 21;  // of one metric in one run

  // Rules for those of `metrics` that come from the output, in their order. Errors: a name given
  // twice, an unknown source, a pattern that RE2 refuses (with a caret where it tells the place) or
  // that has not exactly one capturing group, a malformed pointer.
  static Result<MetricRules> make(std::span<const Metric> metrics);
  MetricRules(MetricRules&&) noexcept;
  MetricRules& operator=(MetricRules&&) noexcept;
  ~MetricRules();

  // The next bytes of stdout, cut anywhere.
  void consume(std::string_view chunk);

  // The end of the run: one value per rule in base units, nothing where the output had none. Then
  // ready for the next run.
  std::vector<std::optional<double>> finish();

  // What the last finished run lost, one clause each: "metric x: the command printed 'nan', which
  // is no number". Each kind of loss of a metric is told once, with its first case: these rules
  // serve all runs of an experiment.
  const std::vector<std::string>& losses() const { return losses_; }

  bool empty() const { return rules_.empty(); }

 private:
  struct Rule;
  MetricRules();
  void match_line(std::string_view line, bool cut);
  void collect_json(bool torn);
  void lose(bool& told, std::string text);

  std::vector<std::unique_ptr<Rule>> rules_;
  bool needs_lines_ = false, needs_json_ = false;
  std::string line_;       // the unfinished last line, at most kLongestLine bytes
  bool line_cut_ = false;  // more than that came
  bool told_cut_ = false, told_large_ = false, told_broken_ = false;
  std::string text_;        // all output, for JSON sources
  bool text_lost_ = false;  // it was more than kMostJson
  bool ends_torn_ = false;  // the last byte so far is no newline
  std::vector<std::string> losses_, pending_losses_;
};

}  // namespace assay::measure
