// A bound graph's memory on a GPU and, pinned, on the host. Both grow and are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "backends/cuda/device_block.h"
#include "backends/cuda/pinned_memory.h"
#include "backends/cuda/step_list.h"
#include "src/bind/row_launches.h"

namespace vecc::cuda {

class GraphMemory final : public binding::BackendMemory {
 public:
  explicit GraphMemory(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  /// For an image and outputs of so many bytes. Nothing may run on what there was. Throws
  /// DeviceError (OutOfMemory).
  void reserve(std::uint64_t image, std::uint64_t outputs);

  [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }
  [[nodiscard]] std::byte* host() const { return pinned_->bytes().data(); }
  /// Of host() on the GPU.
  [[nodiscard]] std::uint64_t host_address() const { return pinned_->address(); }
  [[nodiscard]] std::uint64_t address() const { return memory_.address(); }
  [[nodiscard]] const DeviceMemory& memory() const { return memory_; }
  /// Byte of host() where kernels store outputs.
  [[nodiscard]] std::uint64_t first_output() const { return image_; }

  StepList steps;
  std::shared_ptr<const void> weights;  ///< what its steps read

 private:
  std::shared_ptr<Device> device_;
  std::optional<PinnedMemory> pinned_;
  DeviceMemory memory_;
  std::uint64_t image_ = 0;  // bytes that there are
  std::uint64_t outputs_ = 0;
};

}  // namespace vecc::cuda
