# How every target of vecc is compiled.

# Warnings that every compiler we support gives alike; -Wswitch-enum makes a function missing from a
# consumer's switch an error (a `default` would hide it).
add_library(vecc_options INTERFACE)
target_include_directories(vecc_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
target_compile_options(vecc_options INTERFACE -Wall -Wextra -Wswitch-enum -Wshadow -Wnon-virtual-dtor)
# GCC 12 and 13 warn of overlapping copies in `"literal" + std::string` (GCC bug 105651).
target_compile_options(vecc_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
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
    get_target_property(is_precompiled ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    if(is_precompiled)
      vecc_prelude(vecc_cold_prelude $<$<CONFIG:Release>:-O1>)
      set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM vecc_cold_prelude)
    endif()
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

# vecc_prelude(NAME OPTIONS...): those headers, once; GCC takes them for the level of optimization
# that they were parsed at, -O3 for -O2.
function(vecc_prelude name)
  if(TARGET ${name})
    return()
  endif()
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/prelude.cc)
  target_link_libraries(${name} PRIVATE vecc_options Boost::headers fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/prelude.h)
  target_compile_options(${name} PRIVATE -fpch-preprocess ${ARGN})
endfunction()

# vecc_precompiled(TARGET...): libraries that link fmt (vecc_support) compile with those headers.
function(vecc_precompiled)
  if(NOT VECC_PRECOMPILE)
    return()
  endif()
  vecc_prelude(vecc_prelude)
  foreach(target ${ARGN})
    target_precompile_headers(${target} REUSE_FROM vecc_prelude)
    # By the first, ccache follows the header; and a precompiled header loses the pragmas by which
    # Boost's small_vector quiets a false warning of GCC 12.
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-array-bounds)
  endforeach()
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
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "VECC_SOURCE_DIR=${PROJECT_SOURCE_DIR};VECC_BINARY_DIR=${PROJECT_BINARY_DIR};VECC_CACHE_DIR=${PROJECT_BINARY_DIR}/cache")
endfunction()
