// SPDX-License-Identifier: Apache-2.0
// A subject made ready to run: its executable found once, its environment put together once.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/launcher.hpp"
#include "model/subject.hpp"

namespace assay::measure {

// The caller's environment with the subject's on top and without an ASSAY_PAD of an outer assay.
std::vector<std::string> environment_of(const Subject& subject);

// The file that argv[0] stands for: with a '/' it is a path, relative to the subject's cwd,
// otherwise it is looked for in the PATH of `env`. Errors, each with its way out: empty command, no
// such command (with the nearest one), a folder, not executable, a script whose interpreter is
// missing, no such cwd.
Result<std::string> resolve_command(const Subject& subject, const std::vector<std::string>& env);

// What the subject reads on stdin, opened anew: every run reads it from its start. A relative name
// is relative to where assay runs.
Result<Fd> open_input(const Subject& subject);

}  // namespace assay::measure
