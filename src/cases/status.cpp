// SPDX-License-Identifier: Apache-2.0
#include "cases/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace assay::cases {
namespace {

constexpr double kMostRuns = 900;  // a side, that `compare` makes

const Record* find_record(std::span<const Record> records, const std::string& id) {
  const auto found = std::ranges::find(records, id, &Record::id);
  return found == records.end() ? nullptr : &*found;
}

class Reader {
 public:
  Reader(const Case& of, std::span<const Record> records) : case_(of), records_(records) {}

  CaseStatus read() {
    for (std::size_t i = 0; i < case_.hypotheses.size(); ++i)
      status_.hypotheses.push_back(hypothesis(i));
    for (const HypothesisStatus& status : status_.hypotheses)
      ++(status.word == Word::open        ? status_.open
         : status.word == Word::confirmed ? status_.confirmed
                                          : status_.ruled_out);
    add_remainders();
    add_facts();
    add_rounds();
    for (const std::string& id : records_of(case_))
      if (find_record(records_, id) == nullptr)
        warn(fmt::format("record {} is not in the store (any more)", printable(id)));
    if (const auto gap = gap_in(Quantity::seconds); gap && gap->pair_seconds)
      status_.run_seconds = *gap->pair_seconds / 2;
    status_.sentence = sentence();
    return std::move(status_);
  }

 private:
  void warn(const std::string& text) {
    if (std::ranges::find(status_.warnings, text) == status_.warnings.end())
      status_.warnings.push_back(text);
  }

  // The gap in a quantity; nothing when it is not known in it.
  struct Gap {
    Effect effect = {};
    std::string source = {};
    std::optional<double> baseline = {}, pair_seconds = {};
    std::uint32_t runs = 0;
  };
  std::optional<Gap> gap_in(Quantity quantity);
  // The quantity in which the effects of a prediction are added up, when the gap is known in it.
  std::optional<Quantity> sum_quantity(Quantity predicted);

  HypothesisStatus hypothesis(std::size_t index);
  void read_size(HypothesisStatus& status, const Size& size);
  void read_shape(HypothesisStatus& status, const ShapeClaim& claim);
  void say_next(HypothesisStatus& status);
  void add_remainders();
  void add_facts();
  void add_rounds();
  std::string sentence() const;

  Asked asked(const Evidence& evidence, const std::string& name, Quantity quantity) const {
    return {.quantity = quantity,
            .metric = case_.metric,
            .part = evidence.part,
            .name = name,
            .removes = evidence.removes};
  }

