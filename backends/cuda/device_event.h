// Events: what one stream of a GPU, or the host, waits for on another, and how long something took.
#pragma once

#include <memory>
#include <utility>

#include "backends/cuda/device.h"

namespace vecc::cuda {

/// A point of a stream that others wait for.
class DeviceEvent {
 public:
  /// `flags`: CUevent_flags. Throws DeviceError, as all here.
  explicit DeviceEvent(std::shared_ptr<Device> device, unsigned flags = kNoTiming);
  ~DeviceEvent();
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  /// Is what was started on the stream by now.
  void record(CUstream stream) const;
  /// What is started on the stream from now on waits.
  void hold(CUstream stream) const;
  /// The host waits.
  void wait() const;
  /// Both of which are timed, and were recorded and waited for.
  [[nodiscard]] double seconds_since(const DeviceEvent& begin) const;

 private:
  std::shared_ptr<Device> device_;
  CUevent event_ = nullptr;
};

/// How long was what the device's stream ran between two events.
class EventPair {
 public:
  /// What is started from here on counts.
  explicit EventPair(std::shared_ptr<Device> device)
      : device_(std::move(device)), begin_(device_, 0), end_(device_, 0) {
    begin_.record(device_->stream());
  }
  /// Waits for all that was started: the seconds since the GPU came to the beginning.
  [[nodiscard]] double end() const;

 private:
  std::shared_ptr<Device> device_;
  DeviceEvent begin_;
  DeviceEvent end_;
};

}  // namespace vecc::cuda
