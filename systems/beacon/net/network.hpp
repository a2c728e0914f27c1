// SPDX-License-Identifier: Apache-2.0
// A small network: participants of one or two kinds that follow the same chain, slot by slot. In
// turn they propose; the others apply the block, or refuse it and go on without. At the first slot
// of the fork epoch the rules change (a fork of our own: Bellatrix's penalties upon Altair's
// state); kind B may have a planted difference there. So it is known who disagrees, from which slot
// on, and why.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "beacon/transition/block.hpp"

namespace beacon::net {

enum class Difference {
  none,
  late_fork,    // B changes its rules an epoch later
  old_penalty,  // B forgets one of the rules: the quotient of the inactivity penalty stays
};

Result<Difference> difference_named(const std::string& name);

struct NetworkRequest {
  std::string kinds = "AABB";  // of the participants, one letter each
  std::uint64_t validators = 256;
  std::uint64_t slots = 40;
  spec::Epoch first_epoch = 1001;  // the chain begins behind its last slot
  spec::Epoch fork_epoch = 1003;
  Difference difference = Difference::late_fork;
  std::uint64_t seed = 1;
};

// What a participant says at the end of a slot.
struct Report {
  std::size_t participant = 0;
  char kind = 'A';
  spec::Slot slot = 0;
  spec::Epoch epoch = 0;
  Root state_root{};
  std::string block;  // "proposed", "applied", "refused" or "none"
  spec::Epoch finalized_epoch = 0;
  Version fork{};
};

std::string to_json(const Report& report);

// Tells every report, slot by slot and in the order of the participants. Errors: a request that
// makes no network.
Status run_network(const NetworkRequest& request, const std::function<Status(const Report&)>& tell);

}  // namespace beacon::net
