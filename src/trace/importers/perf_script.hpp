// SPDX-License-Identifier: Apache-2.0
// The text of `perf script`: samples with call stacks, on the time line of their thread. A sample
// stands until the next one of its thread, if that comes within two median distances, else for one
// median distance; frames that neighbouring samples share are one span. Samples without a stack
// become instants called by their event.
#pragma once

#include "trace/importer.hpp"

namespace assay::trace {

const Importer& perf_script_importer();

}  // namespace assay::trace
