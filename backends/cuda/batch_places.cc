#include "backends/cuda/batch_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/cuda/batch_runner.h"
#include "backends/cuda/device_places.h"
#include "src/batch/batch_binder.h"
#include "src/batch/batch_plan.h"
#include "src/batch/batch_sizes.h"
#include "src/batch/check_batch.h"
#include "src/plan/fetched_rows.h"
#include "src/support/log.h"
#include "src/support/quantity_text.h"
#include "src/support/what_helps.h"

namespace vecc::cuda {
namespace {

// What the first batch of a compact plan takes.
struct CompactBatch {
  std::uint64_t values = 0;  // elements that are counted for it
  std::uint64_t arrays = 0;  // bytes
  double fetched = 0;        // bytes that come over the bus
};

// Of a table's bytes; hot rows, which batches read more often than others, are on the device.
double share_on_host(const std::vector<PlacedTable>& tables, BufferIndex fact) {
  const auto table = std::ranges::find(tables, fact, &PlacedTable::buffer);
  if (!table->hot) return 1;
  return 1 - static_cast<double>(table->hot->bytes) / static_cast<double>(table->bytes);
}

// `tables`: of a Plan that fetches rows.
Result<CompactBatch> bind_typical(const Plan& plan, const Program& program,
                                  const BatchOptions& options,
                                  const std::vector<PlacedTable>& tables = {}) {
  VECC_TRY(const BatchPlan batch, make_batch_plan(plan, program, options, /*compact=*/true));
  if (!is_empty(options.typical)) VECC_TRY_VOID(check_batch(batch, options.typical));
  BatchRows rows;
  BatchBinder(batch).bind(options.typical, rows);
  CompactBatch compact{BatchRunner::kUsualValues * rows.value_count, rows.bytes(), 0};
  for (const BatchRows::Run& run : rows.runs) {
    const Launch& launch = plan.launches[run.launch];
    if (launch.stage > 0 || plan.launches.back().stage == 0) continue;
    const std::uint64_t row = plan.kernels[launch.kernel].accesses.front().shape.size();
    compact.fetched += share_on_host(tables, launch.accesses.front().buffer) *
                       static_cast<double>(run.rows * row * byte_size(plan.dtype));
  }
  return compact;
}

bool is_out_of_memory(const Errors& errors) {
  return errors.list().front().code == ErrorCode::OutOfMemory;
}

// Whether the threads that bind batches, which no device does for compact ones, have done so while
// the bus brings what these read.
bool keeps_up(const CompactBatch& batch, const BatchOptions& options, const Target& target) {
  constexpr double kBusBytes = 40e3;  // a microsecond: PCIe 5, rows of a kilobyte
  if (options.side == BatchSide::Device) return false;
  const double binding = target.host.bound_kilobyte * static_cast<double>(batch.arrays) / 1024;
  return binding / options.binding_threads < batch.fetched / kBusBytes;
}

// Of a Plan whose tables are placed, beside `values` elements.
Result<void> fetch(PlacedBatches& placed, const Program& program, const ExecutionOptions& options,
                   const Device& device, std::uint64_t values) {
  const BatchOptions& batches = *options.batch;
  const std::vector<BufferIndex> facts = find_fetched(placed.plan, program, placed.tables);
  if (facts.empty() || batches.batches_again > 0 || !check_compact(placed.plan, batches)) {
    return {};
  }
  Plan plan = placed.plan;
  fetch_rows(plan, program, facts);
  VECC_TRY(const CompactBatch typical, bind_typical(plan, program, batches, placed.tables));
  // A part is left for what else batches, and other executables, take.
  const std::uint64_t arena = std::exchange(placed.plan.arena_elements, values);
  const std::uint64_t room =
      room_beside(placed.plan, placed.tables, options.places, device.free_bytes());
  placed.plan.arena_elements = arena;
  const std::uint64_t size = byte_size(plan.dtype);
  const bool has_room = 2 * typical.values * size <= values * size + room - room / 4;
  if (!has_room || !(placed.is_compact || keeps_up(typical, batches, device.target()))) return {};
  log_debug(fmt::format("cuda: a batch fetches {} of the host's memory, beside the batch before",
                        text_of_bytes(static_cast<std::uint64_t>(typical.fetched))));
  placed.plan = std::move(plan);
  placed.is_compact = true;
  return {};
}

Result<PlacedBatches> place_compact(Plan plan, const Program& program,
                                    const ExecutionOptions& options, const Device& device) {
  VECC_TRY_VOID(check_compact(plan, *options.batch));
  VECC_TRY(const CompactBatch typical, bind_typical(plan, program, *options.batch));
  auto tables = place_on_device(plan, program, options, device, typical.values);
  if (!tables) return say_what_helps(tables.error(), "a smaller --batch-size needs fewer values");
  PlacedBatches placed{std::move(plan), *std::move(tables), true};
  VECC_TRY_VOID(fetch(placed, program, options, device, typical.values));
  return placed;
}

}  // namespace

Result<PlacedBatches> place_batches(Plan plan, const Program& program,
                                    const ExecutionOptions& options, const Device& device) {
  const BatchValues values = options.batch->values;
  if (values == BatchValues::Compact) {
    return place_compact(std::move(plan), program, options, device);
  }
  auto tables = place_on_device(plan, program, options, device);
  if (tables) {
    PlacedBatches placed{std::move(plan), *std::move(tables), false};
    if (values == BatchValues::Choose) {
      VECC_TRY_VOID(fetch(placed, program, options, device, placed.plan.arena_elements));
    }
    return placed;
  }
  if (!is_out_of_memory(tables.error()) || !check_compact(plan, *options.batch)) {
    return tables.error();
  }
  if (values == BatchValues::Spread) {
    VECC_TRY(const CompactBatch compact, bind_typical(plan, program, *options.batch));
    return say_what_helps(tables.error(),
                          "--batch-values=compact needs " +
                              text_of_bytes(compact.values * byte_size(plan.dtype)) + " of values");
  }
  auto compact = place_compact(std::move(plan), program, options, device);
  if (!compact && !is_out_of_memory(compact.error())) return tables.error();
  return compact;
}

}  // namespace vecc::cuda
