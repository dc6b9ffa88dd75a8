// Random draws for generators of test data: the same on every machine for a seed (the standard
// distributions are not).
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace vecc::test {

class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : engine_(seed) {}

  /// 0 .. bound-1; bound at least 1.
  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(engine_() % bound); }
  /// first .. last, both included.
  std::uint32_t between(std::uint32_t first, std::uint32_t last) {
    return first + below(std::uint64_t{last} - first + 1);
  }
  bool chance(double probability) { return unit() < probability; }
  /// [low, high)
  double real(double low, double high) { return low + (high - low) * unit(); }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  std::mt19937_64 engine_;
};

}  // namespace vecc::test
