// SPDX-License-Identifier: Apache-2.0
#include "report/explain_sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/numbers.hpp"
#include "report/plain.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

using attribution::Attribution;
using attribution::Bottleneck;
using attribution::DeltaDescription;
using attribution::MemoryModel;
using attribution::Part;
using attribution::RunDescription;
using attribution::SpanDelta;
using attribution::SpanRow;
using attribution::StageRow;

constexpr std::size_t kNamed = 3;       // parts that the sentence names
constexpr double kMatters = 0.05;       // of the delta: named
constexpr double kBusy = 0.7;           // below it no stage bounds the run
constexpr double kWorthSaying = 0.005;  // of the makespan, blocked or starved
constexpr double kUnchanged = 0.0005;   // of the makespan
constexpr double kFarBeyond = 1.5;      // times what was observed: the model is only a guess
constexpr std::size_t kNameWidth = 40;  // names come from logs

std::string name(std::string_view text) { return fit(plain(text), kNameWidth); }

const StageRow* find_stage(const RunDescription& run, const std::string& wanted) {
  const auto it = std::ranges::find(run.stages, wanted, &StageRow::name);
  return it == run.stages.end() ? nullptr : &*it;
}

// "synth" or "synth and parse": the stages before `stage` in the pipeline.
std::string above(const RunDescription& run, const std::string& stage) {
  std::vector<std::string> names;
  for (const StageRow& row : run.stages) {
    if (row.name == stage) break;
    if (row.parent.empty()) names.push_back(name(row.name));
  }
  return names.size() > 2 ? "what comes before it" : join_and(names);
}

std::string below(const RunDescription& run, const std::string& stage) {
  std::vector<std::string> names;
  bool behind = false;
  for (const StageRow& row : run.stages) {
    if (behind && row.parent.empty()) names.push_back(name(row.name));
    behind = behind || row.name == stage;
  }
  return names.size() > 2 ? "what comes behind it" : join_and(names);
}

// Which stages were the busiest, in the order of the windows: "gpu, then synth".
std::string wandering(const Bottleneck& bottleneck) {
  std::vector<std::string> order;
  for (const std::string& stage : bottleneck.window_stage)
    if (!stage.empty() && (order.empty() || order.back() != name(stage)))
      order.push_back(name(stage));
  if (order.size() > 4) return {};
  std::string text;
  for (const std::string& stage : order) text += (text.empty() ? "" : ", then ") + stage;
  return text;
}

std::string bottleneck_sentence(const RunDescription& run, const Bottleneck& b) {
  const bool binds = b.utilisation >= kBusy;
  std::string text = binds ? fmt::format("{} is busy {} of the time and bounds the run",
                                         name(b.stage), share_text(b.utilisation))
                           : fmt::format("No stage is busy throughout: the busiest, {}, is at {}",
                                         name(b.stage), share_text(b.utilisation));
  const std::string up = above(run, b.stage), down = below(run, b.stage);
  if (b.upstream_blocked > kWorthSaying && !up.empty())
    text += fmt::format("; {} stands blocked {} of it", up, share_text(b.upstream_blocked));
  if (b.downstream_starved > kWorthSaying && !down.empty())
    text += fmt::format("; {} waits for input {} of it", down, share_text(b.downstream_starved));
  text += ".";
  if (!b.moves) return text;
  const std::string order = wandering(b);
  return text + (order.empty() ? " The busiest stage changes during the run."
                               : fmt::format(" The busiest stage changes: {}.", order));
}

// Without known servers there is no utilisation: where most of the work is.
std::string work_sentence(const RunDescription& run) {
  double sum = 0;
  const StageRow* most = nullptr;
  std::vector<std::string> unknown;
  for (const StageRow& row : run.stages) {
    if (!row.parent.empty()) continue;
    sum += row.busy_s;
    if (most == nullptr || row.busy_s > most->busy_s) most = &row;
    if (!row.servers) unknown.push_back(name(row.name));
  }
  if (most == nullptr || sum <= 0) return {};
  std::string text = fmt::format("Most of the work is in {}: {} in all ({})", name(most->name),
                                 seconds_text(most->busy_s), share_text(most->busy_s / sum));
  if (most->service.n > 0)
    text += fmt::format(", median {} of {} spans", seconds_text(most->service.median),
                        grouped(static_cast<double>(most->service.n)));
  text += ".";
  if (unknown.empty()) return text;
  if (unknown.size() > 3) unknown = {"the stages"};
  return text + fmt::format(
                    " How many workers serve {} is in no line of the log, so what bounds "
                    "the run cannot be said: state it with --rules.",
                    join_and(unknown));
}

