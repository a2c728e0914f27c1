// SPDX-License-Identifier: Apache-2.0
#include "attribution/spans.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "attribution/names.hpp"
#include "attribution/nested.hpp"

namespace assay::attribution {
namespace {

using trace::Trace;

// Beyond, left-over names are not aligned by their place: it takes time in their product.
constexpr std::size_t kMostAligned = 2000;
constexpr std::size_t kMostDepth = 32;  // of alignments inside alignments
constexpr double kLikeEnough = 0.5;

struct Name {
  std::string text = {};
  double self_s = 0, count = 0;       // means over the runs
  std::size_t parent = SIZE_MAX;      // the name it is inside of most; SIZE_MAX = none
  std::set<std::size_t> inside = {};  // names directly inside it
  std::size_t match = SIZE_MAX;       // on the other side
  std::string_view matched_by = {};
};

struct Side {
  std::vector<Name> names;
  double self_s = 0;
};

Side side_of(std::span<const Trace* const> runs) {
  Side side;
  std::unordered_map<std::string, std::size_t> ids;
  std::map<std::pair<std::size_t, std::size_t>, double> inside;  // (inner, outer) -> seconds
  const double share = runs.empty() ? 0 : 1 / static_cast<double>(runs.size());
  for (const Trace* run : runs) {
    const NameTimes times = name_times(*run, true);
    std::vector<std::size_t> id_of(run->stages.size(), SIZE_MAX);
    for (std::size_t stage = 0; stage < run->stages.size(); ++stage) {
      if (times.count[stage] == 0) continue;
      const auto [place, is_new] = ids.try_emplace(run->stages[stage].name, side.names.size());
      if (is_new) side.names.push_back({run->stages[stage].name});
      id_of[stage] = place->second;
      Name& name = side.names[place->second];
      name.self_s += seconds(times.self[stage]) * share;
      name.count += static_cast<double>(times.count[stage]) * share;
    }
    for (const auto& [pair, nanos] : times.inside) {
      const auto outer = static_cast<std::uint32_t>(pair >> 32);
      const auto inner = static_cast<std::uint32_t>(pair);
      inside[{id_of[inner], outer < id_of.size() ? id_of[outer] : SIZE_MAX}] += seconds(nanos);
    }
  }
  std::vector<double> most(side.names.size(), -1);
  for (const auto& [pair, length] : inside) {
    const auto [inner, outer] = pair;
    if (outer != SIZE_MAX && outer != inner) side.names[outer].inside.insert(inner);
    if (outer != inner && length > most[inner]) {
      most[inner] = length;
      side.names[inner].parent = outer;
    }
  }
  for (const Name& name : side.names) side.self_s += name.self_s;
  return side;
}

void join(Side& a, Side& b, std::size_t i, std::size_t j, std::string_view how) {
  a.names[i].match = j;
  b.names[j].match = i;
  a.names[i].matched_by = how;
}

void match_exactly(Side& a, Side& b) {
  std::unordered_map<std::string_view, std::size_t> ids;
  for (std::size_t j = 0; j < b.names.size(); ++j) ids.emplace(b.names[j].text, j);
  for (std::size_t i = 0; i < a.names.size(); ++i) {
    const auto found = ids.find(a.names[i].text);
    if (found != ids.end()) join(a, b, i, found->second, "exact");
  }
}

// Names with one normalised form pair up by their self time, the largest with the largest.
void match_normalised(Side& a, Side& b) {
  std::map<std::string, std::array<std::vector<std::size_t>, 2>> forms;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::vector<Name>& names = side == 0 ? a.names : b.names;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].match == SIZE_MAX) forms[normalised_name(names[i].text)][side].push_back(i);
    }
  }
  for (auto& [form, of] : forms) {
    const auto by_self = [](const Side& side) {
      return [&side](std::size_t l, std::size_t r) {
        return side.names[l].self_s > side.names[r].self_s;
      };
    };
    std::stable_sort(of[0].begin(), of[0].end(), by_self(a));
    std::stable_sort(of[1].begin(), of[1].end(), by_self(b));
    for (std::size_t k = 0; k < std::min(of[0].size(), of[1].size()); ++k)
      join(a, b, of[0][k], of[1][k], "normalised");
  }
}

