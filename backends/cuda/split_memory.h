// One range of addresses of which the first bytes are a GPU's memory and the rest the host's: a
// kernel that reads a row there needs not know where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backends/cuda/device.h"

namespace vecc::cuda {

class SplitMemory {
 public:
  /// What the bytes on the device are a multiple of; 0: the GPU, or its driver, maps no memory of
  /// itself or of the host.
  [[nodiscard]] static std::uint64_t page_bytes(const Device& device);

  /// Both more than 0; `device_bytes` a multiple of page_bytes(). Nothing is written there yet. The
  /// host's are pinned. Throws DeviceError (OutOfMemory, DeviceFailure).
  SplitMemory(std::shared_ptr<Device> device, std::uint64_t device_bytes, std::uint64_t host_bytes);
  ~SplitMemory();
  SplitMemory(const SplitMemory&) = delete;
  SplitMemory& operator=(const SplitMemory&) = delete;

  [[nodiscard]] CUdeviceptr address() const { return first_; }
  /// Each when all work before it is done; `from` may go at once.
  void write(std::uint64_t first, const void* from, std::uint64_t bytes) const;
  void read(std::uint64_t first, void* to, std::uint64_t bytes) const;

 private:
  /// A part of the range, whose memory is of one place.
  struct Part {
    CUdeviceptr first = 0;
    std::uint64_t bytes = 0;
    CUmemHandle memory = 0;
    bool is_created = false;
    bool is_mapped = false;
  };

  void map(Part& part, const CUmemLocation& place) const;
  void free() noexcept;
  void free(const Part& part) const noexcept;
  [[nodiscard]] std::byte* host_address(std::uint64_t first) const {
    return reinterpret_cast<std::byte*>(first_ + first);
  }
  /// How many of the bytes from `first` on are the device's.
  [[nodiscard]] std::uint64_t on_device(std::uint64_t first, std::uint64_t bytes) const;

  std::shared_ptr<Device> device_;
  CUdeviceptr first_ = 0;  // 0: no addresses
  Part on_device_;
  Part on_host_;
};

}  // namespace vecc::cuda
