# Finds the libtorch of a Python `torch` package and links it by hand: VeccTorch::torch.
#
# torch's own CMake files are not used: they look for a CUDA toolkit and fail without one. Full
# library paths and an RPATH keep another libtorch on the machine (a distribution's 1.13) out; a
# small program, linked in the same way, says at configure time which one is really loaded.
#
# Looked for, first match wins:
#   1. -DVECC_TORCH_PREFIX=DIR   (what `python3 -c 'import torch; print(torch.utils.cmake_prefix_path)'`
#                                prints, or a folder that holds include/ and lib/)
#   2. the active python3's torch
#   3. that of .venv/bin/python in the source folder
# Sets VeccTorch_FOUND, VeccTorch_VERSION, VeccTorch_FOLDER.
include(FindPackageHandleStandardArgs)
set(VECC_TORCH_PREFIX "" CACHE PATH "Where libtorch is: torch.utils.cmake_prefix_path of a Python")
set(_vecc_torch_minimum 2.7)

# The folder with include/ and lib/ of a prefix, or nothing.
function(_vecc_torch_root_of prefix result)
  set(${result} "" PARENT_SCOPE)
  foreach(root IN ITEMS ${prefix} ${prefix}/../..)  # cmake_prefix_path is <root>/share/cmake
    if(EXISTS ${root}/include/ATen/ATen.h AND EXISTS ${root}/lib/libtorch_cpu.so)
      cmake_path(ABSOLUTE_PATH root NORMALIZE OUTPUT_VARIABLE root)
      string(REGEX REPLACE "/$" "" root "${root}")
      set(${result} ${root} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# The prefix of a Python's torch, or nothing. Finding the package does not import it: that takes
# seconds.
function(_vecc_torch_prefix_of python result)
  execute_process(
    COMMAND ${python} -c
      "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  set(${result} "" PARENT_SCOPE)
  if(status EQUAL 0)
    set(${result} ${folder} PARENT_SCOPE)
  endif()
endfunction()

set(VeccTorch_FOLDER "")
set(_vecc_torch_looked "")
if(VECC_TORCH_PREFIX)
  _vecc_torch_root_of(${VECC_TORCH_PREFIX} VeccTorch_FOLDER)
  set(_vecc_torch_looked "VECC_TORCH_PREFIX=${VECC_TORCH_PREFIX}")
else()
  find_program(VECC_PYTHON3 python3)
  foreach(_python IN ITEMS ${VECC_PYTHON3} ${PROJECT_SOURCE_DIR}/.venv/bin/python)
    if(NOT VeccTorch_FOLDER AND EXISTS ${_python})
      _vecc_torch_prefix_of(${_python} _prefix)
      if(_prefix)
        _vecc_torch_root_of(${_prefix} VeccTorch_FOLDER)
      endif()
      string(APPEND _vecc_torch_looked " ${_python}")
    endif()
  endforeach()
endif()

set(VeccTorch_VERSION "")
if(VeccTorch_FOLDER)
  # torch/version.h itself, up to about 2.8; then what it includes.
  foreach(_header IN ITEMS csrc/api/include/torch/version.h headeronly/version.h)
    if(NOT _defines AND EXISTS ${VeccTorch_FOLDER}/include/torch/${_header})
      file(STRINGS ${VeccTorch_FOLDER}/include/torch/${_header} _defines
           REGEX "#define TORCH_VERSION_")
    endif()
  endforeach()
  foreach(_part MAJOR MINOR PATCH)
    string(REGEX MATCH "TORCH_VERSION_${_part} ([0-9]+)" _ "${_defines}")
    list(APPEND _numbers ${CMAKE_MATCH_1})
  endforeach()
  list(JOIN _numbers "." VeccTorch_VERSION)
  unset(_numbers)
  unset(_defines)
endif()

if(VeccTorch_FOLDER AND VeccTorch_VERSION VERSION_LESS _vecc_torch_minimum)
  message(FATAL_ERROR
    "libtorch ${VeccTorch_VERSION} in ${VeccTorch_FOLDER} is older than ${_vecc_torch_minimum}. Name "
    "another one with -DVECC_TORCH_PREFIX=DIR, or build without: -DVECC_TORCH=OFF")
endif()

if(VeccTorch_FOLDER AND NOT TARGET VeccTorch::torch)
  add_library(VeccTorch::torch INTERFACE IMPORTED)
  # SYSTEM, and after our own folders: torch brings protobuf and fmt headers of other versions.
  target_include_directories(VeccTorch::torch SYSTEM INTERFACE
    ${VeccTorch_FOLDER}/include ${VeccTorch_FOLDER}/include/torch/csrc/api/include)
  set(_libraries ${VeccTorch_FOLDER}/lib/libtorch.so ${VeccTorch_FOLDER}/lib/libtorch_cpu.so
      ${VeccTorch_FOLDER}/lib/libc10.so)
  set(_cuda_libraries)
  foreach(_name torch_cuda c10_cuda)
    if(EXISTS ${VeccTorch_FOLDER}/lib/lib${_name}.so)
      list(APPEND _cuda_libraries ${VeccTorch_FOLDER}/lib/lib${_name}.so)
    endif()
  endforeach()
  # The CUDA parts register themselves when they are loaded. CUDA graphs also name the CUDA runtime,
  # which is found as what libtorch_cuda needs.
  # libstdc++ first: libtorch.so exports parts of std::filesystem of its own, which crash.
  # DT_RPATH, not RUNPATH: it also holds for what these libraries load.
  target_link_libraries(VeccTorch::torch INTERFACE
    "-Wl,--push-state,--no-as-needed,--copy-dt-needed-entries" stdc++ ${_libraries} ${_cuda_libraries} "-Wl,--pop-state"
    "-Wl,--disable-new-dtags")
  # An option, not a library: CMake then quotes a path with spaces.
  target_link_options(VeccTorch::torch INTERFACE "LINKER:-rpath,${VeccTorch_FOLDER}/lib")
endif()

# What is really compiled against and loaded, once per root and version.
if(TARGET VeccTorch::torch AND NOT VECC_TORCH_CHECKED STREQUAL "${VeccTorch_FOLDER} ${VeccTorch_VERSION}")
  unset(VECC_TORCH_RUNS CACHE)
  unset(VECC_TORCH_COMPILES CACHE)
  try_run(VECC_TORCH_RUNS VECC_TORCH_COMPILES ${PROJECT_BINARY_DIR}/torch_probe
          ${CMAKE_CURRENT_LIST_DIR}/torch_probe.cc
          LINK_LIBRARIES VeccTorch::torch
          CXX_STANDARD 20 CXX_STANDARD_REQUIRED TRUE
          COMPILE_OUTPUT_VARIABLE _compile_output RUN_OUTPUT_VARIABLE _run_output)
  string(STRIP "${_run_output}" _run_output)
  if(NOT VECC_TORCH_COMPILES)
    message(FATAL_ERROR
      "libtorch in ${VeccTorch_FOLDER} does not compile and link (2.7 or newer with the C++11 ABI is "
      "needed).\nUse another one with -DVECC_TORCH_PREFIX=DIR, or build without: -DVECC_TORCH=OFF\n"
      "${_compile_output}")
  elseif(NOT VECC_TORCH_RUNS EQUAL 0)
    message(FATAL_ERROR
      "libtorch ${VeccTorch_VERSION} in ${VeccTorch_FOLDER} was compiled against, but that is not what "
      "gets loaded: ${_run_output}\nRemove the other libtorch from LD_LIBRARY_PATH, use "
      "-DVECC_TORCH_PREFIX=DIR, or build without: -DVECC_TORCH=OFF")
  endif()
  message(STATUS "libtorch: ${_run_output}")
  set(VECC_TORCH_CHECKED "${VeccTorch_FOLDER} ${VeccTorch_VERSION}" CACHE INTERNAL "")
endif()

find_package_handle_standard_args(VeccTorch
  REQUIRED_VARS VeccTorch_FOLDER
  VERSION_VAR VeccTorch_VERSION
  REASON_FAILURE_MESSAGE
    "looked at:${_vecc_torch_looked}. Install torch 2.7 or newer (python3 -m venv .venv && .venv/bin/pip \
install torch), name one with -DVECC_TORCH_PREFIX=DIR, or build without: -DVECC_TORCH=OFF")
