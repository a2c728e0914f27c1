// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_input.hpp"

#include <unistd.h>

#include <cerrno>

#include "base/system.hpp"

namespace assay::cli {

Result<std::string> read_standard_input(const std::string& too_long) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(system_error("cannot read", errno, "standard input"));
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > System::kMostBytes) return fail(too_long, "standard input");
  }
}

}  // namespace assay::cli
