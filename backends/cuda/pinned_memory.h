// Memory of the host that a GPU reads and writes, or copies from while both go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "backends/cuda/device.h"

namespace vecc::cuda {

class PinnedMemory {
 public:
  /// `purpose`: of the error's text, behind what was to be allocated. Throws DeviceError
  /// (OutOfMemory).
  PinnedMemory(std::shared_ptr<Device> device, std::uint64_t bytes,
               const std::string& purpose = "");
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(memory_), size_};
  }
  /// On the GPU, which is the host's (unified addressing).
  [[nodiscard]] CUdeviceptr address() const { return reinterpret_cast<CUdeviceptr>(memory_); }

 private:
  std::shared_ptr<Device> device_;
  void* memory_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace vecc::cuda
