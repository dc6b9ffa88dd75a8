#include "backends/cuda/driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "vecc/escape.h"

namespace vecc::cuda {
namespace {

Errors absent(std::string message) {
  return Errors(ErrorCode::DeviceAbsent, "cuda", std::move(message));
}

// What is done without.
bool is_new(std::string_view symbol) {
  return symbol == "cuGraphAddDependencies_v2";
}

Result<Driver> load_driver() {
  const char* const own = std::getenv("VECC_CUDA_DRIVER");
  const std::string path = own != nullptr && *own != '\0' ? own : "libcuda.so.1";
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absent("no NVIDIA driver (" + escape_terminal(path, 4096) +
                  ") on this machine: install it, or choose --backend=cpu");
  }
  Driver driver;
  const char* missing = nullptr;
#define VECC_CUDA_CALL(name, symbol, parameters)                  \
  if (void* const found = ::dlsym(library, #symbol)) {            \
    driver.name = reinterpret_cast<decltype(driver.name)>(found); \
  } else if (!is_new(#symbol)) {                                  \
    missing = #symbol;                                            \
  }
#include "backends/cuda/driver_calls.def"
#undef VECC_CUDA_CALL
  if (missing != nullptr) {
    return absent(std::string("the NVIDIA driver is too old, it has no ") + missing +
                  ": install a driver for CUDA 12 or newer");
  }
  if (const CUresult error = driver.init(0); error != kSuccess) {
    return absent("the NVIDIA driver does not start: " + error_text(driver, error) +
                  "; nvidia-smi may say more");
  }
  return driver;
}

}  // namespace

Result<const Driver*> find_driver() {
  static const Result<Driver> driver = load_driver();
  if (!driver) return driver.error();
  return &*driver;
}

std::string error_text(const Driver& driver, CUresult error) {
  const char* name = nullptr;
  const char* text = nullptr;
  (void)driver.error_name(error, &name);
  (void)driver.error_string(error, &text);
  return std::string(name != nullptr ? name : "error " + std::to_string(error)) +
         (text != nullptr ? ": " + std::string(text) : "");
}

void check(const Driver& driver, CUresult result, const char* what) {
  if (result == kSuccess) return;
  throw DeviceError{
      Errors(result == kOutOfMemory ? ErrorCode::OutOfMemory : ErrorCode::DeviceFailure, "cuda",
             std::string(what) + ": " + error_text(driver, result))};
}

}  // namespace vecc::cuda
