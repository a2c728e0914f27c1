// SPDX-License-Identifier: Apache-2.0
// describe(): one run, in the order in which it is told. What each part means is in
// docs/attribution.md; here they are only called.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "attribution/books.hpp"
#include "attribution/bottleneck.hpp"
#include "attribution/checks.hpp"
#include "attribution/memory_model.hpp"
#include "attribution/nested.hpp"

namespace assay::attribution {
namespace {

using trace::Loss;
using trace::SpanKind;
using trace::Trace;
using trace::TraceWarningKind;

// Beyond 146 years from the epoch a time is not one, and sums of two need care everywhere.
constexpr Nanos kFarthest = Nanos{1} << 62;
constexpr std::size_t kMostRows = 500;   // names of plain spans with a distribution of their own
constexpr std::size_t kMostStages = 64;  // of a pipeline; a log with more is not one

struct Extent {
  Nanos begin = 0, end = 0;
};

class Describer {
 public:
  explicit Describer(const Trace& run) : run_(run) {}
  RunDescription describe();

 private:
  void copy_header();
  bool times_are_sane();
  void judge_losses();
  void count_jobs();
  void latency();
  void find_pipeline();
  void describe_pipeline();
  void describe_stage(std::size_t stage);
  void measure_rows();
  StageRow row_of(std::uint32_t id);
  void fill_row(StageRow& row, std::size_t stage, const StageTimes& times);
  void part_rows(std::size_t stage);
  void judge_laws(const std::vector<LawCheck>& laws);
  void judge_books(Books books);
  void phases();
  void describe_plain();
  void memory();
  void add_memory_columns(const StageTimes& times);
  void warn(TraceWarningKind kind, std::string text) {
    out_.warnings.push_back({kind, std::move(text)});
  }
  void distrust(TraceWarningKind kind, std::string text) {
    out_.trusted = false;
    warn(kind, std::move(text));
  }

