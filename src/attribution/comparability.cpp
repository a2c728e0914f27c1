// SPDX-License-Identifier: Apache-2.0
#include "attribution/comparability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "base/text.hpp"

namespace assay::attribution {
namespace {

using trace::Loss;
using trace::Trace;
using Runs = std::span<const Trace* const>;

struct Collector {
  Comparability out = {};

  void say(std::string what, std::string a, std::string b, bool forbids = false) {
    if (a == b && !forbids) return;
    out.differences.push_back({std::move(what), std::move(a), std::move(b), forbids});
  }
  void forbid(std::string what, std::string a, std::string b, std::string because) {
    say(std::move(what), std::move(a), std::move(b), true);
    if (out.comparable) out.because = std::move(because);
    out.comparable = false;
  }
};

template <class T>
std::string stated(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "not stated";
}

std::string shown(const std::string& text) { return text.empty() ? "unknown" : printable(text); }

// The distinct values that `read` gives over the runs of a side, "3, 4".
template <class Read>
std::string values_of(Runs runs, Read read) {
  std::string text;
  std::set<std::string> seen;
  for (const Trace* run : runs) {
    const std::string value = read(*run);
    if (seen.insert(value).second) text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

void compare_settings(Runs a, Runs b, Collector& to) {
  std::set<std::string> names;
  for (const Runs runs : {a, b}) {
    for (const Trace* run : runs) {
      for (const trace::Setting& setting : run->settings) names.insert(setting.name);
    }
  }
  constexpr std::size_t kMost = 200;  // of a hostile log
  std::size_t listed = 0;
  for (const std::string& name : names) {
    const auto read = [&](const Trace& run) -> std::string {
      const trace::Setting* setting = run.find_setting(name);
      if (setting == nullptr) return "not given";
      return printable(setting->value) + (setting->changed ? " (changed within the run)" : "");
    };
    const std::string left = values_of(a, read), right = values_of(b, read);
    if (left == right) continue;
    if (++listed > kMost) break;
    to.say("setting " + printable(name), left, right);
  }
}

// Stages with work, by name, in pipeline order or as the trace has them.
std::vector<std::string> stage_names(const Trace& run, const Pipeline* pipeline) {
  std::vector<std::string> names;
  if (pipeline != nullptr) {
    for (const PipelineStage& stage : pipeline->stages) names.push_back(stage.name);
    for (const PipelineStage& part : pipeline->parts) names.push_back(part.name);
  } else {
    for (const trace::Stage& stage : run.stages) names.push_back(stage.name);
  }
  return names;
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == 8) return text + fmt::format(", and {} more", names.size() - i);
    text += (text.empty() ? "" : ", ") + printable(names[i]);
  }
  return text.empty() ? "none" : text;
}

void compare_stages(const Trace& a, const Trace& b, const Pipeline* pipeline_a,
                    const Pipeline* pipeline_b, Collector& to) {
  const std::vector<std::string> left = stage_names(a, pipeline_a);
  const std::vector<std::string> right = stage_names(b, pipeline_b);
  const std::unordered_set<std::string> in_a(left.begin(), left.end()),
      in_b(right.begin(), right.end());
  std::vector<std::string> only_a, only_b;
  for (const std::string& name : in_a) {
    if (!in_b.contains(name)) only_a.push_back(name);
  }
  for (const std::string& name : in_b) {
    if (!in_a.contains(name)) only_b.push_back(name);
  }
  std::sort(only_a.begin(), only_a.end());
  std::sort(only_b.begin(), only_b.end());
  const std::size_t common = in_a.size() - only_a.size(),
                    all = common + only_a.size() + only_b.size();
  to.out.stages_matched = all == 0 ? 1 : static_cast<double>(common) / static_cast<double>(all);
  if (all > 0 && common == 0) {
    to.forbid("stages", join(left), join(right),
              "the sides have no stage in common; --rules-b states another topology");
  } else if (!only_a.empty() || !only_b.empty()) {
    to.say("stages on one side only", join(only_a), join(only_b));
  }
}

void compare_topology(const Pipeline& a, const Pipeline& b, Collector& to) {
  const auto compare = [&](const std::vector<PipelineStage>& left,
                           const std::vector<PipelineStage>& right) {
    for (const PipelineStage& stage : left) {
      const auto other = std::find_if(right.begin(), right.end(), [&](const PipelineStage& each) {
        return each.name == stage.name;
      });
      if (other == right.end()) continue;
      to.say("workers of " + stage.name, stated(stage.servers), stated(other->servers));
      to.say("permits of " + stage.name, stated(stage.permits), stated(other->permits));
      to.say("capacity of " + stage.name, stated(stage.capacity), stated(other->capacity));
    }
  };
  compare(a.stages, b.stages);
  compare(a.parts, b.parts);
}

// Items that passed the first stage, each once.
std::vector<std::string_view> keys_of(const Trace& run, const Pipeline* pipeline) {
  std::vector<std::string_view> keys;
  if (pipeline == nullptr) {
    for (const std::uint32_t key : run.items.key) keys.push_back(run.strings.at(key));
    return keys;
  }
  std::vector<bool> seen(run.items.size(), false);
  for (const auto& visits : pipeline->visits) {
    for (const Visit& visit : visits) {
      if (seen[visit.item]) continue;
      seen[visit.item] = true;
      keys.push_back(run.strings.at(run.items.key[visit.item]));
    }
  }
  return keys;
}

void compare_items(const Trace& a, const Trace& b, const Pipeline* pipeline_a,
                   const Pipeline* pipeline_b, Collector& to) {
  const std::vector<std::string_view> left = keys_of(a, pipeline_a), right = keys_of(b, pipeline_b);
  if (left.empty() && right.empty()) return;
  const std::unordered_set<std::string_view> in_b(right.begin(), right.end());
  const auto common = static_cast<std::size_t>(std::count_if(
      left.begin(), left.end(), [&](std::string_view key) { return in_b.contains(key); }));
  to.out.items_matched =
      static_cast<double>(common) / static_cast<double>(std::max(left.size(), right.size()));
  const std::string n_a = fmt::format("{}", left.size()), n_b = fmt::format("{}", right.size());
  if (left.size() != right.size() && common == 0) {
    to.forbid("items", n_a, n_b,
              fmt::format("{} items and {} items, none of them in common: other work was done", n_a,
                          n_b));
    return;
  }
  to.say("items", n_a, n_b);
  if (common < left.size() && common < right.size()) {
    to.say("keys of items", fmt::format("{} of {} also in B", common, left.size()),
           fmt::format("{} of {} also in A", common, right.size()));
  }
}

void compare_losses(Runs a, Runs b, Collector& to) {
  std::uint64_t lost[2] = {0, 0};
  bool said[2] = {false, false};
  std::string sentence;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const Trace* run : side == 0 ? a : b) {
      lost[side] += events_lost(*run);
      for (const trace::TraceWarning& warning : run->warnings) {
        using Kind = trace::TraceWarningKind;
        if (warning.kind != Kind::lost_events && warning.kind != Kind::sequence_gap &&
            warning.kind != Kind::counts_disagree) {
          continue;
        }
        said[side] = true;
        if (sentence.empty()) sentence = warning.text;
      }
    }
  }
  const auto text = [&](std::size_t side) {
    if (lost[side] > 0) return fmt::format("{}", lost[side]);
    return std::string(said[side] ? "some" : "0");
  };
  if (lost[0] + lost[1] == 0 && !said[0] && !said[1]) return;
  to.forbid(
      "lost events", text(0), text(1),
      fmt::format("events were lost ({} of A, {} of B): a replay of what is left would not be "
                  "the run{}{}",
                  text(0), text(1), sentence.empty() ? "" : "; ", sentence));
}

