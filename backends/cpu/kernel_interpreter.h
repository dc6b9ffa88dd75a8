// A kernel without a compiler: its steps one after another, each one loop over the rows (or the
// members) of a block, on arrays that stay in a core's cache. Some times slower than compiled code,
// which keeps in registers what this keeps in arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "src/runtime/tile_walk.h"
#include "vecc/kernel.h"
#include "vecc/target.h"

namespace vecc::cpu {

/// Where a node's values lie in a thread's scratch memory.
struct NodeLayout {
  bool by_member = false;    ///< one for each member of a piece, else for each row of a block
  std::uint64_t values = 0;  ///< bytes from the start; rows of `entries` numbers
  std::uint64_t entries = 0;
  /// Scan: the product so far of each row. Reduce and ReduceArg of max and min: the best sum of
  /// each row, and at `choices` the member that has it; of elmax and elmin the same of each entry.
  std::uint64_t running = 0;
  std::uint64_t choices = 0;
};

class KernelInterpreter {
 public:
  /// `tiles`: those of the processor that it runs on.
  KernelInterpreter(Kernel kernel, const ProcessorTiles& tiles);

  /// The function of its launches, whose arguments name this as their `interpreter`.
  [[nodiscard]] KernelFunction function(bool narrow) const;
  /// That each thread needs.
  [[nodiscard]] std::uint64_t scratch_bytes() const { return scratch_bytes_; }

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const NodeLayout& layout(std::uint32_t node) const { return layouts_[node]; }
  /// The most rows of a block, and members of a piece.
  [[nodiscard]] std::uint32_t block() const { return block_; }
  /// Where the numbers of the block's rows are, those of a piece's members, and the row of the
  /// block that each of these belongs to.
  [[nodiscard]] std::uint64_t row_numbers() const { return row_numbers_; }
  [[nodiscard]] std::uint64_t member_numbers() const { return member_numbers_; }
  [[nodiscard]] std::uint64_t member_rows() const { return member_rows_; }
  /// Room for an operand of a node as whole rows; there are three.
  [[nodiscard]] std::uint64_t operand_room(std::uint32_t which) const { return rooms_[which]; }

 private:
  [[nodiscard]] std::uint64_t take(std::uint64_t entries, std::uint64_t bytes);

  Kernel kernel_;
  std::vector<NodeLayout> layouts_;
  std::uint32_t block_ = 1;
  std::uint64_t row_numbers_ = 0;
  std::uint64_t member_numbers_ = 0;
  std::uint64_t member_rows_ = 0;
  std::uint64_t rooms_[3] = {};
  std::uint64_t scratch_bytes_ = 0;
};

}  // namespace vecc::cpu
