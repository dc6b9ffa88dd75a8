#include "src/plan/place_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "src/plan/analysis/launch_rows.h"
#include "src/support/quantity_text.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

using Kind = PlanBuffer::Kind;
using Tables = std::vector<PlacedTable>;

// By constant's buffer: the fact whose rows it is.
std::vector<ValueId> facts_of(const Plan& plan) {
  std::vector<ValueId> facts(plan.buffers.size(), kNone);
  for (ValueId id = 0; id < plan.places.size(); ++id) {
    const BufferIndex buffer = plan.places[id].buffer;
    if (buffer != kNone && facts[buffer] == kNone) facts[buffer] = id;
  }
  return facts;
}

std::string name_of(const PlanBuffer& buffer, const Program& program, ValueId fact) {
  if (buffer.kind == Kind::Parameter) return program.parameters()[buffer.source].name;
  if (buffer.kind == Kind::State) {
    return std::get<StateOp>(program.op(buffer.source).attributes).name;
  }
  if (fact == kNone || fact >= program.ops().size()) return "fact of the plan";
  const Note& groups = program.op(fact).note;
  return groups.empty() ? "%" + std::to_string(fact) : groups.text();
}

std::vector<std::uint64_t> moved_bytes(const Plan& plan) {
  std::vector<std::uint64_t> moved(plan.buffers.size());
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const KernelAccess& access = kernel.accesses[a];
      const std::uint64_t rows =
          access.map == RowMap::One ? 1 : counted_rows(plan, kernel, launch, access.space);
      moved[launch.accesses[a].buffer] += rows * access.shape.size() * byte_size(plan.dtype);
    }
  }
  return moved;
}

Tables find_tables(const Plan& plan, const Program& program) {
  const std::vector<ValueId> facts = facts_of(plan);
  const std::vector<std::uint64_t> moved = moved_bytes(plan);
  Tables tables;
  std::map<TableId, std::size_t> seen;
  for (BufferIndex b = 0; b < plan.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan.buffers[b];
    if (buffer.kind == Kind::Arena) continue;
    const auto [found, is_new] = seen.try_emplace(table_of(plan, b), tables.size());
    if (!is_new) {
      tables[found->second].moved += moved[b];
      continue;
    }
    tables.push_back({b, name_of(buffer, program, facts[b]),
                      buffer.elements * byte_size(plan.dtype), moved[b], TablePlace::Device, false,
                      false});
  }
  return tables;
}

void take_wishes(Tables& tables, const PlaceOptions& places) {
  for (const PlaceOptions::Wish& wish : places.wishes) {
    for (PlacedTable& table : tables) {
      if (table.name != wish.table) continue;
      table.place = wish.place;
      table.is_asked = true;
    }
  }
}

std::uint64_t bytes_at(const Tables& tables, TablePlace place) {
  std::uint64_t bytes = 0;
  for (const PlacedTable& table : tables) bytes += table.place == place ? table.bytes : 0;
  return bytes;
}

// Fewest bytes moved for a byte saved first.
bool is_colder(const PlacedTable& a, const PlacedTable& b) {
  const auto rate = [](const PlacedTable& t) {
    return static_cast<double>(t.moved) / static_cast<double>(std::max<std::uint64_t>(t.bytes, 1));
  };
  if (rate(a) != rate(b)) return rate(a) < rate(b);
  return a.bytes != b.bytes ? a.bytes > b.bytes : a.buffer < b.buffer;
}

// `room`: for the tables.
void move_to_host(Tables& tables, std::uint64_t room) {
  std::vector<PlacedTable*> free;
  for (PlacedTable& table : tables) {
    if (!table.is_asked && table.bytes > 0) free.push_back(&table);
  }
  std::ranges::sort(free, [](const auto* a, const auto* b) { return is_colder(*a, *b); });
  std::uint64_t used = bytes_at(tables, TablePlace::Device);
  for (PlacedTable* table : free) {
    if (used <= room) break;
    table->place = TablePlace::Host;
    used -= table->bytes;
  }
  // A large table makes room for smaller ones, of which more is moved.
  for (auto table = free.rbegin(); table != free.rend(); ++table) {
    if ((*table)->place == TablePlace::Device || used + (*table)->bytes > room) continue;
    (*table)->place = TablePlace::Device;
    used += (*table)->bytes;
  }
}

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

Errors does_not_fit(const Plan& plan, const std::string& device, const PlanStatistics& need,
                    const Tables& tables, std::uint64_t room) {
  return Errors(ErrorCode::OutOfMemory, device,
                "needs " + text_of_bytes(need.arena_bytes) + " of values (the largest are " +
                    largest_values(plan) + "), " + text_of_bytes(need.index_bytes) +
                    " of indices and " + text_of_bytes(bytes_at(tables, TablePlace::Device)) +
                    " of tables that are to be on the device; it has " + text_of_bytes(room) +
                    ". --emit=plan lists all buffers; a smaller --batch-size needs fewer values, "
                    "--backend=cpu uses the host's memory\n" +
                    text_of(tables));
}

}  // namespace

Result<std::vector<PlacedTable>> place_tables(const Plan& plan, const Program& program,
                                              const PlaceOptions& places, std::uint64_t room,
                                              std::uint64_t host_room, const std::string& device,
                                              const FindPlaced& find_placed) {
  Tables all = find_tables(plan, program);
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
  if (places.device_bytes != 0) {
    const std::uint64_t asked = places.device_bytes - std::min(taken, places.device_bytes);
    room = std::min(room, asked);
  }
  const PlanStatistics need = statistics(plan);
  const std::uint64_t others = need.arena_bytes + need.index_bytes;
  move_to_host(tables, room - std::min(others, room));
  if (others + bytes_at(tables, TablePlace::Device) > room) {
    return does_not_fit(plan, device, need, tables, room);
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

std::string text_of(std::vector<PlacedTable> tables) {
  constexpr std::size_t kMost = 20;
  std::ranges::stable_sort(tables, std::ranges::greater(), &PlacedTable::bytes);
  std::string text = fmt::format("  {:<28} {:>10} {:>12}  place\n", "table", "size", "moved a run");
  for (std::size_t t = 0; t < std::min(tables.size(), kMost); ++t) {
    const PlacedTable& table = tables[t];
    text +=
        fmt::format("  {:<28} {:>10} {:>12}  {}\n", escape_terminal(table.name, 200),
                    text_of_bytes(table.bytes), text_of_bytes(table.moved), text_of(table.place));
  }
  if (tables.size() > kMost) {
    std::uint64_t bytes = 0;
    for (std::size_t t = kMost; t < tables.size(); ++t) bytes += tables[t].bytes;
    text += fmt::format("  {} smaller ones, {}\n", tables.size() - kMost, text_of_bytes(bytes));
  }
  text.pop_back();
  return text;
}

}  // namespace vecc
