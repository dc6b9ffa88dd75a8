// A training of triples as a file of weights: what its next step depends on.
#pragma once

#include <cstdint>

#include "src/kg/train/graph_encoder.h"
#include "src/kg/train/learned_model.h"
#include "vecc/train.h"
#include "vecc/weights.h"

namespace vecc::kg {

struct TripleProgress {
  TrainPosition position;
  double loss_sum = 0;        ///< over the queries of this epoch so far
  std::uint64_t queries = 0;  ///< those
};

/// `encoder`: or null; its tables are `encoder/NAME`, their states `state/STATE/encoder/NAME`.
template <class T>
[[nodiscard]] WeightFile save_training(const LearnedModel<T>& model, const GraphEncoder<T>* encoder,
                                       const OptimizerOptions& optimizer,
                                       const TripleProgress& progress);

/// Gives the model and the encoder, or null, the file's weights and states, or leaves them as they
/// were. Errors: WeightsDiffer, NotFinite; of an encoder a device's.
template <class T>
[[nodiscard]] Result<TripleProgress> restore_training(const WeightFile& file,
                                                      const OptimizerOptions& optimizer,
                                                      std::uint64_t batch_count,
                                                      LearnedModel<T>& model,
                                                      GraphEncoder<T>* encoder);

}  // namespace vecc::kg
