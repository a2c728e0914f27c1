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
    // A gap, not a slope (a quarter each): much of the way lies between two neighbouring percents.
    double step = 0;
    for (std::size_t j = i - kJump; j < i + kJump; ++j)
      step = std::max(step, of.curve[j + 1] - of.curve[j]);
    if (step < 0.35 * jump) continue;
    best_ratio = spread > 0 ? jump / spread : 1e300;
    best = Gap{1 - static_cast<double>(i) / 100, 0.5 * (of.curve[i + kJump] + of.curve[i - kJump]),
               of.curve[(100 + i) / 2], of.curve[i / 2]};
  }
  return best;
}

// Share of the values up to `value`.
double share_up_to(const Distribution& of, double value) {
  const auto above = std::upper_bound(of.curve.begin(), of.curve.end(), value);
  if (above == of.curve.begin()) return 0;
  if (above == of.curve.end()) return 1;
  const double low = *(above - 1);
  return (static_cast<double>(above - 1 - of.curve.begin()) + (value - low) / (*above - low)) / 100;
}

// Do the shares p and q differ by more than chance?
bool shares_differ(double p, std::uint64_t n, double q, std::uint64_t m) {
  const double error =
      std::sqrt(p * (1 - p) / static_cast<double>(n) + q * (1 - q) / static_cast<double>(m));
  return std::fabs(q - p) > std::max(0.05, kErrors * error);
}

// The two-sample test of Kolmogorov and Smirnov on the curves, at 99 % (asymptotic: 1.63).
bool distributions_differ(const Distribution& a, const Distribution& b) {
  double most = 0;
  for (const Distribution* of : {&a, &b}) {
    for (const double value : of->curve)
      most = std::max(most, std::fabs(share_up_to(a, value) - share_up_to(b, value)));
  }
  const double n = static_cast<double>(a.n), m = static_cast<double>(b.n);
  return most > 1.63 * std::sqrt((n + m) / (n * m));
}

std::string slower(double change) { return change > 0 ? "slower" : "faster"; }

std::string percent(double change) {
  const double percent = 100 * std::fabs(change);
  return percent < 100 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

std::optional<ShapeFound> mode_change(const Distribution& a, const Distribution& b) {
  if (a.n < kFew || b.n < kFew) return std::nullopt;
  const std::optional<Gap> in_a = gap_of(a), in_b = gap_of(b);
  // A group is another only if the other side has not as many values there, gap or none.
  const auto differs_at = [&](const std::optional<Gap>& gap) {
    return gap && shares_differ(share_up_to(a, gap->at), a.n, share_up_to(b, gap->at), b.n);
  };
  if (!differs_at(in_a) && !differs_at(in_b)) return std::nullopt;
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
  if (!shares_differ(p, a.n, q, b.n)) return std::nullopt;
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

ShapeFound shape_of(const Distribution& a, const Distribution& b, const MeanChange& mean) {
  ShapeFound found = shape_of(a, b);
  if (a.n == 0 || b.n == 0 || !mean.lo_s || !mean.hi_s) return found;
  if (a.curve.size() != 101 || b.curve.size() != 101) return found;
  if (*mean.lo_s <= 0 && *mean.hi_s >= 0) {
    const bool evident =
        found.shape == Shape::same || found.shape == Shape::tail || distributions_differ(a, b);
    return evident ? found : ShapeFound{};
  }
  if (a.mean <= 0) {
    if (found.shape != Shape::same) return found;
    return {Shape::shift, fmt::format("from nothing to {} in the mean", format_seconds(b.mean))};
  }
  const double relative = mean.delta_s / a.mean;
  if (std::fabs(relative) < kLeast) return found;
  const std::string in_mean =
      fmt::format("{} by about {} in the mean", slower(relative), percent(relative));
  if (found.shape == Shape::same) return {Shape::shift, in_mean};
  // The middle may go one way and the mean the other.
  const double body = change_over(a, b, 10, 75).relative;
  if (found.shape == Shape::shift && body * relative < 0) {
    return {Shape::shift,
            fmt::format("{}, the middle {} by {}", in_mean, slower(body), percent(body))};
  }
  return found;
}

}  // namespace assay::attribution
