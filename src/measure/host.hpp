// SPDX-License-Identifier: Apache-2.0
// What a machine is, and what about it makes measurements noisy. Everything is read from /proc and
// /sys through System, so that other machines can be tested on this one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system.hpp"
#include "model/record.hpp"

namespace assay::measure {

// The machine for records and noise floors. The fingerprint is a digest of CPU model, CPUs online,
// memory in GiB, kernel release and virtualisation: two machines of one kind share it, the same
// machine after a kernel update does not. The host's name is not part of it. What cannot be read
// stays empty or 0.
Host read_host(const System& system = System::real());

// "kvm", "xen", "Amazon EC2", "hypervisor" when only the CPU tells; nothing on bare metal, or when
// a container hides it.
std::optional<std::string> virtualisation(const System& system);
// "docker", "podman", "kubernetes", "lxc"; nothing outside.
std::optional<std::string> container(const System& system);

enum class ProbeState {
  ok,
  hurts,        // and `mend` says how to mend it
  absent,       // a source of readings that this machine does not have
  cannot_mend,  // hurts, but not to be changed from here
};
std::string_view to_word(ProbeState state);  // "ok", "hurts", "absent", "cannot mend"

struct Probe {
  std::string name;  // "governor"
  ProbeState state = ProbeState::ok;
  std::string value;   // as found: "powersave"
  std::string effect;  // what it does to measurements; empty when it does nothing
  std::string mend;  // an exact command, or "cannot be changed here"; empty when nothing is to mend
};

// Everything that `assay doctor` looks at, always the same probes in the same order. Takes some
// microseconds of clock readings; changes nothing.
std::vector<Probe> examine_host(const System& system = System::real());

}  // namespace assay::measure
