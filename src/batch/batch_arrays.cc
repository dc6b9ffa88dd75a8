#include "src/batch/batch_arrays.h"

#include <algorithm>
#include <span>

#include "src/batch/batch_loops.h"
#include "src/batch/loosen_launch.h"

namespace vecc {

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
    if (access.is_identity || (!access.is_zero && !access.store)) continue;
    find_readers(list, access);
  }
  if (looks_back && of.segments == KernelSegments::Ragged) set_owners(launch.offsets, of);
}

// Tables of members have rows of several aggregations one after another, and a list reads those of
// one: what is kept is of the rows that it reads.
BatchArrays::ListReaders BatchArrays::readers_of(std::span<const std::uint32_t> list) {
  if (list.empty()) return {std::make_shared<const InverseIndex>(), 0, 0, true};
  const auto [least, most] = std::ranges::minmax(list);
  InverseIndex readers = inverse_index(list, most - least + 1, least);
  const bool is_read_once = list.size() == most - least + std::size_t{1} &&
                            std::ranges::adjacent_find(readers.offsets, [](auto a, auto b) {
                              return b != a + 1;
                            }) == readers.offsets.end();
  if (is_read_once) std::vector<std::uint32_t>().swap(readers.offsets);
  return {std::make_shared<const InverseIndex>(std::move(readers)), least, most + 1, is_read_once};
}

void BatchArrays::find_readers(ArrayIndex list, BatchAccess& access) {
  const auto [found, is_new] = readers_.try_emplace(list);
  if (is_new) found->second = readers_of(*plan_.arrays[list]);
  VECC_CHECK(found->second.end <= access.rows, "a list of an access's rows");
  access.readers = found->second.readers;
  access.first_read = found->second.first;
  access.end_read = found->second.end;
  access.is_read_once = found->second.is_read_once;
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
