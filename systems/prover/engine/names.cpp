// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/names.hpp"

namespace prover {

const StageNames& names() {
  static constinit const StageNames kNames;
  return kNames;
}

void declare_stages(const Options& options) {
  const int workers = static_cast<int>(options.partition_workers);
  const int provers = static_cast<int>(options.prove_workers);
  using assay::emit::declare;
  declare({.name = "synth", .servers = workers, .permits = workers});
  declare({.name = "prove",
           .after = "synth",
           .servers = provers,
           .capacity = static_cast<long>(options.capacity())});
  declare({.name = "prove.start", .parent = "prove", .servers = 1});  // the device
  declare({.name = "prove.finish", .parent = "prove", .servers = options.split ? provers : 1});
}

}  // namespace prover
