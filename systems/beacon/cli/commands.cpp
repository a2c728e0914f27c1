// SPDX-License-Identifier: Apache-2.0
#include "beacon/cli/commands.hpp"

#include <cstdio>

#include "beacon/base/files.hpp"
#include "beacon/synthetic/block.hpp"
#include "beacon/synthetic/state.hpp"
#include "beacon/transition/epoch.hpp"

namespace beacon::cli {
namespace {

constexpr std::uint64_t kMostBlockBytes = std::uint64_t{16} << 20;

void print_state(const spec::BeaconState& state) {
  std::printf("{\"slot\":%llu,\"validators\":%zu,\"state_root\":\"%s\"}\n",
              static_cast<unsigned long long>(state.slot), state.validators.size(),
              to_hex(root_of(state)).c_str());
  std::fflush(stdout);
}

Status save(const spec::BeaconState& state, const std::string& path) {
  if (path.empty()) return {};
  return write_file(path, encode_state(state));
}

Result<std::vector<Pubkey>> read_pubkeys(const std::string& path) {
  std::vector<Pubkey> keys;
  if (path.empty()) return keys;
  const auto bytes = read_file(path, spec::kMostValidators * sizeof(Pubkey));
  if (!bytes) return fail(bytes.error());
  if (bytes->size() % sizeof(Pubkey) != 0)
    return fail("is no whole number of public keys of 48 bytes", path);
  keys.resize(bytes->size() / sizeof(Pubkey));
  if (!keys.empty()) std::memcpy(keys.data(), bytes->data(), bytes->size());
  return keys;
}

Result<spec::BeaconState> load_state(const Options& options) {
  const auto spec = spec::spec_named(options.preset);
  if (!spec) return fail(spec.error());
  return spec::read_state(options.state, **spec);
}

Result<transition::CachedState> load_cached(const Options& options) {
  auto state = load_state(options);
  if (!state) return fail(state.error());
  return transition::derive(*std::move(state));
}

}  // namespace

Status make_state(const Options& options) {
  const auto spec = spec::spec_named(options.preset);
  if (!spec) return fail(spec.error());
  const auto kind = synthetic::kind_named(options.kind);
  if (!kind) return fail(kind.error());
  auto keys = read_pubkeys(options.pubkeys);
  if (!keys) return fail(keys.error());
  const auto state = synthetic::make_state(
      {*spec, options.validators, options.epoch, options.seed, *kind, *std::move(keys)});
  if (!state) return fail(state.error());
  if (auto done = save(*state, options.output); !done) return done;
  print_state(*state);
  return {};
}

Status print_root(const Options& options) {
  const auto state = load_state(options);
  if (!state) return fail(state.error());
  print_state(*state);
  return {};
}

Status end_epoch(const Options& options) {
  auto cached = load_cached(options);
  if (!cached) return fail(cached.error());
  if (auto done = process_epoch(*cached); !done) return done;
  print_state(cached->state);
  return save(cached->state, options.output);
}

Status go_to_slot(const Options& options) {
  auto cached = load_cached(options);
  if (!cached) return fail(cached.error());
  if (auto done = process_slots(*cached, options.slot); !done) return done;
  print_state(cached->state);
  return save(cached->state, options.output);
}

Status make_blocks(const Options& options) {
  auto cached = load_cached(options);
  if (!cached) return fail(cached.error());
  Random random(options.seed);
  for (std::uint64_t i = 0; i < options.blocks; ++i) {
    synthetic::BlockRequest request;
    request.skipped_slots = random.percent(15) ? 1 : 0;
    request.attesting_percent = static_cast<unsigned>(random.below(101));
    request.sync_percent = static_cast<unsigned>(random.below(101));
    request.slashings_and_exits = options.operations && random.percent(30);
    const auto block = extend(*cached, request, random);
    if (!block) return fail(block.error());
    // Of one width, so that a shell gives them in order.
    const std::string number = std::to_string(1'000'000 + i).substr(1) + ".ssz";
    if (auto done =
            write_file(options.output + "/block-" + number, encode_block(*block, cached->spec()));
        !done)
      return done;
    print_state(cached->state);
  }
  return {};
}

Status apply_blocks(const Options& options) {
  auto cached = load_cached(options);
  if (!cached) return fail(cached.error());
  for (const std::string& path : options.inputs) {
    const auto bytes = read_file(path, kMostBlockBytes);
    if (!bytes) return fail(bytes.error());
    const auto block = spec::decode_block(*bytes, cached->spec(), path);
    if (!block) return fail(block.error());
    if (auto done = apply_block(*cached, *block); !done)
      return fail(Error{done.error().what, path + ": " + done.error().where, done.error().hint});
    print_state(cached->state);
  }
  return save(cached->state, options.output);
}

}  // namespace beacon::cli
