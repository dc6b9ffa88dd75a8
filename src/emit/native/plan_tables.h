// A Plan as the tensors of data.safetensors (runtime/tables.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/emit/native/index_table.h"
#include "vecc/plan.h"
#include "vecc/program.h"
#include "vecc/weights.h"

namespace vecc::emit {

/// Launches, buffers, outputs and constants; their arrays go into `indices`. `kernel_of`: by
/// launch, the number of its kernel in the program. `weight_of`: by parameter of the Program, the
/// row of the weights that it is. The Program has no states. Linear in the Plan.
[[nodiscard]] std::vector<WeightTensor> plan_tables(const Plan& plan, const Program& program,
                                                    const std::vector<std::uint64_t>& kernel_of,
                                                    const std::vector<std::uint64_t>& weight_of,
                                                    IndexTable& indices);

/// Rows of a table as a tensor [rows, fields] of U64.
template <class Row>
[[nodiscard]] WeightTensor table_of(std::string name, const std::vector<Row>& rows) {
  static_assert(sizeof(Row) % sizeof(std::uint64_t) == 0);
  return {std::move(name),
          ElementType::U64,
          // NOLINTNEXTLINE(bugprone-sizeof-expression): a row may be one number.
          {rows.size(), sizeof(Row) / sizeof(std::uint64_t)},
          std::string(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(Row))};
}

}  // namespace vecc::emit
