#include "optimizer/passes/pad_linear_layouts.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "optimizer/rewrite/row_pairs.h"
#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

// A table by row is not made for a linear that reads less than one in so many rows.
constexpr std::uint32_t kManyRowsPerUse = 16;

std::uint32_t divided_up(std::uint32_t a, std::uint32_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

PadLayout layout_of_periods(PadLayout::Kind kind, const SideUses& side,
                            std::vector<std::uint32_t> times) {
  PadLayout layout;
  layout.kind = kind;
  std::uint64_t period = 0;
  for (std::uint32_t key = 0; key < side.keys(); ++key) {
    layout.periods = std::max(layout.periods, divided_up(side.uses(key), times[key]));
    period += times[key];
  }
  layout.times = std::move(times);
  layout.products = period * layout.periods;
  layout.left_rows = kind == PadLayout::Kind::ByLeft ? period : layout.products;
  layout.right_rows = kind == PadLayout::Kind::ByLeft ? layout.products : period;
  return layout;
}

// Each key once in a period: padded to the largest number of uses.
PadLayout sided_layout(PadLayout::Kind kind, const SideUses& side) {
  return layout_of_periods(kind, side, std::vector<std::uint32_t>(side.keys(), 1));
}

// How often each key stands in a period: its uses over the fewest uses of any, rounded; empty if
// the period gets too long.
std::vector<std::uint32_t> bucket_times(const SideUses& side) {
  if (side.keys() > kLongestPeriod) return {};
  std::uint64_t fewest = side.uses(0);
  for (std::uint32_t key = 1; key < side.keys(); ++key) {
    fewest = std::min<std::uint64_t>(fewest, side.uses(key));
  }
  std::vector<std::uint32_t> times;
  std::uint64_t period = 0;
  for (std::uint32_t key = 0; key < side.keys(); ++key) {
    // floor(uses / fewest + 1/2)
    const std::uint64_t t = (2 * std::uint64_t{side.uses(key)} + fewest) / (2 * fewest);
    times.push_back(static_cast<std::uint32_t>(t));
    period += t;
  }
  if (period > kLongestPeriod) times.clear();
  return times;
}

PadLayout full_layout(const DistinctPairs& pairs) {
  PadLayout layout;
  layout.kind = PadLayout::Kind::AllPairs;
  layout.left_rows = pairs.by_left.keys();
  layout.right_rows = pairs.by_right.keys();
  layout.products = layout.left_rows * layout.right_rows;
  return layout;
}

std::vector<std::uint32_t> keys_by_row(const SideUses& side) {
  std::vector<std::uint32_t> keys(side.order.size());
  for (std::uint32_t key = 0; key < side.keys(); ++key) {
    for (auto i = side.begin[key]; i < side.begin[key + 1]; ++i) keys[side.order[i]] = key;
  }
  return keys;
}

PaddedRows lay_out_all(const DistinctPairs& pairs, Orientation orientation) {
  const std::uint32_t lefts = pairs.by_left.keys();
  const std::uint32_t rights = pairs.by_right.keys();
  const auto place = [&](std::uint32_t left, std::uint32_t right) {
    return orientation == Orientation::LeftInterleaves ? left * rights + right
                                                       : right * lefts + left;
  };
  PaddedRows rows;
  rows.left.resize(std::size_t{lefts} * rights);
  rows.right.resize(rows.left.size());
  for (std::uint32_t left = 0; left < lefts; ++left) {
    for (std::uint32_t right = 0; right < rights; ++right) {
      rows.left[place(left, right)] = pairs.by_left.rows[left];
      rows.right[place(left, right)] = pairs.by_right.rows[right];
    }
  }
  const std::vector<std::uint32_t> left_keys = keys_by_row(pairs.by_left);
  const std::vector<std::uint32_t> right_keys = keys_by_row(pairs.by_right);
  rows.place.resize(pairs.left.size());
  for (std::size_t row = 0; row < rows.place.size(); ++row) {
    rows.place[row] = place(left_keys[row], right_keys[row]);
  }
  return rows;
}

// The products of each key fill its slots of all periods; the last one stands in those left over.
PaddedRows lay_out_periods(const DistinctPairs& pairs, const PadLayout& layout,
                           Orientation orientation) {
  const bool by_left = layout.kind == PadLayout::Kind::ByLeft;
  const SideUses& side = by_left ? pairs.by_left : pairs.by_right;
  const bool interleaves = by_left == (orientation == Orientation::LeftInterleaves);
  const auto period = static_cast<std::uint32_t>(by_left ? layout.left_rows : layout.right_rows);
  PaddedRows rows;
  rows.left.resize(layout.products);
  rows.right.resize(layout.products);
  rows.place.resize(pairs.left.size());
  std::vector<std::uint32_t> first_slot(side.keys());
  std::exclusive_scan(layout.times.begin(), layout.times.end(), first_slot.begin(), 0u);
  // Product `at`, in the order of the keys: number j of its key.
  const auto fill = [&](std::uint32_t key, std::uint32_t at) {
    const std::uint32_t j = at - first_slot[key] * layout.periods;
    const std::uint32_t slot = first_slot[key] + j / layout.periods;
    const std::uint32_t turn = j % layout.periods;
    const std::uint32_t place = interleaves ? slot * layout.periods + turn : turn * period + slot;
    const std::uint32_t uses = side.uses(key);
    const std::uint32_t row = side.order[side.begin[key] + std::min(j, uses - 1)];
    rows.left[place] = pairs.left[row];
    rows.right[place] = pairs.right[row];
    if (j < uses) rows.place[row] = place;
  };
  ListThreads::for_ranges(layout.products, [&](std::size_t begin, std::size_t end) {
    const auto slot_of = static_cast<std::uint32_t>(begin / layout.periods);
    const auto next = std::ranges::upper_bound(first_slot, slot_of);
    auto key = static_cast<std::uint32_t>(next - first_slot.begin() - 1);
    for (auto at = static_cast<std::uint32_t>(begin); at < end; ++at) {
      while (key + 1 < side.keys() && at / layout.periods >= first_slot[key + 1]) ++key;
      fill(key, at);
    }
  });
  return rows;
}

// By number below `bound`: how often it occurs.
std::vector<std::uint32_t> count_each(std::span<const std::uint32_t> numbers, std::uint32_t bound) {
  const std::size_t ranges = ListThreads::ranges_of(numbers.size());
  if (bound * ranges > numbers.size()) {  // threads hardly meet
    std::vector<std::uint32_t> counts = long_list<std::uint32_t>(bound);
    ListThreads::for_ranges(numbers.size(), [&](std::size_t begin, std::size_t end) {
      for (; begin < end; ++begin) {
        std::atomic_ref(counts[numbers[begin]]).fetch_add(1, std::memory_order_relaxed);
      }
    });
    return counts;
  }
  std::vector<std::vector<std::uint32_t>> of_range(ranges);
  ListThreads::for_numbered_ranges(numbers.size(),
                                   [&](std::size_t range, std::size_t begin, std::size_t end) {
                                     std::vector<std::uint32_t> own(bound);
                                     for (; begin < end; ++begin) ++own[numbers[begin]];
                                     of_range[range] = std::move(own);
                                   });
  return list_of(bound, [&](std::uint32_t number) {
    std::uint32_t count = 0;
    for (const std::vector<std::uint32_t>& own : of_range) count += own[number];
    return count;
  });
}

}  // namespace

