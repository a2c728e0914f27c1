/* SPDX-License-Identifier: Apache-2.0 */
/* A program of known cost: `burn UNITS` does UNITS times 10,000 steps of integer arithmetic, one
 * core, no memory, no system calls. `burn 1030` is 3 % slower than `burn 1000`, by construction. */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const unsigned long units = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
  volatile uint64_t sink;
  uint64_t x = 88172645463325252u;
  for (unsigned long i = 0; i < units * 10000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  sink = x;
  return sink == 0;
}
