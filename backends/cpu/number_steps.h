// Steps of a run between launches: draws, and what is done by row numbers that are values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/support/thread_team.h"
#include "vecc/plan.h"

namespace vecc::cpu {

/// Where a NumberStep's rows and arrays are; null where it has none.
struct BoundNumberStep {
  void* from = nullptr;
  void* to = nullptr;
  std::uint32_t* list = nullptr;
  std::uint32_t* order = nullptr;
  std::uint32_t* ranks = nullptr;
  std::span<std::uint32_t> offsets;  ///< of as many numbers as rows may have, and the end
  std::uint32_t* scratch = nullptr;
  std::uint32_t* row_offsets = nullptr;
  std::size_t numbered_rows = 0;  ///< that `row_offsets` are of
};

/// On the team's threads, the same bits for any number of them. Errors: RowNumber (a step of draws,
/// or a row number, is none; no array is to be read then), DifferentRows.
[[nodiscard]] Result<void> run_number_step(const NumberStep& step, const BoundNumberStep& bound,
                                           DType dtype, ThreadTeam& team);

}  // namespace vecc::cpu
