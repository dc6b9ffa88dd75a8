// Epochs of training: validation, early stop, checkpoints, an end that can be asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "vecc/train.h"
#include "vecc/weights.h"

namespace vecc {

/// A training copies its state again after as many epochs, if not sooner: a NaN is looked for from
/// there.
inline constexpr std::uint64_t kEpochsToRepeat = 16;

/// Where the states are that a training may go back to: the last good one, the best.
struct KeptCopies {
  std::string folder;       ///< of a mapped file without a name
  std::uint64_t bytes = 0;  ///< of a copy, to be reserved before the first step; 0: in memory
};

struct LoopOptions {
  std::uint64_t epochs = 100;
  /// Epochs without a lower validation loss after which training ends, at the next evaluation; the
  /// weights of the lowest are the result. 0: never, and the last weights are the result.
  std::uint64_t early_stop = 0;
  std::string checkpoint_folder;  ///< empty: none
  std::uint64_t checkpoint_every = 10;
  bool resume = false;  ///< from the folder's checkpoint, if there is one
  /// What a checkpoint must agree on: model, samples, optimizer, loss, seed; `name value` after
  /// `name value`, commas between them.
  std::string settings;
  /// Of the weights, in checkpoints; where an older checkpoint has an entry, it must be the same.
  std::vector<MetadataEntry> metadata;
  std::uint64_t log_every = 1;  ///< epochs between two evaluations
  KeptCopies kept;
};

struct EpochReport {
  std::uint64_t epoch = 0;  ///< the first is 1
  double rate = 0;
  double loss = 0;     ///< the mean error, of every sample before the step that it is in
  double seconds = 0;  ///< of the epoch's steps
  /// With the weights after the epoch.
  std::optional<Evaluator::Evaluation> training;
  std::optional<Evaluator::Evaluation> validation;
};

enum class TrainEnd : std::uint8_t { Done, EarlyStop, Interrupted };

struct TrainSummary {
  TrainEnd end = TrainEnd::Done;
  std::uint64_t epochs = 0;  ///< in all, with those before a resume
  std::uint64_t first_epoch = 1;
  std::uint64_t best_epoch = 0;  ///< by validation loss; 0: none
  double best_loss = std::numeric_limits<double>::infinity();
  double step_seconds = 0;
};

struct LoopParts {
  Trainer& trainer;
  Evaluator* training = nullptr;    ///< null: no metrics
  Evaluator* validation = nullptr;  ///< null: no early stop
  std::function<Result<void>(const EpochReport&)> report = nullptr;
  std::function<bool()> should_stop = nullptr;  ///< asked after every step
  /// Called before the first step, with the epochs that a resumed training has behind it.
  std::function<Result<void>(std::uint64_t finished_epochs)> begin = nullptr;
};

/// Whether a training of these options copies its state more than once: another copy is then made
/// beside the one that it may go back to.
[[nodiscard]] bool copies_again(const LoopOptions& options);

/// Trains until the last epoch, an early stop, or should_stop(), which ends the step at hand and
/// leaves a checkpoint. A loss or weight that is not finite is an error that names the op and row
/// that made it first; the last checkpoint stays. Resuming goes on bit for bit. Errors: NonFinite;
/// those of the parts; CannotWrite and the reader's for checkpoints; WeightsDiffer for a checkpoint
/// of other settings.
[[nodiscard]] Result<TrainSummary> train(const LoopParts& parts, const LoopOptions& options);

/// FOLDER/last.safetensors, the checkpoint that a resume reads.
[[nodiscard]] std::string checkpoint_path(const std::string& folder);
/// That, and FOLDER/best.safetensors.
[[nodiscard]] std::vector<std::string> checkpoint_paths(const std::string& folder);

}  // namespace vecc
