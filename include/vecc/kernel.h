// Kernel IR: what one fused kernel computes, free of any graph. A kernel goes through rows; if it
// has segments, it also goes through the members of each row's segment, once or several times, in
// order. Its nodes compute small arrays of static shape; what they read and write is behind
// accesses, which a launch (plan.h) binds to buffers and index arrays. So one kernel serves every
// place of a Plan, and every other Plan, where the same is computed of the same shapes. Printers
// make C++ and CUDA of it.
//
//   kernel f32 ragged
//     access 0 load 10x1 member list
//     access 1 store 10x1 row
//     members:
//       %0 = load 0 : 10x1
//       %1 = reduce sum %0 : 10x1
//     row:
//       %2 = transform relu %1 : 10x1
//       store 1 %2
//
// Semantics:
//   - Nodes run in order, phase by phase; a node reads nodes before it. A member node is seen by
//     nodes of its own phase only, a row node by all later ones. A `reduce` stands in a members
//     phase and makes a row value, for later phases.
//   - What a row stores, the same row may load again in a later phase, at the same rows: `reloads`.
//   - A store may go where the same row was loaded, if no later step reads that: `in_place`.
//   - Rows are independent: any order, any grouping gives the same bits.
//   - `times` with the same left operand for a whole tile (map Tile) runs blocked: segment-GEMM.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vecc/function.h"
#include "vecc/matmul_precision.h"
#include "vecc/program.h"
#include "vecc/shape.h"
#include "vecc/short_list.h"

