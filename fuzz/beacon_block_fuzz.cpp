// SPDX-License-Identifier: Apache-2.0
// Any bytes as a signed block (minimal preset): what is read is written as the same bytes, and a
// state takes the block or says why not.
#include <cstdint>

#include "beacon/synthetic/state.hpp"
#include "beacon/transition/block.hpp"
#include "beacon_fuzz.hpp"

namespace {

const beacon::transition::CachedState& before() {
  using namespace beacon;
  static const transition::CachedState cached =
      transition::derive(
          *synthetic::make_state({.spec = &spec::minimal(), .validators = 40, .epoch = 1001}))
          .value();
  return cached;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace beacon;
  const View bytes(data, size);
  auto block = spec::decode_block(bytes, spec::minimal(), "block");
  if (!block) {
    fuzz::check_error(block.error());
    return 0;
  }
  const auto written = encode_block(*block, spec::minimal());
  BEACON_CHECK(std::equal(written.begin(), written.end(), bytes.begin(), bytes.end()),
               "a value has one encoding");
  // Made the next block, so that more than its slot is looked at.
  transition::CachedState state = clone(before());
  if (!process_slots(state, state.state.slot + 1)) return 0;
  block->message.slot = state.state.slot;
  block->message.proposer_index = state.proposer();
  block->message.parent_root = root_of(state.state.latest_block_header, spec::minimal());
  if (const auto done = process_block(state, block->message); !done)
    fuzz::check_error(done.error());
  return 0;
}
