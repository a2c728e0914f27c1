// SPDX-License-Identifier: Apache-2.0
#include "beacon/synthetic/block.hpp"

#include <algorithm>
#include <optional>

#include "beacon/transition/blocks_of_state.hpp"
#include "beacon/transition/validators.hpp"

namespace beacon::synthetic {
namespace {

using spec::Slot;
using transition::CachedState;

// Those of the last slot by all committees; of slots before, one each, so that they come too late
// for some flags.
std::vector<spec::Attestation> make_attestations(const CachedState& cached, unsigned share,
                                                 Random& random) {
  const spec::Spec& spec = cached.spec();
  const spec::BeaconState& state = cached.state;
  std::vector<spec::Attestation> made;
  const Slot oldest = state.slot - std::min(state.slot, spec.slots_per_epoch);
  for (Slot slot = state.slot - 1; slot > oldest; --slot) {
    const bool is_current = spec.epoch_of(slot) == state.current_epoch();
    const auto& shuffling = is_current ? cached.caches->current : cached.caches->previous;
    const bool is_last = slot + 1 == state.slot;
    for (std::uint64_t index = 0; index < shuffling->committees_per_slot; ++index) {
      if (made.size() == spec.max_attestations) return made;
      if (is_last || index == slot % shuffling->committees_per_slot)
        made.push_back(make_attestation(cached, slot, index, share, random));
    }
  }
  return made;
}

void add_slashings_and_exits(const CachedState& cached, spec::BlockBody& body, Random& random) {
  const spec::BeaconState& state = cached.state;
  const transition::Epoch current = state.current_epoch();
  const auto any_slashable = [&](std::uint64_t from) -> std::optional<std::uint64_t> {
    for (std::uint64_t k = 0; k < state.validators.size(); ++k) {
      const std::uint64_t i = (from + k) % state.validators.size();
      if (i != cached.proposer() && transition::is_slashable(state.validators[i], current))
        return i;
    }
    return std::nullopt;
  };
  const std::uint64_t start = random.below(state.validators.size());
  if (const auto index = any_slashable(start)) {
    spec::ProposerSlashing slashing;
    slashing.signed_header_1.message = {state.slot, *index, random.bytes<32>(), {}, {}};
    slashing.signed_header_2.message = {state.slot, *index, random.bytes<32>(), {}, {}};
    body.proposer_slashings.push_back(slashing);
  }
  const std::uint64_t other = start + state.validators.size() / 2;
  if (const auto index = any_slashable(other);
      index && (body.proposer_slashings.empty() ||
                *index != body.proposer_slashings[0].signed_header_1.message.proposer_index)) {
    spec::AttesterSlashing slashing;
    slashing.attestation_1.attesting_indices = slashing.attestation_2.attesting_indices = {*index};
    slashing.attestation_1.data.target = {current, random.bytes<32>()};
    slashing.attestation_2.data.target = {current, random.bytes<32>()};
    body.attester_slashings.push_back(slashing);
  }
  for (std::uint64_t k = 0; k < state.validators.size(); ++k) {
    const std::uint64_t i = (start + 7 * k + 1) % state.validators.size();
    const spec::Validator& validator = state.validators[i];
    const bool taken = (!body.attester_slashings.empty() &&
                        body.attester_slashings[0].attestation_1.attesting_indices[0] == i) ||
                       (!body.proposer_slashings.empty() &&
                        body.proposer_slashings[0].signed_header_1.message.proposer_index == i);
    if (taken || !validator.is_active(current) || validator.exit_epoch != spec::kFarFutureEpoch ||
        current < validator.activation_epoch + state.spec->shard_committee_period)
      continue;
    body.voluntary_exits.push_back({{current, i}, random.bytes<96>()});
    return;
  }
}

}  // namespace

spec::Attestation make_attestation(const CachedState& cached, Slot slot, std::uint64_t index,
                                   unsigned share, Random& random) {
  const spec::Spec& spec = cached.spec();
  const spec::BeaconState& state = cached.state;
  const spec::Epoch epoch = spec.epoch_of(slot);
  const bool is_current = epoch == state.current_epoch();
  const auto& shuffling = is_current ? cached.caches->current : cached.caches->previous;
  spec::Attestation made;
  made.data.slot = slot;
  made.data.index = index;
  made.data.source =
      is_current ? state.current_justified_checkpoint : state.previous_justified_checkpoint;
  const auto target = transition::block_root_of_epoch(state, epoch);
  const auto head = transition::block_root_at(state, slot);
  BEACON_CHECK(target && head, "the slot is one that the state remembers");
  made.data.target = {epoch, *target};
  made.data.beacon_block_root = *head;
  const std::size_t members = shuffling->committee(spec, slot, index).size();
  made.aggregation_bits = ssz::Bits::zeros(members);
  for (std::size_t i = 0; i < members; ++i)
    if (random.percent(share)) made.aggregation_bits.set(i);
  if (members > 0) made.aggregation_bits.set(random.below(members));
  made.signature = random.bytes<96>();
  return made;
}

Result<spec::SignedBlock> propose(CachedState& cached, const BlockRequest& request,
                                  Random& random) {
  const spec::Spec& spec = cached.spec();
  spec::SignedBlock block;
  spec::Block& message = block.message;
  message.slot = cached.state.slot;
  message.proposer_index = cached.proposer();
  message.parent_root = root_of(cached.state.latest_block_header, spec);
  spec::BlockBody& body = message.body;
  body.randao_reveal = random.bytes<96>();
  body.eth1_data = cached.state.eth1_data;
  if (random.percent(30)) body.eth1_data.block_hash = random.bytes<32>();
  body.graffiti = random.bytes<32>();
  body.attestations = make_attestations(cached, request.attesting_percent, random);
  if (request.slashings_and_exits) add_slashings_and_exits(cached, body, random);
  body.sync_aggregate.sync_committee_bits = ssz::Bits::zeros(spec.sync_committee_size);
  for (std::uint64_t i = 0; i < spec.sync_committee_size; ++i)
    if (random.percent(request.sync_percent)) body.sync_aggregate.sync_committee_bits.set(i);
  body.sync_aggregate.sync_committee_signature = random.bytes<96>();
  block.signature = random.bytes<96>();
  if (auto done = process_block(cached, message); !done) return fail(done.error());
  message.state_root = root_of(cached.state);
  return block;
}

Result<spec::SignedBlock> extend(CachedState& cached, const BlockRequest& request, Random& random) {
  Slot slot = cached.state.slot + 1 + request.skipped_slots;
  if (auto done = process_slots(cached, slot); !done) return fail(done.error());
  // A slashed validator may be drawn, and then its slot stays empty.
  while (cached.state.validators[cached.proposer()].slashed)
    if (auto done = process_slots(cached, ++slot); !done) return fail(done.error());
  return propose(cached, request, random);
}

}  // namespace beacon::synthetic
