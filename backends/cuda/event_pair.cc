#include "backends/cuda/event_pair.h"

#include <utility>

namespace vecc::cuda {

EventPair::EventPair(std::shared_ptr<Device> device) : device_(std::move(device)) {
  const Driver& driver = device_->driver();
  device_->check(driver.event_create(&begin_, 0), "making an event");
  const CUresult made = driver.event_create(&end_, 0);
  if (made != 0) (void)driver.event_destroy(begin_);  // no destructor runs
  device_->check(made, "making an event");
}

EventPair::~EventPair() {
  (void)device_->driver().event_destroy(begin_);  // at the process' end they may be gone
  (void)device_->driver().event_destroy(end_);
}

void EventPair::begin() const {
  device_->check(device_->driver().event_record(begin_, device_->stream()), "timing a kernel");
}

double EventPair::end() const {
  const Driver& driver = device_->driver();
  device_->check(driver.event_record(end_, device_->stream()), "timing a kernel");
  device_->check(driver.event_synchronize(end_), "running a kernel");
  float milliseconds = 0;
  device_->check(driver.event_elapsed(&milliseconds, begin_, end_), "timing a kernel");
  return milliseconds * 1e-3;
}

}  // namespace vecc::cuda
