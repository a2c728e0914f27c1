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

# assay_layer(NAME SOURCES a.cpp ... [TESTS a_test.cpp ...] [DEPENDS base ...] [LINK external ...])
# makes the library assay_NAME and, with tests, the program assay_NAME_test (one ctest entry a case).
function(assay_layer name)
  cmake_parse_arguments(A "" "" "SOURCES;TESTS;DEPENDS;LINK;TEST_LINK" ${ARGN})
  add_library(assay_${name} STATIC ${A_SOURCES})
  target_link_libraries(assay_${name} PUBLIC assay_options)
  foreach(dep ${A_DEPENDS})
    target_link_libraries(assay_${name} PUBLIC assay_${dep})
  endforeach()
  target_link_libraries(assay_${name} PRIVATE ${A_LINK})
  assay_unite(assay_${name} 8)
  if(ASSAY_TESTS AND A_TESTS AND ASSAY_UNIT_TESTS STREQUAL all)
    add_executable(assay_${name}_test ${A_TESTS})
    target_link_libraries(assay_${name}_test PRIVATE assay_${name} ${A_TEST_LINK} GTest::gtest
                          GTest::gtest_main)
    assay_unite(assay_${name}_test 8)
    include(GoogleTest)
    gtest_discover_tests(assay_${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 300)
  endif()
endfunction()
