// Batches as data: a step Program of all samples is compiled once; a batch says which rows count.
//
// A step reads the weight of every sample from a parameter. A batch is a step in which all weights
// but its own samples' are 0: what is then 0 for sure (gradients of other samples) is not computed,
// nor is what is not needed without it. That is found for each batch in the compiled Plan, in time
// linear in the rows and members that the batch reaches; nothing is planned or compiled for it.
//
// A forward pass of all samples runs in the same way: a batch says of which samples it computes the
// outputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// What a backend binds.
struct Batch {
  /// Of one of BatchOptions::weights.
  struct Weights {
    std::vector<std::uint32_t> rows;  ///< rising
    std::vector<double> values;       ///< of these rows
  };
  std::vector<Weights> weights;  ///< in the order of BatchOptions::weights
  /// With BatchOptions::lists_touched, by parameter: rows (rising) that the step may change; of
  /// parameters that are not here, none.
  std::vector<std::pair<ParameterIndex, std::vector<std::uint32_t>>> touched;
  /// With BatchOptions::computes_outputs: in the order in which their outputs are read.
  std::vector<std::uint32_t> samples = {};
  /// Members of a step that are drawn where it runs (Executable::draws_members()).
  struct Draw {
    std::vector<std::uint32_t> samples;  ///< of the graph, any order, each once
    std::uint64_t run = 0;
  };
  /// The last of `weights` has what it draws, and is empty here.
  std::optional<Draw> draw = std::nullopt;
};

/// Which side makes the index arrays of batches: the same arrays, byte by byte.
enum class BatchSide : std::uint8_t {
  Choose,  ///< what takes less time, as far as is known
  Host,
  Device,  ///< where the backend can, else the host
};

/// Where a bound batch has the values that its step computes: the same values, bit by bit.
enum class BatchValues : std::uint8_t {
  Choose,   ///< by what they take
  Spread,   ///< at their places among those of all samples
  Compact,  ///< in a memory of the batch's size: index arrays are larger, values close together
};

struct SampledMembers;

/// Members that batches draw (fanout.h).
struct BatchDraws {
  std::shared_ptr<const SampledMembers> members;
  /// On the host: replaces the weights by those of a batch. Called on several threads.
  std::function<void(const Batch::Draw&, Batch::Weights&)> on_host;
};

/// Of a Program, a step or a forward pass, that runs batch by batch.
struct BatchOptions {
  /// Parameters of scalars, each executable's own: a row is 0 but for the batches that have it.
  std::vector<ParameterIndex> weights;
  /// An `update`, and the parameter that it is a part of the step of (the parameter's own, its
  /// states'). A parameter that no sample of a batch reaches keeps its rows and states. Updates
  /// that are not listed run for every batch.
  struct Update {
    ValueId update = 0;
    ParameterIndex parameter = 0;
  };
  std::vector<Update> updates;
  /// Batches say of which samples they compute the outputs: Executable::outputs() and
  /// copy_outputs() then have those of the last batch. Without `weights` they are those of a run of
  /// the whole Program: on the cpu bit by bit, on cuda to rounding, for how many threads share a
  /// sum is chosen by `typical`.
  bool computes_outputs = false;
  /// Batches list the rows that their step may change (lazy Adam).
  bool lists_touched = false;
  /// Batches are ever new choices of samples: what each of them reaches is found once and kept,
  /// where that takes little memory beside the step's own index arrays.
  bool mixes_samples = false;
  /// With BatchDraws, the last of `weights` is what each batch draws.
  std::shared_ptr<const BatchDraws> draws = nullptr;
  /// An epoch has so many batches, each those of the epoch before: steps of several are started at
  /// once (cuda). 0: ever new ones.
  std::uint64_t batches_again = 0;
  BatchSide side = BatchSide::Choose;
  BatchValues values = BatchValues::Choose;
  /// Of the host, that bind batches at once.
  std::uint32_t binding_threads = 1;
  /// Of index arrays of a batch and what else it brings: memory for so many bytes is always kept,
  /// where some batch may need them (cuda).
  std::uint64_t image_bytes = std::uint64_t{16} << 20;
  /// A batch as they will be, where Backend::plans_by_typical_batch(): how many threads share a row
  /// is chosen by what it runs, and how long the pieces of long sums are; and where batches may be
  /// compact, whose memory is counted by it.
  /// Without weights and samples it is as if all rows ran.
  Batch typical = {};
  /// Of values that batches before have left in memory, more than so many bytes are given back
  /// between two steps: only rows of batches take memory (cpu).
  std::uint64_t kept_bytes = std::uint64_t{256} << 20;
  /// More stays where memory is free: of what is, beside all else, one part in kShareToKeep.
  bool keeps_more = false;
};

/// A page that is given back and written again costs several times what computing its numbers
/// takes; other programs need room, too.
inline constexpr std::uint64_t kShareToKeep = 4;

/// Bytes that stay instead of `kept`, of `values` that there are at most, where `left` are free.
[[nodiscard]] constexpr std::uint64_t kept_where_free(std::uint64_t kept, std::uint64_t values,
                                                      std::uint64_t left) {
  const std::uint64_t more = values > kept ? values - kept : 0;
  return kept + std::min(more, left / kShareToKeep);
}

/// Bytes of index arrays of bound batches that a training keeps for when they come again.
inline constexpr std::uint64_t kKeptBatchArrays = std::uint64_t{256} << 20;

/// Where the batches that were run were made: bound on the host, or on the device.
struct BatchCounts {
  std::uint64_t on_host = 0;
  std::uint64_t on_device = 0;
};

/// What the step of one batch takes.
struct BatchBytes {
  std::uint64_t values = 0;  ///< of the rows that its launches compute
  std::uint64_t arrays = 0;  ///< rows, lists, offsets, tiles
  bool is_compact = false;   ///< BatchValues::Compact: values are all the memory that it has
};

/// A batch with its rows, index arrays and tiles, in the form in which a backend runs it.
class BoundBatch {
 public:
  virtual ~BoundBatch() = default;
  /// The same, with no more memory than it takes.
  [[nodiscard]] virtual std::unique_ptr<BoundBatch> copy() const = 0;
  /// Of its arrays, in the host's memory.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  [[nodiscard]] virtual BatchBytes step_bytes() const = 0;
};

}  // namespace vecc
