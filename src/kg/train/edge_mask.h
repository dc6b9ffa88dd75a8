// Which message edges a step of a training leaves out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "src/kg/encoder/encoder_options.h"
#include "src/kg/encoder/message_graph.h"
#include "src/kg/train/training_batch.h"

namespace vecc::kg {

/// Edges are left out by pairs: an edge of a triple and the reversed one.
class EdgeMask {
 public:
  EdgeMask(const MessageGraph& graph, std::uint32_t relations, const EncoderOptions& options,
           std::uint64_t seed);

  /// By edge 1, or 0 where the step of `batch` leaves it out: what is dropped by its draws, and, if
  /// options say so, the edges of its positives, of k-vs-all of all answers. Until the next call.
  [[nodiscard]] std::span<const std::uint8_t> draw(const TrainingBatch& batch,
                                                   const BatchMaker& maker);

 private:
  using Key = std::array<std::uint32_t, 3>;  ///< head, relation, tail
  // Of a triple and the reversed one the same.
  [[nodiscard]] Key pair_of(const Key& triple) const;
  void leave_out(const Query& query, std::uint32_t answer);

  std::uint32_t relations_;
  EncoderOptions options_;
  std::uint64_t seed_;
  std::vector<Key> pairs_;  ///< ascending
  std::vector<std::uint32_t> pair_of_edge_;
  std::vector<std::uint8_t> keeps_pair_;
  std::vector<std::uint8_t> keeps_edge_;
};

}  // namespace vecc::kg
