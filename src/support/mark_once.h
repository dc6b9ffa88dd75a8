// Marks that several threads set.
#pragma once

#include <atomic>
#include <cstdint>

namespace vecc {

/// The mark is 1 afterwards; threads that meet at it write the same. What one writes leaves the
/// others' caches: a mark that all of them set is written once.
inline void mark_once(std::uint8_t& mark) {
  const std::atomic_ref shared(mark);
  if (shared.load(std::memory_order_relaxed) == 0) shared.store(1, std::memory_order_relaxed);
}

}  // namespace vecc