  const Trace& run_;
  RunDescription out_;
  Extent extent_;
  std::optional<Pipeline> pipeline_;
  FirstVisits first_;
  std::vector<StageRow> rows_;  // by trace stage: what its own spans say
  std::optional<BookKeeper> keeper_;
  std::vector<StageLoad> loads_;
  std::uint64_t visited_items_ = 0;
  bool lossless_ = true;  // no event is known to be lost
  std::vector<std::string> blocked_derived_;
  std::optional<PhaseTimes> phase_times_;
  std::vector<std::vector<std::vector<double>>> in_flight_;  // [memory series][stage][sample]
};

std::string joined(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < kMost; ++i)
    text += (i > 0 ? ", " : "") + words[i];
  if (words.size() > kMost) text += fmt::format(" and {} more", words.size() - kMost);
  return text;
}

void Describer::copy_header() {
  out_.source = run_.source;
  out_.format = run_.format;
  out_.clock = run_.clock;
  out_.settings = run_.settings;
  out_.warnings = run_.warnings;
  out_.items = run_.items.size();
  out_.spans = run_.spans.size();
}

bool Describer::times_are_sane() {
  const trace::Spans& spans = run_.spans;
  extent_ = {spans.begin.front(), spans.end.front()};
  for (std::size_t i = 0; i < spans.size(); ++i) {
    extent_.begin = std::min(extent_.begin, spans.begin[i]);
    extent_.end = std::max(extent_.end, spans.end[i]);
  }
  out_.makespan_s = seconds_between(extent_.begin, extent_.end);
  if (extent_.begin > -kFarthest && extent_.end < kFarthest &&
      run_.clock.resolution_ns < kFarthest / 4 && run_.clock.resolution_ns >= 0)
    return true;
  distrust(TraceWarningKind::two_clocks,
           "times lie more than 146 years from the run's begin: two clocks, or a wrong unit; they "
           "are shown as plain spans");
  return false;
}

// Lost ends and begins spoil every number that counts; unreadable lines only when they are many.
void Describer::judge_losses() {
  const std::uint64_t unbalanced = run_.lost(Loss::missing_begin) + run_.lost(Loss::missing_end);
  const std::uint64_t dropped = run_.lost(Loss::dropped_by_writer);
  const std::uint64_t unreadable = run_.lost(Loss::long_line) + run_.lost(Loss::bad_bytes) +
                                   run_.lost(Loss::bad_field) + run_.lost(Loss::malformed_record) +
                                   run_.lost(Loss::negative_span) + run_.lost(Loss::duplicate);
  lossless_ = unbalanced + dropped + unreadable == 0;
  const auto told = [&](TraceWarningKind kind) {
    return std::any_of(run_.warnings.begin(), run_.warnings.end(),
                       [&](const trace::TraceWarning& of) { return of.kind == kind; });
  };
  if (unbalanced > 0) {
    out_.trusted = false;
    if (!told(TraceWarningKind::unbalanced))
      warn(TraceWarningKind::unbalanced,
           fmt::format("{} ends without a begin, {} begins without an end: events are lost, or the "
                       "log is cut",
                       run_.lost(Loss::missing_begin), run_.lost(Loss::missing_end)));
  }
  if (dropped > 0) {
    out_.trusted = false;
    if (!told(TraceWarningKind::lost_events))
      warn(TraceWarningKind::lost_events, fmt::format("the program dropped {} events", dropped));
  }
  if (unreadable * 1000 > run_.spans.size()) {
    distrust(TraceWarningKind::lost_events,
             fmt::format("{} records could not be used, beside {} spans", unreadable,
                         run_.spans.size()));
  }
}

// The first field of an item's key names its job.
void Describer::count_jobs() {
  std::unordered_set<std::string_view> jobs;
  std::string_view last;
  for (const std::uint32_t key : run_.items.key) {
    const std::string_view text = run_.strings.at(key);
    const std::string_view job = text.substr(0, text.find('/'));
    if (!jobs.empty() && job == last) continue;
    last = job;
    jobs.insert(job);
  }
  out_.jobs = jobs.size();
}

void Describer::latency() {
  std::vector<Nanos> first(run_.items.size(), std::numeric_limits<Nanos>::max());
  std::vector<Nanos> last(run_.items.size(), std::numeric_limits<Nanos>::min());
  for (std::size_t i = 0; i < run_.spans.size(); ++i) {
    const std::uint32_t item = run_.spans.item[i];
    if (item >= first.size()) continue;
    first[item] = std::min(first[item], run_.spans.begin[i]);
    last[item] = std::max(last[item], run_.spans.end[i]);
  }
  std::vector<double> latencies;
  latencies.reserve(first.size());
  for (std::size_t item = 0; item < first.size(); ++item) {
    if (first[item] <= last[item]) latencies.push_back(seconds(elapsed(first[item], last[item])));
  }
  out_.latency = distribution_of(std::move(latencies));
}

void Describer::find_pipeline() {
  auto built = build_pipeline(run_);
  if (!built) {
    out_.not_pipeline_because = built.error().what;
    return;
  }
  if (built->stages.size() > kMostStages) {
    out_.not_pipeline_because =
        fmt::format("{} stages with items: more than a pipeline has", built->stages.size());
    return;
  }
  pipeline_ = std::move(*built);
  out_.is_pipeline = true;
}

// Distributions of the spans of every stage. Made before anything else is held: the lengths of all
// spans take a quarter of the run's room.
void Describer::measure_rows() {
  const Lengths lengths(run_);
  rows_.resize(run_.stages.size());
  for (std::uint32_t id = 0; id < run_.stages.size(); ++id) {
    const trace::Stage& stage = run_.stages[id];
    StageRow& row = rows_[id];
    row.name = stage.name;
    if (stage.parent < run_.stages.size()) row.parent = run_.stages[stage.parent].name;
    row.servers = stage.servers;
    row.servers_from = stage.servers_from;
    row.capacity = stage.capacity;
    row.permits = stage.permits;
    row.service = distribution_of(lengths.of(id, SpanKind::service));
    row.queue_wait = distribution_of(lengths.of(id, SpanKind::queue_wait));
    row.blocked_send = distribution_of(lengths.of(id, SpanKind::blocked_send));
    row.lock_wait = distribution_of(lengths.of(id, SpanKind::lock_wait));
    row.busy_s = row.service.total;
  }
}

StageRow Describer::row_of(std::uint32_t id) { return std::move(rows_[id]); }

void Describer::fill_row(StageRow& row, std::size_t stage, const StageTimes& times) {
  const std::vector<Visit>& visits = pipeline_->visits[stage];
  const double span_s = seconds_between(pipeline_->begin, pipeline_->end);
  Wide busy = 0;
  std::vector<double> services, steady, blocked;
  const bool from_visits = row.service.n == 0;  // known by its parts alone
  for (const Visit& visit : visits) {
    busy += elapsed(visit.begin, visit.end);
    const double service = seconds(elapsed(visit.begin, visit.end));
    if (from_visits) services.push_back(service);
    if (phase_times_ && visit.begin >= phase_times_->fill_end &&
        visit.end <= phase_times_->drain_begin)
      steady.push_back(service);
  }
  if (from_visits) row.service = distribution_of(std::move(services));
  row.steady_service = distribution_of(std::move(steady));
  row.intervals = distribution_of(intervals_between(times.end));
  row.busy_s = seconds(busy);

  // Blocking that the log does not record shows where the next queue recorded its arrivals.
  if (row.blocked_send.n == 0 && stage + 1 < pipeline_->visits.size()) {
    for (const Visit& visit : visits) {
      const std::uint32_t below = first_[stage + 1][visit.item];
      if (below == kNone) continue;
      const Visit& next = pipeline_->visits[stage + 1][below];
      if (next.queued && *next.queued >= visit.end)
        blocked.push_back(seconds(elapsed(visit.end, *next.queued)));
    }
    row.blocked_derived = !blocked.empty();
    if (row.blocked_derived) blocked_derived_.push_back(row.name);
    row.blocked_send = distribution_of(std::move(blocked));
  }

  const Levels levels = levels_of({times.arrive, times.leave});
  row.in_flight_max = levels.most;
  if (span_s > 0) row.in_flight_mean = seconds(levels.integral) / span_s;
  const Bound bound = servers_of(run_, *pipeline_, times, stage);
  if (!row.servers && bound.count > 0) {
    row.servers = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(bound.count, std::numeric_limits<std::uint32_t>::max()));
    row.servers_from = bound.from;
  }
  StageLoad load = {row.name, static_cast<double>(bound.count), 0, 0, 0};
  const double server_s = span_s * load.servers;
  if (server_s > 0) {
    row.utilisation = load.utilisation = row.busy_s / server_s;
    Wide held = 0;
    for (const Nanos t : times.leave) held += t;
    for (const Nanos t : times.end) held -= t;
    // More are blocked than there are servers where sends hold none.
    load.blocked = std::min(seconds(held) / server_s, 1.0);
    load.starved = seconds(idle_of(*pipeline_, times, stage, bound.count, true).starved) / server_s;
  }
  loads_.push_back(std::move(load));
}

