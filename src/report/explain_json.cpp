// SPDX-License-Identifier: Apache-2.0
#include "report/explain_json.hpp"

#include <cmath>

#include "report/compare.hpp"
#include "report/explain_sentence.hpp"
#include "report/explain_text.hpp"

namespace assay::report {
namespace {

using namespace attribution;  // the types that are written down here

class Writer {
 public:
  explicit Writer(const ExplainJsonOptions& options) : options_(options) {}

  Json distribution(const attribution::Distribution& d) const {
    Json json = Json::object();
    json.set("n", d.n).set("mean", d.mean).set("median", d.median).set("p90", d.p90);
    json.set("p99", d.p99).set("min", d.min).set("max", d.max).set("total", d.total);
    if (options_.curves) json.set("curve", Json::numbers(d.curve));
    json.set("skew", d.skew);
    return json;
  }

  template <class T, class Function>
  static Json list(const std::vector<T>& values, const Function& to_json_of) {
    Json json = Json::array();
    for (const T& value : values) json.push(to_json_of(value));
    return json;
  }

  Json run(const RunDescription& r, std::string_view side) const;
  Json stage_delta(const StageDelta& s) const;

 private:
  Json stage(const StageRow& s) const;

  const ExplainJsonOptions& options_;
};

Json warning_json(const trace::TraceWarning& w) {
  return Json::object().set("kind", trace::to_word(w.kind)).set("text", w.text);
}

template <class T>
Json optional_int(const std::optional<T>& value) {
  return value ? Json(std::uint64_t{*value}) : Json();
}

Json Writer::stage(const StageRow& s) const {
  Json json = Json::object();
  json.set("name", s.name).set("parent", s.parent);
  json.set("servers", optional_int(s.servers)).set("servers_from", s.servers_from);
  json.set("capacity", optional_int(s.capacity)).set("permits", optional_int(s.permits));
  json.set("service", distribution(s.service)).set("queue_wait", distribution(s.queue_wait));
  json.set("blocked_send", distribution(s.blocked_send));
  json.set("lock_wait", distribution(s.lock_wait)).set("intervals", distribution(s.intervals));
  json.set("steady_service", distribution(s.steady_service));
  json.set("blocked_derived", s.blocked_derived).set("utilisation", s.utilisation);
  json.set("busy_s", s.busy_s).set("in_flight_max", s.in_flight_max);
  return json.set("in_flight_mean", s.in_flight_mean);
}

Json book_json(const Book& b) {
  Json seconds = Json::object();
  for (std::size_t k = 0; k < trace::kSpanKinds; ++k)
    seconds.set(trace::to_word(static_cast<trace::SpanKind>(k)), b.seconds[k]);
  return Json::object()
      .set("who", b.who)
      .set("wall_s", b.wall_s)
      .set("seconds", std::move(seconds))
      .set("starved_derived", b.starved_derived)
      .set("unknown_s", b.unknown_s);
}

Json phases_json(const std::optional<Phases>& p) {
  if (!p) return {};
  return Json::object()
      .set("fill_s", p->fill_s)
      .set("steady_s", p->steady_s)
      .set("drain_s", p->drain_s)
      .set("makespan_s", p->makespan_s)
      .set("first_completion_s", p->first_completion_s)
      .set("interval_sum_s", p->interval_sum_s);
}

Json law_json(const LawCheck& l) {
  return Json::object()
      .set("law", l.law)
      .set("stage", l.stage)
      .set("left", l.left)
      .set("right", l.right)
      .set("difference", l.difference)
      .set("violated", l.violated);
}

Json bottleneck_json(const std::optional<Bottleneck>& b) {
  if (!b) return {};
  const auto text = [](const std::string& stage) { return Json(stage); };
  return Json::object()
      .set("stage", b->stage)
      .set("utilisation", b->utilisation)
      .set("upstream_blocked", b->upstream_blocked)
      .set("downstream_starved", b->downstream_starved)
      .set("next", b->next)
      .set("headroom", b->headroom)
      .set("window_stage", Writer::list(b->window_stage, text))
      .set("window_utilisation", Json::numbers(b->window_utilisation))
      .set("moves", b->moves);
}

Json permit_json(const PermitCheck& p) {
  return Json::object()
      .set("stage", p.stage)
      .set("permits", p.permits)
      .set("capacity", p.capacity)
      .set("in_hand", p.in_hand)
      .set("most", p.most)
      .set("at_s", p.at_s)
      .set("exceeded", p.exceeded);
}

Json challenge_json(const Challenge& c) {
  return Json::object()
      .set("stage", c.stage)
      .set("total_s", c.total_s)
      .set("shares", Writer::list(c.shares, [](const Challenge::Share& share) {
             return Json::object().set("name", share.name).set("seconds", share.seconds);
           }));
}

Json budget_json(const RunDescription& run, const MemoryModel& model, double budget) {
  const auto answer = budget_answer(run, model, budget);
  if (!answer) return {};
  return Json::object()
      .set("bytes", budget)
      .set("stage", answer->stage)
      .set("permits", optional_int(answer->permits))
      .set("fits", answer->fits)
      .set("fits_bytes", answer->fits_bytes)
      .set("next_bytes", answer->next_bytes);
}

Json memory_json(const RunDescription& run, const MemoryModel& m, std::optional<double> budget) {
  Json json = Json::object();
  json.set("scope", m.scope).set("method", m.method).set("samples", m.samples);
  json.set("base_bytes", m.base_bytes);
  json.set("terms", Writer::list(m.terms, [](const MemoryModel::Term& term) {
             return Json::object()
                 .set("stage", term.stage)
                 .set("bytes_per_item", term.bytes_per_item)
                 .set("in_flight_at_peak", term.in_flight_at_peak);
           }));
  json.set("residual_bytes", m.residual_bytes).set("explained", m.explained);
  json.set("peak_bytes", m.peak_bytes).set("peak_at_s", m.peak_at_s);
  json.set("peak_model_bytes", m.peak_model_bytes);
  if (budget) json.set("budget", budget_json(run, m, *budget));
  return json;
}

Json clock_json(const trace::Clock& clock) {
  Json epoch;
  if (clock.epoch_ns) epoch = Json(std::to_string(*clock.epoch_ns));  // beyond what a double holds
  return Json::object()
      .set("source", clock.source)
      .set("resolution_ns", clock.resolution_ns)
      .set("epoch_ns", std::move(epoch));
}

Json Writer::run(const RunDescription& r, std::string_view side) const {
  Json json = Json::object();
  json.set("side", side).set("source", r.source).set("format", r.format);
  json.set("clock", clock_json(r.clock)).set("is_pipeline", r.is_pipeline);
  json.set("not_pipeline_because", r.not_pipeline_because).set("sentence", sentence_of(r));
  json.set("items", r.items).set("spans", r.spans).set("jobs", r.jobs);
  json.set("makespan_s", r.makespan_s);
  json.set(
      "settings", list(r.settings, [](const trace::Setting& s) {
        return Json::object().set("name", s.name).set("value", s.value).set("changed", s.changed);
      }));
  json.set("stages", list(r.stages, [this](const StageRow& s) { return stage(s); }));
  json.set("books", list(r.books, book_json)).set("phases", phases_json(r.phases));
  json.set("laws", list(r.laws, law_json)).set("bottleneck", bottleneck_json(r.bottleneck));
  json.set("permits", list(r.permits, permit_json));
  json.set("challenges", list(r.challenges, challenge_json));
  json.set("spans_by_name", list(r.spans_by_name, [this](const SpanRow& s) {
             return Json::object()
                 .set("name", s.name)
                 .set("count", s.count)
                 .set("total_s", s.total_s)
                 .set("self_s", s.self_s)
                 .set("duration", distribution(s.duration));
           }));
  json.set("latency", distribution(r.latency))
      .set("memory", list(r.memory, [&](const MemoryModel& m) {
             return memory_json(r, m, options_.budget);
           }));
  json.set("warnings", list(r.warnings, warning_json)).set("trusted", r.trusted);
  return json;
}

Json Writer::stage_delta(const StageDelta& s) const {
  return Json::object()
      .set("stage", s.stage)
      .set("kind", trace::to_word(s.kind))
      .set("a", distribution(s.a))
      .set("b", distribution(s.b))
      .set("mean_delta_s", s.mean_delta_s)
      .set("lo_s", s.lo_s)
      .set("hi_s", s.hi_s)
      .set("shape", to_word(s.shape))
      .set("sentence", s.sentence);
}

Json comparability_json(const Comparability& c) {
  return Json::object()
      .set("differences", Writer::list(c.differences,
                                       [](const Difference& d) {
                                         return Json::object()
                                             .set("what", d.what)
                                             .set("a", d.a)
                                             .set("b", d.b)
                                             .set("forbids", d.forbids);
                                       }))
      .set("stages_matched", c.stages_matched)
      .set("items_matched", c.items_matched)
      .set("comparable", c.comparable)
      .set("because", c.because);
}

Json tail_json(const TailDelta& t) {
  return Json::object()
      .set("label", t.label)
      .set("p99_a_s", t.p99_a_s)
      .set("p99_b_s", t.p99_b_s)
      .set("items_a", t.items_a)
      .set("items_b", t.items_b)
      .set("rows", Writer::list(t.rows,
                                [](const TailRow& row) {
                                  return Json::object()
                                      .set("stage", row.stage)
                                      .set("kind", trace::to_word(row.kind))
                                      .set("a_s", row.a_s)
                                      .set("b_s", row.b_s);
                                }))
      .set("gap_a_s", t.gap_a_s)
      .set("gap_b_s", t.gap_b_s);
}

Json span_delta_json(const SpanDelta& s) {
  return Json::object()
      .set("name_a", s.name_a)
      .set("name_b", s.name_b)
      .set("matched_by", s.matched_by)
      .set("self_a_s", s.self_a_s)
      .set("self_b_s", s.self_b_s)
      .set("count_a", s.count_a)
      .set("count_b", s.count_b);
}

// The members about the delta; all of them null or empty without an attribution.
void set_attribution(Json& json, const std::optional<Attribution>& a) {
  json.set("delta_lo_s", a ? a->lo_s : std::nullopt);
  json.set("delta_hi_s", a ? a->hi_s : std::nullopt);
  Json parts = Json::array(), interactions = Json::array(), notes = Json::array();
  if (a) {
    for (const Part& part : a->parts)
      parts.push(Json::object()
                     .set("factor", part.factor)
                     .set("seconds", part.seconds)
                     .set("lo", part.lo)
                     .set("hi", part.hi));
    for (const attribution::Interaction& pair : a->interactions)
      interactions.push(Json::object()
                            .set("first", pair.first)
                            .set("second", pair.second)
                            .set("seconds", pair.seconds));
    for (const std::string& note : a->notes) notes.push(note);
  }
  json.set("parts", std::move(parts)).set("interactions", std::move(interactions));
  json.set("remainder_s", a ? Json(a->remainder_s) : Json());
  json.set("model_error_s", a ? Json::numbers(a->model_error_s) : Json());
  json.set("refused", a && a->refused ? Json(a->refused_because) : Json());
  json.set("interval_basis", a ? Json(a->interval_basis) : Json());
  json.set("notes", std::move(notes)).set("replays", a ? Json(a->replays) : Json());
  json.set("sampled", a ? Json(a->sampled) : Json());
}

Json head(const std::string& sentence) {
  return Json::object()
      .set("schema_version", kSchemaVersion)
      .set("kind", "explain")
      .set("sentence", sentence);
}

}  // namespace

Json explain_json(const RunDescription& run, const ExplainJsonOptions& options) {
  const Writer writer(options);
  Json json = head(sentence_of(run));
  json.set("replicated", false).set("reason", Json());
  json.set("runs", Json(Json::Array{writer.run(run, "A")})).set("delta_s", Json());
  set_attribution(json, std::nullopt);
  json.set("comparability", Json()).set("stages", Json::array()).set("tails", Json::array());
  json.set("spans", Json::array()).set("unmatched_share", Json());
  json.set("warnings", Writer::list(run.warnings, warning_json));
  return json;
}

Json explain_json(const DeltaDescription& delta, const ExplainJsonOptions& options) {
  const Writer writer(options);
  Json json = head(sentence_of(delta));
  const std::string reason = reason_of(delta);
  json.set("replicated", delta.replicated).set("reason", reason.empty() ? Json() : Json(reason));
  Json runs = Json::array();
  for (const RunDescription& run : delta.a) runs.push(writer.run(run, "A"));
  for (const RunDescription& run : delta.b) runs.push(writer.run(run, "B"));
  json.set("runs", std::move(runs)).set("delta_s", delta_of(delta));
  set_attribution(json, delta.attribution);
  json.set("comparability", comparability_json(delta.comparability));
  json.set("stages",
           Writer::list(delta.stages, [&](const StageDelta& s) { return writer.stage_delta(s); }));
  json.set("tails", Writer::list(delta.tails, tail_json));
  json.set("spans", Writer::list(delta.spans, span_delta_json));
  json.set("unmatched_share", delta.unmatched_share);
  // Of many runs by kind, with a count; the few of two runs stand with the runs.
  const bool many = delta.a.size() > 1 || delta.b.size() > 1;
  json.set("warnings", Writer::list(many ? warnings_of(delta) : delta.warnings, warning_json));
  return json;
}

}  // namespace assay::report
