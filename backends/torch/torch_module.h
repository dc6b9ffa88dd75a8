// The border between vecc and the shared library that holds the torch backend. libtorch takes half
// a second to load: only a run that asks for it pays.
#pragma once

#include <string>

#include "vecc/backend.h"

namespace vecc::libtorch {

/// Same in vecc and in the module, or one of them is of another build.
[[nodiscard]] inline std::string torch_module_build() {
  return std::string(VECC_VERSION) + ", " + __VERSION__ + ", " + std::to_string(sizeof(Program)) +
         "/" + std::to_string(sizeof(Op)) + "/" + std::to_string(sizeof(ExecutionOptions));
}

/// What the module exports: the backend, or null if `build` is not its own torch_module_build().
using TorchModuleEntry = const Backend* (*)(const char* build);
inline constexpr const char* kTorchModuleEntry = "vecc_torch_module";
inline constexpr const char* kTorchModuleFile = "libvecc_torch.so";

}  // namespace vecc::libtorch
