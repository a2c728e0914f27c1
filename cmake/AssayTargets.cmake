# SPDX-License-Identifier: Apache-2.0
# How every target of the project is declared: one static library per folder of src/, and beside it
# one test program from the *_test.cpp files of the same folder.
include(GNUInstallDirs)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(assay_options INTERFACE)
target_include_directories(assay_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(assay_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion -fno-omit-frame-pointer)
# GCC 12 at -O2 takes moved std::variants for uninitialised.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(assay_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
endif()
# Sources that are compiled as one see each other's names, and GCC takes their unnamed types for a header's;
# alone (the preset dev) both are checked.
add_library(unity_options INTERFACE)
if(ASSAY_UNITY)
  target_compile_options(unity_options INTERFACE -Wno-shadow $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
target_link_libraries(assay_options INTERFACE unity_options)
if(ASSAY_WERROR)
  target_compile_options(assay_options INTERFACE -Werror)
endif()
# Sanitized programs are large: the linker of LLVM takes a seventh of the time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_program(LLD ld.lld)
  if(LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()
if(ASSAY_SANITIZE)
  add_compile_options(-fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ASSAY_SANITIZE})
endif()

# assay_unite(TARGET SIZE): with ASSAY_UNITY, up to SIZE sources of the target are compiled as one translation
# unit, which parses their headers once. A source with flags of its own stays alone.
function(assay_unite target size)
  if(NOT ASSAY_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^[^$]+\\.cpp$")
  execute_process(COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/unity_groups.py ${size} ${sources}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE lines
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," lines "${lines}")
  string(REPLACE "\n" ";" lines "${lines}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(number 0)
  foreach(line ${lines})
    string(REPLACE "," ";" files "${line}")
    math(EXPR number "${number} + 1")
    set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${target}_${number})
  endforeach()
endfunction()

# assay_tests(PROGRAM PREFIX SOURCES a_test.cpp ... LINK libraries ...): a test program, one ctest entry a case.
function(assay_tests program prefix)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${program} ${A_SOURCES})
  target_link_libraries(${program} PRIVATE ${A_LINK} GTest::gtest GTest::gtest_main)
  assay_unite(${program} 8)
  include(GoogleTest)
  gtest_discover_tests(${program} TEST_PREFIX "${prefix}." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()

# assay_layer(NAME SOURCES a.cpp ... [TESTS a_test.cpp ...] [CALIBRATION ...] [DEPENDS base ...] [LINK external ...])
# makes the library assay_NAME and, with tests, the program assay_NAME_test. CALIBRATION: tests of
# what is promised over thousands of simulated experiments, which an optimised build runs.
function(assay_layer name)
  cmake_parse_arguments(A "" "" "SOURCES;TESTS;CALIBRATION;DEPENDS;LINK;TEST_LINK" ${ARGN})
  add_library(assay_${name} STATIC ${A_SOURCES})
  target_link_libraries(assay_${name} PUBLIC assay_options)
  foreach(dep ${A_DEPENDS})
    target_link_libraries(assay_${name} PUBLIC assay_${dep})
  endforeach()
  target_link_libraries(assay_${name} PRIVATE ${A_LINK})
  assay_unite(assay_${name} 8)
  if(ASSAY_TESTS AND A_TESTS AND ASSAY_UNIT_TESTS STREQUAL all)
    assay_tests(assay_${name}_test ${name} SOURCES ${A_TESTS} LINK assay_${name} ${A_TEST_LINK})
  endif()
  if(ASSAY_TESTS AND A_CALIBRATION AND NOT ASSAY_SANITIZE)
    assay_tests(assay_${name}_calibration ${name} SOURCES ${A_CALIBRATION} LINK assay_${name})
  endif()
endfunction()
