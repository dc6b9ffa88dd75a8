// One GPU: its context, a stream that everything runs on (but what is copied beside), and what it
// is.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/driver.h"
#include "vecc/target.h"

namespace vecc::cuda {

class Device {
 public:
  /// The GPU of that number, opened once a process. Errors: DeviceAbsent (no driver, no such GPU,
  /// one that is too old), DeviceFailure.
  [[nodiscard]] static Result<std::shared_ptr<Device>> open(std::uint32_t index);

  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const Driver& driver() const { return driver_; }
  /// "cuda:0 NVIDIA H200"
  [[nodiscard]] const std::string& name() const { return name_; }
  /// What Plans for it are made for.
  [[nodiscard]] const Target& target() const { return target_; }
  /// 90 is compute capability 9.0.
  [[nodiscard]] int capability() const { return static_cast<int>(target_.capability); }
  /// The driver's number of it.
  [[nodiscard]] CUdevice number() const { return number_; }
  /// Of tables whose rows are partly here (SplitMemory), the part that is, of all executables.
  [[nodiscard]] std::uint64_t split_bytes() const { return split_bytes_; }
  void count_split(std::int64_t bytes) { split_bytes_ += static_cast<std::uint64_t>(bytes); }
  [[nodiscard]] CUstream stream() const { return stream_; }
  /// Another one, for copies that run beside.
  [[nodiscard]] CUstream copy_stream() const { return copy_stream_; }

  /// Makes its context this thread's. All that follows needs it.
  void use() const;
  [[nodiscard]] std::uint64_t free_bytes() const;
  /// Throws DeviceError.
  void check(CUresult result, const char* what) const { cuda::check(driver_, result, what); }
  /// Until all work on the stream is done.
  void wait() const;

 private:
  explicit Device(const Driver& driver) : driver_(driver) {}

  const Driver& driver_;
  std::string name_;
  Target target_;
  CUdevice number_ = 0;
  std::atomic<std::uint64_t> split_bytes_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUstream copy_stream_ = nullptr;
};

/// What a machine has, for `vecc devices`.
struct DeviceInfo {
  GpuFacts facts;
  std::uint64_t bytes = 0;  ///< of memory
};
/// Error: DeviceAbsent.
[[nodiscard]] Result<DeviceInfo> describe_device(std::uint32_t index);
/// 0 without a driver.
[[nodiscard]] std::uint32_t device_count();

}  // namespace vecc::cuda