namespace vecc {

/// Which loop a node or an access belongs to: over rows, or over the members of a row's segment.
enum class KernelSpace : std::uint8_t { Row, Member };

/// The row of the operand that an access means, from the loop's counter i (a row's number, or the
/// number of a member among all members).
enum class RowMap : std::uint8_t {
  Direct,  ///< i
  List,    ///< list[i]
  One,     ///< 0: all read the same row
  Tile,    ///< the tile's type: the same for all rows of a tile
};

struct KernelAccess {
  bool store = false;
  KernelSpace space = KernelSpace::Row;
  RowMap map = RowMap::Direct;
  Shape shape;
  /// Every row begins at a multiple of pack_size() numbers from where a GPU's memory block begins,
  /// so that a pack may be read or written at once.
  bool aligned = false;
  /// List: was Direct before rows of the table changed places (src/plan/hot_rows.h). What shares a
  /// row's work, and so the order of sums, is chosen as if it still were.
  bool renumbered = false;
  bool operator==(const KernelAccess&) const = default;
};

/// How many numbers of a row a GPU's thread moves at once: 4, 2 or 1, which divides the row.
[[nodiscard]] constexpr std::uint32_t pack_size(Shape row) {
  return row.size() % 4 == 0 ? 4 : row.size() % 2 == 0 ? 2 : 1;
}

/// The members of row r, as numbers of a loop counter.
enum class KernelSegments : std::uint8_t {
  None,    ///< there are none
  Ragged,  ///< offsets[r] .. offsets[r + 1] - 1
  Fixed,   ///< r * members .. r * members + members - 1
  Strided  ///< r, r + rows, r + 2 rows, ..., `members` of them (dimension 1)
};

struct KernelNode {
  enum class Kind : std::uint8_t {
    Load,          ///< access
    Constant,      ///< a scalar
    Transform,     ///< of operand 0; `word_slot`: its words differ from row to row
    TransformVjp,  ///< operands x, y, g, each only if it is read (reads_x, reads_y)
    Combine,       ///< of all operands, as a map's node
    CombineVjp,    ///< its gradient by operand `wrt`: operands, the result if reads_y, g
    Draw,          ///< random numbers, of kDrawWords operands
    Times,         ///< operand 0 times operand 1, each after its transpose
    RowSum,        ///< the sum of all entries
    Guard,         ///< operand 1; zeros if all entries of operand 0 are zero
    Reduce,     ///< over members: sum, avg, elproduct, elmax, elmin, max, min (whole ones), count
    ReduceArg,  ///< the number of the member that max or min selects; of elmax, elmin
                ///< (of rows of several entries) that of each entry
    Selected,   ///< of members: operand 1 where this member is operand 0's, else zeros
    Scan,       ///< of members: the product of all entries before this one in loop order
    Threshold,  ///< over members: sparsemax's threshold of a loaded scalar (operand 0: its load)
  };
  Kind kind = Kind::Load;
  Shape shape;
  ShortList operands;
  std::uint32_t access = 0;           ///< Load
  double constant = 0;                ///< Constant
  TransformationSpec transformation;  ///< Transform, TransformVjp
  Words words{};                      ///< the words, if all rows have the same
  bool words_by_row = false;          ///< else `word_slot` says which array
  std::uint32_t word_slot = 0;
  Combination combination = Combination::Sum;  ///< Combine, CombineVjp, Reduce, ReduceArg
  std::uint32_t wrt = 0;                       ///< CombineVjp
  bool reads_x = false;                        ///< TransformVjp, CombineVjp
  bool reads_y = false;
  bool skips_nan = false;       ///< Reduce, ReduceArg that select: any number beats NaN
  bool by_entry = false;        ///< Guard: each entry of operand 0 guards one of operand 1
  bool transpose_left = false;  ///< Times
  bool transpose_right = false;
  bool operator==(const KernelNode&) const = default;
};

/// A store: node `value` goes to `access`. Several stores may make up a row of one access, each a
/// part of its own, from the entry `first` on.
struct KernelStore {
  std::uint32_t access = 0;
  std::uint32_t value = 0;
  std::uint32_t first = 0;
  bool operator==(const KernelStore&) const = default;
};

/// A node or a store, in the order in which they run.
struct KernelStep {
  bool store = false;
  std::uint32_t number = 0;  ///< of `nodes`, of `stores`
  bool operator==(const KernelStep&) const = default;
};
struct KernelPhase {
  KernelSpace space = KernelSpace::Row;
  bool reversed = false;  ///< members from the last to the first
  std::vector<KernelStep> steps;
  bool operator==(const KernelPhase&) const = default;
};

struct Kernel {
  DType dtype = DType::F32;
  KernelSegments segments = KernelSegments::None;
  std::uint32_t members = 0;  ///< Fixed and Strided: a small number is a constant; 0: data
  std::vector<KernelAccess> accesses;
  std::vector<KernelNode> nodes;
  std::vector<KernelStore> stores;
  std::vector<KernelPhase> phases;
  std::uint32_t word_slots = 0;
  /// It loads rows that it stores itself (the same row, later): stores alias loads.
  bool reloads = false;
  /// Stores may alias loads of the same row (the same number of its entries) that come before: a
  /// loop over rows, or over entries, still has independent steps.
  bool in_place = false;
  /// Rows come in the order of a list, if the launch has one (where a tile has a type, it has).
  bool ordered = false;
  /// Of products that a GPU has tensor cores for (src/kernel/schedule/tensor_cores.h); not Exact
  /// only where there are such.
  MatmulPrecision precision = MatmulPrecision::Exact;
  /// Member by member: kernels that differ in what no printer reads differ here, too.
  bool operator==(const Kernel&) const = default;
};

/// Whether every row is `entries` numbers that are computed one by one from numbers at the same
/// place of other rows, and rows come in no order: all rows are then one loop over numbers.
[[nodiscard]] bool is_flat(const Kernel& kernel, std::uint64_t entries);

/// The kernel as text, as above. Two kernels of the same text are the same.
[[nodiscard]] std::string text_of(const Kernel& kernel);

/// Every rule above: numbers in range, shapes that fit, nodes seen where they are read, accesses
/// that stand in the loop they say. Error: IllFormedOp.
[[nodiscard]] Result<void> verify(const Kernel& kernel);

}  // namespace vecc
