#include "backends/torch/row_groups.h"

#include <algorithm>

#include "src/program/inverse_index.h"
#include "vecc/error.h"

namespace vecc::libtorch {
namespace {

constexpr std::uint32_t kMostPadding = 1024;

// Types that have rows, those with most first, equal ones by number.
std::vector<std::uint32_t> sort_types(std::span<const std::uint32_t> counts) {
  std::vector<std::uint32_t> types;
  for (std::uint32_t type = 0; type < counts.size(); ++type) {
    if (counts[type] != 0) types.push_back(type);
  }
  std::ranges::stable_sort(types, std::ranges::greater(),
                           [&](std::uint32_t type) { return counts[type]; });
  return types;
}

std::vector<RowBatch> plan_batches(std::span<const std::uint32_t> types,
                                   std::span<const std::uint32_t> counts) {
  std::vector<RowBatch> batches;
  for (const std::uint32_t type : types) {
    const std::uint32_t count = counts[type];
    const bool fits = !batches.empty() && batches.back().width - count <= kMostPadding &&
                      batches.back().width - count <= count / 2;
    if (!fits) batches.push_back({0, count});
    ++batches.back().groups;
  }
  return batches;
}

}  // namespace

RowGroupCounts count_row_groups(std::span<const std::uint32_t> types, std::uint32_t type_count) {
  std::vector<std::uint32_t> counts(type_count);
  for (const std::uint32_t type : types) ++counts[type];
  const std::vector<std::uint32_t> sorted = sort_types(counts);
  const std::vector<RowBatch> batches = plan_batches(sorted, counts);
  RowGroupCounts result{sorted.size(), batches.size(), 0};
  for (const RowBatch& batch : batches) {
    result.positions += std::uint64_t{batch.groups} * batch.width;
  }
  return result;
}

RowGroups group_rows(std::span<const std::uint32_t> types, std::uint32_t type_count) {
  const InverseIndex by_type = inverse_index(types, type_count);
  std::vector<std::uint32_t> counts;
  for (std::uint32_t type = 0; type < type_count; ++type) {
    counts.push_back(by_type.offsets[type + 1] - by_type.offsets[type]);
  }
  RowGroups result;
  result.types = sort_types(counts);
  result.batches = plan_batches(result.types, counts);
  result.offsets = {0};
  result.members.reserve(types.size());
  result.place.resize(types.size());
  auto type = result.types.begin();
  for (const RowBatch& batch : result.batches) {
    for (std::uint32_t group = 0; group < batch.groups; ++group, ++type) {
      for (std::uint32_t i = 0; i < batch.width; ++i) {
        if (i < counts[*type]) {
          const std::uint32_t row = by_type.readers[by_type.offsets[*type] + i];
          result.place[row] = static_cast<std::uint32_t>(result.offsets.size() - 1);
          result.members.push_back(row);
        }
        result.offsets.push_back(static_cast<std::uint32_t>(result.members.size()));
      }
    }
  }
  VECC_CHECK(result.offsets.size() - 1 <= kMaxRows, "positions that 32 bits number");
  return result;
}

}  // namespace vecc::libtorch
