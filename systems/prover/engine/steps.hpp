// SPDX-License-Identifier: Apache-2.0
// What the steps of the engine's threads share: their errors.
#pragma once

#include <new>

#include "prover/base/result.hpp"

namespace prover {

inline Error stopped_error() { return {"the job has ended", "job", {}, ErrorKind::cancelled}; }

// A step of a thread: what the standard library throws for want of memory becomes an Error, short
// enough to need none itself.
template <class Step>
auto guarded(const Step& step) -> decltype(step()) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::out_of_memory, "out of memory");
  }
}

}  // namespace prover
