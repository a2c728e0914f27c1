// SPDX-License-Identifier: Apache-2.0
// The small containers of Altair, with their fields in the order of the specification.
// Ref: consensus-specs, specs/phase0/beacon-chain.md and specs/altair/beacon-chain.md
// ("Containers").
#pragma once

#include "beacon/spec/spec.hpp"
#include "beacon/ssz/fields.hpp"

namespace beacon::spec {

struct Fork {
  Version previous_version{};
  Version current_version{};
  Epoch epoch = 0;

  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("previous_version", self.previous_version);
    f("current_version", self.current_version);
    f("epoch", self.epoch);
  }
};

struct Checkpoint {
  Epoch epoch = 0;
  Root root{};

  bool operator==(const Checkpoint&) const = default;
  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("epoch", self.epoch);
    f("root", self.root);
  }
};

struct BlockHeader {
  Slot slot = 0;
  ValidatorIndex proposer_index = 0;
  Root parent_root{};
  Root state_root{};
  Root body_root{};

  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("slot", self.slot);
    f("proposer_index", self.proposer_index);
    f("parent_root", self.parent_root);
    f("state_root", self.state_root);
    f("body_root", self.body_root);
  }
};

struct Eth1Data {
  Root deposit_root{};
  std::uint64_t deposit_count = 0;
  Root block_hash{};

  bool operator==(const Eth1Data&) const = default;
  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("deposit_root", self.deposit_root);
    f("deposit_count", self.deposit_count);
    f("block_hash", self.block_hash);
  }
};

struct Validator {
  Pubkey pubkey{};
  Root withdrawal_credentials{};
  Gwei effective_balance = 0;
  bool slashed = false;
  Epoch activation_eligibility_epoch = kFarFutureEpoch;
  Epoch activation_epoch = kFarFutureEpoch;
  Epoch exit_epoch = kFarFutureEpoch;
  Epoch withdrawable_epoch = kFarFutureEpoch;

  bool is_active(Epoch epoch) const { return activation_epoch <= epoch && epoch < exit_epoch; }

  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("pubkey", self.pubkey);
    f("withdrawal_credentials", self.withdrawal_credentials);
    f("effective_balance", self.effective_balance);
    f("slashed", self.slashed);
    f("activation_eligibility_epoch", self.activation_eligibility_epoch);
    f("activation_epoch", self.activation_epoch);
    f("exit_epoch", self.exit_epoch);
    f("withdrawable_epoch", self.withdrawable_epoch);
  }
};

struct SyncCommittee {
  std::vector<Pubkey> pubkeys;
  Pubkey aggregate_pubkey{};

  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec& spec, F&& f) {
    f("pubkeys", ssz::as_vector(self.pubkeys, spec.sync_committee_size));
    f("aggregate_pubkey", self.aggregate_pubkey);
  }
};

// What goes into historical_roots: only its root is of use.
struct HistoricalBatch {
  const std::vector<Root>& block_roots;
  const std::vector<Root>& state_roots;

  template <class Self, class F>
  static void visit(Self& self, const Spec& spec, F&& f) {
    f("block_roots", ssz::as_vector(self.block_roots, spec.slots_per_historical_root));
    f("state_roots", ssz::as_vector(self.state_roots, spec.slots_per_historical_root));
  }
};

struct AttestationData {
  Slot slot = 0;
  std::uint64_t index = 0;  // of the committee in its slot
  Root beacon_block_root{};
  Checkpoint source;
  Checkpoint target;

  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("slot", self.slot);
    f("index", self.index);
    f("beacon_block_root", self.beacon_block_root);
    f("source", self.source);
    f("target", self.target);
  }
};

struct Attestation {
  ssz::Bits aggregation_bits;  // one for each member of the committee
  AttestationData data;
  Signature signature{};

  static constexpr bool kFixed = false;
  template <class Self, class F>
  static void visit(Self& self, const Spec& spec, F&& f) {
    f("aggregation_bits",
      ssz::as_bitlist(self.aggregation_bits, spec.max_validators_per_committee));
    f("data", self.data);
    f("signature", self.signature);
  }
};

}  // namespace beacon::spec
