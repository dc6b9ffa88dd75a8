#include "src/plan/tile_blocks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace vecc {
namespace {

using Kind = PlanBuffer::Kind;

// Calls visit(begin, end) for ranges of rows that a tile has.
template <class Visit>
void for_each_rows(const Plan& plan, const Launch& launch, std::uint32_t tile, Visit&& visit) {
  const std::uint32_t begin = launch.tiles[tile];
  const std::uint32_t end = launch.tiles[tile + 1];
  if (launch.order == kNone) return visit(begin, end);
  const auto& order = *plan.arrays[launch.order];
  for (std::uint32_t q = begin; q < end; ++q) visit(order[q], order[q] + 1);
}

// The same of what a loop over the rows, or over their members, counts.
template <class Visit>
void for_each_counters(const Plan& plan, const Launch& launch, KernelSpace space,
                       std::uint32_t tile, Visit&& visit) {
  if (space == KernelSpace::Row) return for_each_rows(plan, launch, tile, visit);
  const std::uint32_t* offsets =
      launch.offsets == kNone ? nullptr : plan.arrays[launch.offsets]->data();
  const KernelSegments segments = plan.kernels[launch.kernel].segments;
  for_each_rows(plan, launch, tile, [&](std::uint32_t begin, std::uint32_t end) {
    if (segments == KernelSegments::Ragged) return visit(offsets[begin], offsets[end]);
    if (segments == KernelSegments::Fixed) {
      return visit(begin * launch.members, end * launch.members);
    }
    for (std::uint32_t k = 0; k < launch.members; ++k) {
      visit(begin + k * launch.rows, end + k * launch.rows);
    }
  });
}

// The entries begin .. end - 1 of a list, of those that are in `part`.
Extent rows_of_list(const std::uint32_t* begin, const std::uint32_t* end, const Extent& part) {
  Extent rows;
  for (const std::uint32_t* entry = begin; entry < end; ++entry) {
    const bool inside = *entry >= part.begin && *entry < part.end;
    rows.begin = inside ? std::min<std::uint64_t>(rows.begin, *entry) : rows.begin;
    rows.end = inside ? std::max<std::uint64_t>(rows.end, std::uint64_t{*entry} + 1) : rows.end;
  }
  return rows;
}

// Rows of its buffer that an access reaches in a tile, of those that are in `part`.
Extent rows_of_tile(const Plan& plan, const Launch& launch, std::size_t a, std::uint32_t tile,
                    const Extent& part) {
  const KernelAccess& access = plan.kernels[launch.kernel].accesses[a];
  const auto row = [](std::uint64_t r) { return Extent{r, r + 1}; };
  if (access.map == RowMap::One) return row(0);
  if (access.map == RowMap::Tile) return row(launch.tile_types[tile]);
  const std::uint32_t* list =
      access.map == RowMap::List ? plan.arrays[launch.accesses[a].list]->data() : nullptr;
  Extent rows;
  for_each_counters(plan, launch, access.space, tile, [&](std::uint32_t begin, std::uint32_t end) {
    if (begin == end) return;
    rows.add(list == nullptr ? Extent{begin, end} : rows_of_list(list + begin, list + end, part));
  });
  return rows;
}

std::uint32_t first_row(const Plan& plan, const Launch& launch, std::uint32_t tile) {
  const std::uint32_t begin = launch.tiles[tile];
  const std::uint32_t end = launch.tiles[tile + 1];
  if (launch.order == kNone || begin == end) return begin;
  const auto& order = *plan.arrays[launch.order];
  return *std::min_element(order.begin() + begin, order.begin() + end);
}

// Where each tile is one long segment (a piece of those of a type, whose rows lie between the rows
// of others): the list by which these members are read; else null.
const std::vector<std::uint32_t>* list_of_long_segments(const Plan& plan, const Launch& launch) {
  constexpr std::size_t kLong = 64;
  const std::size_t tiles = launch.tiles.size() - 1;
  const Kernel& kernel = plan.kernels[launch.kernel];
  if (tiles != launch.rows || launch.order != kNone || launch.offsets == kNone ||
      kernel.segments != KernelSegments::Ragged) {
    return nullptr;
  }
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const KernelAccess& access = kernel.accesses[a];
    if (access.map != RowMap::List || access.space != KernelSpace::Member) continue;
    const auto& list = *plan.arrays[launch.accesses[a].list];
    return list.size() >= kLong * tiles ? &list : nullptr;
  }
  return nullptr;
}

// By tile, or none if they are in order.
std::vector<std::uint32_t> first_rows(const Plan& plan, const Launch& launch) {
  std::vector<std::uint32_t> first;
  const auto tiles = static_cast<std::uint32_t>(launch.tiles.size() - 1);
  if (!launch.tile_types.empty()) {
    for (std::uint32_t t = 0; t < tiles; ++t) first.push_back(first_row(plan, launch, t));
  } else if (const auto* list = list_of_long_segments(plan, launch)) {
    const std::vector<std::uint32_t>& offsets = *plan.arrays[launch.offsets];
    for (std::uint32_t t = 0; t < tiles; ++t) {
      first.push_back(offsets[t] < list->size() ? (*list)[offsets[t]] : kNone);
    }
  }
  return first;
}