// Pressure stall information that the run recorded: mean of each counter "psi...".
std::map<std::string, double> pressure_of(Runs runs) {
  std::map<std::string, std::pair<double, double>> sums;
  for (const Trace* run : runs) {
    for (std::size_t i = 0; i < run->counters.size(); ++i) {
      const std::string_view name = run->strings.at(run->counters.name[i]);
      if (!name.starts_with("psi") && !name.starts_with("PSI")) continue;
      auto& [sum, n] = sums[std::string(name)];
      sum += run->counters.value[i];
      n += 1;
    }
  }
  std::map<std::string, double> means;
  for (const auto& [name, sum] : sums) means[name] = sum.first / sum.second;
  return means;
}

void compare_pressure(Runs a, Runs b, Collector& to) {
  const auto left = pressure_of(a), right = pressure_of(b);
  for (const auto& [name, value] : left) {
    const auto other = right.find(name);
    if (other == right.end()) continue;
    // Two points of pressure are a busy neighbour; less is any machine.
    if (std::abs(value - other->second) < 2) continue;
    to.say("pressure " + printable(name), fmt::format("{:.1f}", value),
           fmt::format("{:.1f}", other->second));
  }
}

void compare_origin(Runs a, Runs b, Collector& to) {
  const auto side = [](Runs runs, auto read) { return values_of(runs, read); };
  const auto clock = [](const Trace& run) {
    return fmt::format("{}, step {}", shown(run.clock.source),
                       format_seconds(static_cast<double>(run.clock.resolution_ns) * 1e-9));
  };
  const auto host = [](const Trace& run) { return shown(run.host); };
  const auto build = [](const Trace& run) { return shown(run.build); };
  const auto format = [](const Trace& run) { return shown(run.format); };
  to.say("clock", side(a, clock), side(b, clock));
  to.say("host", side(a, host), side(b, host));
  to.say("build", side(a, build), side(b, build));
  to.say("format", side(a, format), side(b, format));
}

}  // namespace

std::uint64_t events_lost(const trace::Trace& run) {
  return run.lost(Loss::missing_begin) + run.lost(Loss::missing_end) +
         run.lost(Loss::dropped_by_writer) + run.lost(Loss::negative_span);
}

Comparability compare_sides(std::span<const trace::Trace* const> a,
                            std::span<const trace::Trace* const> b, const Pipeline* pipeline_a,
                            const Pipeline* pipeline_b) {
  Collector to;
  compare_losses(a, b, to);
  compare_stages(*a.front(), *b.front(), pipeline_a, pipeline_b, to);
  compare_items(*a.front(), *b.front(), pipeline_a, pipeline_b, to);
  if (pipeline_a != nullptr && pipeline_b != nullptr)
    compare_topology(*pipeline_a, *pipeline_b, to);
  compare_settings(a, b, to);
  compare_origin(a, b, to);
  compare_pressure(a, b, to);
  return std::move(to.out);
}

}  // namespace assay::attribution
