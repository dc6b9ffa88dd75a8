#include "backends/cuda/device_event.h"

#include <utility>

namespace vecc::cuda {

DeviceEvent::DeviceEvent(std::shared_ptr<Device> device, unsigned flags)
    : device_(std::move(device)) {
  device_->check(device_->driver().event_create(&event_, flags), "making an event");
}

DeviceEvent::~DeviceEvent() {
  (void)device_->driver().event_destroy(event_);  // at the process' end it may be gone
}

void DeviceEvent::record(CUstream stream) const {
  device_->check(device_->driver().event_record(event_, stream), "starting kernels");
}

void DeviceEvent::hold(CUstream stream) const {
  device_->check(device_->driver().stream_wait(stream, event_, 0), "starting kernels");
}

void DeviceEvent::wait() const {
  device_->check(device_->driver().event_synchronize(event_), "running kernels");
}

double DeviceEvent::seconds_since(const DeviceEvent& begin) const {
  float milliseconds = 0;
  device_->check(device_->driver().event_elapsed(&milliseconds, begin.event_, event_),
                 "timing kernels");
  return milliseconds * 1e-3;
}

double EventPair::end() const {
  end_.record(device_->stream());
  end_.wait();
  return end_.seconds_since(begin_);
}

}  // namespace vecc::cuda
