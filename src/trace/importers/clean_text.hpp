// SPDX-License-Identifier: Apache-2.0
// Text from a log made fit to be kept: NUL and what is not UTF-8 as \xNN, and counted.
#pragma once

#include <string>
#include <string_view>

#include "base/text.hpp"
#include "trace/events.hpp"

namespace assay::trace {

inline std::string clean_text(Trace& trace, std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = rest.front() == '\0' ? 0
                               : static_cast<unsigned char>(rest.front()) < 0x80
                                   ? 1
                                   : decode_utf8(rest).length;
    if (length == 0) {
      ++trace.lost(Loss::bad_bytes);
      return printable(text);
    }
    rest.remove_prefix(length);
  }
  return std::string(text);
}

}  // namespace assay::trace
