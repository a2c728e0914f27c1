// SPDX-License-Identifier: Apache-2.0
#include "beacon/suite/fixtures.hpp"

#include <filesystem>

#include "beacon/base/files.hpp"
#include "beacon/synthetic/state.hpp"

namespace beacon::suite {

void need_caches(CachedState& state) {
  if (state.caches) return;
  auto caches = transition::derive_caches(state.state);
  BEACON_CHECK(caches, "a fixture's caches can be derived");
  state.caches = *std::move(caches);
}

std::string Fixtures::path_of(std::uint64_t validators) const {
  return settings_.state_folder + "/altair-mainnet-" + std::to_string(validators) + ".v1.ssz";
}

Status Fixtures::make_file(std::uint64_t validators) const {
  const std::string path = path_of(validators);
  std::error_code error;
  if (std::filesystem::exists(path, error)) return {};
  std::filesystem::create_directories(settings_.state_folder, error);
  if (error) return fail("cannot be made: " + error.message(), settings_.state_folder);
  const auto state = synthetic::make_state({.spec = &spec::mainnet(), .validators = validators});
  if (!state) return fail(state.error());
  return write_file(path, encode_state(*state));
}

Status Fixtures::begin() {
  for (const std::uint64_t validators : {settings_.validators, settings_.small_validators()})
    if (auto done = make_file(validators); !done) return done;
  if (settings_.switches.release_after_setup) return {};
  const auto made = large(true);
  if (!made) return fail(made.error());
  return {};
}

Result<std::shared_ptr<const Fixture>> Fixtures::load(std::uint64_t validators, bool warm) const {
  auto state = spec::read_state(path_of(validators), spec::mainnet());
  if (!state) {
    Error error = state.error();
    error.hint = "remove the file: it is made anew";
    return fail(std::move(error));
  }
  if (state->validators.size() != validators)
    return fail("has " + std::to_string(state->validators.size()) + " validators",
                path_of(validators), "remove the file: it is made anew");
  auto fixture = std::make_shared<Fixture>(Fixture{*std::move(state), nullptr});
  if (warm) {
    auto caches = transition::derive_caches(fixture->state);
    if (!caches) return fail(caches.error());
    fixture->caches = *std::move(caches);
  }
  return fixture;
}

Result<std::shared_ptr<const Fixture>> Fixtures::large(bool warm) {
  // What nobody keeps is made whole in the setup: nothing is left for the timing.
  if (settings_.switches.release_after_setup) return load(settings_.validators, true);
  if (large_ && (large_->caches || !warm)) return large_;
  auto made = load(settings_.validators, warm);
  if (made) large_ = *made;
  return made;
}

Result<std::shared_ptr<const Fixture>> Fixtures::small() {
  if (small_) return small_;
  auto made = load(settings_.small_validators(), true);
  if (made && !settings_.switches.only_default_cached && !settings_.switches.release_after_setup)
    small_ = *made;
  return made;
}

void Fixtures::leave_small_under_large(std::shared_ptr<const Fixture> small) {
  large_ = std::move(small);
}

Result<std::shared_ptr<const ForkStates>> Fixtures::forks() {
  if (forks_) return forks_;
  const auto base = large(true);
  if (!base) return fail(base.error());
  auto made = make_fork_states(**base);
  if (settings_.switches.resident_forks && !settings_.switches.release_after_setup) forks_ = made;
  return made;
}

void Fixtures::clear() {
  large_.reset();
  small_.reset();
  forks_.reset();
}

CachedState Fixtures::copy(const Fixture& fixture) const {
  if (settings_.switches.copies == Copies::without_caches) return {fixture.state, nullptr};
  if (settings_.switches.copies == Copies::with_caches && fixture.caches)
    return clone_with_caches(fixture);
  return clone(fixture);
}

}  // namespace beacon::suite
