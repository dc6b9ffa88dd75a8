// A batch as the bytes that a BatchLayout says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/batch_cutter.h"
#include "backends/cuda/batch_layout.h"
#include "backends/cuda/batch_slot.h"
#include "src/batch/batch_rows.h"

namespace vecc::cuda {

/// What batches are written with.
struct BatchWriter {
  const BatchPlan& batch;
  const BatchLayout& layout;
  std::span<const NodeCode> nodes;
  const BatchCutter& cutter;
  std::span<const CUdeviceptr> buffers;  ///< by buffer, where it begins
  CUdeviceptr nowhere = 0;               ///< where goes what stays as it is
  DType dtype = DType::F32;
  CUdeviceptr values = 0;  ///< of compact batches
};

/// A batch as a step of a slot.
struct ImageBatch {
  const BatchRows& rows;
  std::span<const Batch::Weights> weights;  ///< by BatchOptions::weights
  std::span<const double> scalars;          ///< their values
};

struct BatchImage {
  std::uint64_t bytes = 0;
  std::uint64_t writes = 0;  ///< where NumberWrites begin, behind all else
  std::uint32_t write_count = 0;
};

/// At most what a batch takes, alone or as one of several.
[[nodiscard]] std::uint64_t image_bytes(const BatchLayout& layout, const BatchRows& rows,
                                        std::uint64_t writes);

/// The same of what `rows` has room for.
[[nodiscard]] std::uint64_t image_capacity(const BatchLayout& layout, const BatchRows& rows,
                                           std::uint64_t writes);

/// Into slot.host(), a step each. `parts`: for one batch at a time.
[[nodiscard]] BatchImage write_batches(const BatchWriter& writer,
                                       std::span<const ImageBatch> batches,
                                       std::span<LaunchPart> parts, BatchSlot& slot);

}  // namespace vecc::cuda
