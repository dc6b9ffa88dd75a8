#include "backends/cuda/pinned_memory.h"

#include <utility>

namespace vecc::cuda {

PinnedMemory::PinnedMemory(std::shared_ptr<Device> device, std::uint64_t bytes)
    : device_(std::move(device)), size_(bytes) {
  device_->check(device_->driver().host_allocate(&memory_, bytes, 0), "allocating pinned memory");
}

PinnedMemory::~PinnedMemory() {
  (void)device_->driver().host_free(memory_);  // at the process' end it may be gone
}

}  // namespace vecc::cuda
