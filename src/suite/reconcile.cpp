// SPDX-License-Identifier: Apache-2.0
#include "suite/reconcile.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <map>
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

class Reconciler {
 public:
  Reconciler(const SuitePlan& plan, std::span<const std::uint32_t> units)
      : plan_(plan), units_(units), found_(units.size()) {
    for (std::uint32_t u = 0; u < plan.units.size(); ++u)
      for (const std::string& id : plan.units[u].ids) homes_[id].push_back(u);
  }

  void place(Measurement& measurement) {
    if (const auto position = listed_position(measurement.id)) {
      found_[*position].insert(measurement.id);
      measurement.position = last_ = *position;
      return;
    }
    measurement.position = last_;
    // A process that runs one unit, or that is in the middle of one.
    const auto home = homes_.find(measurement.id);
    std::string doubt;
    if (home != homes_.end())
      doubt = is_asked(home->second)
                  ? "it came out once more than its unit was run"
                  : fmt::format("it is a benchmark of {}, which was not asked for",
                                printable(plan_.units[home->second.front()].name));
    else if (!plan_.units[units_[last_]].ids.empty())
      doubt = "the listing does not have it";
    if (!doubt.empty()) measurement.message += (measurement.message.empty() ? "" : "; ") + doubt;
  }

  std::vector<Measurement> missing(const Exit& exit) const {
    std::vector<Measurement> absent;
    const bool died = exit != Exit{};
    for (std::uint32_t position = 0; position < units_.size(); ++position)
      for (const std::string& id : plan_.units[units_[position]].ids) {
        if (found_[position].contains(id)) continue;
        const bool here = died && absent.empty();
        absent.push_back({.position = position,
                          .id = id,
                          .status = here ? MeasurementStatus::failed : MeasurementStatus::missing,
                          .message = here   ? death_of(exit)
                                     : died ? "the process had ended"
                                            : "the process ended well, and nothing came out"});
      }
    return absent;
  }

 private:
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
  std::uint32_t last_ = 0;
};

}  // namespace

std::vector<Measurement> reconcile(const SuitePlan& plan, std::span<const std::uint32_t> units,
                                   std::vector<Measurement> measured, const Exit& exit) {
  if (units.empty()) return measured;
  Reconciler reconciler(plan, units);
  for (Measurement& measurement : measured) reconciler.place(measurement);
  std::vector<Measurement> absent = reconciler.missing(exit);
  measured.insert(measured.end(), std::make_move_iterator(absent.begin()),
                  std::make_move_iterator(absent.end()));
  return measured;
}

}  // namespace assay::suite
