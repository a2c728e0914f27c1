// SPDX-License-Identifier: Apache-2.0
#include "suite/reconcile.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "base/text.hpp"

namespace assay::suite {
namespace {

std::string death_of(const Exit& exit) {
  switch (exit.how) {
    case Ending::exited:
      return fmt::format("the process exited with status {} in or before it", exit.code);
    case Ending::signalled: {
      const char* name = ::sigabbrev_np(exit.code);
      return fmt::format("the process was killed by signal {}{} in or before it", exit.code,
                         name == nullptr ? "" : fmt::format(" (SIG{})", name));
    }
    case Ending::timed_out:
      return "the process hung in or before it, and was killed";
    case Ending::not_started:
      break;
  }
  return "the process could not be started";
}

// A time below 0 or without bounds is no measurement, and one of 0 has no ratio to anything.
void refuse_impossible(Measurement& one) {
  if (one.status != MeasurementStatus::ok || !one.value) return;
  const double value = *one.value;
  if (value > 0 && std::isfinite(value)) return;
  if (value != 0) one.status = MeasurementStatus::failed;
  one.message = value < 0    ? fmt::format("it reported a time below 0: {}", format_seconds(value))
                : value == 0 ? "it reported a time of 0: below its clock, or optimised away"
                             : "it reported a time that is no number";
  one.value.reset();
  one.samples.clear();
}

// Whether a tool that says `home` means the unit `name`: paths may be longer or shorter.
bool is_home(std::string_view name, std::string_view home) {
  while (name.starts_with("./")) name.remove_prefix(2);
  while (home.starts_with("./")) home.remove_prefix(2);
  const std::string_view shorter = name.size() < home.size() ? name : home;
  const std::string_view longer = name.size() < home.size() ? home : name;
  return longer.ends_with(shorter) &&
         (longer.size() == shorter.size() || longer[longer.size() - shorter.size() - 1] == '/');
}

// "file.py" and "file.py::test", "BenchmarkSort" and "BenchmarkSort-8".
bool begins_with_unit(std::string_view id, std::string_view name) {
  return id.starts_with(name) &&
         (id.size() == name.size() ||
          std::string_view("/:-").find(id[name.size()]) != std::string_view::npos);
}

// "name#2" as the binary knows it; nothing when there is no number behind.
std::optional<std::string> without_number(const std::string& id) {
  const std::size_t mark = id.rfind('#');
  if (mark == std::string::npos || mark + 1 == id.size() ||
      id.find_first_not_of("0123456789", mark + 1) != std::string::npos)
    return std::nullopt;
  return id.substr(0, mark);
}

// The part of a benchmark's repetitions that one of `of` runs of its unit made.
Measurement part_of(const Measurement& whole, std::size_t part, std::size_t of) {
  Measurement made = whole;
  const std::size_t size = whole.samples.size() / of;
  const auto begin = whole.samples.begin() + static_cast<std::ptrdiff_t>(part * size);
  made.samples.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
  const double runs = static_cast<double>(of);
  made.value =
      std::accumulate(made.samples.begin(), made.samples.end(), 0.0) / static_cast<double>(size);
  if (made.iterations) *made.iterations /= runs;
  if (made.total_s) *made.total_s /= runs;
  if (size == 1) made.samples.clear();
  return made;
}

class Reconciler {
 public:
  Reconciler(const SuitePlan& plan, std::span<const std::uint32_t> units)
      : plan_(plan), units_(units), found_(units.size()), gave_(units.size(), false) {
    for (std::uint32_t u = 0; u < plan.units.size(); ++u)
      for (const std::string& id : plan.units[u].ids) homes_[id].push_back(u);
  }

  // A tool that was told to run a unit twice may give its benchmarks once, with the repetitions of
  // both: they are taken apart again.
  std::vector<Measurement> unfolded(std::vector<Measurement> measured) const {
    std::vector<Measurement> all;
    for (Measurement& one : measured) {
      const auto home = homes_.find(one.id);
      std::size_t positions = 0;
      if (home != homes_.end())
        for (const std::uint32_t unit : units_)
          positions += std::ranges::find(home->second, unit) != home->second.end() ? 1 : 0;
      const bool folded =
          positions > 1 && one.samples.size() >= positions && one.samples.size() % positions == 0 &&
          std::ranges::count(measured, one.id, &Measurement::id) == 1 &&
          std::ranges::find(measured, one.id + "#2", &Measurement::id) == measured.end();
      if (!folded) {
        all.push_back(one);
        continue;
      }
      for (std::size_t part = 0; part < positions; ++part)
        all.push_back(part_of(one, part, positions));
    }
    return all;
  }

