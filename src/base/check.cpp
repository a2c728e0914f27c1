// SPDX-License-Identifier: Apache-2.0
#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace assay {

void check_failed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "assay: internal error at %s:%d: %s (%s)\n", file, line, message, condition);
  std::abort();
}

}  // namespace assay