void Describer::part_rows(std::size_t stage) {
  const PipelineStage& of = pipeline_->stages[stage];
  const double span_s = seconds_between(pipeline_->begin, pipeline_->end);
  for (std::size_t p = 0; p < of.parts.size(); ++p) {
    StageRow row = row_of(pipeline_->parts[of.parts[p]].stage);
    row.parent = of.name;
    if (row.servers && *row.servers > 0 && span_s > 0)
      row.utilisation = row.busy_s / (span_s * static_cast<double>(*row.servers));
    if (row.lock_wait.n == 0) {
      std::vector<double> waits;
      for (const Visit& visit : pipeline_->visits[stage])
        if (p < visit.part_wait.size()) waits.push_back(seconds(visit.part_wait[p]));
      row.lock_wait = distribution_of(std::move(waits));
    }
    out_.stages.push_back(std::move(row));
  }
}

void Describer::describe_stage(std::size_t stage) {
  const StageTimes times = stage_times(*pipeline_, first_, stage);
  StageRow row = row_of(pipeline_->stages[stage].stage);
  fill_row(row, stage, times);
  out_.stages.push_back(std::move(row));
  part_rows(stage);
  keeper_->add_stage(stage, times, without_input(*pipeline_, times, stage));
  for (LawCheck& law : laws_of(run_, *pipeline_, first_, times, stage, visited_items_))
    out_.laws.push_back(std::move(law));
  if (auto check = permits_of(run_, *pipeline_, first_, stage, lossless_)) {
    if (check->exceeded) {
      distrust(
          TraceWarningKind::topology,
          fmt::format("{}: {} items at once begun and not yet in service below, with {} "
                      "permits, {} places in the queue and {} workers behind it: permits are "
                      "released before the send",
                      check->stage, check->most, check->permits, check->capacity, check->in_hand));
    }
    out_.permits.push_back(std::move(*check));
  }
  add_memory_columns(times);
}

