// SPDX-License-Identifier: Apache-2.0
// What this process holds.
#pragma once

namespace beacon::suite {

// Resident bytes, after the allocator gave back what it can; 0 when the system does not say.
double resident_bytes();

}  // namespace beacon::suite
