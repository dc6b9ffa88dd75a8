// Where vecc enters the torch backend's shared library.
#include "backends/torch/torch_module.h"

#include "backends/torch/torch_backend.h"

extern "C" __attribute__((visibility("default"))) const vecc::Backend* vecc_torch_module(
    const char* build) {
  return build == vecc::libtorch::torch_module_build() ? &vecc::libtorch::torch_backend() : nullptr;
}
