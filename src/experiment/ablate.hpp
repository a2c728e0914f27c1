// SPDX-License-Identifier: Apache-2.0
// `ablate`: Which of k changes, alone or in pairs? All on against all off first, by the rule of
// `compare`; then rounds of a design over the on/off states, or, where builds are dear, always the
// configuration that tells most for its price; after each the posterior over sparse models
// (verdict/sparse_model.hpp); then every cause that was found by the rule of `compare` in the
// context of the others. All runs count for the posterior. Configurations that do not build or run
// drop out and are part of the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "experiment/ablate_design.hpp"
#include "experiment/arm_runs.hpp"
#include "experiment/blocks.hpp"
#include "experiment/contrast.hpp"
#include "experiment/experiment.hpp"
#include "verdict/sparse_model.hpp"

namespace assay::experiment {

class Ablate final : public Experiment {
 public:
  explicit Ablate(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  enum class Phase { warm_up, reproduce, design, confirm, over };
  enum class Outcome { agrees, refuted, open, impossible };

  // A term put to the rule of `compare`.
  struct Confirmation {
    std::size_t term = 0;
    double sign = 1;  // of the contrast, if the term is right
    Outcome outcome = Outcome::open;
    std::optional<MetricFinding> finding = {};
  };

  struct DesignRun {
    std::uint32_t round = 0, configuration = 0;
    double log = 0;
  };

  std::vector<Run> schedule(std::uint32_t block) const;
  bool end_block(std::span<const Trial* const> trials);
  void take(std::span<const Trial* const> trials);

  // What follows, by phase; each sets the phase and what the next block runs.
  void after_reproduction(std::span<const Trial* const> trials);
  void begin_round();
  void begin_configuration();
  void after_design_block();
  void begin_confirmation();
  void after_confirmation(std::span<const Trial* const> trials);
  void end(EndedBy why);
  void run_next(std::vector<std::uint32_t> arms, std::uint32_t per_arm);

  void exclude_doubles();  // terms that the configurations which run cannot tell apart
  bool feed(ContrastTest& test, std::span<const Trial* const> trials) const;
  bool can_afford(std::span<const std::uint32_t> arms, std::uint32_t per_arm) const;
  double cost_of(std::uint32_t arm) const;  // of one more run of it, seconds
  bool is_usable(std::uint32_t arm) const;  // not broken, and no rule says that it would be
  bool needs_warm_up(std::uint32_t arm) const;
  std::uint32_t cap() const;
  Contrast contrast_of(const verdict::SparseTerm& term) const;
  const Confirmation* confirmation_of(std::size_t term) const;

  // The answer (ablate_answer.cpp).
  Conclusion conclude(std::span<const Entry> entries, bool stopped) const;
  AblateFinding finding(std::vector<MetricFinding>& findings) const;
  void add_terms(AblateFinding& found, std::vector<MetricFinding>& findings) const;
  void add_best(AblateFinding& found) const;
  void add_remainder(AblateFinding& found) const;
  void add_configurations(AblateFinding& found) const;
  void add_effects(AblateFinding& found) const;
  Term term_of(std::size_t index) const;
  bool is_sum_of_times(std::size_t index) const;
  bool fits_badly() const;  // the models of changes and pairs, the configurations as measured
  bool is_named(std::size_t index, const Estimate& effect) const;
  std::string answer_of(const AblateFinding& found) const;
  std::string name_of(const verdict::SparseTerm& term) const;
  std::string status() const;

  Plan plan_;
  unsigned changes_ = 0;
  std::uint32_t full_ = 0;                  // all on
  std::vector<std::uint32_t> build_group_;  // arms of one number are built alike
  bool adaptive_ = false;
  Random random_;
  ArmRuns runs_;
  verdict::SparseModel model_;
  std::vector<bool> group_warm_;
  std::vector<std::vector<double>> memory_;  // per arm, bytes
  std::optional<std::size_t> memory_metric_;

  Phase phase_ = Phase::warm_up;
  std::optional<EndedBy> ended_by_;
  std::string failure_;
  std::vector<std::uint32_t> next_arms_;
  std::uint32_t next_per_arm_ = 1;

  ContrastTest reproduction_;
  Reproduced reproduced_ = Reproduced::unknown;
  std::uint32_t round_ = 0;        // of the design
  std::uint32_t model_round_ = 0;  // levels that the model knows
  std::uint32_t design_runs_ = 0;
  bool at_cap_ = false;
  std::vector<DesignRun> design_;
  std::vector<FailureRule> rules_;
  std::size_t rules_of_ = 0;  // broken arms that the rules were made of

  std::vector<Confirmation> confirmations_;
  std::optional<ContrastTest> confirming_;
  std::size_t confirming_of_ = 0;
  Blocks blocks_;
};

}  // namespace assay::experiment
