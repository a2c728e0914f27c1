// SPDX-License-Identifier: Apache-2.0
#include "beacon/suite/memory.hpp"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>

namespace beacon::suite {

double resident_bytes() {
  ::malloc_trim(0);
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (!file) return 0;
  long total = 0, resident = 0;
  const int found = std::fscanf(file, "%ld %ld", &total, &resident);
  std::fclose(file);
  return found == 2 ? static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE))
                    : 0;
}

}  // namespace beacon::suite
