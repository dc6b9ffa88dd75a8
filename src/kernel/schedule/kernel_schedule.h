// KernelSchedule: how a kernel runs, as values. A Kernel says what is computed; schedule_kernel()
// decides from it, from the sizes of a launch and from the Target how rows and members are gone
// through; the cost model, the cutting into blocks and both printers only read that. Of one kernel
// and one schedule there is one text.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vecc {

/// Threads of a warp.
inline constexpr std::uint32_t kWarpThreads = 32;
/// Threads of a GPU's block.
inline constexpr std::uint32_t kCudaThreads = 256;
/// And where there are many rows of a few numbers: the more blocks there are, the more evenly they
/// lie on the multiprocessors.
inline constexpr std::uint32_t kNarrowThreads = 128;
/// Numbers of a flat kernel that a thread has in flight.
inline constexpr std::uint32_t kFlatBatch = 4;
inline constexpr std::uint32_t kMostRowClasses = 3;
/// CUDA gives a thread no more memory for arrays of its own.
inline constexpr std::uint64_t kThreadMemory = 512 << 10;
/// Of a block's shared memory products may take so many bytes: CUDA gives a kernel 48 KiB of arrays
/// that it declares, whatever the GPU has.
inline constexpr std::uint32_t kProductBytes = 44 << 10;
/// Entries of a large matrix's product, or on a side of a large sum of outer products, that a block
/// has; and of the product the rows.
inline constexpr std::uint32_t kLargeSide = 128;
inline constexpr std::uint32_t kLargeRows = 64;
/// The same of numbers in two parts (prelude/large_split_products.h); of products so many rows one
/// after the other.
inline constexpr std::uint32_t kSplitRows = 128;
inline constexpr std::uint32_t kSplitWidth = 64;
inline constexpr std::uint32_t kSplitTiles = 2;
/// No node, no operand.
inline constexpr std::uint32_t kNoOperand = 0xFFFFFFFFu;

/// The loop over a kernel's rows.
enum class RowLoop : std::uint8_t {
  Numbers,       ///< flat: the numbers of all rows are one loop
  Rows,          ///< row by row; on a GPU `lanes` threads share each, of `parts` blocks
  MatrixBlocks,  ///< blocks of rows times a matrix that they share
  MemoryRows,    ///< the same, of columns that go from memory to memory: prelude/row_products.h
  LargeMatrix,   ///< the same, of a matrix that `parts` blocks share: prelude/large_products.h
  LargeSum,      ///< a sum of outer products that is such a matrix: prelude/large_outer_products.h
  TensorCores,   ///< blocks of rows, by tensor cores: prelude/tensor_core_products.h
};

/// How the members of a row are gone through: `slots` groups of lanes share them, and each has
/// `batch` in flight: it loads all of these before it computes. (The order of sums depends on the
/// slots, and where lanes share members on these.)
struct MemberLoop {
  std::uint32_t slots = 1;
  std::uint32_t batch = 1;

  friend auto operator<=>(const MemberLoop&, const MemberLoop&) = default;
};

/// How many threads share the rows of a launch. Where there are several classes of rows, the type
/// of a block is the number of its own: that of the longest rows is the first.
struct MemberLoops {
  std::uint32_t lanes = 1;
  std::vector<MemberLoop> of_class;
  std::uint32_t threads = kCudaThreads;  ///< of a block; VECC_THREADS says so to the prelude
  std::uint32_t parts = 1;               ///< blocks that share a row

  friend auto operator<=>(const MemberLoops&, const MemberLoops&) = default;
};

/// What a phase does with its steps.
enum class PhaseLoop : std::uint8_t {
  Steps,          ///< one after the other: of a row, or of each member in turn
  Batches,        ///< of several members at once, whose loads are all in flight before the rest
  NoLoop,         ///< nothing but what a function outside of a loop reads
  RowSum,         ///< C++: a sum of members in registers (segment_sum.h)
  OuterProducts,  ///< C++: sums of outer products of `members` at once
  WarpTiles,      ///< the same by warps: prelude/short_outer_products.h
  BlockTiles,     ///< by blocks: prelude/outer_products.h
  TensorTiles,    ///< by tensor cores: prelude/tensor_core_outer_products.h
};

