#include "optimizer/rewrite/row_pairs.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "optimizer/rewrite/unset_array.h"
#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"

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

// One pass of a radix sort: stable by the digit of the keys that begins at bit `shift`. Each range
// counts its own rows of a digit.
void sort_by_digit(std::uint32_t shift, std::size_t count, UnsetArray<Keyed>& rows,
                   UnsetArray<Keyed>& sorted) {
  std::vector<std::vector<std::uint32_t>> next(ListThreads::ranges_of(count),
                                               std::vector<std::uint32_t>(kDigits));
  const auto digit = [&](const Keyed& row) { return row.key >> shift & (kDigits - 1); };
  ListThreads::for_numbered_ranges(count,
                                   [&](std::size_t range, std::size_t begin, std::size_t end) {
                                     for (std::size_t i = begin; i < end; ++i)
                                       ++next[range][digit(rows[i])];
                                   });
  std::uint32_t place = 0;
  for (std::uint32_t d = 0; d < kDigits; ++d) {
    for (auto& of_range : next) place += std::exchange(of_range[d], place);
  }
  ListThreads::for_numbered_ranges(count,
                                   [&](std::size_t range, std::size_t begin, std::size_t end) {
                                     std::uint32_t* own = next[range].data();
                                     for (std::size_t i = begin; i < end; ++i)
                                       sorted[own[digit(rows[i])]++] = rows[i];
                                   });
  std::swap(rows, sorted);
}

// Stable, from the order that `order` has.
void sort_by_number(std::span<const std::uint32_t> numbers, std::vector<std::uint32_t>& order) {
  const std::uint32_t largest = largest_entry(numbers);
  const auto bits = static_cast<std::uint32_t>(std::bit_width(largest));
  UnsetArray<Keyed> rows(order.size());
  UnsetArray<Keyed> sorted(order.size());
  ListThreads::for_ranges(order.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) rows[i] = {numbers[order[i]], order[i]};
  });
  for (std::uint32_t shift = 0; shift < bits; shift += kDigitBits) {
    sort_by_digit(shift, order.size(), rows, sorted);
  }
  ListThreads::for_ranges(order.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) order[i] = rows[i].row;
  });
}

}  // namespace

std::vector<std::uint32_t> order_of_pairs(std::span<const std::uint32_t> major,
                                          std::span<const std::uint32_t> minor) {
  const auto count = static_cast<std::uint32_t>(major.size());
  std::vector<std::uint32_t> order = list_of(count, [](std::uint32_t row) { return row; });
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return major[a] != major[b] ? major[a] < major[b] : minor[a] < minor[b];
  };
  if (count < kFewRows) {
    std::ranges::stable_sort(order, before);
    return order;
  }
  // Pairs often stand in the order of one side already: dedup-linear-pairs sorts them.
  const auto next_is_before = [&](std::size_t i) {
    return before(static_cast<std::uint32_t>(i + 1), static_cast<std::uint32_t>(i));
  };
  if (holds_for_all(count - 1, [&](std::size_t i) { return !next_is_before(i); })) return order;
  if (!holds_for_all(count - 1, [&](std::size_t i) { return minor[i] <= minor[i + 1]; })) {
    sort_by_number(minor, order);
  }
  sort_by_number(major, order);
  return order;
}

}  // namespace vecc::opt
