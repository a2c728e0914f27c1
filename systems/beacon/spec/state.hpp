// SPDX-License-Identifier: Apache-2.0
// Altair's BeaconState as plain data, its SSZ bytes and its root. What is derived from it lies in
// transition/cached_state.hpp.
#pragma once

#include <string>

#include "beacon/spec/containers.hpp"

namespace beacon::spec {

struct BeaconState {
  const Spec* spec = nullptr;  // not part of the bytes: which lengths hold

  std::uint64_t genesis_time = 0;
  Root genesis_validators_root{};
  Slot slot = 0;
  Fork fork;
  BlockHeader latest_block_header;
  std::vector<Root> block_roots;
  std::vector<Root> state_roots;
  std::vector<Root> historical_roots;
  Eth1Data eth1_data;
  std::vector<Eth1Data> eth1_data_votes;
  std::uint64_t eth1_deposit_index = 0;
  std::vector<Validator> validators;
  std::vector<Gwei> balances;
  std::vector<Root> randao_mixes;
  std::vector<Gwei> slashings;
  std::vector<std::uint8_t> previous_epoch_participation;
  std::vector<std::uint8_t> current_epoch_participation;
  ssz::Bits justification_bits = ssz::Bits::zeros(4);
  Checkpoint previous_justified_checkpoint;
  Checkpoint current_justified_checkpoint;
  Checkpoint finalized_checkpoint;
  std::vector<std::uint64_t> inactivity_scores;
  SyncCommittee current_sync_committee;
  SyncCommittee next_sync_committee;

  Epoch current_epoch() const { return spec->epoch_of(slot); }
  Epoch previous_epoch() const {
    return current_epoch() == kGenesisEpoch ? kGenesisEpoch : current_epoch() - 1;
  }

  static constexpr bool kFixed = false;
  template <class Self, class F>
  static void visit(Self& self, const Spec& spec, F&& f) {
    const std::uint64_t registry = spec.validator_registry_limit;
    f("genesis_time", self.genesis_time);
    f("genesis_validators_root", self.genesis_validators_root);
    f("slot", self.slot);
    f("fork", self.fork);
    f("latest_block_header", self.latest_block_header);
    f("block_roots", ssz::as_vector(self.block_roots, spec.slots_per_historical_root));
    f("state_roots", ssz::as_vector(self.state_roots, spec.slots_per_historical_root));
    f("historical_roots", ssz::as_list(self.historical_roots, spec.historical_roots_limit));
    f("eth1_data", self.eth1_data);
    f("eth1_data_votes", ssz::as_list(self.eth1_data_votes, spec.eth1_votes_limit()));
    f("eth1_deposit_index", self.eth1_deposit_index);
    f("validators", ssz::as_list(self.validators, registry));
    f("balances", ssz::as_list(self.balances, registry));
    f("randao_mixes", ssz::as_vector(self.randao_mixes, spec.epochs_per_historical_vector));
    f("slashings", ssz::as_vector(self.slashings, spec.epochs_per_slashings_vector));
    f("previous_epoch_participation", ssz::as_list(self.previous_epoch_participation, registry));
    f("current_epoch_participation", ssz::as_list(self.current_epoch_participation, registry));
    f("justification_bits", ssz::as_bits(self.justification_bits, 4));
    f("previous_justified_checkpoint", self.previous_justified_checkpoint);
    f("current_justified_checkpoint", self.current_justified_checkpoint);
    f("finalized_checkpoint", self.finalized_checkpoint);
    f("inactivity_scores", ssz::as_list(self.inactivity_scores, registry));
    f("current_sync_committee", self.current_sync_committee);
    f("next_sync_committee", self.next_sync_committee);
  }
};

// The most bytes that a file of a state has: kMostValidators and a full list of historical roots of
// a few years.
constexpr std::uint64_t kMostStateBytes = std::uint64_t{128} << 20;

// Errors: not the bytes of a state; more than kMostValidators; lists of validators' properties that
// have different lengths; an effective balance that is no whole number of increments up to the
// maximum; a slot, balance, score or sum of slashings beyond 2^60. `where` begins with the name and
// says which field.
Result<BeaconState> decode_state(View bytes, const Spec& spec, const std::string& name);
Result<BeaconState> read_state(const std::string& path, const Spec& spec);

std::vector<std::uint8_t> encode_state(const BeaconState& state);

Root root_of(const BeaconState& state);
Root root_of(const BlockHeader& header, const Spec& spec);
Root root_of(const HistoricalBatch& batch, const Spec& spec);

}  // namespace beacon::spec
