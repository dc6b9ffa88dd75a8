// A GPU and its memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace vecc::emitted {

/// Throws Failure (Device) if `result` is an error. `what`: "copying to the GPU".
void check(cudaError_t result, const char* what);

/// The GPU that this thread uses from now on, and the stream on which all work is done.
class Device {
 public:
  /// Throws Failure if there is no such GPU.
  explicit Device(std::uint64_t number);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// `cuda:0 NVIDIA H200`
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t free_bytes() const;
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  /// Returns when all work is done.
  void wait() const { check(cudaStreamSynchronize(stream_), "running on the GPU"); }

 private:
  std::string name_;
  cudaStream_t stream_ = nullptr;
};

/// Bytes on a Device, which outlives them; zeros at first. What throws throws Failure.
class DeviceMemory {
 public:
  DeviceMemory(const Device& device, std::uint64_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  void write(std::uint64_t first, const void* from, std::uint64_t bytes) const;

 private:
  const Device& device_;
  std::byte* data_ = nullptr;
};

}  // namespace vecc::emitted
