# SPDX-License-Identifier: Apache-2.0
# Writes a C++ file that defines bytes: cmake -DINPUT=file -DOUTPUT=x.cpp -DFUNCTION=assay::report::name
# -P EmbedFile.cmake. FUNCTION returns a std::string_view; without INPUT it is empty.
string(REGEX MATCH "^(.*)::([^:]+)$" matched "${FUNCTION}")
set(space ${CMAKE_MATCH_1})
set(name ${CMAKE_MATCH_2})
set(bytes "")
if(INPUT AND EXISTS "${INPUT}")
  file(READ "${INPUT}" hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
endif()
file(WRITE "${OUTPUT}" "// Made by cmake/EmbedFile.cmake.
#include <string_view>
namespace ${space} {
namespace {
constexpr unsigned char kBytes[] = {${bytes}0};
}
std::string_view ${name}() {
  return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes) - 1};
}
}  // namespace ${space}
")
