#include "backends/cuda/graph_memory.h"

#include <algorithm>

namespace vecc::cuda {
namespace {

// More than was asked for: the next graph may be somewhat larger.
std::uint64_t grown(std::uint64_t bytes) {
  constexpr std::uint64_t kLeast = 64 << 10;
  return std::max((bytes + bytes / 2 + 255) / 256 * 256, kLeast);
}

}  // namespace

void GraphMemory::reserve(std::uint64_t image, std::uint64_t outputs) {
  if (pinned_ && image <= image_ && outputs <= outputs_) return;
  pinned_.reset();
  memory_ = {};
  image_ = std::max(image_, grown(image));
  outputs_ = std::max(outputs_, grown(outputs));
  memory_ = DeviceMemory(device_, image_);
  pinned_.emplace(device_, image_ + outputs_);
}

}  // namespace vecc::cuda
