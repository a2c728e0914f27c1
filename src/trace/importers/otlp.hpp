// SPDX-License-Identifier: Apache-2.0
// OpenTelemetry spans as OTLP JSON: one document a line, as file exporters write them, or one large
// document. A stage is "service / span name", a worker is a trace: its spans nest by parentSpanId
// and may overlap. Links of kind launch go from parents to children; events become instants.
// options.rules->item names attributes whose values make the item's key.
#pragma once

#include "trace/importer.hpp"

namespace assay::trace {

const Importer& otlp_importer();

}  // namespace assay::trace
