#include "src/plan/row_order.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace vecc {
namespace {

// Rows of up to so many numbers, so many members each, gain by an order if that many of them differ
// in length from the row before (a branch predictor learns fewer).
constexpr std::uint64_t kLongestRow = 15;
constexpr std::uint32_t kMeanMembers = 16;
constexpr std::uint32_t kFewestChanges = 256;

// Rows of fewer members stay where they are: their lists and results lie side by side.
constexpr std::uint32_t kShortRow = 8;
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
  if (!gains_by_order(plan, launch)) return {};
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
  std::vector<std::uint32_t> classes(launch.rows);
  std::uint32_t longest = 0;
  for (std::uint32_t row = 0; row < launch.rows; ++row) {
    const std::uint32_t members = offsets[row + 1] - offsets[row];
    classes[row] = length_class(members);
    longest = std::max(longest, members);
  }
  const std::uint64_t mean = offsets[launch.rows] / std::max(launch.rows, 1u);
  if (longest < kLongRow || longest < kTimesMean * mean) return {};
  std::vector<std::uint32_t> order(launch.rows);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t row) { return classes[row]; });
  return order;
}

}  // namespace vecc
