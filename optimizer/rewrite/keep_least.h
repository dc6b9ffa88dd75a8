// The first of those that threads come with.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "src/support/prefetch.h"

namespace vecc::opt {

/// `least` becomes `number`, if that is less. By several threads at once; the least one stays.
inline void keep_least(std::uint32_t& least, std::uint32_t number) {
  const std::atomic_ref shared(least);
  std::uint32_t was = shared.load(std::memory_order_relaxed);
  while (number < was && !shared.compare_exchange_weak(was, number, std::memory_order_relaxed)) {
  }
}

/// least[place_at(i)] is at most i afterwards, for i = begin .. end-1; place_at(i) is asked once,
/// and i left out where it is not below least.size(). Places lie anywhere: they are fetched ahead.
template <class PlaceAt>
void keep_least_of_each(std::span<std::uint32_t> least, std::uint32_t begin, std::uint32_t end,
                        const PlaceAt& place_at) {
  constexpr std::uint32_t kAhead = 32;
  std::array<std::uint32_t, kAhead> places;
  const auto ask = [&](std::uint32_t i) {
    const std::uint32_t place = place_at(i);
    if (place < least.size()) prefetch_to_write(&least[place]);
    places[i % kAhead] = place;
  };
  for (std::uint32_t i = begin; i < end && i - begin < kAhead; ++i) ask(i);
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t place = places[i % kAhead];
    if (end - i > kAhead) ask(i + kAhead);
    if (place < least.size()) keep_least(least[place], i);
  }
}

}  // namespace vecc::opt