  const Case& case_;
  std::span<const Record> records_;
  CaseStatus status_;
};

std::optional<Reader::Gap> Reader::gap_in(Quantity quantity) {
  if (case_.gap_size) {
    if (case_.gap_size->quantity != quantity) return std::nullopt;
    const auto& [unit, lo, hi] = *case_.gap_size;
    return Gap{.effect = {(lo + hi) / 2, lo, hi}, .source = "as stated"};
  }
  const Record* record = find_record(records_, case_.gap_record);
  if (record == nullptr) return std::nullopt;
  const auto measured = measure(*record, {.quantity = quantity,
                                          .metric = case_.metric,
                                          .part = case_.gap_part,
                                          .removes = case_.gap_removes});
  if (!measured) {
    if (quantity != Quantity::bytes)
      warn(fmt::format("the gap's record {}: {}", record->id, measured.error().what));
    return std::nullopt;
  }
  return Gap{.effect = measured->effect,
             .source = fmt::format("{}, record {}", measured->source, record->id),
             .baseline = measured->baseline,
             .pair_seconds = measured->pair_seconds,
             .runs = measured->runs};
}

std::optional<Quantity> Reader::sum_quantity(Quantity predicted) {
  if (case_.gap_size) {
    const Quantity stated = case_.gap_size->quantity;
    const bool memory = stated == Quantity::bytes || predicted == Quantity::bytes;
    return memory && stated != predicted ? std::nullopt : std::optional(stated);
  }
  if (predicted == Quantity::fraction) {
    const Record* record = find_record(records_, case_.gap_record);
    if (record != nullptr &&
        measure(*record,
                {.quantity = Quantity::seconds, .metric = case_.metric, .part = case_.gap_part}))
      return Quantity::seconds;
  }
  return predicted;
}

// The part of a gap that is proven to be there: x / g with the ends combined.
std::optional<Share> share_of(const Effect& x, const Effect& gap) {
  if (!gap.is_proven() || !x.lo || !x.hi) return std::nullopt;
  const auto divide = [&](double value, bool lowest) {
    const double a = value / *gap.lo, b = value / *gap.hi;
    return lowest ? std::min(a, b) : std::max(a, b);
  };
  const bool positive = *gap.lo > 0;
  return Share{.value = x.value / gap.value,
               .lo = divide(positive ? *x.lo : *x.hi, true),
               .hi = divide(positive ? *x.hi : *x.lo, false)};
}

void Reader::read_size(HypothesisStatus& status, const Size& size) {
  const Hypothesis& hypothesis = case_.hypotheses[status.hypothesis];
  const Evidence* deciding = nullptr;
  for (const Evidence& evidence : case_.evidence) {
    if (evidence.hypothesis != hypothesis.id) continue;
    const Record* record = find_record(records_, evidence.record);
    if (record == nullptr) continue;
    auto measured = measure(*record, asked(evidence, hypothesis.id, size.quantity));
    if (!measured) {
      warn(fmt::format("record {} says nothing of {}: {}", record->id, hypothesis.id,
                       measured.error().what));
      continue;
    }
    ++status.tests;
    status.measured = std::move(*measured);
    deciding = &evidence;
  }
  if (!status.measured) {
    status.reason = "nothing has tested it";
    return;
  }
  if (const auto quantity = sum_quantity(size.quantity)) {
    const auto gap = gap_in(*quantity);
    const Record& record = *find_record(records_, deciding->record);
    const auto amount = measure(record, asked(*deciding, hypothesis.id, *quantity));
    if (gap && amount) status.share = share_of(amount->effect, gap->effect);
  }
  const Judgement judgement = judge(size, *status.measured, status.share);
  status.word = judgement.word;
  status.reason = judgement.reason;
  status.more_runs = judgement.more_runs;
  if (judgement.more_runs && status.measured->pair_seconds)
    status.more_seconds = *judgement.more_runs * *status.measured->pair_seconds;
  const auto& effect = status.measured->effect;
  if (judgement.word == Word::ruled_out && size.lo > 0 && effect.hi && *effect.hi < 0)
    status.notes.push_back(deciding->removes
                               ? "the record is said to remove the cause (removes = true)"
                               : "if its candidate takes the cause away: removes = true");
  if (status.tests > 1)
    status.notes.push_back(fmt::format(
        "{} records test it, and the last one decides: the error of a word grows with every try",
        status.tests));
}

void Reader::read_shape(HypothesisStatus& status, const ShapeClaim& claim) {
  const Hypothesis& hypothesis = case_.hypotheses[status.hypothesis];
  for (const Evidence& evidence : case_.evidence) {
    if (evidence.hypothesis != hypothesis.id) continue;
    const Record* record = find_record(records_, evidence.record);
    if (record == nullptr) continue;
    auto seen = shape_of(*record, claim);
    if (!seen) {
      warn(fmt::format("record {} says nothing of {}: {}", record->id, hypothesis.id,
                       seen.error().what));
      continue;
    }
    ++status.tests;
    status.seen = std::move(*seen);
  }
  if (!status.seen) {
    status.reason = "nothing has tested it";
    return;
  }
  const Judgement judgement = judge(claim, *status.seen);
  status.word = judgement.word;
  status.reason = judgement.reason;
}

// What would decide an open one: the test that the file states, or what the prediction asks for.
void Reader::say_next(HypothesisStatus& status) {
  const Hypothesis& hypothesis = case_.hypotheses[status.hypothesis];
  status.next = hypothesis.test;
  status.price = hypothesis.price;
  const bool possible = status.more_runs && *status.more_runs <= kMostRuns;
  if (possible && status.price.empty()) {
    status.price = fmt::format("about {0:.0f} + {0:.0f} runs", *status.more_runs);
    if (status.more_seconds)
      status.price += ", " + format_duration(std::ceil(*status.more_seconds));
  }
  const auto* size = std::get_if<Size>(&hypothesis.prediction);
  if (size == nullptr) {
    const auto& claim = std::get<ShapeClaim>(hypothesis.prediction);
    if (status.next.empty())
      status.next = fmt::format("assay sweep --param {}=... -- CMD",
                                claim.parameter.empty() ? "NAME" : claim.parameter);
    return;
  }
  // A comparison whose tolerance is the least that was predicted goes on until it is in or out.
  const double least = std::min(std::fabs(size->lo), std::fabs(size->hi));
  double tolerance = 0;
  const auto gap = gap_in(size->quantity);
  if (size->quantity == Quantity::fraction)
    tolerance = least;
  else if (gap && gap->baseline && *gap->baseline > 0)
    tolerance = least / *gap->baseline;
  if (!(tolerance > 0) || !(tolerance < 1)) return;
  if (status.next.empty())
    status.next =
        fmt::format("assay compare --tolerance {:.2g}% 'WITHOUT IT' 'WITH IT'", 100 * tolerance);
  if (status.measured) return;  // what is across an edge has its own price
  if (!status.price.empty() || !gap || gap->runs == 0 || !gap->baseline || !gap->effect.lo) return;
  const double half = (*gap->effect.hi - *gap->effect.lo) / 2;
  const double scale = size->quantity == Quantity::fraction ? 1 : *gap->baseline;
  const double wanted = gap->runs * std::pow(half / scale / tolerance, 2);
  const double runs = std::clamp(6 * std::ceil(wanted / 6), 6.0, kMostRuns);
  status.price = fmt::format("about {0:.0f} + {0:.0f} runs", runs);
  if (gap->pair_seconds)
    status.price += ", " + format_duration(std::ceil(runs * *gap->pair_seconds));
}

HypothesisStatus Reader::hypothesis(std::size_t index) {
  HypothesisStatus status{.hypothesis = index};
  const Prediction& prediction = case_.hypotheses[index].prediction;
  if (const auto* size = std::get_if<Size>(&prediction))
    read_size(status, *size);
  else
    read_shape(status, std::get<ShapeClaim>(prediction));
  if (status.word == Word::open) say_next(status);
  return status;
}

void Reader::add_remainders() {
  for (const Quantity quantity : {Quantity::seconds, Quantity::bytes, Quantity::fraction}) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < case_.hypotheses.size(); ++i)
      if (const auto* size = std::get_if<Size>(&case_.hypotheses[i].prediction))
        if (sum_quantity(size->quantity) == quantity) members.push_back(i);
    const bool natural =
        case_.gap_size ? case_.gap_size->quantity == quantity : quantity == Quantity::seconds;
    if (members.empty() && !natural) continue;
    const auto gap = gap_in(quantity);
    if (!gap) continue;
    Remainder remainder{
        .quantity = quantity, .gap = gap->effect, .rest = gap->effect, .gap_source = gap->source};
    for (const std::size_t i : members) {
      const Hypothesis& hypothesis = case_.hypotheses[i];
      std::optional<Effect> effect;
      for (const Evidence& evidence : case_.evidence) {
        if (evidence.hypothesis != hypothesis.id) continue;
        const Record* record = find_record(records_, evidence.record);
        if (record == nullptr) continue;
        if (const auto measured = measure(*record, asked(evidence, hypothesis.id, quantity)))
          effect = measured->effect;
      }
      if (!effect || !effect->is_proven()) continue;
      remainder.explained.push_back(i);
      remainder.rest.value -= effect->value;
      if (remainder.rest.lo) remainder.rest.lo = *remainder.rest.lo - *effect->hi;
      if (remainder.rest.hi) remainder.rest.hi = *remainder.rest.hi - *effect->lo;
    }
    remainder.share = share_of(remainder.rest, remainder.gap);
    status_.remainders.push_back(std::move(remainder));
  }
}

