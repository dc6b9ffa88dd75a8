// A copy of a training's state that it may go back to: in memory, or in a file that the system
// drops from memory where that is short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vecc/error.h"
#include "vecc/train_loop.h"
#include "vecc/weights.h"

namespace vecc::training {

class KeptState {
 public:
  /// Before the first keep(): copies are in a file, if one is asked for. Errors: those of
  /// map_new_file().
  [[nodiscard]] Result<void> reserve(const KeptCopies& place);
  /// In place of the one before. Errors: those of map_new_file(), of a copy that is larger than
  /// what was reserved.
  [[nodiscard]] Result<void> keep(WeightFile state);
  [[nodiscard]] bool is_there() const { return is_there_; }
  /// Moved out of memory, or copied from the file.
  [[nodiscard]] WeightFile take();

 private:
  std::string folder_;  // of the file; empty: in memory
  std::shared_ptr<std::byte> memory_;
  std::uint64_t bytes_ = 0;           // of it
  std::vector<std::uint64_t> sizes_;  // by tensor: bytes in the file, one after another
  WeightFile state_;                  // with a file: without the tensors' data
  bool is_there_ = false;
};

}  // namespace vecc::training
