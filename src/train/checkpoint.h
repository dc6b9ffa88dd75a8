// Checkpoints of a training: a folder with the last one and, with validation, the best weights.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vecc/train_loop.h"
#include "vecc/weight_source.h"

namespace vecc::training {

/// What the loop knows beside the trainer's state.
struct LoopState {
  std::uint64_t best_epoch = 0;
  double best_loss = std::numeric_limits<double>::infinity();
  std::uint64_t finished_epochs = 0;  ///< evaluated and reported
};

/// Writes and reads FOLDER/last.safetensors and FOLDER/best.safetensors, each whole or not at all;
/// one whose bytes have not the CRC-32 that was written with them is refused (WrongChecksum).
/// The best is written first: a kill between the two leaves a `last` from which the same `best` is
/// made again.
class CheckpointFolder {
 public:
  CheckpointFolder(std::string folder, std::string settings, std::vector<MetadataEntry> metadata)
      : folder_(std::move(folder)),
        settings_(std::move(settings)),
        metadata_(std::move(metadata)) {}

  /// Makes the folder if it is not there. Error: CannotWrite.
  [[nodiscard]] Result<void> open() const;
  [[nodiscard]] Result<void> write_last(const WeightSource& source, const LoopState& state) const;
  [[nodiscard]] Result<void> write_best(const WeightSource& source, const LoopState& state) const;

  /// Of a file that is read when its tensors are.
  struct Last {
    std::shared_ptr<const WeightSource> source;
    LoopState state;
  };
  /// None if there is no checkpoint yet. Error: WeightsDiffer (other settings or metadata; no
  /// checkpoint).
  [[nodiscard]] Result<std::optional<Last>> read_last() const;
  /// The best that `last` knows of, or a later one that will be made again. Error: WeightsDiffer
  /// (of another training).
  [[nodiscard]] Result<std::shared_ptr<const WeightSource>> read_best(const LoopState& last) const;

 private:
  std::string folder_;
  std::string settings_;
  std::vector<MetadataEntry> metadata_;
};

}  // namespace vecc::training
