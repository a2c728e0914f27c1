// SPDX-License-Identifier: Apache-2.0
// What a block carries besides itself.
#include <algorithm>

#include "beacon/hash/sha256.hpp"
#include "beacon/ssz/root.hpp"
#include "beacon/transition/block.hpp"
#include "beacon/transition/validators.hpp"

namespace beacon::transition {
namespace {

Status process_proposer_slashing(CachedState& cached, const spec::ProposerSlashing& slashing) {
  const spec::BlockHeader& one = slashing.signed_header_1.message;
  const spec::BlockHeader& two = slashing.signed_header_2.message;
  const char* where = "proposer slashing";
  if (one.slot != two.slot || one.proposer_index != two.proposer_index)
    return fail("the headers are of two slots or two proposers", where);
  if (root_of(one, cached.spec()) == root_of(two, cached.spec()))
    return fail("the headers are the same", where);
  if (one.proposer_index >= cached.state.validators.size() ||
      !is_slashable(cached.state.validators[one.proposer_index], cached.state.current_epoch()))
    return fail("validator " + std::to_string(one.proposer_index) + " cannot be slashed", where);
  slash_validator(cached, one.proposer_index);
  return {};
}

bool is_slashable_pair(const spec::AttestationData& one, const spec::AttestationData& two,
                       const Spec& spec) {
  const bool is_double =
      ssz::root(spec, one) != ssz::root(spec, two) && one.target.epoch == two.target.epoch;
  const bool surrounds = one.source.epoch < two.source.epoch && two.target.epoch < one.target.epoch;
  return is_double || surrounds;
}

bool is_indexed(const BeaconState& state, const std::vector<spec::ValidatorIndex>& indices) {
  return !indices.empty() && indices.back() < state.validators.size() &&
         std::adjacent_find(indices.begin(), indices.end(), std::greater_equal<>()) ==
             indices.end();
}

Status process_attester_slashing(CachedState& cached, const spec::AttesterSlashing& slashing) {
  const char* where = "attester slashing";
  const spec::IndexedAttestation& one = slashing.attestation_1;
  const spec::IndexedAttestation& two = slashing.attestation_2;
  if (!is_slashable_pair(one.data, two.data, cached.spec()))
    return fail("the attestations may both be made", where);
  if (!is_indexed(cached.state, one.attesting_indices) ||
      !is_indexed(cached.state, two.attesting_indices))
    return fail("the validators are not in ascending order", where);
  std::vector<spec::ValidatorIndex> both;
  std::set_intersection(one.attesting_indices.begin(), one.attesting_indices.end(),
                        two.attesting_indices.begin(), two.attesting_indices.end(),
                        std::back_inserter(both));
  bool any = false;
  for (const spec::ValidatorIndex index : both) {
    if (!is_slashable(cached.state.validators[index], cached.state.current_epoch())) continue;
    slash_validator(cached, index);
    any = true;
  }
  if (!any) return fail("nobody who made both can be slashed", where);
  return {};
}

// leaf and branch give the root; one hash for each level.
bool is_in_tree(const Root& leaf, std::span<const Root> branch, std::uint64_t index,
                const Root& root) {
  Root value = leaf;
  for (const Root& sibling : branch) {
    if (index % 2 == 1) {
      hash::hash_pair(sibling, value, value);
    } else {
      hash::hash_pair(value, sibling, value);
    }
    index /= 2;
  }
  return value == root;
}

Status process_deposit(CachedState& cached, const spec::Deposit& deposit) {
  BeaconState& state = cached.state;
  const std::string where = "deposit " + std::to_string(state.eth1_deposit_index);
  if (!is_in_tree(ssz::root(cached.spec(), deposit.data), deposit.proof, state.eth1_deposit_index,
                  state.eth1_data.deposit_root))
    return fail("it is not in the tree of deposits", where);
  const auto found = cached.caches->pubkeys->find(deposit.data.pubkey);
  if (found == cached.caches->pubkeys->end())
    return fail(
        "a new validator's signature would have to be verified, and this program has no BLS", where,
        "only deposits of known validators are taken");
  ++state.eth1_deposit_index;
  increase_balance(state, found->second, deposit.data.amount);
  return {};
}

Status process_voluntary_exit(CachedState& cached, const spec::SignedVoluntaryExit& signed_exit) {
  BeaconState& state = cached.state;
  const auto& exit = signed_exit.message;
  const std::string where = "voluntary exit of validator " + std::to_string(exit.validator_index);
  const Epoch current = state.current_epoch();
  if (exit.validator_index >= state.validators.size())
    return fail("there is no such validator", where);
  const spec::Validator& validator = state.validators[exit.validator_index];
  if (!validator.is_active(current)) return fail("it is not active", where);
  if (validator.exit_epoch != spec::kFarFutureEpoch) return fail("it leaves already", where);
  if (current < exit.epoch) return fail("not before epoch " + std::to_string(exit.epoch), where);
  if (current < validator.activation_epoch + cached.spec().shard_committee_period)
    return fail("it has not been active for long enough", where);
  ExitQueue(cached).join(state, exit.validator_index);
  return {};
}

}  // namespace

Status process_operations(CachedState& cached, const spec::BlockBody& body) {
  const BeaconState& state = cached.state;
  if (state.eth1_data.deposit_count < state.eth1_deposit_index)
    return fail("more deposits were taken than there are", "eth1_deposit_index");
  const std::uint64_t due = std::min(cached.spec().max_deposits,
                                     state.eth1_data.deposit_count - state.eth1_deposit_index);
  if (body.deposits.size() != due)
    return fail("the block has " + std::to_string(body.deposits.size()) + " deposits, and " +
                    std::to_string(due) + " are due",
                "deposits");
  const auto each = [&](const auto& list, auto process) -> Status {
    for (const auto& operation : list)
      if (auto done = process(cached, operation); !done) return done;
    return {};
  };
  if (auto done = each(body.proposer_slashings, process_proposer_slashing); !done) return done;
  if (auto done = each(body.attester_slashings, process_attester_slashing); !done) return done;
  if (auto done = each(body.attestations, process_attestation); !done) return done;
  if (auto done = each(body.deposits, process_deposit); !done) return done;
  return each(body.voluntary_exits, process_voluntary_exit);
}

}  // namespace beacon::transition
