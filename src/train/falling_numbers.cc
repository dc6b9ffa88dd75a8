#include "src/train/falling_numbers.h"

namespace vecc::training {

// As many parts as numbers: most have one or two.
FallingNumbers::FallingNumbers(std::span<const double> numbers) : numbers_(numbers) {
  const std::size_t parts = numbers.size();
  first_.reserve(parts + 1);
  if (!numbers.empty()) {
    largest_ = numbers.front();
    scale_ = static_cast<double>(parts) / (numbers.front() - numbers.back());
  }
  std::uint32_t n = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    while (n < numbers.size() && part_of(numbers[n]) < part) ++n;
    first_.push_back(n);
  }
  first_.push_back(static_cast<std::uint32_t>(numbers.size()));
}

// Not as the number of a part until it is one: infinities, and what comes of two, are none.
std::size_t FallingNumbers::part_of(double number) const {
  const std::size_t last = numbers_.size() - 1;
  const double place = (largest_ - number) * scale_;
  if (!(place > 0)) return 0;
  return place < static_cast<double>(last) ? static_cast<std::size_t>(place) : last;
}

// Without branches: no processor foresees which half has the place of one number among many.
std::size_t FallingNumbers::count_above(double number) const {
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

}  // namespace vecc::training
