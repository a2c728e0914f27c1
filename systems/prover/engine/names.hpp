// SPDX-License-Identifier: Apache-2.0
// The stages as the trace knows them, and their topology.
#pragma once

#include <assay/trace.hpp>

#include "prover/engine/options.hpp"

namespace prover {

struct StageNames {
  assay::emit::Name synth{"synth"};
  assay::emit::Name prove{"prove"};
  assay::emit::Name prove_start{"prove.start"};
  assay::emit::Name prove_finish{"prove.finish"};
  assay::emit::Name free{"free"};
  assay::emit::Name proof_done{"proof.done"};
  assay::emit::Name job_failed{"job.failed"};
};

const StageNames& names();

// Tells the trace which stages there are and what bounds them.
void declare_stages(const Options& options);

}  // namespace prover
