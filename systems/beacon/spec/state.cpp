// SPDX-License-Identifier: Apache-2.0
#include "beacon/spec/state.hpp"

#include "beacon/base/files.hpp"
#include "beacon/ssz/decode.hpp"
#include "beacon/ssz/encode.hpp"
#include "beacon/ssz/root.hpp"

namespace beacon::spec {
namespace {

Status check_lengths(const BeaconState& state, const std::string& name) {
  const std::size_t validators = state.validators.size();
  const std::pair<const char*, std::size_t> lists[] = {
      {"balances", state.balances.size()},
      {"previous_epoch_participation", state.previous_epoch_participation.size()},
      {"current_epoch_participation", state.current_epoch_participation.size()},
      {"inactivity_scores", state.inactivity_scores.size()}};
  for (const auto& [list, size] : lists)
    if (size != validators)
      return fail("has " + std::to_string(size) + " elements, and there are " +
                      std::to_string(validators) + " validators",
                  name + "." + list);
  return {};
}

Status check_balances(const BeaconState& state, const std::string& name) {
  const Spec& spec = *state.spec;
  for (std::size_t i = 0; i < state.validators.size(); ++i) {
    const Gwei balance = state.validators[i].effective_balance;
    if (balance > spec.max_effective_balance || balance % spec.effective_balance_increment != 0)
      return fail("an effective balance of " + std::to_string(balance) + " Gwei is none",
                  name + ".validators[" + std::to_string(i) + "]");
  }
  return {};
}

// The transition adds to these; a chain's own are far below, and a sum that began here cannot wrap.
Status check_sums(const BeaconState& state, const std::string& name) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  if (state.slot > kMost)
    return fail("a slot of " + std::to_string(state.slot) + " is beyond 2^60", name + ".slot");
  const std::pair<const char*, const std::vector<std::uint64_t>*> lists[] = {
      {"balances", &state.balances}, {"inactivity_scores", &state.inactivity_scores}};
  for (const auto& [list, values] : lists)
    for (std::size_t i = 0; i < values->size(); ++i)
      if ((*values)[i] > kMost)
        return fail(std::to_string((*values)[i]) + " is beyond 2^60",
                    name + "." + list + "[" + std::to_string(i) + "]");
  std::uint64_t sum = 0;
  for (const Gwei slashed : state.slashings) {
    if (slashed > kMost - sum) return fail("their sum is beyond 2^60", name + ".slashings");
    sum += slashed;
  }
  return {};
}

}  // namespace

Result<BeaconState> decode_state(View bytes, const Spec& spec, const std::string& name) {
  // The registry's limit, 2^40, is a matter of the tree; what is read is bounded by memory.
  Spec bounded = spec;
  bounded.validator_registry_limit = kMostValidators;
  auto state = ssz::decode<BeaconState>(bytes, bounded, name);
  if (!state) return state;
  state->spec = &spec;
  if (auto done = check_lengths(*state, name); !done) return fail(done.error());
  if (auto done = check_balances(*state, name); !done) return fail(done.error());
  if (auto done = check_sums(*state, name); !done) return fail(done.error());
  return state;
}

Result<BeaconState> read_state(const std::string& path, const Spec& spec) {
  const auto bytes = read_file(path, kMostStateBytes);
  if (!bytes) return fail(bytes.error());
  auto state = decode_state(*bytes, spec, path);
  if (!state && state.error().hint.empty())
    return fail(Error{state.error().what, state.error().where,
                      "read as an Altair BeaconState of the preset " + std::string(spec.name)});
  return state;
}

std::vector<std::uint8_t> encode_state(const BeaconState& state) {
  const std::size_t about = 139 * state.validators.size() +
                            32 * (2 * state.block_roots.size() + state.randao_mixes.size()) +
                            8 * state.slashings.size() + 65536;
  return ssz::encode(*state.spec, state, about);
}

Root root_of(const BeaconState& state) { return ssz::root(*state.spec, state); }
Root root_of(const BlockHeader& header, const Spec& spec) { return ssz::root(spec, header); }
Root root_of(const HistoricalBatch& batch, const Spec& spec) { return ssz::root(spec, batch); }

}  // namespace beacon::spec
