// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "cases/status.hpp"
#include "model/words.hpp"

namespace assay::cases {
namespace {

constexpr double kMostRuns = 900;  // that `compare` makes a side
constexpr double kBlock = 6;

std::string percent(double share) {
  const double value = 100 * std::fabs(share);
  return fmt::format("{}{:.{}f} %", share < 0 ? "-" : "", value, value >= 9.95 ? 0 : 1);
}

// "36 % to 47 %", or one number where the two are one.
std::string range(const Share& share) {
  const std::string lo = percent(*share.lo), hi = percent(*share.hi);
  return lo == hi ? lo : lo + " to " + hi;
}

std::string effect_text(const Measured& m) {
  return interval_text(m.effect.value, m.effect.lo, m.effect.hi, m.quantity);
}

Judgement open(std::string reason) { return {.word = Word::open, .reason = std::move(reason)}; }

// Runs a side after which an interval about the same estimate would lie clear of the nearer edge.
std::optional<double> runs_to_decide(const Size& size, const Measured& m) {
  const double half = (*m.effect.hi - *m.effect.lo) / 2;
  const double distance =
      std::min(std::fabs(m.effect.value - size.lo),
               std::isfinite(size.hi) ? std::fabs(m.effect.value - size.hi) : HUGE_VAL);
  if (m.runs == 0 || !(distance > 0) || !(half > 0)) return std::nullopt;
  const double wanted = m.runs * (half / distance) * (half / distance);
  return std::max(kBlock, kBlock * std::ceil(wanted / kBlock));
}

Judgement ruled_out(const Size& size, const Measured& m, const std::optional<Share>& share) {
  Judgement found{.word = Word::ruled_out};
  const bool opposite = size.lo > 0 && *m.effect.hi < 0;
  const std::string most = plain_text(std::max(0.0, *m.effect.hi), m.quantity);
  if (opposite)
    found.reason = fmt::format("it goes the other way: {}", effect_text(m));
  else if (share && share->lo && share->hi && *m.effect.lo > 0)
    found.reason = fmt::format(
        "real, but too small: explains {} of the gap and no more (at most {}, at least {} "
        "predicted)",
        range(*share), most, plain_text(size.lo, m.quantity));
  else if (share && share->hi)
    found.reason =
        fmt::format("cannot explain more than {} of the gap ({}, at least {} predicted)",
                    percent(std::max(0.0, *share->hi)), most, plain_text(size.lo, m.quantity));
  else
    found.reason =
        fmt::format("at most {}, and at least {} predicted", most, plain_text(size.lo, m.quantity));
  return found;
}

}  // namespace

std::string_view to_word(Word word) {
  switch (word) {
    case Word::ruled_out:
      return "RULED OUT";
    case Word::confirmed:
      return "CONFIRMED";
    case Word::open:
      break;
  }
  return "OPEN";
}

Judgement judge(const Size& asked, const Measured& measured, const std::optional<Share>& share) {
  // A gain is judged as a cost of the other sign.
  Size size = asked;
  Measured m = measured;
  if (size.hi < 0) {
    size = {size.quantity, -asked.hi, -asked.lo};
    m.effect = {-m.effect.value, m.effect.hi ? std::optional(-*m.effect.hi) : std::nullopt,
                m.effect.lo ? std::optional(-*m.effect.lo) : std::nullopt};
  }
  const auto& [value, lo, hi] = m.effect;
  if (!lo || !hi) return open("the record has no interval yet");
  if (!m.no_word.empty())
    return open(fmt::format("measured {}, without a word: {}", effect_text(measured), m.no_word));
  if (*hi < size.lo) return ruled_out(size, m, share);
  if (*lo > size.hi) {
    if (size.lo < 0)
      return {.word = Word::ruled_out,
              .reason = fmt::format("measured {}, which is outside", effect_text(measured))};
    return open(fmt::format("it is more than predicted, at least {}: something else moves with it",
                            plain_text(*lo, m.quantity)));
  }
  if (*lo >= size.lo && *hi <= size.hi) {
    Judgement found{.word = Word::confirmed};
    if (share && share->lo && share->hi)
      found.reason = fmt::format("explains {} of the gap", range(*share));
    else
      found.reason = fmt::format("{}, as predicted", effect_text(measured));
    return found;
  }
  Judgement found =
      open(fmt::format("measured {}, across an edge of the prediction", effect_text(measured)));
  found.more_runs = runs_to_decide(size, m);
  if (!found.more_runs || *found.more_runs > kMostRuns)
    found.reason += "; it lies so near the edge that runs alone will hardly decide it";
  return found;
}

Judgement judge(const ShapeClaim& claim, const ShapeSeen& seen) {
  const std::string& name = seen.parameter;
  switch (seen.shape) {
    case Shape::undecided:
      return open(fmt::format("the sweep over {} did not decide", name));
    case Shape::flat: {
      const std::string flat = seen.bound
                                   ? fmt::format("FLAT over {}: no level moves it by more than {}",
                                                 name, percent(*seen.bound))
                                   : fmt::format("FLAT over {}", name);
      return {.word = claim.word == ShapeWord::flat ? Word::confirmed : Word::ruled_out,
              .reason = flat};
    }
    case Shape::trend:
    case Shape::step:
      break;
  }
  const bool step = seen.shape == Shape::step;
  const std::string what =
      step ? fmt::format("STEP {} at {}={}", seen.rises ? "up" : "down", name, seen.at)
           : fmt::format("TREND: it {} with {}", seen.rises ? "rises" : "falls", name);
  if (claim.word == ShapeWord::flat) return {.word = Word::ruled_out, .reason = what};
  if (claim.word == ShapeWord::step) {
    if (!step) return open(what + "; a trend does not tell a step from a slope");
    if (seen.at == claim.at && seen.is_no_slope) return {.word = Word::confirmed, .reason = what};
    if (seen.at == claim.at) return open(what + ", but a slope fits hardly worse");
    if (seen.is_elsewhere) return {.word = Word::ruled_out, .reason = what};
    return open(what + fmt::format(", but a step at {} fits hardly worse", claim.at));
  }
  if (seen.rises != (claim.word == ShapeWord::rises))
    return {.word = Word::ruled_out, .reason = what};
  if (step) return open(what + ", in one step and not with every level");
  return {.word = Word::confirmed, .reason = what};
}

}  // namespace assay::cases
