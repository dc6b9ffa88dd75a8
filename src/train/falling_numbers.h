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

  /// `number` is no NaN.
  [[nodiscard]] std::size_t count_above(double number) const;

 private:
  /// Numbers are shared among parts of their range, of one width. A larger number is in no later
  /// part, however its place is rounded, and where it is infinite, too.
  [[nodiscard]] std::size_t part_of(double number) const;

  std::span<const double> numbers_;
  double largest_ = 0;
  double scale_ = 0;                  // parts a unit
  std::vector<std::uint32_t> first_;  // by part: its first number; then how many there are
};

}  // namespace vecc::training
