// How many of sorted numbers are above another one, asked for many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vecc::training {

class FallingNumbers {
 public:
  /// `numbers`: from the largest on, less than 2^32 of them, none NaN; they must outlive this.
  explicit FallingNumbers(std::span<const double> numbers);

  /// `number` is no NaN. Without branches: no processor foresees which half has the place of one
  /// number among many.
  [[nodiscard]] std::size_t count_above(double number) const {
    if (numbers_.empty()) return 0;
    const std::size_t part = part_of(number);
    const double* first = numbers_.data() + first_[part];
    std::size_t left = first_[part + 1] - first_[part];
    while (left > 1) {
      const std::size_t half = left / 2;
      first += first[half - 1] > number ? half : 0;
      left -= half;
    }
    const bool last_is_above = left == 1 && *first > number;
    return static_cast<std::size_t>(first - numbers_.data()) + (last_is_above ? 1 : 0);
  }

 private:
  /// Numbers are shared among parts of their range, of one width. A larger number is in no later
  /// part, however its place is rounded, and where it is infinite, too.
  [[nodiscard]] std::size_t part_of(double number) const {
    const std::size_t last = numbers_.size() - 1;
    const double place = (largest_ - number) * scale_;
    if (!(place > 0)) return 0;  // of two infinities it is none
    return place < static_cast<double>(last) ? static_cast<std::size_t>(place) : last;
  }

  std::span<const double> numbers_;
  double largest_ = 0;
  double scale_ = 0;                  // parts a unit
  std::vector<std::uint32_t> first_;  // by part: its first number; then how many there are
};

}  // namespace vecc::training