// 0..1: how alike the places of two names in their trees are. They must be inside the same span.
double likeness(const Side& a, const Side& b, std::size_t i, std::size_t j) {
  const Name &left = a.names[i], &right = b.names[j];
  const bool top = left.parent == SIZE_MAX && right.parent == SIZE_MAX;
  if (!top) {
    if (left.parent == SIZE_MAX || right.parent == SIZE_MAX) return 0;
    if (a.names[left.parent].match != right.parent) return 0;
  }
  std::size_t common = 0;
  for (const std::size_t child : left.inside)
    common +=
        a.names[child].match != SIZE_MAX && right.inside.contains(a.names[child].match) ? 1 : 0;
  const std::size_t all = left.inside.size() + right.inside.size() - common;
  const double children = all == 0 ? 0.5 : static_cast<double>(common) / static_cast<double>(all);
  const auto ratio = [](double l, double r) {
    return std::max(l, r) > 0 ? std::min(l, r) / std::max(l, r) : 1.0;
  };
  // At the top there is no parent to vouch for them: more must agree.
  const double place = top ? 0 : 0.25;
  return place + 0.35 * children + 0.25 * ratio(left.count, right.count) +
         0.15 * ratio(left.self_s, right.self_s);
}

void match_by_tree(Side& a, Side& b) {
  bool moved = true;
  for (std::size_t depth = 0; moved && depth < kMostDepth; ++depth) {
    moved = false;
    std::vector<std::size_t> left, right;
    for (std::size_t i = 0; i < a.names.size(); ++i)
      if (a.names[i].match == SIZE_MAX) left.push_back(i);
    for (std::size_t j = 0; j < b.names.size(); ++j)
      if (b.names[j].match == SIZE_MAX) right.push_back(j);
    if (left.empty() || right.empty()) return;
    if (left.size() > kMostAligned || right.size() > kMostAligned) return;
    struct Pair {
      double like;
      std::size_t i, j;
    };
    std::vector<Pair> pairs;
    for (const std::size_t i : left) {
      for (const std::size_t j : right) {
        const double like = likeness(a, b, i, j);
        if (like >= kLikeEnough) pairs.push_back({like, i, j});
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& l, const Pair& r) { return l.like > r.like; });
    for (const Pair& pair : pairs) {
      if (a.names[pair.i].match != SIZE_MAX || b.names[pair.j].match != SIZE_MAX) continue;
      join(a, b, pair.i, pair.j, "tree");
      moved = true;  // what is inside them may match now
    }
  }
}

std::uint64_t rounded(double count) {
  return static_cast<std::uint64_t>(std::llround(std::max(count, 0.0)));
}

}  // namespace

SpanComparison compare_spans(std::span<const Trace* const> a, std::span<const Trace* const> b) {
  Side left = side_of(a), right = side_of(b);
  match_exactly(left, right);
  match_normalised(left, right);
  match_by_tree(left, right);
  SpanComparison result;
  double unmatched_s = 0;
  for (const Name& name : left.names) {
    SpanDelta& row = result.spans.emplace_back();
    row.name_a = name.text;
    row.self_a_s = name.self_s;
    row.count_a = rounded(name.count);
    if (name.match == SIZE_MAX) {
      unmatched_s += name.self_s;
      continue;
    }
    const Name& other = right.names[name.match];
    row.name_b = other.text;
    row.matched_by = name.matched_by;
    row.self_b_s = other.self_s;
    row.count_b = rounded(other.count);
  }
  for (const Name& name : right.names) {
    if (name.match != SIZE_MAX) continue;
    unmatched_s += name.self_s;
    SpanDelta& row = result.spans.emplace_back();
    row.name_b = name.text;
    row.self_b_s = name.self_s;
    row.count_b = rounded(name.count);
  }
  std::stable_sort(result.spans.begin(), result.spans.end(),
                   [](const SpanDelta& l, const SpanDelta& r) {
                     return std::fabs(l.self_b_s - l.self_a_s) > std::fabs(r.self_b_s - r.self_a_s);
                   });
  const double self_s = left.self_s + right.self_s;
  if (self_s > 0) result.unmatched_share = unmatched_s / self_s;
  return result;
}

}  // namespace assay::attribution
