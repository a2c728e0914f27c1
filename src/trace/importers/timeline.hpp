// SPDX-License-Identifier: Apache-2.0
// TIMELINE logs: TIMELINE,<offset_ms>,<event>,<job>,<k=v,k=v>. Caveats: 1 ms resolution unless
// offsets have decimals; CHAN_SEND is documented but some versions never write it, and time blocked
// in a send is then not in the log; SYNTH_START names no worker.
#pragma once

#include "trace/importer.hpp"
#include "trace/rules.hpp"

namespace assay::trace {

const Importer& timeline_importer();  // "timeline"

// The rules it works by, as a rules file: what `assay trace rules --show timeline` prints.
std::string_view timeline_rules_text();

}  // namespace assay::trace
