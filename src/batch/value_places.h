// Where a compact batch has its values: buffers share memory when they do not live at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/batch/batch_plan.h"

namespace vecc {

class ValuePlaces {
 public:
  /// The plan, a compact one, must outlive this.
  explicit ValuePlaces(const BatchPlan& plan);

  /// `counts`: numbers of each buffer. Takes time linear in the buffers, times those that live at
  /// once.
  void set(std::span<const std::uint64_t> counts);
  /// The number where a buffer begins.
  [[nodiscard]] std::uint64_t first(BufferIndex buffer) const { return firsts_[buffer]; }
  /// Numbers that all take.
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  struct Taken {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t last = 0;  ///< launch
  };

  [[nodiscard]] std::uint64_t take(std::uint64_t count, std::uint32_t last);

  const BatchPlan& plan_;
  std::vector<BufferIndex> by_birth_;  // made buffers, by their first launches
  std::vector<std::uint64_t> firsts_;
  std::vector<Taken> taken_;  // at hand, by begin
  std::uint64_t count_ = 0;
};

}  // namespace vecc
