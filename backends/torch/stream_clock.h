// How long what runs on a device's stream takes, by the device's own events.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace vecc::libtorch {

/// All of it throws c10::Error.
class StreamClock {
 public:
  explicit StreamClock(const c10::Device& device)
      : device_(device),
        begin_(device.type(), c10::EventFlag::BACKEND_DEFAULT),
        end_(device.type(), c10::EventFlag::BACKEND_DEFAULT) {
    begin();  // makes both events: no run pays for that
    end();
  }
  void begin() { begin_.record(stream()); }
  void end() { end_.record(stream()); }
  /// Between both, when the device is done.
  [[nodiscard]] double seconds() const { return begin_.elapsedTime(end_) * 1e-3; }

 private:
  [[nodiscard]] c10::Stream stream() const {
    return c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
  }

  c10::Device device_;
  c10::Event begin_;
  c10::Event end_;
};

}  // namespace vecc::libtorch
