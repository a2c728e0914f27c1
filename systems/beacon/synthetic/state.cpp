// SPDX-License-Identifier: Apache-2.0
#include "beacon/synthetic/state.hpp"

#include "beacon/base/random.hpp"

namespace beacon::synthetic {
namespace {

using spec::BeaconState;
using spec::Epoch;
using spec::Gwei;
using spec::Spec;

constexpr Epoch kEpochsOfLeak = 20;

std::vector<Root> random_roots(Random& random, std::uint64_t count) {
  std::vector<Root> roots(count);
  for (Root& root : roots) root = random.bytes<32>();
  return roots;
}

// A validator that has come, is coming, is leaving, has left or was slashed, around the epoch.
void age(spec::Validator& validator, const Spec& spec, Epoch epoch, Random& random) {
  const std::uint64_t lot = random.below(100);
  if (lot < 70) return;  // active since genesis
  if (lot < 75) {        // known, and not yet in the queue
    validator.activation_eligibility_epoch = validator.activation_epoch = spec::kFarFutureEpoch;
  } else if (lot < 82) {  // in the queue; some became eligible before the finalised epoch
    validator.activation_eligibility_epoch = epoch - random.below(30);
    validator.activation_epoch = spec::kFarFutureEpoch;
  } else if (lot < 86) {  // comes or came just now
    validator.activation_eligibility_epoch = epoch - 12;
    validator.activation_epoch = epoch - 3 + random.below(8);
  } else if (lot < 92) {  // leaves or left just now
    validator.exit_epoch = epoch - 3 + random.below(9);
    validator.withdrawable_epoch = validator.exit_epoch + spec.min_validator_withdrawability_delay;
  } else if (lot < 94) {  // can withdraw
    validator.exit_epoch = epoch - 20;
    validator.withdrawable_epoch = epoch - 2 + random.below(4);
  } else {  // slashed; for some the penalty is due at this epoch's end
    validator.slashed = true;
    validator.exit_epoch = epoch - 2 + random.below(8);
    validator.withdrawable_epoch =
        epoch + spec.epochs_per_slashings_vector / 2 - 1 + random.below(3);
  }
}

Gwei any_balance(Random& random) {
  switch (random.below(6)) {
    case 0:
      return 15'000'000'000 + random.below(2'000'000'000);  // about to be ejected
    case 1:
      return random.below(100'000);  // next to nothing
    case 2:
      return 31'000'000'000 + random.below(3'000'000'000);  // around the hysteresis
    default:
      return 32'000'000'000 + random.below(1'000'000'000);
  }
}

Gwei effective_of(const Spec& spec, Gwei balance, Random& random) {
  const Gwei step = spec.effective_balance_increment;
  Gwei effective = std::min(balance - balance % step, spec.max_effective_balance);
  if (random.percent(20) && effective >= step) effective -= step;  // it lags behind the balance
  return effective;
}

void add_validators(BeaconState& state, const StateRequest& request, Epoch epoch, Random& random) {
  const Spec& spec = *state.spec;
  const bool healthy = request.kind == Kind::healthy;
  for (std::uint64_t i = 0; i < request.validators; ++i) {
    spec::Validator validator;
    validator.pubkey = request.pubkeys.empty() ? random.bytes<48>() : request.pubkeys[i];
    validator.withdrawal_credentials = random.bytes<32>();
    validator.withdrawal_credentials[0] = 0;
    validator.activation_eligibility_epoch = validator.activation_epoch = spec::kGenesisEpoch;
    Gwei balance = spec.max_effective_balance + random.below(spec.effective_balance_increment);
    validator.effective_balance = spec.max_effective_balance;
    if (!healthy) {
      age(validator, spec, epoch, random);
      balance = any_balance(random);
      validator.effective_balance = effective_of(spec, balance, random);
    }
    state.validators.push_back(validator);
    state.balances.push_back(balance);
    const bool attests = !healthy || random.percent(98);
    const auto flags = [&] {
      if (!attests) return std::uint8_t{0};
      return static_cast<std::uint8_t>(healthy ? 7 : random.below(8));
    };
    state.previous_epoch_participation.push_back(flags());
    state.current_epoch_participation.push_back(flags());
    const std::uint64_t most = request.kind == Kind::leak ? 200 : healthy ? 2 : 60;
    state.inactivity_scores.push_back(random.percent(healthy ? 2 : 60) ? random.below(most) : 0);
  }
}

