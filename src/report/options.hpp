// SPDX-License-Identifier: Apache-2.0
// What every text writer takes and gives back.
#pragma once

#include <cstddef>
#include <string>

namespace assay::report {

struct TextOptions {
  bool colour = false;      // ANSI colours; without it the text has no escape sequence at all
  bool unicode = true;      // block characters in histograms; otherwise ASCII
  std::size_t width = 100;  // columns no line exceeds; 0 = no limit, below 40 counts as 40
  bool histograms = true;
};

// Both end with a newline unless empty. `out` belongs on stdout, `warnings` ("warning: ..." lines)
// on stderr.
struct Text {
  std::string out;
  std::string warnings;
};

}  // namespace assay::report
