#include "src/batch/batch_arrays.h"

#include <algorithm>
#include <span>

#include "src/batch/batch_loops.h"
#include "src/batch/loosen_launch.h"

namespace vecc {
namespace {

// Tables of members have rows of several aggregations one after another: a list reads those of one.
void note_read_rows(BatchAccess& access) {
  const std::vector<std::uint32_t>& offsets = access.readers->offsets;
  const auto behind_first = std::ranges::upper_bound(offsets, 0u);
  if (behind_first == offsets.end()) return;  // no row has readers
  const auto end = std::ranges::lower_bound(offsets, offsets.back());
  access.first_read = to_row(behind_first - offsets.begin() - 1);
  access.end_read = to_row(end - offsets.begin());
  const auto skips = [](std::uint32_t a, std::uint32_t b) { return b != a + 1; };
  access.is_read_once = std::adjacent_find(behind_first - 1, end + 1, skips) == end + 1;
  access.is_permutation =
      access.is_read_once && access.first_read == 0 && access.end_read + 1 == offsets.size();
}

}  // namespace

void BatchArrays::bind(const Launch& launch, BatchLaunch& of) {
  const Kernel& kernel = plan_.kernels[launch.kernel];
  const bool was_strided = of.segments == KernelSegments::Strided;
  of.segments = kernel.segments;
  of.members = launch.members;
  of.takes_order = kernel.ordered || has_tile_types(kernel);
  if (launch.offsets != kNone) of.offsets = plan_.arrays[launch.offsets];
  if (has_tile_types(kernel)) of.types = types_of(launch);
  bool looks_back = false;
  for (std::size_t a = 0; a < of.accesses.size(); ++a) {
    BatchAccess& access = of.accesses[a];
    const bool is_member = access.space == KernelSpace::Member;
    if (is_member && kernel.accesses[a].map == RowMap::List) {
      access.is_identity = access.map == RowMap::Direct && !was_strided;
      access.map = RowMap::List;
    }
    looks_back = looks_back || (is_member && (access.is_zero || access.store));
    if (access.map != RowMap::List) continue;
    const ArrayIndex list = launch.accesses[a].list;
    access.list = plan_.arrays[list];
    // The list is of this launch's members, the rows may be those of others, too.
    if (access.is_identity) access.rows = std::min(access.rows, to_row(access.list->size()));
    if (!access.is_zero && !access.store) continue;
    access.readers = readers_of(list, access.rows);
    note_read_rows(access);
  }
  if (looks_back && of.segments == KernelSegments::Ragged) set_owners(launch.offsets, of);
}

std::shared_ptr<const InverseIndex> BatchArrays::readers_of(ArrayIndex list, std::uint32_t rows) {
  auto& found = readers_[{list, rows}];
  if (!found) {
    found = std::make_shared<const InverseIndex>(
        inverse_index(std::span<const std::uint32_t>(*plan_.arrays[list]), rows));
  }
  return found;
}

void BatchArrays::set_owners(ArrayIndex offsets, BatchLaunch& of) {
  auto& [owners, member_rows] = owners_[offsets];
  if (!owners) {
    const std::vector<std::uint32_t>& begins = *plan_.arrays[offsets];
    std::vector<std::uint32_t> all(begins.back());
    for (std::uint32_t row = 0; row + 1 < begins.size(); ++row) {
      std::fill(all.begin() + begins[row], all.begin() + begins[row + 1], row);
    }
    owners = std::make_shared<const std::vector<std::uint32_t>>(std::move(all));
    member_rows = std::make_shared<const MemberRows>(begins);
  }
  of.owners = owners;
  of.member_rows = member_rows;
}

BatchArrays::Array BatchArrays::types_of(const Launch& launch) const {
  std::vector<std::uint32_t> types(launch.rows);
  for (std::size_t t = 0; t + 1 < launch.tiles.size(); ++t) {
    for (std::uint32_t q = launch.tiles[t]; q < launch.tiles[t + 1]; ++q) {
      types[(*plan_.arrays[launch.order])[q]] = launch.tile_types[t];
    }
  }
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(types));
}

}  // namespace vecc
