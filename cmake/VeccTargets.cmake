# How every target of vecc is compiled.

# Warnings that every compiler we support gives alike; -Wswitch-enum makes a function missing from a
# consumer's switch an error (a `default` would hide it).
add_library(vecc_options INTERFACE)
target_include_directories(vecc_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
target_compile_options(vecc_options INTERFACE -Wall -Wextra -Wswitch-enum -Wshadow -Wnon-virtual-dtor)
# GCC 12 and 13 warn of overlapping copies in `"literal" + std::string` (GCC bug 105651).
target_compile_options(vecc_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# GCC 13 takes such a literal's place for a short string's own storage.
target_compile_options(vecc_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
# GCC 12 warns of reads beyond Boost's small_vector's own storage where it is moved.
target_compile_options(vecc_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
if(VECC_WERROR)
  target_compile_options(vecc_options INTERFACE -Werror)
endif()
# What tests are written in is not what is tested: no checks that make it slow to compile.
set(is_test $<BOOL:$<TARGET_PROPERTY:VECC_IS_TEST>>)
if(VECC_SANITIZE)
  string(REPLACE ",undefined" "" test_sanitizers "${VECC_SANITIZE}")
  target_compile_options(vecc_options INTERFACE
                         $<${is_test}:-fsanitize=${test_sanitizers}>
                         $<$<NOT:${is_test}>:-fsanitize=${VECC_SANITIZE}>
                         -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(vecc_options INTERFACE -fsanitize=${VECC_SANITIZE})
endif()

if(VECC_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "VECC_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  # All of vecc tells the fuzzers where it was, not only their entry points.
  target_compile_options(vecc_options INTERFACE $<$<NOT:${is_test}>:-fsanitize=fuzzer-no-link>)
  target_link_options(vecc_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# vecc_cold(TARGET...): code that runs a few times in a command (options, reports, source code as
# text), where optimizing takes longer than it ever saves.
function(vecc_cold)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    vecc_precompiled(${target} PRELUDE vecc_cold_prelude)
  endforeach()
endfunction()

# vecc_hot(TARGET...): loops over neurons, rows and elements.
function(vecc_hot)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3>)
  endforeach()
endfunction()

# Headers of the standard library, Boost and fmt that nearly every file includes, parsed once. Files
# include what they use all the same: builds with sanitizers, or by clang, have no such header.
option(VECC_PRECOMPILE "Parse the headers of libraries once (GCC)" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR VECC_SANITIZE)
  set(VECC_PRECOMPILE OFF)
endif()

# vecc_prelude(NAME HEADER [OPTIONS ...] [DEPENDS ...]): those headers, once; GCC takes them for the
# level of optimization that they were parsed at, -O3 for -O2.
function(vecc_prelude name header)
  cmake_parse_arguments(ARG "" "" "OPTIONS;DEPENDS" ${ARGN})
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/prelude.cc)
  target_link_libraries(${name} PRIVATE vecc_options Boost::headers fmt::fmt ${ARG_DEPENDS})
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${header})
  target_compile_options(${name} PRIVATE -fpch-preprocess ${ARG_OPTIONS})
endfunction()
if(VECC_PRECOMPILE)
  vecc_prelude(vecc_prelude prelude.h)
  vecc_prelude(vecc_cold_prelude prelude.h OPTIONS $<$<CONFIG:Release>:-O1>)
  if(VECC_TESTS)
    vecc_prelude(vecc_test_prelude test_prelude.h OPTIONS -O1 DEPENDS GTest::gmock)
  endif()
endif()

# vecc_precompiled(TARGET [PRELUDE NAME]): a target that links fmt (vecc_support) compiles with those
# headers; cold code has its own (vecc_cold_prelude), and tests (vecc_test_prelude).
function(vecc_precompiled target)
  cmake_parse_arguments(ARG "" "PRELUDE" "" ${ARGN})
  if(NOT VECC_PRECOMPILE)
    return()
  endif()
  if(NOT ARG_PRELUDE)
    set(ARG_PRELUDE vecc_prelude)
  endif()
  set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM ${ARG_PRELUDE})
  # By the first, ccache follows the header; and a precompiled header loses the pragmas by which
  # Boost's small_vector quiets a false warning of GCC 12.
  target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-array-bounds)
  # A header is for one kind of code: programs are what libraries are.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# vecc_library(NAME [DEPENDS ...]): a static library of all .cc files in the current folder.
function(vecc_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC vecc_options ${ARG_DEPENDS})
  set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 24)
  vecc_precompiled(${name})
endfunction()

# vecc_test(NAME [DEPENDS ...]): a GoogleTest program of all *_test.cc files in the current folder.
function(vecc_test name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE vecc_options GTest::gmock_main ${ARG_DEPENDS})
  # What is tested is optimized and checked as always; matchers are slow to compile with either.
  set_target_properties(${name} PROPERTIES VECC_IS_TEST ON)
  if(VECC_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  else()
    target_compile_options(${name} PRIVATE -O1)
    vecc_precompiled(${name} PRELUDE vecc_test_prelude)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "VECC_SOURCE_DIR=${PROJECT_SOURCE_DIR};VECC_BINARY_DIR=${PROJECT_BINARY_DIR};VECC_CACHE_DIR=${PROJECT_BINARY_DIR}/cache")
endfunction()

# vecc_kernel_text(FILE PATH...): kernels as one text, a C++ literal that FILE of the build folder
# has. Host code includes the same paths, so #include and #pragma once are left out.
function(vecc_kernel_text name)
  set(literals "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${file} text)
    string(REGEX REPLACE "#(pragma once|include \"src/)[^\n]*\n" "" text "${text}")
    string(APPEND literals "R\"VECC(${text}\n)VECC\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name} CONTENT "${literals}" @ONLY)
endfunction()
