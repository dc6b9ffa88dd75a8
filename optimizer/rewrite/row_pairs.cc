#include "optimizer/rewrite/row_pairs.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "optimizer/rewrite/unset_array.h"

namespace vecc::opt {
namespace {

constexpr std::uint32_t kDigitBits = 11;
constexpr std::uint32_t kDigits = 1u << kDigitBits;
/// Below this a histogram costs more than comparing.
constexpr std::size_t kFewRows = 512;

// A row with the number it is sorted by: moved together, so that each pass of the sort reads memory
// from first to last.
struct Keyed {
  std::uint32_t key;
  std::uint32_t row;
};

// One pass of a radix sort: stable by the digit of the keys that begins at bit `shift`.
void sort_by_digit(std::uint32_t shift, std::size_t count, UnsetArray<Keyed>& rows,
                   UnsetArray<Keyed>& sorted) {
  std::vector<std::uint32_t> next(kDigits + 1);
  const auto digit = [&](const Keyed& row) { return row.key >> shift & (kDigits - 1); };
  for (std::size_t i = 0; i < count; ++i) ++next[digit(rows[i]) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t i = 0; i < count; ++i) sorted[next[digit(rows[i])]++] = rows[i];
  std::swap(rows, sorted);
}

// Stable, from the order that `order` has.
void sort_by_number(std::span<const std::uint32_t> numbers, std::vector<std::uint32_t>& order) {
  const std::uint32_t largest = *std::ranges::max_element(numbers);
  const auto bits = static_cast<std::uint32_t>(std::bit_width(largest));
  UnsetArray<Keyed> rows(order.size());
  UnsetArray<Keyed> sorted(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rows[i] = {numbers[order[i]], order[i]};
  for (std::uint32_t shift = 0; shift < bits; shift += kDigitBits) {
    sort_by_digit(shift, order.size(), rows, sorted);
  }
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = rows[i].row;
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
  sort_by_number(minor, order);
  sort_by_number(major, order);
  return order;
}

}  // namespace vecc::opt
