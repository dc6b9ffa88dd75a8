// What a batch brings that is searched on the device (src/kernel/prelude/search_batch.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/cuda/batch_slot.h"

namespace vecc::cuda {

/// A number that is set for the step of a batch.
struct SetNumber {
  CUdeviceptr to = 0;
  double value = 0;
};

/// What is drawn for it: the batch's samples, and where DrawInput says.
struct SearchDraw {
  const Batch::Draw& draw;
  CUdeviceptr drawn = 0;
  std::uint64_t members = 0;
};

/// Bytes of a BatchInput of so many numbers, parameters of weights, rows of these (of the batch
/// itself and of the one before), and samples that it draws for.
[[nodiscard]] std::uint64_t search_input_bytes(std::uint64_t numbers, std::uint64_t weights,
                                               std::uint64_t rows, std::uint64_t rows_before,
                                               std::uint64_t samples);

/// Writes it for a step, whose rows of weights are then the batch's. `draw`: null: nothing is.
/// Returns its bytes.
std::uint64_t write_search_input(std::span<const SetNumber> numbers,
                                 std::span<const Batch::Weights> weights, const SearchDraw* draw,
                                 DType dtype, BatchSlot::Step& step, std::span<std::byte> to);

}  // namespace vecc::cuda
