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

}  // namespace vecc::training
