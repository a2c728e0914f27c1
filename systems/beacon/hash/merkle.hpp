// SPDX-License-Identifier: Apache-2.0
// Merkle trees as SSZ has them: leaves of 32 bytes, padded with zeros to a power of two. The
// padding is never built: the root of an empty subtree of each depth is known. Ref:
// consensus-specs, ssz/simple-serialize.md ("Merkleization").
#pragma once

#include <cstdint>
#include <vector>

#include "beacon/base/bytes.hpp"

namespace beacon::hash {

// Of a tree of 2^depth leaves that are all zero; depth <= 64.
const Root& zero_root(unsigned depth);

// The depth of the smallest tree that holds so many leaves.
unsigned depth_of(std::uint64_t leaves);

// The root of the leaves in a tree of 2^depth leaves, of which there must be no more. The leaves
// are used up.
Root merkleize(std::span<Root> leaves, unsigned depth);

// What a list adds to its tree: hash(root, length).
Root mix_in_length(const Root& root, std::uint64_t length);

// Bytes as leaves, the last one filled with zeros.
std::vector<Root> leaves_of(View bytes);

}  // namespace beacon::hash