void Reader::add_facts() {
  for (std::size_t i = 0; i < case_.evidence.size(); ++i) {
    if (!case_.evidence[i].hypothesis.empty()) continue;
    if (const Record* record = find_record(records_, case_.evidence[i].record))
      status_.facts.push_back({i, fact_of(*record, case_.metric)});
  }
}

void Reader::add_rounds() {
  for (std::size_t i = 0; i < case_.rounds.size(); ++i) {
    RoundStatus round{.round = i};
    if (const Record* record = find_record(records_, case_.rounds[i].record))
      round.effect = fact_of(*record, case_.metric);
    status_.rounds.push_back(std::move(round));
  }
  status_.patch_on_patch = case_.rounds.size() >= kPatchOnPatch;
}

// "31 % to 58 %", or one number where the two are one.
std::string range_text(const Share& share) {
  const std::string lo = fmt::format("{:.0f} %", 100 * *share.lo);
  const std::string hi = fmt::format("{:.0f} %", 100 * *share.hi);
  return lo == hi ? lo : lo + " to " + hi;
}

std::string Reader::sentence() const {
  const std::size_t all = status_.hypotheses.size();
  if (all == 0) return "Nothing has been proposed as the cause yet.";
  std::string text =
      fmt::format("{} hypothes{}: {} confirmed, {} ruled out, {} open.", all,
                  all == 1 ? "is" : "es", status_.confirmed, status_.ruled_out, status_.open);
  if (status_.remainders.empty()) return text + " The gap is not known.";
  const Remainder& first = status_.remainders.front();
  if (!first.gap.is_proven()) return text + " The gap itself is not proven.";
  if (first.share && first.share->lo && first.share->hi)
    text += fmt::format(" {} of the gap is unexplained.", range_text(*first.share));
  return text;
}

}  // namespace

std::vector<std::string> records_of(const Case& of) {
  std::vector<std::string> ids;
  const auto add = [&](const std::string& id) {
    if (!id.empty() && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  };
  add(of.gap_record);
  for (const Evidence& evidence : of.evidence) add(evidence.record);
  for (const Round& round : of.rounds) add(round.record);
  return ids;
}

CaseStatus status_of(const Case& of, std::span<const Record> records) {
  return Reader(of, records).read();
}

}  // namespace assay::cases
