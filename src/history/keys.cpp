// SPDX-License-Identifier: Apache-2.0
// Identities: SHA-256 over JSON whose members stand in a fixed order and whose lists are sorted
// where their order means nothing.
#include <algorithm>

#include "base/digest.hpp"
#include "history/store.hpp"
#include "model/codec.hpp"
#include "model/words.hpp"

namespace assay::history {
namespace {

// argv and env alone; the order of env means nothing. The codec keeps bytes that are not UTF-8
// apart.
Subject command_of(const Subject& subject) {
  Subject bare;
  bare.argv = subject.argv;
  bare.env = subject.env;
  std::stable_sort(bare.env.begin(), bare.env.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return bare;
}

}  // namespace

std::string subject_key(const Subject& subject) {
  return sha256(to_json(command_of(subject)).dump());
}

std::string comparison_key(const Plan& plan) {
  Json arms = Json::array();
  for (std::uint32_t i = 0; i < plan.arms.size(); ++i) {
    if (plan.control == i) continue;  // a copy of the baseline asks no other question
    const Subject& arm = plan.arms[i];
    Subject identity = command_of(arm);
    identity.cwd = arm.cwd;
    identity.input = arm.input;
    identity.binary_digest = arm.binary_digest;
    if (arm.build) identity.build = BuildSpec{"", "", arm.build->commit, arm.build->command};
    arms.push(to_json(identity));
  }
  std::vector<std::string> names;
  for (const Metric& metric : plan.metrics)
    if (metric.gating) names.push_back(metric.name);
  std::sort(names.begin(), names.end());
  Json gates = Json::array();
  for (const std::string& name : names) gates.push(name);
  Json key = Json::object();
  key.set("kind", to_word(plan.kind)).set("arms", std::move(arms)).set("gates", std::move(gates));
  return sha256(key.dump());
}

}  // namespace assay::history