void Describer::judge_laws(const std::vector<LawCheck>& laws) {
  for (const LawCheck& law : laws) {
    if (!law.violated) continue;
    const bool counts = law.law == "N in = N out";
    distrust(counts ? TraceWarningKind::counts_disagree : TraceWarningKind::lost_events,
             counts ? fmt::format("{} saw {:.0f} of {:.0f} items: events are lost, or the run did "
                                  "not end",
                                  law.stage, law.left, law.right)
                    : fmt::format("{} does not hold for {}: {:.3g} is not {:.3g}; lost events, a "
                                  "wrong number of workers, or two clocks",
                                  law.law, law.stage, law.left, law.right));
  }
  // Fewer than a twentieth may be lost without a law to break: any difference is told.
  std::vector<std::string> short_stages;
  for (const LawCheck& law : laws) {
    if (law.law == "N in = N out" && !law.violated && law.left < law.right)
      short_stages.push_back(fmt::format("{} {:.0f} of {:.0f}", law.stage, law.left, law.right));
  }
  if (!short_stages.empty())
    warn(TraceWarningKind::counts_disagree,
         fmt::format("not every stage saw every item: {}", joined(short_stages)));
}

void Describer::judge_books(Books books) {
  out_.books = std::move(books.books);
  out_.challenges = std::move(books.challenges);
  if (!books.overdrawn.empty()) {
    distrust(TraceWarningKind::overlap,
             fmt::format("more time in the spans than there was, of {}: spans overlap that cannot "
                         "(two clocks, a wrong worker, more at once than stated)",
                         joined(books.overdrawn)));
  }
  if (books.overlapping > 0) {
    warn(TraceWarningKind::overlap,
         fmt::format("spans overlap on {} track{}, as those of GPU streams may: {} no books",
                     books.overlapping, books.overlapping == 1 ? "" : "s",
                     books.overlapping == 1 ? "it has" : "they have"));
  }
  if (!blocked_derived_.empty()) {
    warn(TraceWarningKind::derived,
         fmt::format("the log does not record blocked sends of {}; what is shown is the time from "
                     "an item's end to its place in the next queue, and the books leave it unknown",
                     joined(blocked_derived_)));
  }
  if (books.too_many_workers)
    warn(TraceWarningKind::other,
         fmt::format("{} workers: too many for a book each", run_.workers.size()));
}

void Describer::phases() {
  phase_times_ = phases_of(*pipeline_);
  if (!phase_times_) return;
  out_.phases = phase_times_->phases;
  const double later_s = seconds_between(phase_times_->last_completion, pipeline_->end);
  if (pipeline_->end > phase_times_->last_completion)
    warn(TraceWarningKind::other,
         fmt::format("the last item was done {:.3g} s before the log's last span: the phases end "
                     "there",
                     later_s));
}

