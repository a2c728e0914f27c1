// SPDX-License-Identifier: Apache-2.0
#include "beacon/transition/attestation.hpp"

#include "beacon/transition/blocks_of_state.hpp"
#include "beacon/transition/validators.hpp"

namespace beacon::transition {
namespace {

tl::unexpected<Error> invalid(const std::string& what) { return fail(what, "attestation"); }

Status check_attestation_data(const CachedState& cached, const spec::AttestationData& data) {
  const BeaconState& state = cached.state;
  const Spec& spec = cached.spec();
  if (data.target.epoch != state.previous_epoch() && data.target.epoch != state.current_epoch())
    return invalid("its target is of epoch " + std::to_string(data.target.epoch) +
                   ", neither the previous nor the current one");
  if (data.target.epoch != spec.epoch_of(data.slot))
    return invalid("its slot " + std::to_string(data.slot) + " is not in the epoch of its target");
  const Slot first = data.slot + spec.min_attestation_inclusion_delay;
  if (state.slot < first || state.slot > data.slot + spec.slots_per_epoch)
    return invalid("of slot " + std::to_string(data.slot) + ", it is not valid in slot " +
                   std::to_string(state.slot));
  return {};
}

}  // namespace

std::uint64_t set_status(std::vector<std::uint8_t>& participation, std::span<const Index> committee,
                         const ssz::Bits& bits, std::uint8_t flags,
                         std::span<const std::uint8_t> effective_increments) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < committee.size(); ++i) {
    if (!bits.test(i)) continue;
    const Index member = committee[i];
    const auto added = static_cast<unsigned>(flags & ~participation[member]);
    participation[member] |= flags;
    for (unsigned flag = 0; flag < 3; ++flag)
      if ((added >> flag) & 1) sum += spec::kFlagWeights[flag] * effective_increments[member];
  }
  return sum;
}

Result<std::uint8_t> timely_flags(const BeaconState& state, const spec::AttestationData& data,
                                  std::uint64_t delay) {
  const Spec& spec = *state.spec;
  const spec::Checkpoint& justified = data.target.epoch == state.current_epoch()
                                          ? state.current_justified_checkpoint
                                          : state.previous_justified_checkpoint;
  if (data.source != justified) return invalid("its source is not the justified checkpoint");
  const auto target = block_root_of_epoch(state, data.target.epoch);
  if (!target) return fail(target.error());
  const auto head = block_root_at(state, data.slot);
  if (!head) return fail(head.error());
  const bool matches_target = data.target.root == *target;
  const bool matches_head = matches_target && data.beacon_block_root == *head;
  std::uint8_t flags = 0;
  if (delay <= integer_square_root(spec.slots_per_epoch)) flags |= 1u << spec::kTimelySource;
  if (matches_target && delay <= spec.slots_per_epoch) flags |= 1u << spec::kTimelyTarget;
  if (matches_head && delay == spec.min_attestation_inclusion_delay)
    flags |= 1u << spec::kTimelyHead;
  return flags;
}

Status process_attestation(CachedState& cached, const spec::Attestation& attestation) {
  BeaconState& state = cached.state;
  const Spec& spec = cached.spec();
  const spec::AttestationData& data = attestation.data;
  if (auto done = check_attestation_data(cached, data); !done) return done;
  const bool is_current = data.target.epoch == state.current_epoch();
  const Shuffling& shuffling = is_current ? *cached.caches->current : *cached.caches->previous;
  if (data.index >= shuffling.committees_per_slot)
    return invalid("there is no committee " + std::to_string(data.index) + " among the " +
                   std::to_string(shuffling.committees_per_slot) + " of its slot");
  const std::span<const Index> committee = shuffling.committee(spec, data.slot, data.index);
  const ssz::Bits& bits = attestation.aggregation_bits;
  if (bits.size != committee.size())
    return invalid("it has " + std::to_string(bits.size) + " bits for a committee of " +
                   std::to_string(committee.size()));
  bool any = false;
  for (const std::uint8_t byte : bits.bytes) any = any || byte != 0;
  if (!any) return invalid("nobody attests");
  const auto flags = timely_flags(state, data, state.slot - data.slot);
  if (!flags) return fail(flags.error());

  auto& participation =
      is_current ? state.current_epoch_participation : state.previous_epoch_participation;
  const std::uint64_t sum =
      set_status(participation, committee, bits, *flags, cached.caches->effective_increments);
  const std::uint64_t denominator = (spec::kWeightDenominator - spec::kProposerWeight) *
                                    spec::kWeightDenominator / spec::kProposerWeight;
  increase_balance(state, cached.proposer(),
                   sum * cached.caches->base_reward_per_increment / denominator);
  return {};
}

}  // namespace beacon::transition
