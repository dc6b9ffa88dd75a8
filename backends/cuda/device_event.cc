#include "backends/cuda/device_event.h"

#include <utility>

namespace vecc::cuda {

DeviceEvent::DeviceEvent(std::shared_ptr<Device> device) : device_(std::move(device)) {
  device_->check(device_->driver().event_create(&event_, kNoTiming), "making an event");
}

DeviceEvent::~DeviceEvent() {
  (void)device_->driver().event_destroy(event_);
}

void DeviceEvent::record(CUstream stream) const {
  device_->check(device_->driver().event_record(event_, stream), "starting a batch");
}

void DeviceEvent::hold(CUstream stream) const {
  device_->check(device_->driver().stream_wait(stream, event_, 0), "starting a batch");
}

void DeviceEvent::wait() const {
  device_->check(device_->driver().event_synchronize(event_), "running a batch");
}

}  // namespace vecc::cuda