  void place(Measurement& measurement, const std::string& home) {
    if (!homes_.contains(measurement.id))
      if (const auto name = without_number(measurement.id); name && listed_position(*name))
        measurement.id = *name;
    if (const auto position = listed_position(measurement.id)) {
      found_[*position].insert(measurement.id);
      last_ = *position;
    } else {
      last_ = unlisted_position(measurement.id, home);
      const std::string doubt = doubt_of(measurement.id);
      if (!doubt.empty()) measurement.message += (measurement.message.empty() ? "" : "; ") + doubt;
    }
    measurement.position = last_;
    gave_[last_] = true;
  }

  std::vector<Measurement> missing(const Exit& exit, bool may_be_none) const {
    std::vector<Measurement> absent;
    const bool died = exit != Exit{};
    for (std::uint32_t position = 0; position < units_.size(); ++position) {
      const SuiteUnit& unit = plan_.units[units_[position]];
      std::vector<std::string> ids = unit.ids;
      if (ids.empty() && !gave_[position] && (died || !may_be_none)) ids.push_back(unit.name);
      for (const std::string& id : ids) {
        if (found_[position].contains(id)) continue;
        const bool here = died && absent.empty();
        absent.push_back({.position = position,
                          .id = id,
                          .status = here ? MeasurementStatus::failed : MeasurementStatus::missing,
                          .message = here   ? death_of(exit)
                                     : died ? "the process had ended"
                                            : "the process ended well, and nothing came out"});
      }
    }
    return absent;
  }

 private:
  std::uint32_t unlisted_position(const std::string& id, const std::string& home) const {
    const auto first_at = [&](auto fits) -> std::optional<std::uint32_t> {
      for (std::uint32_t i = 0; i < units_.size(); ++i) {
        const auto position = static_cast<std::uint32_t>((last_ + i) % units_.size());
        if (fits(plan_.units[units_[position]])) return position;
      }
      return std::nullopt;
    };
    std::optional<std::uint32_t> position;
    if (!home.empty())
      position = first_at([&](const SuiteUnit& unit) { return is_home(unit.name, home); });
    if (!position)
      position = first_at([&](const SuiteUnit& unit) { return begins_with_unit(id, unit.name); });
    return position.value_or(last_);
  }

  // Why a benchmark should not be there, as a clause; empty = nobody said which there are.
  std::string doubt_of(const std::string& id) const {
    const auto home = homes_.find(id);
    if (home == homes_.end())
      return plan_.units[units_[last_]].ids.empty() ? "" : "the listing does not have it";
    if (is_asked(home->second)) return "it came out once more than its unit was run";
    return fmt::format("it is a benchmark of {}, which was not asked for",
                       printable(plan_.units[home->second.front()].name));
  }

  bool is_asked(const std::vector<std::uint32_t>& homes) const {
    return std::ranges::any_of(
        homes, [&](std::uint32_t unit) { return std::ranges::find(units_, unit) != units_.end(); });
  }

  // The first position whose unit lists `id` and has not given it yet, at or behind the last one
  // if there is one.
  std::optional<std::uint32_t> listed_position(const std::string& id) const {
    const auto home = homes_.find(id);
    if (home == homes_.end()) return std::nullopt;
    const auto fits = [&](std::uint32_t position) {
      return std::ranges::find(home->second, units_[position]) != home->second.end() &&
             !found_[position].contains(id);
    };
    for (std::uint32_t position = last_; position < units_.size(); ++position)
      if (fits(position)) return position;
    for (std::uint32_t position = 0; position < last_; ++position)
      if (fits(position)) return position;
    return std::nullopt;
  }

  const SuitePlan& plan_;
  std::span<const std::uint32_t> units_;
  std::map<std::string, std::vector<std::uint32_t>> homes_;  // by id: units that list it
  std::vector<std::set<std::string>> found_;                 // by position
  std::vector<bool> gave_;                                   // the same: anything at all
  std::uint32_t last_ = 0;
};

}  // namespace

std::vector<Measurement> reconcile(const SuitePlan& plan, std::span<const std::uint32_t> units,
                                   Reading reading, const Exit& exit) {
  std::vector<Measurement>& measured = reading.measurements;
  if (units.empty()) return std::move(measured);
  Reconciler reconciler(plan, units);
  if (reading.homes.empty()) measured = reconciler.unfolded(std::move(measured));
  for (Measurement& one : measured) refuse_impossible(one);
  for (std::size_t i = 0; i < measured.size(); ++i)
    reconciler.place(measured[i], i < reading.homes.size() ? reading.homes[i] : std::string());
  std::vector<Measurement> absent = reconciler.missing(exit, reading.may_be_none);
  measured.insert(measured.end(), std::make_move_iterator(absent.begin()),
                  std::make_move_iterator(absent.end()));
  return std::move(measured);
}

}  // namespace assay::suite
