// SPDX-License-Identifier: Apache-2.0
#include "beacon/suite/fork_states.hpp"

#include "beacon/synthetic/block.hpp"
#include "beacon/transition/attestation.hpp"

namespace beacon::suite {
namespace {

constexpr std::size_t kPayloadHeaderBytes = 568;

std::vector<PendingAttestation> pending_of_epoch(const CachedState& altair, spec::Epoch epoch,
                                                 Random& random) {
  const spec::Spec& spec = altair.spec();
  const bool is_current = epoch == altair.state.current_epoch();
  const auto& shuffling = is_current ? altair.caches->current : altair.caches->previous;
  std::vector<PendingAttestation> made;
  for (spec::Slot slot = spec.first_slot(epoch); slot < spec.first_slot(epoch + 1); ++slot) {
    if (slot >= altair.state.slot) break;
    for (std::uint64_t index = 0; index < shuffling->committees_per_slot; ++index) {
      auto attestation = synthetic::make_attestation(altair, slot, index, 98, random);
      made.push_back({std::move(attestation.aggregation_bits), attestation.data, 1, 0});
    }
  }
  return made;
}

}  // namespace

std::shared_ptr<const ForkStates> make_fork_states(const CachedState& altair) {
  Random random(11);
  auto made = std::make_shared<ForkStates>();
  made->phase0.common = clone_with_caches(altair);
  made->phase0.common.state.previous_epoch_participation.clear();
  made->phase0.common.state.current_epoch_participation.clear();
  made->phase0.common.state.inactivity_scores.clear();
  made->phase0.common.state.fork.current_version = {0, 0, 0, 0};
  const spec::Epoch current = altair.state.current_epoch();
  made->phase0.previous_epoch_attestations = pending_of_epoch(altair, current - 1, random);
  made->phase0.current_epoch_attestations = pending_of_epoch(altair, current, random);
  made->bellatrix.common = clone_with_caches(altair);
  made->bellatrix.common.state.fork.current_version = {2, 0, 0, 0};
  made->bellatrix.latest_execution_payload_header.resize(kPayloadHeaderBytes);
  made->capella.bellatrix.common = clone_with_caches(altair);
  made->capella.bellatrix.common.state.fork.current_version = {3, 0, 0, 0};
  made->capella.bellatrix.latest_execution_payload_header.resize(kPayloadHeaderBytes + 32);
  made->capella.historical_summaries.resize(altair.state.historical_roots.size());
  return made;
}

std::vector<std::uint8_t> translate_participation(const Phase0State& phase0) {
  const CachedState& common = phase0.common;
  std::vector<std::uint8_t> participation(common.state.validators.size());
  for (const PendingAttestation& pending : phase0.previous_epoch_attestations) {
    const auto flags =
        transition::timely_flags(common.state, pending.data, pending.inclusion_delay);
    BEACON_CHECK(flags, "a pending attestation was valid when it was taken");
    const auto committee =
        common.caches->previous->committee(common.spec(), pending.data.slot, pending.data.index);
    transition::set_status(participation, committee, pending.aggregation_bits, *flags,
                           common.caches->effective_increments);
  }
  return participation;
}

}  // namespace beacon::suite
