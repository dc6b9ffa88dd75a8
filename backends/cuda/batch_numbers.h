// Numbers that are set one by one for a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "backends/cuda/batch_slot.h"

namespace vecc::cuda {

/// Appends NumberWrites of src/kernel/prelude/numbers.h.
class NumberWriter {
 public:
  static constexpr std::uint64_t kBytes = 16;

  NumberWriter(DType dtype, std::byte* at) : dtype_(dtype), begin_(at), at_(at) {}

  void add(CUdeviceptr to, double value) {
    std::memcpy(at_, &to, sizeof to);
    std::memset(at_ + sizeof to, 0, kBytes - sizeof to);
    if (dtype_ == DType::F64) {
      std::memcpy(at_ + sizeof to, &value, sizeof value);
    } else {
      const auto narrow = static_cast<float>(value);
      std::memcpy(at_ + sizeof to, &narrow, sizeof narrow);
    }
    at_ += kBytes;
  }
  /// The weights of a step's next batch; those of the batch that was there before are 0 again.
  void add_weights(std::span<const Batch::Weights> weights, BatchSlot::Step& step);

  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>((at_ - begin_) / static_cast<std::ptrdiff_t>(kBytes));
  }
  [[nodiscard]] std::byte* end() const { return at_; }

 private:
  DType dtype_;
  std::byte* begin_;
  std::byte* at_;
};

/// At most as many as add_weights() adds.
[[nodiscard]] std::uint64_t count_writes(std::span<const Batch::Weights> weights,
                                         const BatchSlot::Step& step);

}  // namespace vecc::cuda
