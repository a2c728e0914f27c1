// SPDX-License-Identifier: Apache-2.0
// Proving keys of our own circuits, made once and kept in a folder, so that repeated runs of a
// benchmark do not pay for them. Their trapdoor follows from a fixed seed: whoever has them can
// prove what is false.
#pragma once

#include <functional>
#include <string>

#include "prover/base/result.hpp"
#include "prover/circuit/build.hpp"

namespace prover::bench {

// What a key of the circuit is called: kind, sizes, curve and a version; without seed and
// partition, which are the witness's.
std::string key_name(const circuit::Request& request);

// $XDG_CACHE_HOME/prover/keys, or ~/.cache/prover/keys. Errors: neither variable says where.
Result<std::string> default_key_folder();

struct CachedKey {
  std::string path;
  bool made = false;  // by this call
};

// The circuit's key in the folder, which is made when it is not there. Of several processes that
// want the same key at once one makes it and the others wait. It is there whole or not at all.
// `go_on` is told what part of the making is done, in [0, 1], and says whether to go on; when not,
// the error is ErrorKind::cancelled.
Result<CachedKey> cached_key(
    const circuit::Request& request, const std::string& folder, unsigned threads,
    const std::function<bool(double)>& go_on = [](double) { return true; });

}  // namespace prover::bench
