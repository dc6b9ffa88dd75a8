// The first of those that threads come with.
#pragma once

#include <atomic>
#include <cstdint>

namespace vecc::opt {

/// `least` becomes `number`, if that is less. By several threads at once; the least one stays.
inline void keep_least(std::uint32_t& least, std::uint32_t number) {
  const std::atomic_ref shared(least);
  std::uint32_t was = shared.load(std::memory_order_relaxed);
  while (number < was && !shared.compare_exchange_weak(was, number, std::memory_order_relaxed)) {
  }
}

}  // namespace vecc::opt
