// SPDX-License-Identifier: Apache-2.0
// What is called a change is judged against the sampling error of the quantiles themselves,
// sqrt(q (1 - q) / n) / f(q), with the density f read off the curve; and it must be a percent of
// the median at least, because less is nobody's question.
#include "attribution/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/text.hpp"

namespace assay::attribution {
namespace {

constexpr double kErrors = 3;             // standard errors that a change must exceed
constexpr double kLeast = 0.01;           // of the median
constexpr std::uint64_t kFew = 30;        // values a side for MODE
constexpr std::uint64_t kFewOfTail = 50;  // and for TAIL
constexpr std::uint64_t kModeValues = 6;
constexpr std::size_t kJump = 2;      // a gap between modes is looked for over 2 percent each way
constexpr std::size_t kModeEdge = 8;  // percent: a mode holds as much at least

// Standard error of the quantile at `percent`, in the unit of the values.
double quantile_error(const Distribution& of, std::size_t percent) {
  const std::size_t low = percent >= 5 ? percent - 5 : 0,
                    high = std::min<std::size_t>(percent + 5, 100);
  const double slope = (of.curve[high] - of.curve[low]) / (static_cast<double>(high - low) / 100);
  const double q = static_cast<double>(percent) / 100;
  return slope * std::sqrt(q * (1 - q) / static_cast<double>(of.n));
}

// A gap in the values that parts them in two groups: the share above it, and a place in it.
struct Gap {
  double share_above = 0, at = 0, above = 0, below = 0;
};
std::optional<Gap> gap_of(const Distribution& of) {
  if (of.n < kFew) return std::nullopt;
  std::optional<Gap> best;
  double best_ratio = 0.6;  // of the wider group's spread; unimodal samples stay below 0.5
  // A group is as many percent at least, and as many values as make a group.
  const std::size_t edge =
      std::max(kModeEdge, static_cast<std::size_t>((100 * kModeValues + of.n - 1) / of.n));
  for (std::size_t i = edge; i + edge <= 100; ++i) {
    const double jump = of.curve[i + kJump] - of.curve[i - kJump];
    const double left = of.curve[i - kJump] - of.curve[kJump];
    const double right = of.curve[100 - kJump] - of.curve[i + kJump];
    const double spread = std::max(left, right);
    // Two exact values are two groups as well; one value is not.
    if (jump <= kLeast * std::fabs(of.median) || jump <= best_ratio * spread) continue;
    best_ratio = spread > 0 ? jump / spread : 1e300;
    best = Gap{1 - static_cast<double>(i) / 100, 0.5 * (of.curve[i + kJump] + of.curve[i - kJump]),
               of.curve[(100 + i) / 2], of.curve[i / 2]};
  }
  return best;
}

std::string slower(double change) { return change > 0 ? "slower" : "faster"; }

std::string percent(double change) {
  const double percent = 100 * std::fabs(change);
  return percent < 100 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

std::optional<ShapeFound> mode_change(const Distribution& a, const Distribution& b) {
  if (a.n < kFew || b.n < kFew) return std::nullopt;
  const std::optional<Gap> in_a = gap_of(a), in_b = gap_of(b);
  if (in_b && !in_a) {
    // The group that A does not have is the one farther from A's median.
    const bool upper = std::fabs(in_b->above - a.median) >= std::fabs(in_b->below - a.median);
    return ShapeFound{Shape::mode,
                      fmt::format("a new group of {:.0f} % near {}",
                                  100 * (upper ? in_b->share_above : 1 - in_b->share_above),
                                  format_seconds(upper ? in_b->above : in_b->below))};
  }
  if (in_a && !in_b) {
    const bool upper = std::fabs(in_a->above - b.median) >= std::fabs(in_a->below - b.median);
    return ShapeFound{Shape::mode,
                      fmt::format("the group of {:.0f} % near {} is gone",
                                  100 * (upper ? in_a->share_above : 1 - in_a->share_above),
                                  format_seconds(upper ? in_a->above : in_a->below))};
  }
  if (!in_a) return std::nullopt;
  const double p = in_a->share_above, q = in_b->share_above;
  const double error =
      std::sqrt(p * (1 - p) / static_cast<double>(a.n) + q * (1 - q) / static_cast<double>(b.n));
  if (std::fabs(q - p) <= std::max(0.05, kErrors * error)) return std::nullopt;
  return ShapeFound{Shape::mode, fmt::format("the group near {} holds {:.0f} % instead of {:.0f} %",
                                             format_seconds(in_b->above), 100 * q, 100 * p)};
}

// Mean relative change of the quantiles from..to, and its standard error (of one of them: they go
// together).
struct Change {
  double relative = 0, error = 0;
};
Change change_over(const Distribution& a, const Distribution& b, std::size_t from, std::size_t to) {
  Change change;
  double before = 0, after = 0, error = 0;
  for (std::size_t i = from; i <= to; ++i) {
    before += a.curve[i];
    after += b.curve[i];
    error += std::hypot(quantile_error(a, i), quantile_error(b, i));
  }
  if (before <= 0) return change;
  change.relative = after / before - 1;
  change.error = error / before;
  return change;
}

// Mean of the slowest tenth but its last percent (with few values one run), and its standard error:
// of the values there, and of where the tenth begins.
// Ref: Manistre and Hancock, Variance of the CTE estimator, NAAJ 9(2), 2005.
struct Tail {
  double mean = 0, error = 0;
};
Tail tail_of(const Distribution& of) {
  constexpr std::size_t kFrom = 91, kTo = 99, kPoints = kTo - kFrom + 1;
  Tail tail;
  double squares = 0;
  for (std::size_t i = kFrom; i <= kTo; ++i) tail.mean += of.curve[i] / kPoints;
  for (std::size_t i = kFrom; i <= kTo; ++i)
    squares += (of.curve[i] - tail.mean) * (of.curve[i] - tail.mean) / (kPoints - 1);
  const double above = tail.mean - of.curve[90];
  tail.error = std::sqrt((squares + .9 * above * above) / (.1 * static_cast<double>(of.n)));
  return tail;
}

}  // namespace

std::string_view to_word(Shape shape) {
  switch (shape) {
    case Shape::same:
      return "SAME";
    case Shape::shift:
      return "SHIFT";
    case Shape::tail:
      return "TAIL";
    case Shape::mode:
      return "MODE";
  }
  return "";
}

ShapeFound shape_of(const Distribution& a, const Distribution& b) {
  if (a.n == 0 || b.n == 0) return {Shape::same, a.n == b.n ? "" : "on one side only"};
  if (a.curve.size() != 101 || b.curve.size() != 101) return {};
  if (const auto mode = mode_change(a, b)) return *mode;
  if (a.max <= 0 && b.max <= 0) return {};
  if (a.median <= 0 && b.median > 0)
    return {Shape::shift, fmt::format("from nothing to {}", format_seconds(b.median))};

  const Change body = change_over(a, b, 10, 75);
  const bool shifted = std::fabs(body.relative) > std::max(kLeast, kErrors * body.error);
  if (a.n >= kFewOfTail && b.n >= kFewOfTail) {
    // The slowest tenth, beyond what the body did.
    const Tail tail_a = tail_of(a), tail_b = tail_of(b);
    if (tail_a.mean > 0) {
      const double moved = shifted ? body.relative : 0;
      const double relative = tail_b.mean / tail_a.mean - 1;
      const double beyond = (1 + relative) / (1 + moved) - 1;
      const double error = std::hypot(tail_a.error, tail_b.error) / tail_a.mean;
      const bool clear =
          std::fabs(beyond) > std::max(0.05, kErrors * std::hypot(error, body.error));
      if (clear && std::fabs(beyond) > 2 * std::fabs(moved)) {
        return {Shape::tail,
                fmt::format("the slowest tenth {} by about {}, the rest {}", slower(relative),
                            percent(relative),
                            shifted ? fmt::format("{} by {}", slower(moved), percent(moved))
                                    : std::string("as before"))};
      }
    }
  }
  if (!shifted) return {};
  return {Shape::shift,
          fmt::format("all of them {} by about {}", slower(body.relative), percent(body.relative))};
}

}  // namespace assay::attribution
