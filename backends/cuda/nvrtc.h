// NVIDIA's run-time compiler (NVRTC), loaded where it is.
#pragma once

#include <string>
#include <vector>

#include "vecc/error.h"

namespace vecc::cuda {

/// NVRTC's library and version.
struct DeviceCompiler {
  std::string path;
  int major = 0;
  int minor = 0;
  std::vector<int> architectures;  ///< that it compiles for: 90 is compute capability 9.0
};

/// From $VECC_NVRTC (a path), the loader's folders, $CUDA_HOME, $CUDA_PATH and /usr/local/cuda.
/// Errors: CompilerAbsent, with where it was looked for; CompilerFailed, if VECC_NVRTC names what
/// is none.
[[nodiscard]] Result<DeviceCompiler> find_device_compiler();

/// The flags of every compilation, but the architecture.
[[nodiscard]] std::vector<std::string> device_flags();

/// As the compiler names it, with the instructions that it alone has: sm_90a.
[[nodiscard]] std::string architecture_name(int architecture);

/// CUDA C++ that includes nothing as machine code (cubin) of an architecture. Threads
/// may do so at once. Errors: CompilerAbsent, CompilerFailed with the compiler's own words.
[[nodiscard]] Result<std::string> compile_for_device(const std::string& text, int architecture);

}  // namespace vecc::cuda
