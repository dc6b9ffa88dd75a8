#include "backends/cuda/pinned_memory.h"

#include <utility>

namespace vecc::cuda {

PinnedMemory::PinnedMemory(std::shared_ptr<Device> device, std::uint64_t bytes)
    : device_(std::move(device)), size_(bytes) {
  constexpr unsigned kMapped = 2;  // CU_MEMHOSTALLOC_DEVICEMAP
  device_->check(device_->driver().host_allocate(&memory_, bytes, kMapped),
                 "allocating pinned memory of the host");
}

PinnedMemory::~PinnedMemory() {
  (void)device_->driver().host_free(memory_);  // at the process' end it may be gone
}

}  // namespace vecc::cuda
