// SPDX-License-Identifier: Apache-2.0
#include "launch/process_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kMaxProcesses = 1 << 16, kFileBytes = 4096 };

struct Process {
  pid_t pid, parent;
  bool ours, zombie;
};

// Static, not on the heap: pages of it that no look needs are never touched and not resident.
static struct Process processes[kMaxProcesses];
static uint32_t process_count;

// The directory entries of getdents64(2).
struct Entry {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[];
};

static size_t read_file(const char* path, char* text, size_t capacity) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, text, capacity - 1);
  close(fd);
  text[got > 0 ? got : 0] = 0;
  return got > 0 ? (size_t)got : 0;
}

// The number at `*at`, which moves behind it; 0 when none is there.
static long read_number(const char** at) {
  long value = 0;
  while (**at == ' ' || **at == '\t') ++*at;
  for (; **at >= '0' && **at <= '9'; ++*at) value = value * 10 + (**at - '0');
  return value;
}

// "PID (name) STATE PPID ...": the name may hold blanks and parentheses, so the last one counts.
static bool read_process(const char* name, struct Process* process) {
  char path[32] = "/proc/", text[512];
  const size_t length = strlen(name);
  if (length > 12) return false;
  memcpy(path + 6, name, length);
  memcpy(path + 6 + length, "/stat", 6);
  if (read_file(path, text, sizeof text) == 0) return false;
  const char* at = strrchr(text, ')');
  if (!at || at[1] != ' ' || !at[2]) return false;
  process->zombie = at[2] == 'Z' || at[2] == 'X';
  at += 3;
  process->parent = (pid_t)read_number(&at);
  process->pid = (pid_t)read_number(&name);
  process->ours = false;
  return true;
}

static bool contains(const struct PidList* list, pid_t pid) {
  for (uint32_t i = 0; i < list->count; ++i)
    if (list->pids[i] == pid) return true;
  return false;
}

// /proc lists processes by ascending number, so the table is sorted.
static const struct Process* find(pid_t pid) {
  uint32_t low = 0, high = process_count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (processes[middle].pid < pid)
      low = middle + 1;
    else
      high = middle;
  }
  return low < process_count && processes[low].pid == pid ? &processes[low] : NULL;
}

static void read_processes(void) {
  static char buffer[32768];
  process_count = 0;
  const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  for (;;) {
    const long got = syscall(SYS_getdents64, folder, buffer, sizeof buffer);
    if (got <= 0) break;
    for (long at = 0; at < got;) {
      const struct Entry* entry = (const struct Entry*)(const void*)(buffer + at);
      at += entry->size;
      if (entry->name[0] < '1' || entry->name[0] > '9') continue;
      if (process_count < kMaxProcesses && read_process(entry->name, &processes[process_count]))
        ++process_count;
    }
  }
  close(folder);
}

// Marks the descendants; a pass goes at least one generation down.
static void mark_descendants(const struct PidList* spared) {
  const pid_t self = getpid();
  read_processes();
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < process_count; ++i) {
      struct Process* process = &processes[i];
      if (process->ours) continue;
      if (process->parent == self) {
        process->ours = !contains(spared, process->pid);
      } else {
        const struct Process* parent = find(process->parent);
        process->ours = parent && parent->ours;
      }
      changed |= process->ours;
    }
  }
}

bool remove_pid(struct PidList* list, pid_t pid) {
  for (uint32_t i = 0; i < list->count; ++i) {
    if (list->pids[i] != pid) continue;
    list->pids[i] = list->pids[--list->count];
    return true;
  }
  return false;
}

void list_children(struct PidList* list) {
  const pid_t self = getpid();
  read_processes();
  list->count = 0;
  for (uint32_t i = 0; i < process_count && list->count < kMaxKept; ++i)
    if (processes[i].parent == self && !processes[i].zombie)
      list->pids[list->count++] = processes[i].pid;
}

uint32_t kill_descendants(const struct PidList* spared, int number) {
  uint32_t alive = 0;
  mark_descendants(spared);
  for (uint32_t i = 0; i < process_count; ++i) {
    if (!processes[i].ours || processes[i].zombie) continue;
    ++alive;
    kill(processes[i].pid, number);
  }
  return alive;
}

void signal_below(pid_t child, int number) {
  static const struct PidList kNobody;
  mark_descendants(&kNobody);
  for (uint32_t i = 0; i < process_count; ++i)
    if (processes[i].ours && !processes[i].zombie && processes[i].pid != child)
      kill(processes[i].pid, number);
}

bool has_descendants(const struct PidList* spared) {
  mark_descendants(spared);
  for (uint32_t i = 0; i < process_count; ++i)
    if (processes[i].ours) return true;
  return false;
}

uint64_t own_peak_bytes(void) {
  char text[kFileBytes];
  if (read_file("/proc/self/status", text, sizeof text) == 0) return 0;
  const char* at = strstr(text, "VmHWM:");
  if (!at) return 0;
  at += 6;
  return (uint64_t)read_number(&at) * 1024;
}

// schedstat holds run time, run delay and the number of time slices. A command that ran has run
// time.
int64_t run_delay_of(pid_t pid) {
  char path[48] = "/proc/", digits[12], text[128];
  size_t length = 0, end = 6;
  for (pid_t rest = pid; rest > 0; rest /= 10) digits[length++] = (char)('0' + rest % 10);
  while (length > 0) path[end++] = digits[--length];
  memcpy(path + end, "/schedstat", 11);
  if (read_file(path, text, sizeof text) == 0) return -1;
  const char* at = text;
  const long run_time = read_number(&at);
  return run_time > 0 ? read_number(&at) : -1;
}

void set_autogroup_nice(int value) {
  char text[8];
  size_t length = 0;
  const int fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (value < 0) text[length++] = '-', value = -value;
  if (value >= 10) text[length++] = (char)('0' + value / 10 % 10);
  text[length++] = (char)('0' + value % 10);
  const ssize_t written = write(fd, text, length);
  (void)written;  // not permitted: it stays as it was
  close(fd);
}

void close_from(int first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  const long limit = sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < limit; ++fd) close(fd);
}
