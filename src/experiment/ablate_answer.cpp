// SPDX-License-Identifier: Apache-2.0
// What the runs of an `ablate` say in the end.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "experiment/ablate.hpp"
#include "experiment/pairs.hpp"
#include "experiment/warnings.hpp"
#include "stats/distributions.hpp"
#include "stats/order.hpp"
#include "verdict/factorial.hpp"

namespace assay::experiment {
namespace {

constexpr double kSmallPart = 0.2;          // of the total: smaller terms are not named
constexpr double kMisfit = 1e-4;            // F test: below it no model of changes and pairs holds
constexpr std::uint32_t kClaimRounds = 12;  // of a full factorial, for Holm
constexpr int kResamples = 400;             // of the bootstrap
constexpr double kOpenShare = 0.5;          // a term as likely as not

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<std::uint32_t> members(std::uint32_t mask) {
  std::vector<std::uint32_t> changes;
  for (std::uint32_t i = 0; mask >> i != 0; ++i)
    if (mask >> i & 1) changes.push_back(i);
  return changes;
}

}  // namespace

std::string Ablate::name_of(const verdict::SparseTerm& term) const {
  std::string name;
  for (const std::uint32_t i : members(term.changes))
    name += (name.empty()  ? ""
             : term.either ? " or "
                           : " and ") +
            printable(plan_.design->changes[i].name);
  return name;
}

std::string Ablate::status() const {
  switch (phase_) {
    case Phase::warm_up:
    case Phase::reproduce:
      return "all on against all off";
    case Phase::confirm:
      return confirming_
                 ? "confirming " +
                       name_of(model_.posterior().terms[confirmations_[confirming_of_].term])
                 : "confirming";
    case Phase::design:
    case Phase::over:
      break;
  }
  std::string text = fmt::format("run {} of at most {}", design_runs_, cap());
  const auto& found = model_.posterior();
  if (found.models.empty() || found.models.front().set.size() == 0) return text;
  std::string causes;
  for (const std::size_t t : found.models.front().set.terms())
    causes += (causes.empty() ? "" : "; ") + name_of(found.terms[t]);
  return text +
         fmt::format(", likeliest: {} ({:.0f} %)", causes, 100 * found.models.front().weight);
}

Conclusion Ablate::conclude(std::span<const Entry> entries, bool stopped) const {
  Conclusion conclusion = plain_conclusion(plan_, entries, blocks_, ended_by_);
  conclusion.broken = runs_.broken();
  if (stopped && phase_ != Phase::over) conclusion.ended_by = EndedBy::interrupted;
  if (!failure_.empty()) {
    conclusion.overall = Verdict::failed;
    conclusion.failure = failure_;
  }
  conclusion.ablate = finding(conclusion.findings);
  if (conclusion.overall == Verdict::failed) return conclusion;
  const AblateFinding& found = *conclusion.ablate;
  const bool unanswered = found.reproduced == Reproduced::unknown || !found.undecided.empty() ||
                          phase_ != Phase::over || fits_badly();
  conclusion.overall = unanswered ? Verdict::undecided : Verdict::equivalent;
  conclusion.answer = answer_of(found);
  conclusion.warnings = warnings_of(plan_, entries, {});
  if (fits_badly())
    conclusion.warnings.push_back(
        {WarningKind::spread,
         "no few changes and pairs explain what the configurations cost, so none is named: "
         "three or more may act only together; take changes that belong together as one and "
         "ablate again"});
  return conclusion;
}

AblateFinding Ablate::finding(std::vector<MetricFinding>& findings) const {
  AblateFinding found;
  found.reproduced = reproduced_;
  found.runs = design_runs_;
  found.best = full_;
  found.failures = rules_;
  if (reproduction_.runs() > 0) findings.push_back(reproduction_.finding(full_));
  add_configurations(found);
  if (design_runs_ == 0) return found;
  add_terms(found, findings);
  add_best(found);
  add_remainder(found);
  add_effects(found);
  return found;
}

// --- terms

// Two changes whose times add up look as if they interacted, because effects are factors here:
// +22 % and +13 % make +35 % and not +38 %. Whether an AND is no more than that, among the others
// as they are.
bool Ablate::is_sum_of_times(std::size_t index) const {
  const auto& found = model_.posterior();
  const verdict::SparseTerm& term = found.terms[index];
  if (!term.is_pair() || term.either) return false;
  const std::uint32_t first = term.changes & (~term.changes + 1), second = term.changes ^ first;
  const auto excess = [&](std::uint32_t rest) {
    const auto cost = [&](std::uint32_t change) {
      return found.contrast(rest | change, rest).value;
    };
    const double a = cost(first), b = cost(second), sum = std::exp(a) + std::exp(b) - 1;
    return sum > 0 ? std::log(sum) - a - b : 0;
  };
  const double wanted = excess(full_ & ~term.changes), alone = excess(0);
  const double expected = std::fabs(wanted) > std::fabs(alone) ? wanted : alone;
  const double slack = 0.5 * std::log1p(plan_.tolerance);
  return found.effect[index] * expected > 0 &&
         std::fabs(found.effect[index]) <= std::fabs(expected) + slack;
}

bool Ablate::is_named(std::size_t index, const Estimate& effect) const {
  if (model_.posterior().probability[index] < verdict::kTermIn || fits_badly()) return false;
  if (is_sum_of_times(index)) return false;
  const Confirmation* confirmation = confirmation_of(index);
  if (confirmation != nullptr && confirmation->outcome == Outcome::refuted) return false;
  const double tolerance = std::log1p(plan_.tolerance);
  const bool clears = *effect.lo > tolerance || *effect.hi < -tolerance;
  if (clears) return true;
  const double total = std::fabs(model_.posterior().contrast(full_, 0).value);
  const bool confirmed = confirmation != nullptr && confirmation->outcome == Outcome::agrees;
  return confirmed && std::fabs(effect.value) >= kSmallPart * total;
}

bool Ablate::fits_badly() const { return design_runs_ > 0 && model_.misfit() < kMisfit; }

Term Ablate::term_of(std::size_t index) const {
  const auto& found = model_.posterior();
  const verdict::SparseTerm& known = found.terms[index];
  Term term{.changes = members(known.changes),
            .either = known.either,
            .effect = found.interval(found.effect[index], found.sd[index]),
            .probability = std::min(1.0, found.probability[index])};
  term.named = is_named(index, term.effect);
  std::uint32_t off = known.changes;
  if (known.is_pair() && !known.either) {
    // Either one gives it back; the one in front is the better one to take back.
    const auto value = [&](std::uint32_t change) {
      return found.contrast(full_ & ~(1u << change), full_).value;
    };
    const double clearly = std::log1p(plan_.tolerance);
    if (value(term.changes[1]) < value(term.changes[0]) - clearly)
      std::swap(term.changes[0], term.changes[1]);
    off = 1u << term.changes[0];
  }
  const auto back = found.contrast(full_ & ~off, full_);
  term.reverting = found.interval(back.value, back.sd);
  return term;
}

void Ablate::add_terms(AblateFinding& found, std::vector<MetricFinding>& findings) const {
  const auto& posterior = model_.posterior();
  for (std::size_t t = 0; t < posterior.terms.size(); ++t) {
    const verdict::TermState state = model_.state(t);
    const Confirmation* confirmation = confirmation_of(t);
    const bool is_in = state == verdict::TermState::in;
    if (state == verdict::TermState::out && confirmation == nullptr) continue;
    if (state == verdict::TermState::small && posterior.probability[t] < kOpenShare) continue;
    Term term = term_of(t);
    if (confirmation != nullptr && confirmation->finding) {
      term.finding = static_cast<std::uint32_t>(findings.size());
      findings.push_back(*confirmation->finding);
    }
    const bool refuted = confirmation != nullptr && confirmation->outcome == Outcome::refuted;
    const bool settled = (is_in && !refuted) || state == verdict::TermState::small ||
                         (state == verdict::TermState::open && is_sum_of_times(t));
    if (state == verdict::TermState::out) continue;
    (settled ? found.terms : found.undecided).push_back(std::move(term));
  }
  std::ranges::stable_sort(found.terms, {},
                           [](const Term& term) { return -std::fabs(term.effect.value); });
  std::ranges::stable_sort(found.undecided, {}, [](const Term& term) { return -term.probability; });
  found.certainty = std::min(1.0, model_.certainty());
  if (found.undecided.empty() && model_.is_settled()) return;
  const std::size_t needed = model_.runs_needed();
  if (needed > model_.runs()) found.more_runs = static_cast<std::uint32_t>(needed - model_.runs());
}

// --- what to do, and what is left

// By the named terms alone; among equals the one with most changes on.
void Ablate::add_best(AblateFinding& found) const {
  const auto value_of = [&](std::uint32_t configuration) {
    double sum = 0;
    for (const Term& term : found.terms) {
      if (!term.named) continue;
      const auto is_on = [&](std::uint32_t change) { return (configuration >> change & 1) != 0; };
      const bool on = term.either ? std::ranges::any_of(term.changes, is_on)
                                  : std::ranges::all_of(term.changes, is_on);
      sum += on ? term.effect.value : 0;
    }
    return sum;
  };
  std::uint32_t best = full_;
  double least = value_of(full_);
  for (std::uint32_t c = 0; c <= full_; ++c) {
    const double value = value_of(c);
    const bool closer = std::popcount(c) > std::popcount(best);
    if (is_usable(c) && (value < least - 1e-12 || (value <= least + 1e-12 && closer))) {
      least = value;
      best = c;
    }
  }
  const bool any = std::ranges::any_of(found.terms, &Term::named);
  if (!any && reproduced_ == Reproduced::yes) best = 0;  // nothing smaller is known to help
  found.best = best;
  found.revert_all = best == 0;
  const auto contrast = model_.posterior().contrast(best, full_);
  found.best_effect = model_.posterior().interval(contrast.value, contrast.sd);
}

void Ablate::add_remainder(AblateFinding& found) const {
  if (reproduction_.runs() == 0) return;
  const Reading reading = reproduction_.finding(full_).reading;
  if (!reading.estimate) return;
  double explained = 0, variance = 0;
  const auto& posterior = model_.posterior();
  for (std::size_t t = 0; t < posterior.terms.size(); ++t) {
    if (model_.state(t) != verdict::TermState::in || !is_named(t, term_of(t).effect)) continue;
    explained += posterior.effect[t];
    variance += posterior.sd[t] * posterior.sd[t];
  }
  found.remainder.value = *reading.estimate - explained;
  if (!reading.lo99 || !reading.hi99) return;
  const double terms = *posterior.interval(0, std::sqrt(variance)).hi;
  found.remainder.lo = found.remainder.value - std::hypot(*reading.estimate - *reading.lo99, terms);
  found.remainder.hi = found.remainder.value + std::hypot(*reading.hi99 - *reading.estimate, terms);
}

void Ablate::add_configurations(AblateFinding& found) const {
  const std::span<const double> off = runs_.logs(0);
  if (off.empty()) return;
  double sigma = model_.posterior().sigma, freedom = model_.posterior().freedom;
  if (model_.posterior().runs == 0) {  // of the two that were run
    double sum = 0;
    freedom = -2;
    for (const std::uint32_t arm : {0u, full_})
      for (const double value : runs_.logs(arm)) {
        sum += std::pow(value - mean_of(runs_.logs(arm)), 2);
        ++freedom;
      }
    sigma = freedom > 0 ? std::sqrt(sum / freedom) : 0;
  }
  for (std::uint32_t arm = 0; arm <= full_; ++arm) {
    const std::span<const double> logs = runs_.logs(arm);
    if (logs.empty()) continue;
    ArmFinding configuration{
        .arm = arm, .runs = static_cast<std::uint32_t>(logs.size()), .median = runs_.median(arm)};
    if (arm != 0) {
      configuration.effect.value = *stats::median(logs) - *stats::median(off);
      if (freedom > 0) {
        const double half =
            stats::t_quantile(0.995, freedom) * sigma *
            std::sqrt(1 / static_cast<double>(logs.size()) + 1 / static_cast<double>(off.size()));
        configuration.effect.lo = configuration.effect.value - half;
        configuration.effect.hi = configuration.effect.value + half;
      }
    }
    configuration.memory = stats::median(memory_[arm]);
    found.configurations.push_back(std::move(configuration));
  }
}

// The classical effects, as description: by rule.md section 6 of a full factorial with enough
// rounds, else the mean of one half less that of the other with a bootstrap interval. Nothing where
// configurations broke or were chosen one by one.
void Ablate::add_effects(AblateFinding& found) const {
  if (adaptive_ || design_.empty()) return;
  const std::size_t size = round_size(changes_);
  const auto configurations = [&](std::uint32_t round) { return design_round(changes_, round); };
  // The runs of complete rounds without the controls behind the first of each.
  std::vector<std::vector<double>> rounds;
  std::vector<std::uint32_t> order;
  for (std::uint32_t round = 1; round <= round_; ++round) {
    std::vector<double> values;
    const auto wanted = configurations(round);
    for (const std::uint32_t c : wanted) {
      const auto run = std::ranges::find_if(
          design_, [&](const DesignRun& r) { return r.round == round && r.configuration == c; });
      if (run != design_.end()) values.push_back(run->log);
    }
    if (values.size() != size) continue;
    rounds.push_back(std::move(values));
    order.insert(order.end(), wanted.begin(), wanted.end());
  }
  if (rounds.empty()) return;
  std::vector<double> all;
  for (const auto& values : rounds) all.insert(all.end(), values.begin(), values.end());
  if (size == plan_.arms.size() && rounds.size() >= kClaimRounds) {
    for (double& value : all) value = std::exp(value);
    const auto effects = verdict::analyse_factorial(all, size);
    if (!effects) return;
    for (const verdict::Effect& effect : *effects) {
      EffectRow row{.changes = effect.factors, .effect = {effect.estimate, effect.lo, effect.hi}};
      row.p_holm = effect.p_holm;
      found.effects.push_back(row);
    }
    return;
  }
  Random random(plan_.seed ^ fnv1a64("bootstrap"));
  for (const verdict::SparseTerm& term : verdict::sparse_terms(changes_)) {
    if (term.either) continue;
    std::vector<double> high, low;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool plus = std::popcount(~order[i] & term.changes) % 2 == 0;
      (plus ? high : low).push_back(all[i]);
    }
    if (high.empty() || low.empty()) continue;
    const auto resampled = [&](const std::vector<double>& values) {
      double sum = 0;
      for (std::size_t i = 0; i < values.size(); ++i) sum += values[random.below(values.size())];
      return sum / static_cast<double>(values.size());
    };
    std::vector<double> differences(kResamples);
    for (double& difference : differences) difference = resampled(high) - resampled(low);
    std::ranges::sort(differences);
    found.effects.push_back(
        {.changes = term.changes,
         .effect = {mean_of(high) - mean_of(low), stats::quantile_of_sorted(differences, 0.005),
                    stats::quantile_of_sorted(differences, 0.995)}});
  }
}

// --- one clause

std::string Ablate::answer_of(const AblateFinding& found) const {
  if (found.reproduced == Reproduced::no && found.terms.empty()) return "does not reproduce";
  if (found.revert_all && !found.terms.empty()) return "all of it off is best: revert";
  std::string text;
  for (const Term& term : found.terms) {
    if (!term.named) continue;
    const auto index = std::ranges::find_if(model_.posterior().terms, [&](const auto& known) {
      std::uint32_t mask = 0;
      for (const std::uint32_t i : term.changes) mask |= 1u << i;
      return known.changes == mask && known.either == term.either;
    });
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", name_of(*index),
                        format_change(std::exp(term.effect.value)));
  }
  if (!text.empty()) return text;
  if (found.reproduced == Reproduced::unknown) return "no answer yet";
  return found.undecided.empty() ? "no change stands out" : "undecided";
}

}  // namespace assay::experiment
