// SPDX-License-Identifier: Apache-2.0
// `explain A B` in its order: may the sides be compared, what changed per stage, which parts of the
// makespan's difference that accounts for, what the slow items did; without a pipeline, the spans.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "attribution/attribute.hpp"
#include "attribution/comparability.hpp"
#include "attribution/nested.hpp"
#include "attribution/shape.hpp"
#include "attribution/spans.hpp"
#include "attribution/stage_delta.hpp"
#include "attribution/tails.hpp"
#include "stats/order.hpp"

namespace assay::attribution {
namespace {

using trace::SpanKind;
using trace::Trace;
using Runs = std::span<const Trace* const>;

double median_makespan(const std::vector<RunDescription>& runs) {
  std::vector<double> values;
  for (const RunDescription& run : runs) values.push_back(run.makespan_s);
  return stats::median(values).value_or(0);
}

// Stages that are cut into parts on one side only, or into other parts: compared as one service.
std::vector<std::string> parts_differ(const Pipeline& a, const Pipeline& b) {
  const auto parts = [](const Pipeline& pipeline, const PipelineStage& stage) {
    std::vector<std::string> names;
    for (const std::uint32_t part : stage.parts) names.push_back(pipeline.parts[part].name);
    return names;
  };
  std::vector<std::string> whole;
  for (const PipelineStage& stage : a.stages) {
    for (const PipelineStage& other : b.stages) {
      if (stage.name == other.name && parts(a, stage) != parts(b, other))
        whole.push_back(stage.name);
    }
  }
  return whole;
}

Result<std::vector<RunModel>> models_of(Runs runs, const std::vector<std::string>& whole) {
  std::vector<RunModel> models;
  for (const Trace* run : runs) {
    const auto pipeline = build_pipeline(*run);
    if (!pipeline) return fail(pipeline.error());
    auto model = model_of(*pipeline, *run, whole);
    if (!model) return fail(model.error());
    models.push_back(std::move(*model));
  }
  return models;
}

// "what (where); hint"
std::string sentence(const Error& error) {
  return error.what + (error.where.empty() ? "" : " (" + error.where + ")") +
         (error.hint.empty() ? "" : "; " + error.hint);
}

Attribution attribution_of(Runs a, Runs b, const DeltaDescription& so_far,
                           const std::vector<std::string>& whole, const DeltaOptions& options) {
  const double delta = median_makespan(so_far.b) - median_makespan(so_far.a);
  if (!so_far.comparability.comparable) return refuse(delta, so_far.comparability.because);
  const auto left = models_of(a, whole);
  if (!left) return refuse(delta, sentence(left.error()));
  const auto right = models_of(b, whole);
  if (!right) return refuse(delta, sentence(right.error()));
  Attribution out = attribute(*left, *right, options);
  for (const std::string& stage : whole) {
    out.notes.push_back(
        fmt::format("the parts of {} differ between the sides: it is replayed as "
                    "one service, waits inside it included",
                    stage));
  }
  return out;
}

void warn_of_trust(DeltaDescription& out) {
  for (const auto& [letter, side] : {std::pair("A", &out.a), std::pair("B", &out.b)}) {
    const auto doubted = [](const RunDescription& run) { return !run.trusted; };
    const auto count = std::ranges::count_if(*side, doubted);
    if (count == 0) continue;
    const std::string who = side->size() == 1
                                ? side->front().source
                                : fmt::format("{} of {} runs of {}", count, side->size(), letter);
    out.warnings.push_back(
        {trace::TraceWarningKind::other,
         fmt::format(
             "the books of {} do not carry an attribution by themselves (see the warnings); "
             "only the replay's error below speaks for it",
             who)});
  }
}

}  // namespace

DeltaDescription explain_delta(Runs a, Runs b, const DeltaOptions& options) {
  DeltaDescription out;
  for (const Trace* run : a) out.a.push_back(describe(*run));
  for (const Trace* run : b) out.b.push_back(describe(*run));
  out.replicated = a.size() > 1 && b.size() > 1;
  std::vector<std::string> whole;
  bool pipelines = false;
  {
    const auto left = build_pipeline(*a.front()), right = build_pipeline(*b.front());
    out.comparability = compare_sides(a, b, left ? &*left : nullptr, right ? &*right : nullptr);
    pipelines = left && right;
    if (left.has_value() != right.has_value()) {
      out.warnings.push_back({trace::TraceWarningKind::topology,
                              fmt::format("only one side is a pipeline: {}",
                                          sentence(left ? right.error() : left.error()))});
    }
    if (pipelines) {
      whole = parts_differ(*left, *right);
      out.stages = stage_deltas(a, b, *left, *right);
    }
  }
  if (pipelines) {
    out.attribution = attribution_of(a, b, out, whole, options);
    out.tails = tail_deltas(a, b);
    if (!out.attribution->refused) warn_of_trust(out);
  } else {
    SpanComparison spans = compare_spans(a, b);
    out.spans = std::move(spans.spans);
    out.unmatched_share = spans.unmatched_share;
  }
  return out;
}

}  // namespace assay::attribution
