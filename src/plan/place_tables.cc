#include "src/plan/place_tables.h"

#include <algorithm>
#include <utility>

#include "src/plan/device_arrays.h"
#include "src/support/quantity_text.h"

namespace vecc {
namespace {

using Kind = PlanBuffer::Kind;
using Tables = std::vector<PlacedTable>;

// "%12's, 3.2 GB": of the first value that lies in it.
std::string largest_values(const Plan& plan) {
  const auto values = [](const PlanBuffer& b) { return b.kind == Kind::Arena ? b.elements : 0; };
  const auto largest = std::ranges::max_element(plan.buffers, {}, values);
  if (largest == plan.buffers.end()) return "none";
  const auto buffer = static_cast<BufferIndex>(largest - plan.buffers.begin());
  const auto place = std::ranges::find(plan.places, buffer, &ValuePlace::buffer);
  const std::string whose = place == plan.places.end()
                                ? "a partial result's"
                                : "%" + std::to_string(place - plan.places.begin()) + "'s";
  return whose + ", " + text_of_bytes(largest->elements * byte_size(plan.dtype));
}

std::uint64_t bytes_of_values(const Plan& plan) {
  return plan.arena_elements * byte_size(plan.dtype);
}

// Of the device's memory.
struct DeviceRoom {
  std::uint64_t free = 0;
  std::uint64_t limit = 0;  // --gpu-memory; 0: none
  std::uint64_t taken = 0;  // by tables that are there

  [[nodiscard]] bool is_limited() const {
    return limit != 0 && limit - std::min(taken, limit) < free;
  }
  [[nodiscard]] std::uint64_t left() const {
    return is_limited() ? limit - std::min(taken, limit) : free;
  }
  [[nodiscard]] std::uint64_t without_tables() const {
    const std::uint64_t all = taken > ~free ? ~std::uint64_t{0} : free + taken;
    return limit == 0 ? all : std::min(limit, all);
  }
  [[nodiscard]] std::string text() const {
    const std::string beside =
        taken == 0 ? "" : " beside tables that are there (" + text_of_bytes(taken) + ")";
    if (!is_limited()) return "it has " + text_of_bytes(left()) + " free" + beside;
    return "--gpu-memory=" + text_of_bytes(limit) + " leaves " + text_of_bytes(left()) + beside;
  }
};

Errors does_not_fit(const Plan& plan, const std::string& device, const Tables& tables,
                    std::uint64_t arrays, const DeviceRoom& room) {
  const std::uint64_t on_device = bytes_at(tables, TablePlace::Device);
  std::string text = "needs " + text_of_bytes(bytes_of_values(plan)) +
                     " of values (the largest are " + largest_values(plan) + "), " +
                     text_of_bytes(arrays) + " of indices and " + text_of_bytes(on_device) +
                     " of tables that are to be on the device; " + room.text() +
                     ". --emit=plan lists all buffers; --backend=cpu uses the host's memory";
  const bool has_tables = on_device + room.taken > 0;
  if (has_tables && bytes_of_values(plan) + arrays <= room.without_tables()) {
    text += "; --place=TABLE=host has one of these tables there";
  }
  return Errors(ErrorCode::OutOfMemory, device, text + '\n' + text_of(tables));
}

}  // namespace

std::uint64_t bytes_beside_tables(const Plan& plan) {
  return bytes_of_values(plan) + bytes_of_device_arrays(plan);
}

std::uint64_t room_beside(const Plan& plan, const Tables& tables, const PlaceOptions& places,
                          std::uint64_t room) {
  std::uint64_t taken = 0;
  std::uint64_t own = bytes_beside_tables(plan);
  for (const PlacedTable& table : tables) {
    if (table.hot) own += table.hot->bytes;
    if (table.place != TablePlace::Device) continue;
    (table.is_there ? taken : own) += table.bytes;
  }
  const std::uint64_t left = DeviceRoom{room, places.device_bytes, taken}.left();
  return left - std::min(own, left);
}

std::string text_of_device(const Plan& plan, const Tables& tables) {
  std::uint64_t hot = 0;
  for (const PlacedTable& table : tables) hot += table.hot ? table.hot->bytes : 0;
  const std::uint64_t values = bytes_of_values(plan);
  const std::uint64_t arrays = bytes_of_device_arrays(plan);
  const std::uint64_t on_device = bytes_at(tables, TablePlace::Device) + hot;
  return "  on the device: tables " + text_of_bytes(on_device) + ", values " +
         text_of_bytes(values) + ", index arrays " + text_of_bytes(arrays) + "; " +
         text_of_bytes(on_device + values + arrays) + " in all";
}

Result<std::vector<PlacedTable>> place_tables(const Plan& plan, const Program& program,
                                              const PlaceOptions& places, std::uint64_t room,
                                              std::uint64_t host_room, const std::string& device,
                                              const FindPlaced& find_placed, bool has_arrays) {
  Tables all = find_tables(plan, program, TablePlace::Device);
  take_wishes(all, places);
  Tables tables;  // that are to be made
  Tables there;
  std::uint64_t taken = 0;
  for (PlacedTable& table : all) {
    const std::optional<TablePlace> placed = find_placed(table.buffer);
    if (!placed) {
      tables.push_back(std::move(table));
      continue;
    }
    table.place = *placed;
    table.is_there = true;
    if (*placed == TablePlace::Device) taken += table.bytes;
    there.push_back(std::move(table));
  }
  const DeviceRoom device_room{room, places.device_bytes, taken};
  room = device_room.left();
  const std::uint64_t arrays = has_arrays ? bytes_of_device_arrays(plan) : 0;
  const std::uint64_t others = bytes_of_values(plan) + arrays;
  move_tables(tables, TablePlace::Device, TablePlace::Host, room - std::min(others, room));
  if (others + bytes_at(tables, TablePlace::Device) > room) {
    return does_not_fit(plan, device, tables, arrays, device_room);
  }
  if (const std::uint64_t host = bytes_at(tables, TablePlace::Host); host > host_room) {
    return Errors(ErrorCode::OutOfMemory, device,
                  "needs " + text_of_bytes(host) +
                      " of the host's memory for tables that the GPU has no room for, free are " +
                      text_of_bytes(host_room) + "\n" + text_of(tables));
  }
  tables.insert(tables.end(), there.begin(), there.end());
  return tables;
}

}  // namespace vecc
