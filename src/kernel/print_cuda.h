// Kernels as CUDA C++: one compile unit each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc {

/// What a compile unit makes of a kernel.
enum class CudaUnit : std::uint8_t {
  Kernel,  ///< a launch of its own
  Merged,  ///< one launch for several that differ in their arguments alone
  Batch,   ///< the same, of blocks that come with a batch: prelude/batches.h
  Range,   ///< a launch whose rows an earlier launch counts
  Spans,   ///< a launch whose rows' places an earlier launch writes
  Step,    ///< no launch: a function that a kernel of several calls (print_steps.h)
};

/// Whose lists a unit's kernels read: of a plan's launches one width, which halves what there is to
/// compile.
enum class CudaLists : std::uint8_t { Both, Narrow, Wide };

/// A unit that defines, for lists of 16 and of 32 bits (only these if there are none), NAME_16 and
/// NAME_32, or one of them (`lists`). A Kernel: `(const Bound arguments, const BlockRows* blocks)`,
/// where block b runs blocks[b]. Merged: `(const Merged all, const BlockRows* blocks)`, where
/// `Merged` is a pointer to many a Bound, and blocks[b] is of the launch whose Bound is number
/// blocks[b].launch. Batch: the same, `Merged` has a pointer to Zeros, too; a block without rows
/// leaves, one of type kZeros sets those of its numbers. Range: `(const Range arguments, const
/// void*)`, where Range is a Bound, a pointer to the first row and the row behind the last, and the
/// rows of schedule.parts blocks, 32 bits each. Spans: `(const Spans arguments, const void*)`,
/// where Spans is a Bound, a pointer to RowSpans, one to the first and the number behind the last
/// of those that run, and the accesses whose members begin at RowSpan's `second`, a bit each; each
/// block runs one row, whose members lie one behind the other: RowSpan is row and members, 32 bits
/// each, then the first member and `second`, 64 bits each. Both are NAME_32 alone. The preludes
/// stand before it. `Bound`: by access a pointer to its row 0; by access one to its list; by word
/// slot one to the words; the offsets; the order, or null; then rows and members, 32 bits each. The
/// pointers are 64 bits. A Step is the device function NAME_rows of a namespace NAME, with its own
/// Bound, in vecc_kernel. Where blocks share a row or a matrix, a block's type is its rows' times
/// schedule.parts, plus the part's number.
[[nodiscard]] std::string print_cuda(const Kernel& kernel, const KernelSchedule& schedule,
                                     CudaUnit unit, std::string_view name = "vecc_kernel",
                                     CudaLists lists = CudaLists::Both);

/// A unit with the kernel vecc_end_run of one block: `(const Bound arguments, unsigned* run)`,
/// where Bound is a pointer to a Series of prelude/series.h: ends run number *run, and counts it.
[[nodiscard]] std::string print_end_run(DType dtype);

/// A unit with the kernel vecc_set_numbers of blocks of kCudaThreads threads: `(const Bound
/// arguments, const NumberWrite* writes)` of prelude/numbers.h, where Bound is their number, 32
/// bits. No two of them may be of one number.
[[nodiscard]] std::string print_set_numbers(DType dtype);

/// A unit with the kernels that make a batch's image on a device, in this order: vecc_unite_sets,
/// or, where batches are searched, vecc_forget_weights and vecc_take_weights, of kUniteBlocks
/// blocks, and vecc_search_step for each of its steps, of one a chunk; vecc_mark_numbers, of one a
/// chunk, vecc_place_numbers, of one, and vecc_write_image, of one a node and one a chunk. Each
/// block has kCudaThreads threads. All are `(const MakeBatch arguments, const void*)` of
/// prelude/batch_tables.h.
[[nodiscard]] std::string print_make_batch(DType dtype);

}  // namespace vecc
