// SPDX-License-Identifier: Apache-2.0
// Traces as Perfetto TrackEvents (protobuf, written by hand), for ui.perfetto.dev: the same picture
// as chrome_json, a third of its size. Slices of a Perfetto track have to nest, so a worker whose
// spans overlap gets further tracks of the same name below its own.
// Ref: perfetto.dev, "Writing TrackEvent Protos Synthetically" and the reference of TracePacket.
#pragma once

#include <span>

#include "trace/exporters/chrome_json.hpp"

namespace assay::trace {

// Sides as for write_chrome_json. Times are moved so that none is negative.
Result<void> write_perfetto(std::span<const ExportSide> sides, const Sink& sink);

}  // namespace assay::trace
