#include "backends/cuda/pinned_memory.h"

#include <utility>

#include "src/support/quantity_text.h"

namespace vecc::cuda {

PinnedMemory::PinnedMemory(std::shared_ptr<Device> device, std::uint64_t bytes,
                           const std::string& purpose)
    : device_(std::move(device)), size_(bytes) {
  constexpr unsigned kMapped = 2;  // CU_MEMHOSTALLOC_DEVICEMAP
  const std::string what =
      "allocating " + text_of_bytes(bytes) + " of pinned memory of the host" + purpose;
  device_->check(device_->driver().host_allocate(&memory_, bytes, kMapped), what.c_str());
}

PinnedMemory::~PinnedMemory() {
  (void)device_->driver().host_free(memory_);  // at the process' end it may be gone
}

}  // namespace vecc::cuda
