// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) by OpenSSL, which takes the processor's own instructions where it has them.
#pragma once

#include <initializer_list>

#include "beacon/base/bytes.hpp"

namespace beacon::hash {

Root sha256(View message);

// Of the pieces, one behind another.
Root sha256(std::initializer_list<View> pieces);

// sha256(left ++ right): the node of a Merkle tree. `out` may be one of the two.
void hash_pair(const Root& left, const Root& right, Root& out);

}  // namespace beacon::hash
