// SPDX-License-Identifier: Apache-2.0
// Any bytes as a BeaconState (minimal preset): what is read is written as the same bytes, its
// caches can be derived or the reason is said, and an epoch's end does no harm.
#include <cstdint>

#include "beacon/transition/epoch.hpp"
#include "beacon_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace beacon;
  const View bytes(data, size);
  auto state = spec::decode_state(bytes, spec::minimal(), "state");
  if (!state) {
    fuzz::check_error(state.error());
    return 0;
  }
  const auto written = encode_state(*state);
  BEACON_CHECK(std::equal(written.begin(), written.end(), bytes.begin(), bytes.end()),
               "a value has one encoding");
  auto cached = transition::derive(*std::move(state));
  if (!cached) {
    fuzz::check_error(cached.error());
    return 0;
  }
  if (const auto done = process_epoch(*cached); !done) fuzz::check_error(done.error());
  return 0;
}