void Describer::describe_pipeline() {
  first_ = first_visits(*pipeline_, run_.items.size());
  out_.makespan_s = seconds_between(pipeline_->begin, pipeline_->end);
  std::vector<bool> visited(run_.items.size(), false);
  for (const auto& visits : pipeline_->visits)
    for (const Visit& visit : visits) visited[visit.item] = true;
  visited_items_ = static_cast<std::uint64_t>(std::count(visited.begin(), visited.end(), true));
  in_flight_.resize(run_.memory.size());
  phases();
  keeper_.emplace(run_, &*pipeline_, pipeline_->begin, pipeline_->end);
  keeper_->add_items();
  for (std::size_t s = 0; s < pipeline_->stages.size(); ++s) describe_stage(s);
  keeper_->add_other_workers();
  judge_books(keeper_->finish());
  judge_laws(out_.laws);
  out_.bottleneck = bottleneck_of(*pipeline_, loads_, phase_times_);
}

void Describer::describe_plain() {
  keeper_.emplace(run_, nullptr, extent_.begin, extent_.end);
  const NameTimes times = name_times(run_, false, keeper_->workers());
  std::vector<std::uint32_t> order;
  for (std::uint32_t id = 0; id < run_.stages.size(); ++id)
    if (times.count[id] > 0) order.push_back(id);
  const auto by = [&](const std::vector<Wide>& of) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t l, std::uint32_t r) { return of[l] > of[r]; });
  };
  by(times.self);
  const Lengths lengths(run_);
  for (const std::uint32_t id : order) {
    SpanRow row = {run_.stages[id].name, times.count[id], seconds(times.total[id]),
                   seconds(times.self[id]), rows_[id].service};
    if (row.duration.n != row.count) row.duration = distribution_of(lengths.of(id));
    if (out_.spans_by_name.size() >= kMostRows) row.duration.curve = {};
    out_.spans_by_name.push_back(std::move(row));
  }
  by(times.total);
  for (const std::uint32_t id : order) {
    if (out_.stages.size() >= kMostRows) break;
    out_.stages.push_back(row_of(id));
  }
  keeper_->add_items();
  keeper_->add_other_workers();
  judge_books(keeper_->finish());
}

// Items in flight at the times of the samples, one column a stage.
void Describer::add_memory_columns(const StageTimes& times) {
  for (std::size_t m = 0; m < run_.memory.size(); ++m) {
    std::vector<double> column;
    column.reserve(run_.memory[m].at.size());
    for (const Nanos t : run_.memory[m].at) {
      const auto came = std::upper_bound(times.arrive.begin(), times.arrive.end(), t);
      const auto left = std::upper_bound(times.leave.begin(), times.leave.end(), t);
      column.push_back(
          static_cast<double>((came - times.arrive.begin()) - (left - times.leave.begin())));
    }
    in_flight_[m].push_back(std::move(column));
  }
}

void Describer::memory() {
  std::vector<std::string> names;
  for (const PipelineStage& stage : pipeline_->stages) names.push_back(stage.name);
  for (std::size_t m = 0; m < run_.memory.size(); ++m) {
    auto fit = fit_memory(run_.memory[m], pipeline_->begin, names, in_flight_[m]);
    if (!fit) {
      warn(TraceWarningKind::other,
           fmt::format("memory of {}: {} samples are too few for a model of {} terms",
                       run_.memory[m].scope, run_.memory[m].at.size(), names.size() + 1));
      continue;
    }
    if (!fit->inseparable.empty())
      warn(TraceWarningKind::other,
           fmt::format("memory of {}: the items in {} never varied, or together with others: their "
                       "bytes cannot be told from the base or from one another",
                       run_.memory[m].scope, joined(fit->inseparable)));
    out_.memory.push_back(std::move(fit->model));
  }
}

RunDescription Describer::describe() {
  copy_header();
  if (run_.spans.size() == 0) {
    out_.not_pipeline_because = "no spans";
    distrust(TraceWarningKind::empty, "the run has no spans: nothing to explain");
    return std::move(out_);
  }
  const bool sane = times_are_sane();
  judge_losses();
  count_jobs();
  latency();
  measure_rows();
  if (sane) {
    find_pipeline();
  } else {
    out_.not_pipeline_because = "times of two clocks";
  }
  if (pipeline_) {
    describe_pipeline();
    memory();
  } else {
    describe_plain();
  }
  return std::move(out_);
}

}  // namespace

RunDescription describe(const trace::Trace& run) { return Describer(run).describe(); }

}  // namespace assay::attribution
