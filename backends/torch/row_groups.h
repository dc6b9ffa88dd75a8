// Rows sorted by type and padded to batches of equal counts: a product of each row with the matrix
// of its type is then one batched matrix product a batch, whatever the types and their counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vecc::libtorch {

/// `groups` types side by side, each at `width` positions.
struct RowBatch {
  std::uint32_t groups = 0;
  std::uint32_t width = 0;
  bool operator==(const RowBatch&) const = default;
};

/// Types with rows, from the one with most rows to the one with fewest. A batch is as wide as its
/// first type has rows; it takes in types until one would be padded by more than half of its own
/// rows or by more than 1024, which cost more than another product. So all positions are at most
/// 1.5 times the rows, and n rows make O(sqrt(n)) batches: as few as log(n) unless many rows come
/// with each.
struct RowGroups {
  std::vector<RowBatch> batches;
  std::vector<std::uint32_t> types;  ///< batch after batch
  /// The row at each position: members[offsets[p]], or none, where offsets[p + 1] = offsets[p].
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> members;  ///< a type's rows in rising order
  std::vector<std::uint32_t> place;    ///< the position of each row
};

/// Its size alone.
struct RowGroupCounts {
  std::uint64_t types = 0;
  std::uint64_t batches = 0;
  std::uint64_t positions = 0;
};

/// By row its type, below `type_count`. Linear in both, but for the sort of the types.
[[nodiscard]] RowGroupCounts count_row_groups(std::span<const std::uint32_t> types,
                                              std::uint32_t type_count);
/// The same; at most kMaxRows positions.
[[nodiscard]] RowGroups group_rows(std::span<const std::uint32_t> types, std::uint32_t type_count);

}  // namespace vecc::libtorch
