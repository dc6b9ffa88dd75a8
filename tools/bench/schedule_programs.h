// Programs of which it is known how many levels, launches, steps and barriers they take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vecc/program.h"

namespace vecc::tools {

/// `groups` of rows that know nothing of one another, each in `branches` values, which go through
/// `levels`: each row is a function (another one in each branch) of the sum of two rows of its
/// group one level before. `joins` times all groups are added up, and each goes on from there. At
/// the end `sums` matrices of each group are added up over all groups, as gradients are.
struct ScheduleShape {
  std::uint32_t layers = 1;
  std::uint32_t branches = 1;  ///< at most kMostBranches
  std::uint32_t joins = 0;
  std::uint32_t groups = 1;
  std::uint32_t rows = 4;     ///< of a group
  std::uint32_t width = 8;    ///< numbers of a row
  bool has_products = false;  ///< each layer begins with a product with a matrix
  std::uint32_t sums = 0;
};
inline constexpr std::uint32_t kMostBranches = 4;

/// "4 layers of 1, 132x64x8"
[[nodiscard]] std::string text_of(const ScheduleShape& shape);
[[nodiscard]] Program make_schedule_program(const ScheduleShape& shape);

/// Shapes that tell all coefficients of schedules from one another, of at most `most_rows` rows: a
/// group is a multiprocessor's.
[[nodiscard]] std::vector<ScheduleShape> schedule_shapes(std::uint32_t multiprocessors,
                                                         std::uint32_t most_rows);

}  // namespace vecc::tools
