#include "src/plan/row_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "src/support/list_threads.h"
#include "src/support/long_list.h"

namespace vecc {
namespace {

// Rows of up to so many numbers, so many members each, gain by an order if that many of them differ
// in length from the row before (a branch predictor learns fewer).
constexpr std::uint64_t kLongestRow = 15;
constexpr std::uint32_t kMeanMembers = 16;
constexpr std::uint32_t kFewestChanges = 256;

// Rows of fewer members stay where they are: their lists and results lie side by side.
constexpr std::uint32_t kShortRow = 8;
constexpr std::size_t kLengthClasses = 33;
// A row of that many, and of as many times the mean, is a long one.
constexpr std::uint32_t kLongRow = 32;
constexpr std::uint32_t kTimesMean = 4;

const std::vector<std::uint32_t>& offsets_of(const Plan& plan, const Launch& launch) {
  return *plan.arrays[launch.offsets];
}

// Whether the lengths of short segments change from row to row so often that wrong
// predictions of where each loop ends cost more than reading an order.
bool gains_by_order(const Plan& plan, const Launch& launch) {
  const auto& offsets = offsets_of(plan, launch);
  if (offsets.back() > kMeanMembers * std::uint64_t{launch.rows}) return false;
  std::uint32_t changes = 0;
  for (std::uint32_t row = 0; row + 1 < launch.rows; ++row) {
    changes += offsets[row + 1] - offsets[row] != offsets[row + 2] - offsets[row + 1];
  }
  return changes >= kFewestChanges && changes >= launch.rows / 4;
}

}  // namespace

std::uint32_t length_class(std::uint32_t members) {
  return static_cast<std::uint32_t>(std::bit_width(std::max(members, kShortRow - 1)));
}

bool may_be_ordered(const Kernel& kernel) {
  return kernel.segments == KernelSegments::Ragged &&
         std::ranges::all_of(
             kernel.nodes, [](const KernelNode& node) { return node.shape.size() <= kLongestRow; });
}

std::vector<std::uint32_t> order_within_tiles(const Plan& plan, const Launch& launch) {
  // (Lengths that a run fills are not known.)
  if (plan.is_filled(launch.offsets) || !gains_by_order(plan, launch)) return {};
  const auto& offsets = offsets_of(plan, launch);
  std::vector<std::uint32_t> order(launch.rows);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t t = 0; t + 1 < launch.tiles.size(); ++t) {
    std::stable_sort(order.begin() + launch.tiles[t], order.begin() + launch.tiles[t + 1],
                     [&](std::uint32_t a, std::uint32_t b) {
                       return offsets[a + 1] - offsets[a] < offsets[b + 1] - offsets[b];
                     });
  }
  return order;
}

std::vector<std::uint32_t> order_long_first(const Plan& plan, const Launch& launch) {
  const auto& offsets = offsets_of(plan, launch);
  // A stable counting sort: each range counts its own rows of a class.
  using Counts = std::array<std::uint32_t, kLengthClasses>;
  std::vector<Counts> next(ListThreads::ranges_of(launch.rows), Counts{});
  std::vector<std::uint32_t> longest(next.size());
  ListThreads::for_numbered_ranges(
      launch.rows, [&](std::size_t range, std::size_t begin, std::size_t end) {
        Counts counts{};
        for (std::size_t row = begin; row < end; ++row) {
          const std::uint32_t members = offsets[row + 1] - offsets[row];
          ++counts[length_class(members)];
          longest[range] = std::max(longest[range], members);
        }
        next[range] = counts;
      });
  const std::uint64_t mean = offsets[launch.rows] / std::max(launch.rows, 1u);
  const std::uint32_t most = std::ranges::max(longest);
  if (most < kLongRow || most < kTimesMean * mean) return {};
  std::uint32_t place = 0;
  for (std::size_t length = kLengthClasses; length-- > 0;) {
    for (Counts& of_range : next) place += std::exchange(of_range[length], place);
  }
  std::vector<std::uint32_t> order = unset_list<std::uint32_t>(launch.rows);
  ListThreads::for_numbered_ranges(
      launch.rows, [&](std::size_t range, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          const std::uint32_t members = offsets[row + 1] - offsets[row];
          order[next[range][length_class(members)]++] = static_cast<std::uint32_t>(row);
        }
      });
  return order;
}

}  // namespace vecc
