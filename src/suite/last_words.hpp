// SPDX-License-Identifier: Apache-2.0
// What a tool said before it failed, as a clause for a message.
#pragma once

#include <string>

namespace assay::suite {

// The first line and the last three of `err`, or of `out` where `err` has none: "first | second";
// empty when both are silent. Blank lines are left out, long ones shortened.
std::string last_words(const std::string& err, const std::string& out);

}  // namespace assay::suite