std::vector<std::uint32_t> tiles_by_first_row(const Plan& plan, const Launch& launch,
                                              RowDirection rows) {
  std::vector<std::uint32_t> tiles(launch.tiles.size() - 1);
  std::iota(tiles.begin(), tiles.end(), 0);
  const std::vector<std::uint32_t> first = first_rows(plan, launch);
  if (!first.empty()) {
    std::ranges::stable_sort(tiles, {}, [&](std::uint32_t tile) { return first[tile]; });
  }
  if (rows == RowDirection::Descending) std::ranges::reverse(tiles);
  return tiles;
}

// Of an access whose row 0 is at `first`, in rows of `part`.
AccessExtents access_extents(const Plan& plan, const Launch& launch, std::size_t a,
                             std::uint64_t first, const Extent& part, const TileBlocks& of) {
  const KernelAccess& access = plan.kernels[launch.kernel].accesses[a];
  const std::uint64_t size = access.shape.size();
  AccessExtents extents{access.store, std::vector<Extent>(of.count()), {}, {}, {}};
  for (std::uint32_t b = 0; b < of.count(); ++b) {
    for (std::uint32_t t = of.offsets[b]; t < of.offsets[b + 1]; ++t) {
      const Extent rows = rows_of_tile(plan, launch, a, of.tiles[t], part);
      if (rows.begin >= rows.end) continue;
      extents.blocks[b].add({first + rows.begin * size, first + rows.end * size});
    }
    extents.all.add(extents.blocks[b]);
  }
  extents.begins.resize(of.count());
  extents.ends.resize(of.count());
  Extent behind;
  for (std::uint32_t b = of.count(); b-- > 0;) {
    behind.add(extents.blocks[b]);
    extents.begins[b] = behind.begin;
    extents.ends[b] = behind.end;
  }
  return extents;
}

// The parts of a list that reads many are not told apart.
void add_accesses(const Plan& plan, const Launch& launch, std::size_t a, std::uint64_t first,
                  const StoredPlaces& places, TileBlocks& of) {
  constexpr std::size_t kMostParts = 8;
  const KernelAccess& access = plan.kernels[launch.kernel].accesses[a];
  const std::uint64_t size = access.shape.size();
  const std::uint64_t rows = launch.accesses[a].rows;
  std::vector<Extent> parts = {{0, rows}};
  if (access.map == RowMap::List) {
    std::vector<Extent> stored = places.parts({first, first + rows * size});
    for (Extent& part : stored) {
      part = {(part.begin - first) / size, (part.end - first + size - 1) / size};
    }
    if (stored.size() <= kMostParts) parts = std::move(stored);
  }
  for (const Extent& part : parts) {
    of.accesses.push_back(access_extents(plan, launch, a, first, part, of));
  }
}

}  // namespace

void Extent::add(const Extent& other) {
  begin = std::min(begin, other.begin);
  end = std::max(end, other.end);
}

StoredPlaces::StoredPlaces(const Plan& plan) : firsts_(plan.buffers.size()) {
  std::uint64_t next = plan.arena_elements;
  std::map<std::pair<Kind, std::uint32_t>, std::uint64_t> known;  // two buffers may be one table
  for (BufferIndex b = 0; b < plan.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan.buffers[b];
    if (buffer.kind == Kind::Constant) continue;
    if (buffer.kind == Kind::Arena) {
      firsts_[b] = buffer.offset;
      continue;
    }
    const auto [at, is_new] = known.try_emplace({buffer.kind, buffer.source}, next);
    firsts_[b] = at->second;
    if (is_new) next += buffer.elements;
  }
  for (const Launch& launch : plan.launches) {
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const AccessBinding& access = launch.accesses[a];
      if (!plan.kernels[launch.kernel].accesses[a].store) continue;
      stores_.push_back(*firsts_[access.buffer] + access.first);
    }
  }
  std::ranges::sort(stores_);
}

std::vector<Extent> StoredPlaces::parts(const Extent& all) const {
  std::vector<Extent> parts = {all};
  for (auto next = std::ranges::upper_bound(stores_, all.begin);
       next != stores_.end() && *next < all.end; ++next) {
    if (*next == parts.back().begin) continue;
    parts.back().end = *next;
    parts.push_back({*next, all.end});
  }
  return parts;
}

std::uint32_t AccessExtents::blocks_before(const Extent& extent) const {
  if (!all.meets(extent)) return 0;
  const auto before = std::ranges::lower_bound(begins, extent.end) - begins.begin();
  const auto behind =
      std::ranges::lower_bound(ends, extent.begin, std::ranges::greater()) - ends.begin();
  return static_cast<std::uint32_t>(std::min(before, behind));
}

TileBlocks tile_blocks(const Plan& plan, const Launch& launch, const StoredPlaces& places,
                       RowDirection rows, std::uint32_t most) {
  TileBlocks of;
  of.tiles = tiles_by_first_row(plan, launch, rows);
  const std::uint64_t tiles = of.tiles.size();
  const std::uint64_t count = std::min<std::uint64_t>(tiles, most);
  for (std::uint64_t b = 0; b <= count; ++b) {
    of.offsets.push_back(static_cast<std::uint32_t>(count == 0 ? 0 : tiles * b / count));
  }
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const auto first = places.first(launch.accesses[a].buffer);
    if (first) add_accesses(plan, launch, a, *first + launch.accesses[a].first, places, of);
  }
  return of;
}

}  // namespace vecc
