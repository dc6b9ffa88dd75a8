// The emulated driver's counts, of the library that is loaded.
#pragma once

#include <dlfcn.h>

#include <cstdlib>

#include "tests/cuda/emulator/calls.h"

namespace vecc::test {

/// Null without an emulator.
inline const EmulatedCalls* emulated_calls() {
  const char* const driver = std::getenv("VECC_CUDA_DRIVER");
  if (driver == nullptr) return nullptr;
  void* const library = ::dlopen(driver, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  void* const found = ::dlsym(library, "vecc_emulated_calls");
  return found == nullptr ? nullptr : reinterpret_cast<decltype(&vecc_emulated_calls)>(found)();
}

}  // namespace vecc::test
