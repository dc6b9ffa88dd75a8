// Kernels as CUDA C++: one compile unit each.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/kernel.h"
#include "vecc/target.h"

namespace vecc {

/// Threads of a warp.
inline constexpr std::uint32_t kWarpThreads = 32;
/// Threads of a block, of a kernel that has a launch of its own.
inline constexpr std::uint32_t kCudaThreads = 256;
/// And where there are many rows of a few numbers: the more blocks there are, the more evenly they
/// lie on the GPU's processors.
inline constexpr std::uint32_t kNarrowThreads = 128;
/// Products of rows that share a matrix run in blocks of rows from as many entries a row on:
/// shorter ones would leave too many threads without work.
inline constexpr std::uint32_t kLeastBlockedEntries = 17;

/// A matrix of which a block of threads has a part: products with it, and sums of outer products
/// that are one, stand alone in their kernels, and several blocks share them.
[[nodiscard]] bool is_large_matrix(Shape shape);

/// Bytes of a block's shared memory that products by tensor cores may take.
inline constexpr std::uint32_t kUnitKernelBytes = 44 * 1024;
/// Of a multiprocessor's memory CUDA takes so many for each block.
inline constexpr std::uint32_t kReservedBytes = 1024;

/// What a compile unit makes of a kernel.
enum class CudaUnit : std::uint8_t {
  Kernel,  ///< a launch of its own
  Merged,  ///< one launch for several that differ in their arguments alone
};

/// How threads share the rows of a kernel.
struct CudaLayout {
  std::uint32_t threads = kCudaThreads;         ///< of a block
  std::uint32_t fewest_threads = kCudaThreads;  ///< of which it may have fewer
  /// Rows of `entries` numbers that are computed one by one: a thread an entry.
  bool flat = false;
  std::uint32_t entries = 1;       ///< flat
  std::uint32_t lanes = 1;         ///< threads of a block that share the entries of a row
  std::uint32_t fewest_lanes = 1;  ///< of which there may be fewer
  /// Blocks that do, or that share its matrix: a block's type is its rows' times `parts`, plus the
  /// part's number.
  std::uint32_t parts = 1;
  /// Rows that a block runs at once for a product with a matrix that they share; 0: none.
  std::uint32_t block_rows = 0;
  /// Whether groups of lanes may share a row's members: `slots` of a MemberLoop above 1.
  bool shares_members = false;
};
/// `lanes`, `threads`: 0, or from fewest_lanes (fewest_threads) to what the layout has without.
[[nodiscard]] CudaLayout cuda_layout(const Kernel& kernel, std::uint32_t lanes = 0,
                                     std::uint32_t threads = 0);

/// Slots that a launch may choose: powers of two up to those of a warp, and those of a block.
[[nodiscard]] std::uint32_t warp_slots(const CudaLayout& layout);
[[nodiscard]] std::uint32_t block_slots(const CudaLayout& layout);

/// How the members of a row are gone through: `slots` groups of lanes share them, and each has
/// `batch` under way at once: it loads all of these before it computes. (The order of sums depends
/// on the slots, and where lanes share members on these.)
struct MemberLoop {
  std::uint32_t slots = 1;
  std::uint32_t batch = 1;

  friend auto operator<=>(const MemberLoop&, const MemberLoop&) = default;
};
/// Numbers of a flat kernel that a thread has under way.
inline constexpr std::uint32_t kFlatBatch = 4;
/// Those of a unit. Where there are several, the type of a block is the number of its own: that of
/// the longest rows is the first.
struct MemberLoops {
  std::uint32_t lanes = 1;  ///< of its layout
  std::vector<MemberLoop> of_class;
  std::uint32_t threads = kCudaThreads;  ///< of a block; VECC_THREADS says so to the prelude

  friend auto operator<=>(const MemberLoops&, const MemberLoops&) = default;
};
inline constexpr std::uint32_t kMostRowClasses = 3;

/// What a thread keeps of rows in arrays of its own: in registers, and if it is too much for them
/// in memory, of which CUDA gives a thread kThreadMemory at most.
[[nodiscard]] std::uint64_t thread_array_bytes(const Kernel& kernel);
inline constexpr std::uint64_t kThreadMemory = 512 << 10;

/// A unit that defines, for lists of 16 and of 32 bits (only these if there are none), NAME_16 and
/// NAME_32. A Kernel: `(const Bound arguments, const BlockRows* blocks)`, where block b runs
/// blocks[b]. Merged: `(const Merged all, const BlockRows* blocks)`, where `Merged` is a pointer to
/// many a Bound, and blocks[b] is of the launch whose Bound is number blocks[b].launch. The
/// preludes stand before it. `Bound`: by access a pointer to its row 0; by access one to its list;
/// by word slot one to the words; the offsets; the order, or null; then rows and members, 32 bits
/// each. The pointers are 64 bits.
/// How many registers a thread may take depends on the target.
[[nodiscard]] std::string print_cuda(const Kernel& kernel, const MemberLoops& loops, CudaUnit unit,
                                     const Target& target, std::string_view name = "vecc_kernel");

}  // namespace vecc
