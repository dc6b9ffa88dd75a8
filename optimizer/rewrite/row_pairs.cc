#include "optimizer/rewrite/row_pairs.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace vecc::opt {
namespace {

constexpr std::uint32_t kDigitBits = 11;
constexpr std::uint32_t kDigits = 1u << kDigitBits;
/// Below this a histogram costs more than comparing.
constexpr std::size_t kFewRows = 512;

// One pass of a radix sort: stable by the digit of `numbers` that begins at bit `shift`.
void sort_by_digit(std::span<const std::uint32_t> numbers, std::uint32_t shift,
                   std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& sorted) {
  std::vector<std::uint32_t> next(kDigits + 1);
  const auto digit = [&](std::uint32_t row) { return numbers[row] >> shift & (kDigits - 1); };
  for (const std::uint32_t row : order) ++next[digit(row) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (const std::uint32_t row : order) sorted[next[digit(row)]++] = row;
  order.swap(sorted);
}

void sort_by_number(std::span<const std::uint32_t> numbers, std::vector<std::uint32_t>& order,
                    std::vector<std::uint32_t>& sorted) {
  const std::uint32_t largest = *std::ranges::max_element(numbers);
  const auto bits = static_cast<std::uint32_t>(std::bit_width(largest));
  for (std::uint32_t shift = 0; shift < bits; shift += kDigitBits) {
    sort_by_digit(numbers, shift, order, sorted);
  }
}

}  // namespace

std::vector<std::uint32_t> order_of_pairs(std::span<const std::uint32_t> major,
                                          std::span<const std::uint32_t> minor) {
  std::vector<std::uint32_t> order(major.size());
  std::iota(order.begin(), order.end(), 0u);
  if (order.size() < kFewRows) {
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return major[a] != major[b] ? major[a] < major[b] : minor[a] < minor[b];
    });
    return order;
  }
  std::vector<std::uint32_t> sorted(order.size());
  sort_by_number(minor, order, sorted);
  sort_by_number(major, order, sorted);
  return order;
}

}  // namespace vecc::opt
