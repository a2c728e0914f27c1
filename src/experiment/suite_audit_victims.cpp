// SPDX-License-Identifier: Apache-2.0
// What a search has found, as findings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "experiment/suite_audit_hunt.hpp"
#include "experiment/suite_audit_mechanism.hpp"
#include "stats/order.hpp"

namespace assay::experiment {
namespace {

double median_value(std::span<const SuiteReading> readings) {
  std::vector<double> values;
  for (const SuiteReading& one : readings) values.push_back(*one.value);
  return stats::median(values).value_or(0);
}

}  // namespace

AuditVictim AuditHunt::victim_of(const Suspicion& one, const Member& member) const {
  std::vector<SuiteReading> alone = readings_at(base_.alone, member.benchmark);
  alone.insert(alone.end(), member.fresh_alone.begin(), member.fresh_alone.end());
  AuditVictim victim{.unit = one.unit,
                     .id = table_[member.benchmark].id,
                     .slower = one.slower,
                     .order = orders_[one.order].kind,
                     .alone_s = median_value(readings_at(base_.alone, member.benchmark)),
                     .factor = std::exp(member.judgement.effect),
                     .threshold = std::exp(member.judgement.threshold),
                     .p = member.judgement.p,
                     .alone_n = least_n(alone),
                     .behind_n = least_n(member.behind),
                     .polluters = member.polluters,
                     .cleaners = one.cleaners,
                     .open = one.open,
                     .reproduced = one.reproduced};
  victim.behind_s = victim.alone_s * victim.factor;
  if (victim.polluters.empty() && victim.open.empty())
    victim.open = one.done ? "the polluter of its unit was not confirmed for this benchmark"
                           : "the audit ended before its polluter was found";
  const auto shown = mechanism_of(pointers_to(alone), pointers_to(member.behind), member.again_s);
  victim.mechanism = shown.mechanism;
  victim.evidence = shown.evidence;
  return victim;
}

std::vector<AuditVictim> AuditHunt::victims(std::vector<AuditOpen>& open) const {
  std::vector<AuditVictim> all;
  for (const Suspicion& one : suspicions_)
    for (const Member& member : one.members) {
      // An order that was tried once is one process: two outliers look like a victim. There a
      // confirmed polluter is asked for.
      const bool confirmed = std::ranges::any_of(member.polluters, &Polluter::confirmed);
      const bool many = orders_[one.order].kind == AuditOrder::suite;
      if (one.reproduced && (many || confirmed)) {
        all.push_back(victim_of(one, member));
        continue;
      }
      const std::string_view place =
          orders_[one.order].kind == AuditOrder::twice ? "right behind itself" : "in another order";
      std::string why = one.open;
      if (why.empty())
        why = !one.done        ? fmt::format("looks {}; the audit ended before that was confirmed",
                                      one.slower ? "slower" : "faster")
              : one.reproduced ? "its unit's polluter was not confirmed for it"
                               : "it was not run again";
      if (!many) why = fmt::format("{}: {}", place, why);
      open.push_back({.unit = one.unit,
                      .id = table_[member.benchmark].id,
                      .factor = std::exp(member.judgement.effect),
                      .why = std::move(why)});
    }
  std::ranges::stable_sort(all, std::greater<>(), [](const AuditVictim& victim) {
    return std::fabs(std::log(victim.factor));
  });
  return all;
}

}  // namespace assay::experiment
