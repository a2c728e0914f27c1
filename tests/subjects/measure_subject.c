// SPDX-License-Identifier: Apache-2.0
// A command for the tests of measure: one behaviour a verb. `PIDS` is a file to which every process
// appends its number once it stands as described.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char* what) {
  perror(what);
  exit(99);
}

static void note_pid(const char* path) {
  char line[32];
  const int length = snprintf(line, sizeof line, "%d\n", getpid());
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (fd < 0 || write(fd, line, (size_t)length) != length) fail(path);
  close(fd);
}

static void wait_for_note(const char* path) {
  struct stat status;
  while (stat(path, &status) != 0 || status.st_size == 0) usleep(1000);
}

static void rest(void) {
  for (;;) pause();
}

// A grandchild in a session of its own, as daemons make it.
static void daemonise(void (*body)(const char*), const char* argument) {
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    setsid();
    if (fork() == 0) {
      body(argument);
      _exit(0);
    }
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void rest_noted(const char* pids) {
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  note_pid(pids);
  rest();
}

static void touch(size_t mebibytes) {
  const size_t size = mebibytes << 20;
  volatile char* bytes = malloc(size);
  if (!bytes) fail("malloc");
  for (size_t i = 0; i < size; i += 4096) bytes[i] = 1;
}

static double cpu_seconds(void) {
  struct timespec at;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
  return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static void burn(double seconds) {
  const double end = cpu_seconds() + seconds;
  while (cpu_seconds() < end) {
  }
}

// `count` children that hold `mebibytes` each at the same time, for some samples of 50 ms.
static void hold_together(int count, size_t mebibytes) {
  int ready[2], leave[2];
  char byte = 0;
  if (pipe(ready) != 0 || pipe(leave) != 0) fail("pipe");
  for (int i = 0; i < count; ++i) {
    if (fork() != 0) continue;
    close(leave[1]);
    touch(mebibytes);
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    while (read(leave[0], &byte, 1) > 0) {
    }
    _exit(0);
  }
  for (int i = 0; i < count; ++i)
    if (read(ready[0], &byte, 1) != 1) fail("read");
  usleep(300000);
  close(leave[1]);
  while (wait(NULL) > 0) {
  }
}

// A daemon burns CPU while this process waits for it.
static int burn_pipe[2];
static void burn_and_tell(const char* seconds) {
  burn(atof(seconds));
  if (write(burn_pipe[1], "x", 1) != 1) _exit(1);
}
static void wait_for_burning_daemon(const char* seconds) {
  char byte;
  if (pipe(burn_pipe) != 0) fail("pipe");
  daemonise(burn_and_tell, seconds);
  if (read(burn_pipe[0], &byte, 1) != 1) fail("read");
}

static void print_bytes(unsigned long long bytes) {
  static char buffer[1 << 20];
  memset(buffer, 'a', sizeof buffer);
  for (size_t i = 63; i < sizeof buffer; i += 64) buffer[i] = '\n';
  while (bytes > 0) {
    const size_t part = bytes < sizeof buffer ? (size_t)bytes : sizeof buffer;
    const ssize_t wrote = write(1, buffer, part);
    if (wrote < 0) fail("write");
    bytes -= (unsigned long long)wrote;
  }
}

static void print_signals(void) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action;
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
      printf("ignored %d\n", number);
    if (sigismember(&mask, number) == 1) printf("blocked %d\n", number);
  }
}

// Forks on and on, each generation in a session of its own, so that it is hard to catch.
static void run_away(const char* pids) {
  note_pid(pids);
  for (int generation = 0; generation < 2000; ++generation) {
    const pid_t child = fork();
    if (child < 0) _exit(1);
    if (child > 0) _exit(0);
    setsid();
  }
  rest();
}

int main(int argc, char** argv) {
  const char* verb = argc > 1 ? argv[1] : "noop";
  const char* first = argc > 2 ? argv[2] : "";
  if (!strcmp(verb, "noop")) return 0;
  if (!strcmp(verb, "exit")) return atoi(first);
  if (!strcmp(verb, "raise")) return raise(atoi(first));
  if (!strcmp(verb, "rest")) {
    note_pid(first);
    rest();
  } else if (!strcmp(verb, "stubborn")) {
    daemonise(rest_noted, first);
    rest_noted(first);
  } else if (!strcmp(verb, "leave")) {  // a daemon stays behind
    daemonise(rest_noted, first);
    wait_for_note(first);
  } else if (!strcmp(verb, "run-away")) {
    daemonise(run_away, first);
    wait_for_note(first);
  } else if (!strcmp(verb, "hold")) {
    hold_together(argc > 3 ? atoi(argv[3]) : 1, (size_t)atoi(first));
  } else if (!strcmp(verb, "burn")) {
    burn(atof(first));
  } else if (!strcmp(verb, "burn-daemon")) {
    wait_for_burning_daemon(first);
  } else if (!strcmp(verb, "print")) {
    print_bytes(strtoull(first, NULL, 10));
  } else if (!strcmp(verb, "signals")) {
    print_signals();
  } else if (!strcmp(verb, "arguments")) {
    for (int i = 2; i < argc; ++i) printf("[%s]\n", argv[i]);
  } else if (!strcmp(verb, "group")) {
    printf("%s\n", getpgrp() == getpid() ? "own" : "inherited");
  } else if (!strcmp(verb, "nice")) {
    printf("%d\n", getpriority(PRIO_PROCESS, 0));
  } else if (!strcmp(verb, "lines")) {  // flushed by the C library only on a terminal
    printf("isatty %d\nsecond\n", isatty(1));
    raise(SIGKILL);
  } else {
    fprintf(stderr, "measure_subject: unknown verb '%s'\n", verb);
    return 98;
  }
  return 0;
}
