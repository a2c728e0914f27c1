// SPDX-License-Identifier: Apache-2.0
// The order is part of the suite: state_root, whose teardown clears the cache at step 4, and
// small_state, which leaves a small state behind at step 7, come before units that ask for the
// default fixture; clones asks for one whose caches are there, and so repairs what step 4 did.
#include "beacon/suite/units.hpp"

#include <numeric>

#include "beacon/synthetic/block.hpp"
#include "beacon/transition/attestation.hpp"
#include "beacon/transition/epoch.hpp"

namespace beacon::suite {
namespace {

using transition::EpochFacts;

// What the benchmarks of one unit derived for themselves from a fixture that came without caches,
// as a file keeps its state between its benchmarks.
struct Kept {
  std::shared_ptr<const Fixture> fixture;
  std::shared_ptr<const Caches> caches;
};
using Keep = std::shared_ptr<Kept>;

// One benchmark at work.
struct Scene {
  Fixtures& fixtures;
  Keep kept;
  std::shared_ptr<const Fixture> fixture;
  CachedState copy = {};
  EpochFacts facts = {};

  // A fresh copy, outside the timing.
  void begin_iteration() {
    copy = fixtures.copy(*fixture);
    if (!copy.caches && fixtures.keeps_caches() && kept->fixture == fixture)
      copy.caches = kept->caches;
  }
  // Inside the timing; nothing to do unless the cache was cleared, or caches are never kept.
  void need_caches() {
    if (copy.caches) return;
    suite::need_caches(copy);
    if (fixtures.keeps_caches()) *kept = {fixture, copy.caches};
  }
};

// How an iteration's copy is made ready; then the work on it.
using Change = std::function<void(CachedState&)>;
using Work = std::function<void(Scene&)>;

Prepared on_copies(Fixtures& fixtures, const Keep& kept, std::shared_ptr<const Fixture> fixture,
                   Work work, Change change = {}) {
  const std::uint64_t validators = fixture->state.validators.size();
  auto scene = std::make_shared<Scene>(Scene{fixtures, kept, std::move(fixture)});
  Measured measured;
  measured.prepare = [scene, change] {
    scene->begin_iteration();
    if (change) change(scene->copy);
  };
  measured.work = [scene, work = std::move(work)] {
    scene->need_caches();
    work(*scene);
  };
  return {std::move(measured), validators};
}

// A benchmark of the default fixture.
BenchmarkCase default_case(std::string name, const Keep& kept, Work work, Change change = {}) {
  return {std::move(name), false, [kept, work, change](Fixtures& fixtures) -> Result<Prepared> {
            auto fixture = fixtures.large();
            if (!fixture) return fail(fixture.error());
            return on_copies(fixtures, kept, *fixture, work, change);
          }};
}

// The facts of the epoch are found outside the timing where the caches are there, and inside
// otherwise.
BenchmarkCase epoch_step(std::string name, const Keep& kept,
                         void (*step)(CachedState&, const EpochFacts&), Change change = {}) {
  return {std::move(name), false, [kept, step, change](Fixtures& fixtures) -> Result<Prepared> {
            auto fixture = fixtures.large();
            if (!fixture) return fail(fixture.error());
            auto scene = std::make_shared<Scene>(Scene{fixtures, kept, *fixture});
            Measured measured;
            measured.prepare = [scene, change] {
              scene->begin_iteration();
              if (change) change(scene->copy);
              if (scene->copy.caches) scene->facts = find_epoch_facts(scene->copy);
            };
            measured.work = [scene, step] {
              if (!scene->copy.caches) {
                scene->need_caches();
                scene->facts = find_epoch_facts(scene->copy);
              }
              step(scene->copy, scene->facts);
            };
            return Prepared{std::move(measured), (*fixture)->state.validators.size()};
          }};
}

void stop_finality(CachedState& cached) { cached.state.finalized_checkpoint.epoch -= 20; }

// The flags of a share of the committees of the last slots.
Work set_status_of(unsigned part, unsigned parts) {
  return [part, parts](Scene& scene) {
    const CachedState& cached = scene.copy;
    const auto& shuffling = *cached.caches->current;
    const spec::Slot slot = cached.state.slot - 1;
    const std::uint64_t count =
        std::max<std::uint64_t>(1, shuffling.committees_per_slot * part / parts);
    for (std::uint64_t index = 0; index < count; ++index) {
      const auto committee = shuffling.committee(cached.spec(), slot, index);
      ssz::Bits all{std::vector<std::uint8_t>((committee.size() + 7) / 8, 0xff), committee.size()};
      transition::set_status(scene.copy.state.current_epoch_participation, committee, all, 7,
                             cached.caches->effective_increments);
    }
  };
}

// Who attested is forgotten, so that there is something to set.
void forget_participation(CachedState& cached) {
  auto& flags = cached.state.current_epoch_participation;
  std::fill(flags.begin(), flags.end(), std::uint8_t{0});
}

BenchmarkCase attestation_case(std::string name, const Keep& kept, std::uint64_t slots) {
  return {std::move(name), false, [kept, slots](Fixtures& fixtures) -> Result<Prepared> {
            auto fixture = fixtures.large();
            if (!fixture) return fail(fixture.error());
            // The attestations are part of the setup, on caches of its own if need be.
            CachedState builder = **fixture;
            suite::need_caches(builder);
            Random random(5);
            auto attestations = std::make_shared<std::vector<spec::Attestation>>();
            for (std::uint64_t back = 1; back <= slots; ++back)
              for (std::uint64_t i = 0; i < builder.caches->current->committees_per_slot; ++i)
                if (attestations->size() < builder.spec().max_attestations)
                  attestations->push_back(synthetic::make_attestation(
                      builder, builder.state.slot - back, i, 90, random));
            const Work work = [attestations](Scene& scene) {
              for (const spec::Attestation& attestation : *attestations) {
                const auto done = process_attestation(scene.copy, attestation);
                BEACON_CHECK(done, "the attestations are valid");
              }
            };
            Prepared prepared = on_copies(fixtures, kept, *fixture, work, forget_participation);
            prepared.attestations = attestations->size();
            return prepared;
          }};
}

void end_the_epoch(Scene& scene) {
  const auto done = process_epoch(scene.copy);
  BEACON_CHECK(done, "the epoch is not the last one of a sync committee");
}

BenchmarkCase small_epoch(bool leaves_it) {
  return {"process_epoch/small", false, [leaves_it](Fixtures& fixtures) -> Result<Prepared> {
            auto fixture = fixtures.small();
            if (!fixture) return fail(fixture.error());
            if (leaves_it) fixtures.leave_small_under_large(*fixture);
            return on_copies(fixtures, std::make_shared<Kept>(), *fixture, end_the_epoch);
          }};
}

// A benchmark of the default fixture that works on no copy; its caches are asked for in the setup.
BenchmarkCase warm_case(std::string name, std::function<void(const Fixture&)> work) {
  return {std::move(name), true, [work](Fixtures& fixtures) -> Result<Prepared> {
            auto fixture = fixtures.large(true);
            if (!fixture) return fail(fixture.error());
            return Prepared{{[] {}, [fixture = *fixture, work] { work(*fixture); }},
                            (*fixture)->state.validators.size()};
          }};
}

BenchmarkCase root_case() {
  return {"hash_tree_root", true, [](Fixtures& fixtures) -> Result<Prepared> {
            auto fixture = fixtures.large();
            if (!fixture) return fail(fixture.error());
            return Prepared{{[] {}, [fixture = *fixture] { root_of(fixture->state); }},
                            (*fixture)->state.validators.size()};
          }};
}

std::vector<BenchmarkCase> shuffling_cases(const Settings& settings) {
  const std::uint64_t count = settings.validators;
  const auto list = [count](Fixtures&) -> Result<Prepared> {
    auto indices = std::make_shared<std::vector<transition::Index>>(count);
    std::iota(indices->begin(), indices->end(), 0u);
    return Prepared{{[] {}, [indices] { transition::shuffle_list(*indices, Root{7}, 90); }}, count};
  };
  const auto single = [count](Fixtures&) -> Result<Prepared> {
    return Prepared{{[] {},
                     [count] {
                       for (std::uint64_t i = 0; i < 32; ++i)
                         transition::compute_shuffled_index(i * (count / 32), count, Root{7}, 90);
                     }},
                    count};
  };
  return {{"shuffle_list", true, list}, {"compute_shuffled_index/32", false, single}};
}

std::vector<BenchmarkCase> ssz_cases() {
  const auto file = [](Fixtures& fixtures) -> Result<Prepared> {
    auto fixture = fixtures.large();
    if (!fixture) return fail(fixture.error());
    auto bytes = std::make_shared<std::vector<std::uint8_t>>(encode_state((*fixture)->state));
    const auto work = [bytes] {
      const auto state = spec::decode_state(*bytes, spec::mainnet(), "fixture");
      BEACON_CHECK(state, "what was written can be read");
    };
    return Prepared{{[] {}, work}, (*fixture)->state.validators.size()};
  };
  const auto encode = [](Fixtures& fixtures) -> Result<Prepared> {
    auto fixture = fixtures.large();
    if (!fixture) return fail(fixture.error());
    return Prepared{{[] {}, [fixture = *fixture] { encode_state(fixture->state); }},
                    (*fixture)->state.validators.size()};
  };
  return {{"decode", true, file}, {"encode", true, encode}};
}

BenchmarkCase fork_case(std::string name, std::function<void(const ForkStates&)> work) {
  return {std::move(name), true, [work](Fixtures& fixtures) -> Result<Prepared> {
            auto forks = fixtures.forks();
            if (!forks) return fail(forks.error());
            return Prepared{{[] {}, [forks = *forks, work] { work(*forks); }},
                            (*forks)->phase0.common.state.validators.size()};
          }};
}

}  // namespace

std::vector<Unit> make_units(const Settings& settings) {
  const Switches& switches = settings.switches;
  std::vector<Unit> units;
  const auto keep = [] { return std::make_shared<Kept>(); };
  units.push_back({"state_root", {root_case()}});
  if (switches.clear_in_teardown)
    units.back().tear_down = [](Fixtures& fixtures) { fixtures.clear(); };
  units.push_back({"small_state", {small_epoch(switches.small_under_large)}});
  Keep kept = keep();
  const auto set_status = [&](std::string name, unsigned part, unsigned parts) {
    return default_case(std::move(name), kept, set_status_of(part, parts), forget_participation);
  };
  units.push_back({"set_status",
                   {set_status("1_6_committees", 1, 6), set_status("1_3_committees", 1, 3),
                    set_status("1_2_committees", 1, 2), set_status("all_committees", 1, 1)}});
  kept = keep();
  units.push_back(
      {"process_attestation",
       {attestation_case("normalcase", kept, 1), attestation_case("worstcase", kept, 31)}});
  using transition::process_inactivity_updates, transition::process_rewards_and_penalties;
  kept = keep();
  units.push_back({"process_inactivity_updates",
                   {epoch_step("normalcase", kept, process_inactivity_updates),
                    epoch_step("worstcase", kept, process_inactivity_updates, stop_finality)}});
  kept = keep();
  units.push_back({"process_rewards_and_penalties",
                   {epoch_step("normalcase", kept, process_rewards_and_penalties),
                    epoch_step("worstcase", kept, process_rewards_and_penalties, stop_finality)}});
  units.push_back(
      {"clones",
       {warm_case("clone", [](const Fixture& fixture) { clone(fixture); }),
        warm_case("clone_with_caches", [](const Fixture& fixture) { clone_with_caches(fixture); }),
        warm_case("derive_caches", [](const Fixture& fixture) {
          const auto caches = transition::derive_caches(fixture.state);
          BEACON_CHECK(caches, "a fixture's caches can be derived");
        })}});
  units.push_back({"process_epoch", {default_case("normalcase", keep(), end_the_epoch)}});
  units.push_back({"shuffling", shuffling_cases(settings)});
  units.push_back({"ssz", ssz_cases()});
  units.push_back(
      {"other_forks",
       {fork_case("translate_participation",
                  [](const ForkStates& forks) { translate_participation(forks.phase0); }),
        fork_case("clone_bellatrix",
                  [](const ForkStates& forks) { clone(forks.bellatrix.common); })}});
  return units;
}

}  // namespace beacon::suite
