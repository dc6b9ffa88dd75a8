// Events: what one stream of a GPU, or the host, waits for on another.
#pragma once

#include <memory>

#include "backends/cuda/device.h"

namespace vecc::cuda {

/// A point of a stream that others wait for.
class DeviceEvent {
 public:
  /// Throws DeviceError, as all here.
  explicit DeviceEvent(std::shared_ptr<Device> device);
  ~DeviceEvent();
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  /// Is what was started on the stream by now.
  void record(CUstream stream) const;
  /// What is started on the stream from now on waits.
  void hold(CUstream stream) const;
  /// The host waits.
  void wait() const;

 private:
  std::shared_ptr<Device> device_;
  CUevent event_ = nullptr;
};

}  // namespace vecc::cuda
