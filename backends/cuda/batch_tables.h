// What batches of a step are made from on a device (src/kernel/prelude/batch_tables.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/batch_image.h"
#include "backends/cuda/batch_search.h"
#include "backends/cuda/table_memory.h"
#include "src/batch/weight_reach.h"
#include "src/kernel/prelude/batch_tables.h"

namespace vecc::cuda {

struct BatchDescription {
  std::vector<vecc_kernel::NumberJob> jobs;
  std::vector<std::uint32_t> chunk_jobs;  ///< by chunk
  std::vector<std::uint32_t> job_uses;
  std::vector<vecc_kernel::RestStore> rests;
  std::vector<std::uint32_t> rest_jobs;
  std::vector<vecc_kernel::RestChunk> rest_chunks;
  std::vector<vecc_kernel::LaunchRows> launches;
  std::vector<vecc_kernel::BatchArray> arrays;
  std::vector<vecc_kernel::BatchPatch> patches;
  std::vector<vecc_kernel::BlockSegment> segments;
  std::vector<vecc_kernel::BatchNode> nodes;
};

/// Where what a batch reaches is found: sets of its weights' rows, or a search.
struct BatchOrigin {
  const ReachNumbers* numbers = nullptr;
  const WeightReach* reach = nullptr;  ///< null: batches are searched
  /// Whose members a search draws; null: batches bring theirs.
  const SampledMembers* draws = nullptr;
};

/// Its index arrays are in `memory`. None where batches have to be made on the host: two updates
/// say whether one store goes anywhere, or numbers do not fit.
[[nodiscard]] std::optional<BatchDescription> describe_batches(const BatchWriter& writer,
                                                               const BatchOrigin& origin,
                                                               TableMemory& memory);

/// All that kernels read, with room for what they leave for one another. `search`: of batches that
/// are searched.
[[nodiscard]] vecc_kernel::BatchTables add_tables(const BatchDescription& of,
                                                  const BatchWriter& writer,
                                                  const BatchOrigin& origin,
                                                  const BatchSearch* search, TableMemory& memory);

/// Bytes of images that are made by it.
class ImageSizes {
 public:
  ImageSizes(const BatchDescription& of, const BatchLayout& layout, const WeightReach& reach);

  /// At most, of a batch of these: what each of their rows takes alone.
  [[nodiscard]] std::uint64_t most(std::span<const Batch::Weights> weights) const;

 private:
  const WeightReach& reach_;
  std::uint64_t fixed_ = 0;
  std::vector<std::uint64_t> of_sets_;
};

}  // namespace vecc::cuda
