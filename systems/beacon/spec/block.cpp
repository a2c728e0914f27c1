// SPDX-License-Identifier: Apache-2.0
#include "beacon/spec/block.hpp"

#include "beacon/ssz/decode.hpp"
#include "beacon/ssz/encode.hpp"
#include "beacon/ssz/root.hpp"

namespace beacon::spec {

Result<SignedBlock> decode_block(View bytes, const Spec& spec, const std::string& name) {
  return ssz::decode<SignedBlock>(bytes, spec, name);
}

std::vector<std::uint8_t> encode_block(const SignedBlock& block, const Spec& spec) {
  return ssz::encode(spec, block);
}

Root root_of(const BlockBody& body, const Spec& spec) { return ssz::root(spec, body); }
Root root_of(const Block& block, const Spec& spec) { return ssz::root(spec, block); }

}  // namespace beacon::spec
