// What a piece of work allocates: every `new` of the program is counted.
#pragma once

#include <cstdint>

namespace vecc::test {

/// From its construction on, by all threads.
class CountedMemory {
 public:
  CountedMemory();
  /// Calls of `new`.
  [[nodiscard]] std::uint64_t allocations() const;
  /// The most bytes that were allocated at once, beyond those at the beginning.
  [[nodiscard]] std::uint64_t peak_bytes() const;

 private:
  std::uint64_t allocations_ = 0;
  std::int64_t live_ = 0;
};

}  // namespace vecc::test
