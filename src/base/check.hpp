// SPDX-License-Identifier: Apache-2.0
// ASSAY_CHECK(condition, "what must hold"): a bug of ours, on in release too. Prints and aborts.
#pragma once

namespace assay {
[[noreturn]] void check_failed(const char* condition, const char* message, const char* file,
                               int line);
}

#define ASSAY_CHECK(condition, message) \
  ((condition) ? void(0) : ::assay::check_failed(#condition, message, __FILE__, __LINE__))
