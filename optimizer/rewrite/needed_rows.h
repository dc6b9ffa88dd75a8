// Which rows of a Program are computed for something: backwards from outputs, updates and contracts
// through every reader, row by row; and, of equal rows, which one is computed for all.
//
//   %1 = transform %0 tanh : f32[4, 1]                  needed: rows 1 and 3
//   %2 = gather %1 [3, 1, 3] : f32[3, 1]                needed: 0, 2
//   %3 = segment %2 [0, 2, 3] sum : f32[2, 1]           needed: row 1 would be 0
#pragma once

#include <cstdint>

#include "optimizer/rewrite/row_classes.h"
#include "optimizer/rewrite/row_map.h"
#include "vecc/program.h"

namespace vecc::opt {

/// What rebuild_rows leaves out.
struct RowPlan {
  RowMaps maps;
  bool changes = false;      ///< whether any map is not the identity
  std::uint64_t unread = 0;  ///< rows that are not read
  std::uint64_t merged = 0;  ///< needed rows for which an equal one is computed
};

/// Leaves out the rows that are not read: of facts and of all that is computed; never of weights,
/// states, contracts, updates and outputs, of draws and ops whose index is a value, of a vjp that
/// is not row-wise, nor of a linear with lifts (its rows are in an order that the lifts need). A
/// concat loses an operand of which no row is read. Softmax and sparsemax segments stay or go
/// whole.
///
/// With `classes` (of `program`), also leaves out rows of segments, transforms, maps, row-wise vjps
/// and gathers stored in concats that are equal to a needed row before them, in each value where 1
/// - kept / needed > margin: fewer would not pay for the gather that finds them again.
///
/// Linear in the rows and members of all ops.
[[nodiscard]] RowPlan plan_needed_rows(const Program& program, const RowClasses* classes = nullptr,
                                       double margin = 0);

/// Applies plan_needed_rows(program); false if every row is read.
bool drop_unread_rows(Program& program);

}  // namespace vecc::opt