SideUses count_uses(std::span<const std::uint32_t> side, std::uint32_t bound) {
  SideUses uses;
  std::uint32_t before = 0;
  const auto add = [&](std::uint32_t row, std::uint32_t count) {
    uses.rows.push_back(row);
    uses.begin.push_back(before);
    before += count;
  };
  if (bound / kManyRowsPerUse > side.size()) {
    std::vector<std::uint32_t> sorted(side.begin(), side.end());
    std::ranges::sort(sorted);
    for (auto first = sorted.begin(); first != sorted.end();) {
      const auto end = std::upper_bound(first, sorted.end(), *first);
      add(*first, static_cast<std::uint32_t>(end - first));
      first = end;
    }
  } else {
    const std::vector<std::uint32_t> counts = count_each(side, bound);
    uses.rows = entries_where(bound, [&](std::uint32_t row) { return counts[row] > 0; });
    uses.begin = offsets_of(uses.rows.size(), [&](std::size_t k) { return counts[uses.rows[k]]; });
    return uses;
  }
  uses.begin.push_back(before);
  return uses;
}

SideUses uses_of(std::span<const std::uint32_t> side, std::span<const std::uint32_t> other) {
  SideUses uses;
  uses.order = order_of_pairs(side, other);
  const auto count = static_cast<std::uint32_t>(uses.order.size());
  uses.begin = entries_where(count, [&](std::uint32_t i) {
    return i == 0 || side[uses.order[i]] != side[uses.order[i - 1]];
  });
  uses.rows = list_of(static_cast<std::uint32_t>(uses.begin.size()),
                      [&](std::uint32_t key) { return side[uses.order[uses.begin[key]]]; });
  uses.begin.push_back(count);
  return uses;
}

std::vector<PadLayout> pad_layouts(const DistinctPairs& pairs, PadMode mode) {
  const bool sided = mode == PadMode::Sided || mode == PadMode::Any;
  const bool full = mode == PadMode::Full || mode == PadMode::Any;
  std::vector<PadLayout> layouts;
  if (sided) {
    layouts.push_back(sided_layout(PadLayout::Kind::ByLeft, pairs.by_left));
    layouts.push_back(sided_layout(PadLayout::Kind::ByRight, pairs.by_right));
  }
  if (full) layouts.push_back(full_layout(pairs));
  const auto add_bucketed = [&](PadLayout::Kind kind, const SideUses& side) {
    std::vector<std::uint32_t> times = bucket_times(side);
    if (!times.empty()) layouts.push_back(layout_of_periods(kind, side, std::move(times)));
  };
  if (sided) {
    add_bucketed(PadLayout::Kind::ByLeft, pairs.by_left);
    add_bucketed(PadLayout::Kind::ByRight, pairs.by_right);
  }
  std::erase_if(layouts, [](const PadLayout& layout) { return layout.products > kMaxRows; });
  return layouts;
}

PaddedRows lay_out(const DistinctPairs& pairs, const PadLayout& layout, Orientation orientation) {
  if (layout.kind == PadLayout::Kind::AllPairs) return lay_out_all(pairs, orientation);
  return lay_out_periods(pairs, layout, orientation);
}

}  // namespace vecc::opt
