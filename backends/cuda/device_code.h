// Kernel texts to loaded machine code: from the cache, or from NVRTC.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/nvrtc.h"
#include "backends/native/code_cache.h"

namespace vecc::cuda {

/// Machine code on the device; unloaded with its last owner.
class DeviceModule {
 public:
  /// Throws DeviceError. `image`: a cubin.
  DeviceModule(std::shared_ptr<Device> device, const std::string& image);
  ~DeviceModule();
  DeviceModule(const DeviceModule&) = delete;
  DeviceModule& operator=(const DeviceModule&) = delete;

  /// Throws DeviceError if there is none.
  [[nodiscard]] CUfunction function(const char* name) const;

 private:
  std::shared_ptr<Device> device_;
  CUmodule module_ = nullptr;
};

struct DeviceCodeOptions {
  std::string cache_folder;  ///< empty: the user's
  std::uint64_t cache_bytes = native::kCodeCacheBytes;
  std::function<void(const std::string&)> warn;
};
struct DeviceCodeCounts {
  std::uint32_t compiled = 0;
  std::uint32_t cached = 0;
  double seconds = 0;
};

/// Machine code of each text for an architecture (90: compute capability 9.0), in order; equal
/// texts are compiled once. Several are compiled at once, the first ones first. `counts` may be
/// null. Errors: CompilerAbsent (if one is not in the cache), CompilerFailed.
[[nodiscard]] Result<std::vector<std::string>> compile_device_code(
    std::span<const std::string> texts, int architecture, const DeviceCodeOptions& options,
    DeviceCodeCounts* counts);

/// The same, loaded: what an executable of this process has loaded already is shared with it, and
/// counts neither as compiled nor as cached. Errors: those of compile_device_code(). Throws
/// DeviceError.
[[nodiscard]] Result<std::vector<std::shared_ptr<DeviceModule>>> load_device_code(
    const std::shared_ptr<Device>& device, std::span<const std::string> texts,
    const DeviceCodeOptions& options, DeviceCodeCounts* counts);

}  // namespace vecc::cuda