std::string spans_sentence(const RunDescription& run) {
  const SpanRow* most = nullptr;
  double sum = 0;
  for (const SpanRow& row : run.spans_by_name) {
    sum += row.self_s;
    if (most == nullptr || row.self_s > most->self_s) most = &row;
  }
  if (most == nullptr) return "Nothing to explain: no span was read.";
  if (sum <= 0) return "All spans have no length: the clock is too coarse, or they are moments.";
  return fmt::format("{} takes the most time by itself: {} of {} ({}), in {} {}.", name(most->name),
                     seconds_text(most->self_s), seconds_text(sum), share_text(most->self_s / sum),
                     grouped(static_cast<double>(most->count)),
                     most->count == 1 ? "span" : "spans");
}

// "B takes 281 s longer (+10 %)". What logs with lost events hold is no length of a run.
std::string length_clause(const DeltaDescription& delta) {
  const auto a = makespan_of(delta.a), b = makespan_of(delta.b);
  if (!a || !b) return "One side has no run";
  for (const attribution::Difference& difference : delta.comparability.differences)
    if (difference.forbids)
      return fmt::format("The sides cannot be compared ({}: {} and {}); their logs cover {} and {}",
                         plain(difference.what), plain(difference.a), plain(difference.b),
                         seconds_text(*a), seconds_text(*b));
  const double seconds = delta_of(delta);
  if (std::fabs(seconds) <= kUnchanged * *a)
    return fmt::format("B takes as long as A ({})", seconds_text(*a));
  const std::string change = *a > 0 ? fmt::format(" ({})", format_change((*a + seconds) / *a)) : "";
  return fmt::format("B takes {} {}{}", seconds_text(std::fabs(seconds)),
                     seconds > 0 ? "longer" : "less", change);
}

std::string parts_clause(const Attribution& attribution) {
  double largest = std::fabs(attribution.delta_s);
  for (const Part& part : attribution.parts) largest = std::max(largest, std::fabs(part.seconds));
  const SecondsScale scale = scale_for(largest);
  std::string text;
  std::size_t named = 0;
  double rest = attribution.remainder_s;
  for (const Part& part : attribution.parts) {
    const bool matters = std::fabs(part.seconds) >= kMatters * largest;
    if (named >= kNamed || (!matters && attribution.parts.size() > kNamed)) {
      rest += part.seconds;
      continue;
    }
    text += named == 0 ? fmt::format("{} accounts for ", name(part.factor))
                       : fmt::format(", {} for ", name(part.factor));
    text += signed_seconds(part.seconds, scale);
    ++named;
  }
  if (const std::string other = signed_seconds(rest, scale);
      std::fabs(rest) >= kMatters * largest && named > 0)
    text += fmt::format(", everything else for {}", other);
  return text;
}

// Without a pipeline: the span whose own time changed most.
std::string self_clause(const DeltaDescription& delta) {
  const SpanDelta* most = nullptr;
  for (const SpanDelta& row : delta.spans)
    if (most == nullptr ||
        std::fabs(row.self_b_s - row.self_a_s) > std::fabs(most->self_b_s - most->self_a_s))
      most = &row;
  if (most == nullptr) return {};
  const double change = most->self_b_s - most->self_a_s;
  return fmt::format("the time in {} itself changes most, by {}",
                     name(most->name_b.empty() ? most->name_a : most->name_b),
                     signed_seconds(change, scale_for(change)));
}

}  // namespace

