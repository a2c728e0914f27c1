// SPDX-License-Identifier: Apache-2.0
// The least that running a command N times can cost: posix_spawn and wait4, nothing else.
//   spawn_loop N COMMAND [ARGUMENT...]     prints microseconds a run, wall and own CPU
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock) {
  struct timespec at;
  clock_gettime(clock, &at);
  return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  const int runs = argc > 2 ? atoi(argv[1]) : 0;
  if (runs < 1) {
    fprintf(stderr, "usage: spawn_loop N COMMAND [ARGUMENT...]\n");
    return 2;
  }
  const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (int run = 0; run < runs; ++run) {
    pid_t pid;
    int status;
    struct rusage usage;
    if (posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ) != 0 ||
        wait4(pid, &status, 0, &usage) != pid) {
      fprintf(stderr, "spawn_loop: cannot run '%s'\n", argv[2]);
      return 1;
    }
  }
  printf("tight loop: %.1f us a run, own CPU %.1f us a run, %d runs\n",
         (seconds(CLOCK_MONOTONIC) - wall) * 1e6 / runs,
         (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e6 / runs, runs);
  return 0;
}
