// SPDX-License-Identifier: Apache-2.0
// What tracy-csvexport writes. With -u each zone is a span of its thread; without it there are only
// totals by zone, which are laid out one after the other on a made-up time line.
#pragma once

#include "trace/importer.hpp"

namespace assay::trace {

const Importer& tracy_csv_importer();

}  // namespace assay::trace
