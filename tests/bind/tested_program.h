// What graphs are bound to in these tests: the cpu backend's programs, with VECC_TEST_DEVICE=cuda
// the cuda backend's.
#pragma once

#include <cstdlib>
#include <string_view>

#include "vecc/template.h"

namespace vecc::test {

inline bool is_cuda() {
  const char* const asked = std::getenv("VECC_TEST_DEVICE");
  return asked != nullptr && std::string_view(asked).starts_with("cuda");
}
/// The emulated GPU is slow: a part of the cases.
inline bool is_emulated() {
  return is_cuda() && std::getenv("VECC_CUDA_DRIVER") != nullptr;
}

/// `interprets`: where kernels need not be compiled.
inline TemplateCompileOptions tested_options(bool interprets = false, std::uint32_t threads = 1) {
  TemplateCompileOptions options;
  options.threads = threads;
  options.interprets = interprets && !is_cuda();
  if (is_cuda()) options.device.kind = Device::Kind::Cuda;
  return options;
}

}  // namespace vecc::test
