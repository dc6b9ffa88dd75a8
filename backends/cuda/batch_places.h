// Where the tables and the values of a step in batches are on a GPU.
#pragma once

#include <vector>

#include "backends/cuda/device.h"
#include "src/plan/plan_tables.h"
#include "vecc/backend.h"
#include "vecc/plan.h"

namespace vecc::cuda {

struct PlacedBatches {
  Plan plan;
  std::vector<PlacedTable> tables;
  bool is_compact = false;  ///< BatchValues::Compact
};

/// place_on_device(). Batches are compact where values of all samples have no room on the device,
/// and where rows of facts in the host's memory are fetched (fetch_rows(): the Plan then has two
/// stages): threads that bind keep up with the bus, and two batches' values have room. Errors:
/// those of place_on_device(), Usage (compact batches are asked for, and cannot be). Throws
/// DeviceError.
[[nodiscard]] Result<PlacedBatches> place_batches(Plan plan, const Program& program,
                                                  const ExecutionOptions& options,
                                                  const Device& device);

}  // namespace vecc::cuda
