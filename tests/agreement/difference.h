// How far values are from the expected ones: |a - b| <= tolerance * max(1, |b|), with NaN and
// infinity in the same places.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>

namespace vecc::test {

/// |found - expected| / max(1, |expected|); 0 for two NaNs or two equal infinities, infinity if
/// only one of them is finite or a number.
[[nodiscard]] double relative_difference(double found, double expected);

/// The largest difference of many comparisons, and where the first one beyond the tolerance was.
class DifferenceRecord {
 public:
  explicit DifferenceRecord(double tolerance) : tolerance_(tolerance) {}

  /// Compares element by element; `place` is asked for only when something is wrong.
  void compare(std::span<const double> found, std::span<const double> expected,
               const std::function<std::string()>& place);

  [[nodiscard]] double largest() const { return largest_; }
  /// Empty if everything agrees; else the first failure and how many elements failed.
  [[nodiscard]] std::string failure() const;

 private:
  double tolerance_;
  double largest_ = 0;
  std::size_t failures_ = 0;
  std::string first_;
};

}  // namespace vecc::test
