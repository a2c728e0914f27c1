# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=folder -DCOMPILER=c++ -P package_test.cmake: installs the emitter into a fresh folder and
# builds and runs a project that finds it there.
set(work ${BUILD}/emitter_package)
file(REMOVE_RECURSE ${work})
file(WRITE ${work}/CMakeLists.txt "cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES CXX)
find_package(assay-emitter 0.1 REQUIRED)
add_executable(user main.cpp)
target_link_libraries(user PRIVATE assay::emitter)
")
file(WRITE ${work}/main.cpp "#include <assay/trace.hpp>
int main() {
  ASSAY_SPAN(\"main\");
  return assay::emit::enabled() ? 0 : 1;
}
")
macro(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}")
  endif()
endmacro()
must(${CMAKE_COMMAND} --install ${BUILD} --component emitter --prefix ${work}/prefix)
must(${CMAKE_COMMAND} -S ${work} -B ${work}/build -DCMAKE_PREFIX_PATH=${work}/prefix
     -DCMAKE_CXX_COMPILER=${COMPILER})
must(${CMAKE_COMMAND} --build ${work}/build)
must(${CMAKE_COMMAND} -E env ASSAY_EVENTS=${work}/events ${work}/build/user)
file(GLOB files ${work}/events/*.events)
list(LENGTH files count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "one file of events was expected, not ${count}: ${files}")
endif()
