#include "src/plan/plan_tables.h"

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

bool has_name(const PlanBuffer& buffer, const Program& program, ValueId fact) {
  if (buffer.kind != Kind::Constant) return true;
  return fact != kNone && fact < program.ops().size() && !program.op(fact).note.empty();
}

std::string place_text(const PlacedTable& table) {
  const std::string place(text_of(table.place));
  if (table.rows_stay) {
    return place + ", none of its rows on the device: they are read in several sizes or by type";
  }
  if (!table.hot) return place;
  return fmt::format("{}, {} of {} on the device ({})", place, table.hot->rows,
                     text_of_count(table.hot->of, "row"), text_of_bytes(table.hot->bytes));
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

}  // namespace

bool is_colder(const PlacedTable& a, const PlacedTable& b) {
  const auto rate = [](const PlacedTable& t) {
    return static_cast<double>(t.moved) / static_cast<double>(std::max<std::uint64_t>(t.bytes, 1));
  };
  if (rate(a) != rate(b)) return rate(a) < rate(b);
  return a.bytes != b.bytes ? a.bytes > b.bytes : a.buffer < b.buffer;
}

Tables find_tables(const Plan& plan, const Program& program, TablePlace place) {
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
    PlacedTable& table = tables.emplace_back();
    table.buffer = b;
    table.name = name_of(buffer, program, facts[b]);
    table.is_named = has_name(buffer, program, facts[b]);
    table.bytes = buffer.elements * byte_size(plan.dtype);
    table.moved = moved[b];
    table.place = place;
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
  for (const PlacedTable& table : tables) {
    if (table.place == place) bytes += table.bytes + table.copies;
  }
  return bytes;
}

void move_tables(Tables& tables, TablePlace from, TablePlace to, std::uint64_t room) {
  std::vector<PlacedTable*> free;
  for (PlacedTable& table : tables) {
    const bool moves = table.place == from && !table.is_asked && !table.is_there;
    if (moves && table.bytes > 0) free.push_back(&table);
  }
  std::ranges::sort(free, [](const auto* a, const auto* b) { return is_colder(*a, *b); });
  std::uint64_t used = bytes_at(tables, from);
  for (PlacedTable* table : free) {
    if (used <= room) break;
    table->place = to;
    used -= table->bytes + table->copies;
  }
  // A large table makes room for smaller ones, of which more is moved.
  for (auto table = free.rbegin(); table != free.rend(); ++table) {
    const std::uint64_t bytes = (*table)->bytes + (*table)->copies;
    if ((*table)->place == from || used + bytes > room) continue;
    (*table)->place = from;
    used += bytes;
  }
}

std::string text_of(Tables tables) {
  constexpr std::size_t kMost = 20;
  std::ranges::stable_sort(tables, std::ranges::greater(), &PlacedTable::bytes);
  std::string text = fmt::format("  {:<28} {:>10} {:>12}  place\n", "table", "size", "moved a run");
  for (std::size_t t = 0; t < std::min(tables.size(), kMost); ++t) {
    const PlacedTable& table = tables[t];
    text += fmt::format("  {:<28} {:>10} {:>12}  {}\n", escape_terminal(table.name, 200),
                        text_of_bytes(table.bytes), text_of_bytes(table.moved), place_text(table));
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
