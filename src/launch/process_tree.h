// SPDX-License-Identifier: Apache-2.0
// The helper's own descendants, from /proc/PID/stat: not every kernel lists the children of a
// process, but the parent of every process is always there.
#ifndef ASSAY_LAUNCH_PROCESS_TREE_H
#define ASSAY_LAUNCH_PROCESS_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { kMaxKept = 256 };

// Children of this process that are left alone together with everything below them.
struct PidList {
  uint32_t count;
  pid_t pids[kMaxKept];
};

// False when `pid` was not in the list.
bool remove_pid(struct PidList* list, pid_t pid);

// The children of this process as they are now, zombies left out; at most kMaxKept.
void list_children(struct PidList* list);

// Sends `number` to every living descendant outside the `spared` ones and their descendants;
// returns how many those were.
uint32_t kill_descendants(const struct PidList* spared, int number);

// Sends `number` to every living descendant but `child` itself.
void signal_below(pid_t child, int number);

// Whether such a descendant is there, zombies included.
bool has_descendants(const struct PidList* spared);

// VmHWM of this process in bytes; 0 when /proc does not tell.
uint64_t own_peak_bytes(void);

// Nanoseconds that the main thread of `pid` was runnable without running; -1 when the kernel keeps
// no count.
int64_t run_delay_of(pid_t pid);

// With autogroups nice values count only inside a session: gives the whole session this one. Where
// that is not possible nothing happens.
void set_autogroup_nice(int value);

// Closes every descriptor from `first` on.
void close_from(int first);

#endif  // ASSAY_LAUNCH_PROCESS_TREE_H
