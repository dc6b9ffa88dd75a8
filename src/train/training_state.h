// What a training keeps between steps, all of it in one place: parameters, and the states of every
// learned parameter, also of those that no step has met yet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vecc/backend.h"
#include "vecc/train.h"
#include "vecc/weight_source.h"

namespace vecc::training {

struct TrainingProgress {
  TrainPosition position;
  std::uint64_t counted = 0;  ///< samples (pairs) of this epoch so far
};

class TrainingState {
 public:
  /// Its Program only names parameters and states: it is compiled, so that they are in the storage,
  /// and never run. `forward` says which parameters there are. Errors: those of append_step() and
  /// Backend::compile().
  [[nodiscard]] static Result<TrainingState> make(const Program& forward, const Backend& backend,
                                                  const ExecutionOptions& execution,
                                                  const OptimizerOptions& options);

  [[nodiscard]] std::shared_ptr<Storage> storage() const { return executable_->storage(); }
  [[nodiscard]] std::uint64_t bytes() const { return executable_->bytes(); }
  [[nodiscard]] Result<void> set_loss(double sum);
  [[nodiscard]] Result<double> loss();
  [[nodiscard]] Result<std::vector<double>> parameter(ParameterIndex parameter);
  /// Whether every number of it is finite; read a table at a time.
  [[nodiscard]] Result<bool> is_finite();

  /// As Trainer::save_to() and Trainer::restore(), of a training whose epochs have so many batches.
  [[nodiscard]] Result<std::vector<MetadataEntry>> save(const TrainingProgress& progress,
                                                        const PlaceTensor& place);
  [[nodiscard]] Result<TrainingProgress> restore(const WeightSource& source, std::uint64_t batches);

 private:
  struct StoredState {
    std::string name;
    std::uint32_t rows = 0;
    Shape shape;
  };
  std::uint64_t parameters_ = 0;  // those of the model; the step's own come after them
  Program program_;
  std::vector<StoredState> states_;
  std::unique_ptr<Executable> executable_;
};

/// Whether every number of every tensor is finite. Errors: those of the source.
[[nodiscard]] Result<bool> is_finite(const WeightSource& source);

}  // namespace vecc::training
