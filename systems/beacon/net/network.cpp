// SPDX-License-Identifier: Apache-2.0
#include "beacon/net/network.hpp"

#include <memory>
#include <optional>

#include "beacon/hash/sha256.hpp"
#include "beacon/synthetic/block.hpp"
#include "beacon/synthetic/state.hpp"

namespace beacon::net {
namespace {

using transition::CachedState;

// A network of its own rules may add public keys up as it likes: a digest stands for BLS.
Result<Pubkey> digest_of_keys(std::span<const Pubkey> keys) {
  Root digest{};
  for (const Pubkey& key : keys) digest = hash::sha256({digest, key});
  Pubkey sum{};
  std::copy(digest.begin(), digest.end(), sum.begin());
  return sum;
}

struct Rules {
  spec::Spec before, after;
  spec::Epoch fork_epoch = 0;
};

Rules rules_of(char kind, const NetworkRequest& request) {
  Rules rules{spec::minimal(), spec::minimal(), request.fork_epoch};
  rules.after.inactivity_penalty_quotient = 1u << 24;
  rules.after.min_slashing_penalty_quotient = 32;
  rules.after.proportional_slashing_multiplier = 3;
  if (kind != 'B') return rules;
  if (request.difference == Difference::late_fork) ++rules.fork_epoch;
  if (request.difference == Difference::old_penalty)
    rules.after.inactivity_penalty_quotient = rules.before.inactivity_penalty_quotient;
  return rules;
}

// A participant's rules must outlive its state, which points at them.
struct Participant {
  char kind = 'A';
  std::shared_ptr<const Rules> rules;
  CachedState cached;
};

// One slot on; the upgrade comes behind the end of the epoch before the fork.
Status enter_slot(CachedState& cached, const Rules& rules, spec::Slot slot) {
  if (auto done = process_slots(cached, slot); !done) return done;
  spec::BeaconState& state = cached.state;
  if (slot != rules.before.first_slot(rules.fork_epoch)) return {};
  state.fork = {state.fork.current_version, {0xf0, 0, 0, 1}, rules.fork_epoch};
  state.spec = &rules.after;
  return {};
}

// Whether the block is taken; the state is then behind it, and otherwise as it was.
bool take_block(CachedState& cached, const spec::SignedBlock& block) {
  CachedState copy = clone(cached);
  if (!process_block(copy, block.message)) return false;
  if (root_of(copy.state) != block.message.state_root) return false;
  cached = std::move(copy);
  return true;
}

Status check_request(const NetworkRequest& request) {
  if (request.kinds.empty() || request.kinds.size() > 64 ||
      request.kinds.find_first_not_of("AB") != std::string::npos)
    return fail("'" + request.kinds + "' is no list of 1 to 64 participants", "--kinds",
                "a letter for each, A or B");
  if (request.slots == 0 || request.slots > 100'000)
    return fail("between 1 and 100000 slots can be run", "--slots");
  if (request.fork_epoch <= request.first_epoch)
    return fail("the fork must be behind epoch " + std::to_string(request.first_epoch),
                "--fork-epoch");
  return {};
}

Result<std::vector<Participant>> make_participants(const NetworkRequest& request) {
  const auto state = synthetic::make_state({.spec = &spec::minimal(),
                                            .validators = request.validators,
                                            .epoch = request.first_epoch,
                                            .seed = request.seed,
                                            .kind = synthetic::Kind::leak});
  if (!state) return fail(state.error());
  const auto cached = transition::derive(*state);
  if (!cached) return fail(cached.error());
  std::vector<Participant> participants;
  for (const char kind : request.kinds) {
    Participant one{kind, std::make_shared<const Rules>(rules_of(kind, request)), clone(*cached)};
    one.cached.state.spec = &one.rules->before;
    one.cached.aggregate_pubkeys = digest_of_keys;
    participants.push_back(std::move(one));
  }
  return participants;
}

}  // namespace

Result<Difference> difference_named(const std::string& name) {
  if (name == "none") return Difference::none;
  if (name == "late-fork") return Difference::late_fork;
  if (name == "old-penalty") return Difference::old_penalty;
  return fail("there is no difference '" + name + "'", "--difference",
              "none, late-fork and old-penalty are known");
}

std::string to_json(const Report& report) {
  return "{\"slot\":" + std::to_string(report.slot) + ",\"epoch\":" + std::to_string(report.epoch) +
         ",\"participant\":" + std::to_string(report.participant) + ",\"kind\":\"" + report.kind +
         "\",\"state_root\":\"" + to_hex(report.state_root) + "\",\"block\":\"" + report.block +
         "\",\"finalized_epoch\":" + std::to_string(report.finalized_epoch) + ",\"fork\":\"" +
         to_hex(report.fork) + "\"}";
}

Status run_network(const NetworkRequest& request,
                   const std::function<Status(const Report&)>& tell) {
  if (auto done = check_request(request); !done) return done;
  auto participants = make_participants(request);
  if (!participants) return fail(participants.error());
  Random random(request.seed);
  const spec::Slot first = participants->front().cached.state.slot + 1;
  for (spec::Slot slot = first; slot < first + request.slots; ++slot) {
    for (Participant& one : *participants)
      if (auto done = enter_slot(one.cached, *one.rules, slot); !done) return done;
    const std::size_t turn = slot % participants->size();
    CachedState& proposing = (*participants)[turn].cached;
    std::optional<spec::SignedBlock> block;
    if (!proposing.state.validators[proposing.proposer()].slashed) {
      auto made = synthetic::propose(proposing, {}, random);
      if (!made) return fail(made.error());
      block = *std::move(made);
    }
    for (std::size_t i = 0; i < participants->size(); ++i) {
      Participant& one = (*participants)[i];
      std::string what = "none";
      if (block && i == turn) what = "proposed";
      if (block && i != turn) what = take_block(one.cached, *block) ? "applied" : "refused";
      const spec::BeaconState& state = one.cached.state;
      const Report report{i,
                          one.kind,
                          slot,
                          state.current_epoch(),
                          root_of(state),
                          std::move(what),
                          state.finalized_checkpoint.epoch,
                          state.fork.current_version};
      if (auto done = tell(report); !done) return done;
    }
  }
  return {};
}

}  // namespace beacon::net
