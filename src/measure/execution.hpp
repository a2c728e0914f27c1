// SPDX-License-Identifier: Apache-2.0
// One command from its start to the end of its whole tree, on the assay side: no thread, one poll
// loop.
#pragma once

#include <atomic>
#include <string>

#include "base/result.hpp"
#include "measure/launcher.hpp"
#include "measure/memory_sampler.hpp"
#include "measure/output.hpp"

namespace assay::measure {

// What is done while a command runs. Everything may be null.
struct Watch {
  OutputReader* output = nullptr;
  MemorySampler* memory = nullptr;
  const std::atomic<bool>* interrupted = nullptr;  // once true the tree is killed
};

// Sends `command` and waits for the reply, in all cases no longer than its time limit (or, once
// interrupted, the moment) and the helper's patience. An interruption shows as LaunchReply::ended
// == kEndedByKill. Errors: the helper died or does not answer, which leaves `where` empty; the
// kernel could not start, or end, a process.
Result<LaunchReply> execute(Launcher& launcher, const LaunchCommand& command, const Watch& watch);

// Sleeps for `pause`. False when interrupted before.
bool sleep_unless(const std::atomic<bool>& interrupted, std::chrono::nanoseconds pause);

struct HookResult {
  bool interrupted = false;
  std::uint32_t kept = 0;  // background processes that it left running
};

// Runs `text` by /bin/sh as "the NAME command". With `command` as for a trial: cwd, env, keep,
// timeout. An Error when it fails or times out, with its last lines.
Result<HookResult> run_hook(Launcher& launcher, const std::string& name, const std::string& text,
                            LaunchCommand command, const std::atomic<bool>* interrupted);

// "exited with status 2", "was killed by signal 9 (Killed)".
std::string describe_status(int wait_status);

}  // namespace assay::measure