spec::SyncCommittee random_committee(const BeaconState& state, Random& random) {
  spec::SyncCommittee committee;
  for (std::uint64_t i = 0; i < state.spec->sync_committee_size; ++i)
    committee.pubkeys.push_back(state.validators[random.below(state.validators.size())].pubkey);
  committee.aggregate_pubkey = random.bytes<48>();
  return committee;
}

Status check(const StateRequest& request) {
  if (request.validators == 0 || request.validators > spec::kMostValidators)
    return fail(
        "between 1 and " + std::to_string(spec::kMostValidators) + " validators can be made",
        "--validators");
  if (!request.pubkeys.empty() && request.pubkeys.size() < request.validators)
    return fail("there are " + std::to_string(request.pubkeys.size()) + " public keys for " +
                    std::to_string(request.validators) + " validators",
                "--pubkeys");
  if (request.epoch < 2 * kEpochsOfLeak || request.epoch > (Epoch{1} << 40))
    return fail(
        "the epoch must be at least " + std::to_string(2 * kEpochsOfLeak) + ", and at most 2^40",
        "--epoch");
  return {};
}

}  // namespace

Result<Kind> kind_named(std::string_view name) {
  if (name == "healthy") return Kind::healthy;
  if (name == "mixed") return Kind::mixed;
  if (name == "leak") return Kind::leak;
  return fail("there is no kind '" + std::string(name) + "'", "--kind",
              "healthy, mixed and leak are known");
}

Result<BeaconState> make_state(const StateRequest& request) {
  if (auto done = check(request); !done) return fail(done.error());
  const Spec& spec = *request.spec;
  const Epoch epoch = request.epoch;
  Random random(request.seed);
  BeaconState state;
  state.spec = &spec;
  state.genesis_time = 1'606'824'023;
  state.genesis_validators_root = random.bytes<32>();
  state.slot = spec.first_slot(epoch + 1) - 1;
  // Altair from the beginning: who reads the state by its fork needs one version.
  state.fork = {{1, 0, 0, 0}, {1, 0, 0, 0}, 0};
  state.latest_block_header = {state.slot, 0, random.bytes<32>(), Root{}, random.bytes<32>()};
  state.block_roots = random_roots(random, spec.slots_per_historical_root);
  state.state_roots = random_roots(random, spec.slots_per_historical_root);
  state.historical_roots = random_roots(random, state.slot / spec.slots_per_historical_root);
  state.eth1_data = {random.bytes<32>(), request.validators, random.bytes<32>()};
  state.eth1_data_votes.assign(spec.eth1_votes_limit() / 4, state.eth1_data);
  state.eth1_deposit_index = request.validators;
  add_validators(state, request, epoch, random);
  state.randao_mixes = random_roots(random, spec.epochs_per_historical_vector);
  state.slashings.assign(spec.epochs_per_slashings_vector, 0);
  if (request.kind != Kind::healthy)
    for (int i = 0; i < 5; ++i)
      state.slashings[random.below(state.slashings.size())] = 32'000'000'000 * random.below(20);
  const Epoch finalized = request.kind == Kind::leak ? epoch - kEpochsOfLeak : epoch - 2;
  state.justification_bits.bytes[0] = request.kind == Kind::leak ? 0 : 0b0110;
  state.previous_justified_checkpoint = {finalized, random.bytes<32>()};
  state.current_justified_checkpoint = {request.kind == Kind::leak ? finalized + 1 : epoch - 1,
                                        random.bytes<32>()};
  state.finalized_checkpoint = {finalized, state.previous_justified_checkpoint.root};
  state.current_sync_committee = random_committee(state, random);
  state.next_sync_committee = random_committee(state, random);
  return state;
}

}  // namespace beacon::synthetic
