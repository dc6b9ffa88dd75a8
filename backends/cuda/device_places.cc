#include "backends/cuda/device_places.h"

#include <algorithm>

#include "backends/common/shared_rows.h"
#include "backends/cuda/device_block.h"
#include "src/plan/address_order.h"
#include "src/plan/hot_rows.h"
#include "src/support/free_memory.h"
#include "src/support/log.h"
#include "src/support/quantity_text.h"
#include "vecc/escape.h"

namespace vecc::cuda {
namespace {

std::optional<TablePlace> find_shared(const PlanBuffer& buffer, const Program& program,
                                      const ExecutionOptions& options,
                                      const SharedRows<DeviceBlock>& shared) {
  const StoredBlock<DeviceBlock>* found = nullptr;
  if (buffer.kind == PlanBuffer::Kind::Parameter && !is_own(options, buffer.source)) {
    found = shared.find(StoredKind::Parameter, program.parameters()[buffer.source].name);
  } else if (buffer.kind == PlanBuffer::Kind::State) {
    const auto& state = std::get<StateOp>(program.op(buffer.source).attributes);
    found = shared.find(StoredKind::State, state.name);
  }
  if (found == nullptr) return std::nullopt;
  return found->block.place();
}

void warn_of_host(const Plan& plan, const std::vector<PlacedTable>& tables, const Device& device) {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  for (const PlacedTable& table : tables) {
    if (table.place == TablePlace::Device || table.is_there) continue;
    ++count;
    bytes += table.bytes;
  }
  if (count == 0) return;
  log_warning(device.name() + ": " + text_of_count(count, "table") + " of " + text_of_bytes(bytes) +
              " in the host's memory, read over the bus\n" + text_of(tables) + "\n" +
              text_of_device(plan, tables));
}

}  // namespace

Result<std::vector<PlacedTable>> place_on_device(Plan& plan, const Program& program,
                                                 const ExecutionOptions& options,
                                                 const Device& device,
                                                 std::optional<std::uint64_t> values) {
  for (const PlaceOptions::Wish& wish : options.places.wishes) {
    if (wish.place != TablePlace::File) continue;
    return Errors(ErrorCode::Usage, device.name(),
                  "no tables in files, which are of the cpu backend: \"" +
                      escape_terminal(wish.table, 200) + "\" may be on the device or the host");
  }
  const auto shared = shared_rows<DeviceBlock>(options);
  const auto find_placed = [&](BufferIndex buffer) {
    return find_shared(plan.buffers[buffer], program, options, *shared);
  };
  const std::uint64_t room = device.free_bytes();
  const std::uint64_t arena = plan.arena_elements;
  plan.arena_elements = values.value_or(arena);
  auto placed = place_tables(plan, program, options.places, room, host_room().bytes, device.name(),
                             find_placed, /*has_arrays=*/!values);
  if (!placed) {
    plan.arena_elements = arena;
    return placed.error();
  }
  std::vector<PlacedTable> tables = *std::move(placed);
  const bool is_batch = options.batch != nullptr;
  bool is_changed = false;
  // What is free knows of other executables' rows; a budget does not.
  const std::uint64_t others = options.places.device_bytes == 0 ? 0 : device.split_bytes();
  if (const std::uint64_t page = SplitMemory::page_bytes(device); page > 0) {
    // Half of what is left: batches take memory, and so do Programs that are made later.
    const std::uint64_t half = room_beside(plan, tables, options.places, room) / 2;
    const std::uint64_t left = half - std::min(half, others);
    is_changed = place_hot_rows(plan, program, tables, left, page, is_batch);
  }
  if (!is_batch) {
    const std::uint64_t all = room_beside(plan, tables, options.places, room);
    is_changed = order_rows_by_address(plan, tables, all - std::min(all, others)) || is_changed;
  }
  warn_of_host(plan, tables, device);
  plan.arena_elements = arena;
  if (is_changed) {
    const Result<void> verified = verify(plan);
    VECC_CHECK(verified, verified.error().text());
  }
  return tables;
}

}  // namespace vecc::cuda