std::string sentence_of(const RunDescription& run) {
  if (run.spans == 0) return "Nothing to explain: no span was read.";
  if (run.bottleneck) return bottleneck_sentence(run, *run.bottleneck);
  if (run.is_pipeline)
    if (std::string text = work_sentence(run); !text.empty()) return text;
  return run.spans_by_name.empty() && !run.stages.empty() ? work_sentence(run)
                                                          : spans_sentence(run);
}

std::string sentence_of(const DeltaDescription& delta) {
  std::string text = length_clause(delta);
  if (!delta.attribution) {
    const std::string self = self_clause(delta);
    return text + (self.empty() ? "." : ": " + self + ".");
  }
  const Attribution& attribution = *delta.attribution;
  if (attribution.refused)
    return fmt::format("{}. No attribution: {}.", text, plain(attribution.refused_because));
  const std::string parts = parts_clause(attribution);
  return text + (parts.empty() ? "." : ": " + parts + ".");
}

std::string reason_of(const DeltaDescription& delta) {
  return delta.replicated ? std::string() : "unreplicated";
}

std::optional<double> makespan_of(const std::vector<RunDescription>& side) {
  if (side.empty()) return std::nullopt;
  std::vector<double> all;
  for (const RunDescription& run : side) all.push_back(run.makespan_s);
  std::ranges::sort(all);
  const std::size_t n = all.size();
  return n % 2 == 1 ? all[n / 2] : (all[n / 2 - 1] + all[n / 2]) / 2;
}

double delta_of(const DeltaDescription& delta) {
  if (delta.attribution) return delta.attribution->delta_s;
  const auto a = makespan_of(delta.a), b = makespan_of(delta.b);
  return a && b ? *b - *a : 0;
}

std::optional<BudgetAnswer> budget_answer(const RunDescription& run, const MemoryModel& model,
                                          double budget) {
  const MemoryModel::Term* most = nullptr;
  double others = model.base_bytes;
  for (const MemoryModel::Term& term : model.terms) {
    others += term.bytes_per_item * term.in_flight_at_peak;
    if (term.bytes_per_item > 0 &&
        (most == nullptr || term.bytes_per_item * term.in_flight_at_peak >
                                most->bytes_per_item * most->in_flight_at_peak))
      most = &term;
  }
  if (most == nullptr) return std::nullopt;
  others -= most->bytes_per_item * most->in_flight_at_peak;
  BudgetAnswer answer{.stage = most->stage, .observed = most->in_flight_at_peak};
  if (const StageRow* stage = find_stage(run, most->stage)) answer.permits = stage->permits;
  // Twice what the model does not explain stays free: a budget is not to be hit, but kept.
  const double margin = 2 * model.residual_bytes;
  const double room = std::floor((budget - margin - others) / most->bytes_per_item);
  answer.fits = room < 1 ? 0 : static_cast<std::uint64_t>(std::min(room, 1e9));
  const auto with = [&](std::uint64_t items) {
    return others + most->bytes_per_item * static_cast<double>(items);
  };
  answer.fits_bytes = with(answer.fits);
  answer.next_bytes = with(answer.fits + 1);
  return answer;
}

std::string sentence_of(const BudgetAnswer& answer, const MemoryModel& model, double budget) {
  const std::string what = answer.permits ? fmt::format("permits of {}", name(answer.stage))
                                          : fmt::format("items at once in {}", name(answer.stage));
  const std::string limit = format_bytes(budget);
  std::string text = answer.fits == 0
                         ? fmt::format("Nothing fits {}: {} = 1 takes {} by the model", limit, what,
                                       format_bytes(answer.next_bytes))
                         : fmt::format("{} = {} fits {} ({} by the model); {} does not ({})", what,
                                       answer.fits, limit, format_bytes(answer.fits_bytes),
                                       answer.fits + 1, format_bytes(answer.next_bytes));
  text += fmt::format("; the model is off by {} (root mean square), and twice that is kept free",
                      format_bytes(model.residual_bytes));
  if (static_cast<double>(answer.fits) > kFarBeyond * std::max(answer.observed, 1.0))
    text += fmt::format(", and {} were the most that was observed", std::round(answer.observed));
  return capitalised(text) + ".";
}

}  // namespace assay::report
