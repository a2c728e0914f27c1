// SPDX-License-Identifier: Apache-2.0
// `suite compare`: which benchmarks of a suite does a change make slower? Each unit is run in
// blocks of six runs of either side, as the rule wants them; the unit that has been run least goes
// on to its next look, as long as one of its benchmarks has no verdict. So time goes where a
// verdict is open, and a unit whose benchmarks are all decided is not run again. A time budget in
// which no block fits is not left unused: what fits is run, and shown without a word.
#pragma once

#include <optional>
#include <vector>

#include "experiment/experiment.hpp"
#include "experiment/suite_compare_table.hpp"

namespace assay::experiment {

class SuiteCompare final : public Experiment {
 public:
  explicit SuiteCompare(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  struct Group {
    std::uint32_t blocks = 0, blocks_to_go = 0;  // to_go: until its next look
    double seconds = 0;                          // of its complete blocks
    double longest = 0;                          // of its runs that ended well
    bool worked[2] = {false, false};
    bool had_part = false;
  };

  void take(std::span<const Entry> entries, std::size_t index);
  void end_block(std::span<const Entry> entries);
  void open_warmup();
  void open_next();
  void open_block(std::size_t group);
  void open_part();
  bool is_part_over(std::span<const Entry> entries) const;
  void end_part(std::span<const Entry> entries);
  std::uint32_t first_word_runs() const;
  void warn_of_budget(std::vector<Warning>& warnings) const;
  std::optional<std::size_t> choose();
  std::optional<std::uint32_t> blocks_to_look(const Group& group) const;
  double block_seconds(const Group& group) const;
  Conclusion conclude(std::span<const Entry> entries, bool stopped) const;

  Plan plan_;
  std::vector<std::vector<std::uint32_t>> processes_;  // units of each group
  std::vector<Group> groups_;
  SuiteCompareTable table_;
  std::size_t group_ = 0;  // of the open block
  std::uint32_t block_ = 0;
  double part_until_ = 0;       // s; the open block is run as far as this; 0 = to its end
  std::vector<Run> runs_ = {};  // of the open block
  std::vector<std::size_t> group_of_run_ = {};
  std::vector<std::optional<std::size_t>> made_ = {};  // indices into the entries
  std::size_t entries_read_ = 0;
  std::uint32_t runs_done_ = 0;
  double seconds_ = 0, open_seconds_ = 0;
  std::optional<EndedBy> ended_by_ = {};
  std::string failure_ = {};  // the record is damaged, or a side does not build
};

}  // namespace assay::experiment
