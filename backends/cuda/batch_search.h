// How a device searches for what a batch reaches: RowFinder's loops (src/batch/row_finder.h) as
// jobs of src/kernel/prelude/search_batch.h. Each is what one loop does for one launch and access;
// what depends on no other of them is one step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/cuda/table_memory.h"
#include "src/batch/batch_plan.h"
#include "src/batch/reach_numbers.h"
#include "src/kernel/prelude/batch_tables.h"
#include "vecc/fanout.h"

namespace vecc::cuda {

struct BatchSearch {
  std::vector<vecc_kernel::SearchJob> jobs;         ///< by step
  std::vector<vecc_kernel::SearchTarget> targets;   ///< by job
  std::vector<vecc_kernel::SearchChunk> chunks;     ///< likewise
  std::vector<std::uint32_t> step_ends;             ///< in `chunks`
  std::vector<vecc_kernel::WeightSection> weights;  ///< where it begins
  std::vector<vecc_kernel::DrawJob> draws;
  std::vector<std::uint64_t> sample_numbers;  ///< by sample, where its draws begin
  std::uint64_t numbers = 0;                  ///< those it finds, and what it is found by
};

/// Not of a plan whose batches list touched rows or ask for outputs, or one with what has no job
/// (rows by types of what is not 0; sources that share members).
[[nodiscard]] bool can_search(const BatchPlan& plan);

/// Rows and members of launches that are the same in any batch that is searched have the same
/// numbers from now on. `draws`: as below.
void share_numbers(const BatchPlan& plan, const SampledMembers* draws, ReachNumbers& numbers);

/// `draws`: with segments, of the last of BatchOptions::weights; null: the batch brings its
/// members. Its index arrays are in `memory`. None if there are too many numbers.
[[nodiscard]] std::optional<BatchSearch> describe_search(const BatchPlan& plan,
                                                         const ReachNumbers& numbers,
                                                         const SampledMembers* draws,
                                                         TableMemory& memory);

}  // namespace vecc::cuda
