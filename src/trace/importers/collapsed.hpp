// SPDX-License-Identifier: Apache-2.0
// Collapsed stacks, "main;work;sort 123", as flame graph tools pass them on. Equal stacks are added
// up; the tree of calls is laid out on a made-up time line of one worker, callees inside their
// callers and one after the other, 1 ns = 1 sample: total and self times of nested spans are then
// counts of samples. Lines with two counts (the differences of two profiles) are read as the
// second.
#pragma once

#include "trace/importer.hpp"

namespace assay::trace {

const Importer& collapsed_importer();

}  // namespace assay::trace
