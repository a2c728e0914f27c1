// SPDX-License-Identifier: Apache-2.0
// The importer of exporters/trace_json.hpp. Every id is checked; a document that breaks a rule of
// the event model is refused with the member's name, never repaired.
#pragma once

#include "trace/importer.hpp"

namespace assay::trace {

const Importer& trace_json_importer();

}  // namespace assay::trace
