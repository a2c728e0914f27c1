// SPDX-License-Identifier: Apache-2.0
// Altair's block and what it carries.
#pragma once

#include "beacon/spec/containers.hpp"

namespace beacon::spec {

struct SignedBlockHeader {
  BlockHeader message;
  Signature signature{};

  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("message", self.message);
    f("signature", self.signature);
  }
};

struct ProposerSlashing {
  SignedBlockHeader signed_header_1;
  SignedBlockHeader signed_header_2;

  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("signed_header_1", self.signed_header_1);
    f("signed_header_2", self.signed_header_2);
  }
};

struct IndexedAttestation {
  std::vector<ValidatorIndex> attesting_indices;
  AttestationData data;
  Signature signature{};

  static constexpr bool kFixed = false;
  template <class Self, class F>
  static void visit(Self& self, const Spec& spec, F&& f) {
    f("attesting_indices", ssz::as_list(self.attesting_indices, spec.max_validators_per_committee));
    f("data", self.data);
    f("signature", self.signature);
  }
};

struct AttesterSlashing {
  IndexedAttestation attestation_1;
  IndexedAttestation attestation_2;

  static constexpr bool kFixed = false;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("attestation_1", self.attestation_1);
    f("attestation_2", self.attestation_2);
  }
};

constexpr std::uint64_t kDepositProofLength = 33;

struct Deposit {
  std::vector<Root> proof;
  struct Data {
    Pubkey pubkey{};
    Root withdrawal_credentials{};
    Gwei amount = 0;
    Signature signature{};

    static constexpr bool kFixed = true;
    template <class Self, class F>
    static void visit(Self& self, const Spec&, F&& f) {
      f("pubkey", self.pubkey);
      f("withdrawal_credentials", self.withdrawal_credentials);
      f("amount", self.amount);
      f("signature", self.signature);
    }
  } data;

  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("proof", ssz::as_vector(self.proof, kDepositProofLength));
    f("data", self.data);
  }
};

struct SignedVoluntaryExit {
  struct VoluntaryExit {
    Epoch epoch = 0;
    ValidatorIndex validator_index = 0;

    static constexpr bool kFixed = true;
    template <class Self, class F>
    static void visit(Self& self, const Spec&, F&& f) {
      f("epoch", self.epoch);
      f("validator_index", self.validator_index);
    }
  } message;
  Signature signature{};

  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("message", self.message);
    f("signature", self.signature);
  }
};

struct SyncAggregate {
  ssz::Bits sync_committee_bits;
  Signature sync_committee_signature{};

  static constexpr bool kFixed = true;
  template <class Self, class F>
  static void visit(Self& self, const Spec& spec, F&& f) {
    f("sync_committee_bits", ssz::as_bits(self.sync_committee_bits, spec.sync_committee_size));
    f("sync_committee_signature", self.sync_committee_signature);
  }
};

struct BlockBody {
  Signature randao_reveal{};
  Eth1Data eth1_data;
  Root graffiti{};
  std::vector<ProposerSlashing> proposer_slashings;
  std::vector<AttesterSlashing> attester_slashings;
  std::vector<Attestation> attestations;
  std::vector<Deposit> deposits;
  std::vector<SignedVoluntaryExit> voluntary_exits;
  SyncAggregate sync_aggregate;

  static constexpr bool kFixed = false;
  template <class Self, class F>
  static void visit(Self& self, const Spec& spec, F&& f) {
    f("randao_reveal", self.randao_reveal);
    f("eth1_data", self.eth1_data);
    f("graffiti", self.graffiti);
    f("proposer_slashings", ssz::as_list(self.proposer_slashings, spec.max_proposer_slashings));
    f("attester_slashings", ssz::as_list(self.attester_slashings, spec.max_attester_slashings));
    f("attestations", ssz::as_list(self.attestations, spec.max_attestations));
    f("deposits", ssz::as_list(self.deposits, spec.max_deposits));
    f("voluntary_exits", ssz::as_list(self.voluntary_exits, spec.max_voluntary_exits));
    f("sync_aggregate", self.sync_aggregate);
  }
};

struct Block {
  Slot slot = 0;
  ValidatorIndex proposer_index = 0;
  Root parent_root{};
  Root state_root{};
  BlockBody body;

  static constexpr bool kFixed = false;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("slot", self.slot);
    f("proposer_index", self.proposer_index);
    f("parent_root", self.parent_root);
    f("state_root", self.state_root);
    f("body", self.body);
  }
};

struct SignedBlock {
  Block message;
  Signature signature{};

  static constexpr bool kFixed = false;
  template <class Self, class F>
  static void visit(Self& self, const Spec&, F&& f) {
    f("message", self.message);
    f("signature", self.signature);
  }
};

// Errors: `where` begins with the name and says which field.
Result<SignedBlock> decode_block(View bytes, const Spec& spec, const std::string& name);
std::vector<std::uint8_t> encode_block(const SignedBlock& block, const Spec& spec);

Root root_of(const BlockBody& body, const Spec& spec);
Root root_of(const Block& block, const Spec& spec);

}  // namespace beacon::spec
