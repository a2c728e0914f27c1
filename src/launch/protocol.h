// SPDX-License-Identifier: Apache-2.0
// What assay and its helper assay-launch say to each other over one UNIX stream socket (fd 3 of the
// helper). Plain C, because the helper is. Both ends are of one build and one machine: fields are
// in native order, and the version refuses a helper of another build.
//
//   helper  LaunchHello                                    once, at the start
//   assay   LaunchRequest{run} + payload + 3 descriptors   one command; then nothing but kill
//   assay   LaunchRequest{kill}                            at any time; without a running command:
//   ignored helper  LaunchReply                                    one for every run
//
// The payload is path, cwd, argv and env in this order, each word ended by a zero byte. The
// descriptors (SCM_RIGHTS with the first byte) become stdin, stdout and stderr.
#ifndef ASSAY_LAUNCH_PROTOCOL_H
#define ASSAY_LAUNCH_PROTOCOL_H

#include <stdint.h>

enum {
  kLaunchMagic = 0x61733031,  // "as01"
  kLaunchVersion = 2,         // raised with every change of this file
  kLaunchSocket = 3,          // the helper's end
  kLaunchMaxCpus = 1024,
  kLaunchMaxPayload = 16 << 20,  // above every ARG_MAX of Linux with the usual 8 MiB stack
};

enum LaunchType { kLaunchRun = 1, kLaunchKill = 2 };

// LaunchRequest.flags
enum {
  kLaunchPty = 1,          // stdout is a terminal: new session, it becomes the controlling terminal
  kLaunchFixedLayout = 2,  // no address space randomisation
  kLaunchKeep = 4,         // what the command leaves in the background stays until the helper ends
  kLaunchAffinity = 8,     // `cpus` holds; otherwise as the helper was started
  kLaunchNice = 16,        // `nice` holds; otherwise as the helper was started
};

struct LaunchHello {
  uint32_t magic, version;  // these two stay first for ever: they tell builds apart
  uint64_t floor_bytes;     // the helper's own largest resident size: no child can be seen below it
  int32_t pid;              // of the process that starts commands, a child of the one assay started
  uint32_t unused;
};

// How the process that assay started ends: as the one that starts commands did, where a signal
// becomes this much more than its number.
enum { kLaunchEndedBySignal = 128 };

struct LaunchRequest {
  uint32_t magic, version, type, flags;
  uint32_t path_bytes, cwd_bytes, argv_bytes, env_bytes;  // zero bytes included; cwd may be 0
  uint32_t argc, envc;
  int32_t nice, rt_priority;  // rt_priority > 0: SCHED_RR; otherwise the usual policy
  int64_t timeout_ns;         // 0 = none
  int64_t grace_ns;           // between SIGTERM to the group and SIGKILL to the tree
  uint64_t cpus[kLaunchMaxCpus / 64];
};

// Where a command that was not started failed.
enum LaunchStep {
  kStepNone = 0,
  kStepReceive,  // fewer than three descriptors came
  kStepAffinity,
  kStepPriority,
  kStepFork,
  kStepSession,
  kStepStreams,
  kStepDirectory,
  kStepLayout,
  kStepExec,
};

// How a run ended when it did not end by itself. LaunchReply.ended
enum { kEndedAlone = 0, kEndedByTimeout = 1, kEndedByKill = 2 };

struct LaunchUsage {
  int64_t user_us, system_us;
  int64_t max_rss_bytes;  // largest single process
  int64_t minor_faults, major_faults;
  int64_t voluntary_switches, involuntary_switches;
};

struct LaunchReply {
  uint32_t magic, version;
  uint32_t step;        // LaunchStep; kStepNone = started
  int32_t error;        // errno of the step
  int32_t wait_status;  // as wait4 gives it
  uint32_t ended;
  uint32_t left_behind;      // alive behind the command's own end, and killed
  uint32_t kept;             // background processes of kLaunchKeep that live now
  uint32_t orphans;          // adopted processes reaped during the run, killed ones included
  uint32_t unkillable;       // processes that still lived 10 s after SIGKILL
  int64_t start_ns, end_ns;  // CLOCK_MONOTONIC before vfork and when the command was seen ended
  int64_t run_delay_ns;  // main thread runnable without a CPU; -1 = unknown, or a very short run
  uint64_t floor_bytes;  // as in LaunchHello, as it is now
  struct LaunchUsage command;  // the command and the descendants that were waited for
  struct LaunchUsage adopted;  // sum over `orphans`; max_rss_bytes is their largest
};

#ifdef __cplusplus
static_assert(sizeof(LaunchHello) == 24 && sizeof(LaunchRequest) == 192 &&
                  sizeof(LaunchReply) == 184,
              "the wire has no padding");
#else
_Static_assert(sizeof(struct LaunchHello) == 24 && sizeof(struct LaunchRequest) == 192 &&
                   sizeof(struct LaunchReply) == 184,
               "the wire has no padding");
#endif

#endif  // ASSAY_LAUNCH_PROTOCOL_H
