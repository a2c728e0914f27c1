// SPDX-License-Identifier: Apache-2.0
#include "beacon/base/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace beacon {

std::string Error::to_text() const {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!hint.empty()) text += "\n  " + hint;
  return text;
}

void check_failed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "beacon: internal error at %s:%d: %s (%s)\n", file, line, message,
               condition);
  std::abort();
}

}  // namespace beacon
