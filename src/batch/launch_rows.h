// What a batch runs of one launch, read from sets.
#pragma once

#include <cstdint>
#include <vector>

#include "src/batch/batch_plan.h"
#include "src/batch/row_set.h"

namespace vecc {

struct LaunchRows {
  std::vector<std::uint32_t> rows;     ///< rising; where members are kept by types, by these first
  std::vector<std::uint32_t> offsets;  ///< of a launch that drops: in `members`, by row
  std::vector<std::uint32_t> members;

  /// Room for any batch of the plan.
  void reserve(const BatchPlan& plan);
};

/// By the types of a launch that has some, in each rising.
void sort_by_type(const BatchLaunch& launch, std::vector<std::uint32_t>& rows);

// Row 0 (member 0) of the launch is number `first` of `set`.

/// Sets `to.rows` to those in `set`.
void take_rows(const BatchLaunch& launch, const RowSet& set, std::uint64_t first, LaunchRows& to);
/// Of a launch without types whose rows run where a member does: sets all of `to`.
void take_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                  LaunchRows& to);
/// Of a launch that drops: sets the members of `to` to those of its rows that are in `set`.
void keep_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                  LaunchRows& to);

}  // namespace vecc
