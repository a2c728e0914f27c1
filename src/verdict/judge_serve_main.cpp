// SPDX-License-Identifier: Apache-2.0
// Test program: answers requests on stdin, one a line (the product's way is `assay judge --serve`).
#include <iostream>
#include <string>

#include "verdict/protocol.hpp"

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::cout << assay::verdict::answer(line) << '\n' << std::flush;
  }
  return 0;
}