struct PhaseSchedule {
  PhaseLoop loop = PhaseLoop::Steps;
  /// Whether the lanes of a row take members each, as its slots do: they are numbers.
  bool by_lanes = false;
  /// WarpTiles: lanes down and across the matrix.
  std::uint32_t down = 0;
  std::uint32_t across = 0;
  /// OuterProducts: the sum is read and written for so many.
  std::uint32_t members = 0;
  /// OuterProducts: columns that lie one behind the other already; others are copied there.
  bool left_in_place = false;
  bool right_in_place = false;

  friend bool operator==(const PhaseSchedule&, const PhaseSchedule&) = default;
};

/// A product of a matrix that rows share with a column of each, and what stands around it. Steps
/// before it make the columns of all rows of a block, steps after it read the products.
struct ProductSchedule {
  std::uint32_t node = 0;
  std::uint32_t phase = 0;  ///< and
  std::uint32_t step = 0;   ///< in it
  std::uint32_t rows = 0;   ///< of a block at once
  std::uint32_t depth = 0;  ///< MatrixBlocks, TensorCores: terms at once
  /// C++: the matrix is transposed on the stack once a tile.
  bool packs_matrix = false;
  /// LargeMatrix: packs of four numbers are copied.
  bool copies_packs = false;
  /// The access of the columns, where nothing else stands before the product but loads.
  std::optional<std::uint32_t> columns;
  /// The access of the products, where nothing else stands after it but their store.
  std::optional<std::uint32_t> store;
  /// Loads and constants that stand before it and after it.
  std::vector<std::uint32_t> repeated;

  friend bool operator==(const ProductSchedule&, const ProductSchedule&) = default;
};

/// An array of a C++ kernel that is too much for the stack, in its thread's scratch memory.
struct ScratchArray {
  std::string name;
  std::uint64_t offset = 0;  ///< in numbers

  friend bool operator==(const ScratchArray&, const ScratchArray&) = default;
};

struct KernelSchedule {
  RowLoop loop = RowLoop::Rows;
  /// 0 lanes: C++, where a thread runs whole rows.
  MemberLoops members{0, {}, 0};
  std::uint32_t parts = 1;      ///< blocks that share a row (as in `members`), or its matrix
  std::uint32_t entries = 1;    ///< Numbers: of a row
  std::uint32_t in_flight = 1;  ///< Numbers: that a thread loads before it stores the first
  /// Blocks that a multiprocessor runs at once, at least: how many registers a thread may take. 0:
  /// as the compiler likes.
  std::uint32_t least_blocks = 0;
  std::uint32_t tile_rows = 0;          ///< C++: of a product's tile, whose sums are in registers
  std::uint32_t shared_bytes = 0;       ///< that matrices and columns take of a block's memory
  bool rows_are_a_vector_loop = false;  ///< C++: rows of numbers
  /// C++: accesses that store rows by an order or a list, whose rows are fetched into a cache
  /// `rows_ahead` before.
  std::vector<std::uint32_t> fetched;
  std::uint32_t rows_ahead = 0;
  /// C++: accesses that load members through a list, whose rows are fetched `members_ahead` before.
  std::vector<std::uint32_t> gathered;
  std::uint32_t members_ahead = 0;
  std::optional<ProductSchedule> product;
  std::vector<PhaseSchedule> phases;  ///< by phase of the kernel
  /// By access, how many numbers a lane moves at once, if it has few of the row; else 1.
  std::vector<std::uint32_t> packs;
  /// Nodes, in order, whose entries are in arrays: something outside of their loop reads them.
  std::vector<std::uint32_t> arrays;
  /// Loads of a row that are in flight before its members are gone through.
  std::vector<std::uint32_t> early_loads;
  std::vector<ScratchArray> scratch;  ///< C++
  std::uint64_t scratch_bytes = 0;    ///< of all of them
  std::uint64_t array_bytes = 0;      ///< that a thread's other arrays take together, at most

  [[nodiscard]] std::uint32_t lanes() const { return members.lanes; }
  /// The same of all blocks that share a row.
  [[nodiscard]] std::uint32_t row_lanes() const {
    return loop == RowLoop::Rows ? lanes() * parts : lanes();
  }
  [[nodiscard]] bool on_gpu() const { return members.lanes > 0; }
  /// LargeMatrix or LargeSum: by tensor cores where Kernel::precision is not Exact.
  [[nodiscard]] bool is_large() const;
  /// Any other loop by tensor cores.
  [[nodiscard]] bool uses_tensor_cores() const;

  friend bool operator==(const KernelSchedule&, const KernelSchedule&) = default;
};

}  // namespace vecc
