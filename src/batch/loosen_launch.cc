#include "src/batch/loosen_launch.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace vecc {
namespace {

void list_members_of(Kernel& kernel, bool lists_rows) {
  kernel.segments = KernelSegments::Ragged;
  kernel.members = 0;
  kernel.ordered = false;
  for (KernelAccess& access : kernel.accesses) {
    const bool is_listed = access.space == KernelSpace::Member || lists_rows;
    if (is_listed && access.map == RowMap::Direct) access.map = RowMap::List;
    if (is_listed) access.renumbered = false;  // as all that is listed
  }
}

// Sums keep their order.
void list_rows_of(Kernel& kernel, bool lists_rows) {
  kernel.ordered = false;
  for (KernelAccess& access : kernel.accesses) {
    const bool is_listed = access.space == KernelSpace::Member || lists_rows;
    if (!is_listed || access.map != RowMap::Direct) continue;
    access.map = RowMap::List;
    access.renumbered = true;
  }
}

}  // namespace

bool has_tile_types(const Kernel& kernel) {
  return std::ranges::any_of(kernel.accesses,
                             [](const KernelAccess& a) { return a.map == RowMap::Tile; });
}

bool is_one_loop(const Kernel& kernel) {
  if (kernel.segments != KernelSegments::None || kernel.reloads || kernel.accesses.empty()) {
    return false;
  }
  const bool are_scalars =
      std::ranges::all_of(kernel.nodes, [](const KernelNode& n) { return n.shape.size() == 1; });
  return are_scalars || is_flat(kernel, kernel.accesses[0].shape.size());
}

ArrayIndex LaunchLoosener::add_array(std::vector<std::uint32_t> array) {
  plan_.arrays.push_back(std::make_shared<const std::vector<std::uint32_t>>(std::move(array)));
  return static_cast<ArrayIndex>(plan_.arrays.size() - 1);
}

ArrayIndex LaunchLoosener::numbers_to(std::uint32_t count) {
  const auto [found, is_new] = numbers_.try_emplace(count, kNone);
  if (is_new) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    found->second = add_array(std::move(numbers));
  }
  return found->second;
}

std::uint32_t LaunchLoosener::changed_kernel(std::uint32_t number, Change change) {
  const auto [found, is_new] = kernels_.try_emplace({number, change}, number);
  if (!is_new) return found->second;
  Kernel kernel = plan_.kernels[number];
  switch (change) {
    case Change::Order: kernel.ordered = true; break;
    case Change::Members:
    case Change::MembersOfOne: list_members_of(kernel, change == Change::Members); break;
    case Change::Rows:
    case Change::RowsOfOne: list_rows_of(kernel, change == Change::Rows); break;
  }
  if (kernel != plan_.kernels[number]) {
    found->second = static_cast<std::uint32_t>(plan_.kernels.size());
    plan_.kernels.push_back(std::move(kernel));
  }
  return found->second;
}

void LaunchLoosener::take_order(Launch& launch) {
  const Kernel& kernel = plan_.kernels[launch.kernel];
  // (Few rows of a GPU's flat kernel are better one by one than as a block a run.)
  const bool by_runs = plan_.target.multiprocessors == 0 && is_one_loop(kernel);
  if (launch.rows < 2 || has_tile_types(kernel) || by_runs) return;
  launch.kernel = changed_kernel(launch.kernel, Change::Order);
  launch.order = numbers_to(launch.rows);
}

ArrayIndex LaunchLoosener::members_by_row(const Launch& launch, ArrayIndex list) {
  std::vector<std::uint32_t> members;
  for (std::uint32_t row = 0; row < launch.rows; ++row) {
    for (std::uint32_t k = 0; k < launch.members; ++k) {
      const std::uint32_t counter = row + k * launch.rows;
      members.push_back(list == kNone ? counter : (*plan_.arrays[list])[counter]);
    }
  }
  return add_array(std::move(members));
}

void LaunchLoosener::list_members(Launch& launch) {
  const Kernel kernel = plan_.kernels[launch.kernel];
  const bool lists_rows = launch.rows > 1;
  std::uint32_t count = launch.rows * launch.members;
  if (kernel.segments == KernelSegments::Ragged) {
    count = plan_.arrays[launch.offsets]->back();
  } else {
    std::vector<std::uint32_t> offsets;
    for (std::uint32_t row = 0; row <= launch.rows; ++row) offsets.push_back(row * launch.members);
    launch.offsets = add_array(std::move(offsets));
  }
  const bool is_strided = kernel.segments == KernelSegments::Strided;
  std::map<ArrayIndex, ArrayIndex> by_row;  // by a strided list
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    AccessBinding& binding = launch.accesses[a];
    const KernelAccess& access = kernel.accesses[a];
    const bool is_direct = access.map == RowMap::Direct;
    if (access.space == KernelSpace::Row) {
      if (is_direct && lists_rows) binding.list = numbers_to(launch.rows);
    } else if (is_strided && (is_direct || access.map == RowMap::List)) {
      // One list for all that had one: a store in the place of a load reaches the same rows.
      const auto [found, is_new] = by_row.try_emplace(is_direct ? kNone : binding.list, kNone);
      if (is_new) found->second = members_by_row(launch, found->first);
      binding.list = found->second;
    } else if (is_direct) {
      binding.list = numbers_to(count);
    }
  }
  launch.kernel =
      changed_kernel(launch.kernel, lists_rows ? Change::Members : Change::MembersOfOne);
  launch.members = 0;
  launch.order = kNone;
}

void LaunchLoosener::list_rows(Launch& launch) {
  const Kernel kernel = plan_.kernels[launch.kernel];
  const bool lists_rows = launch.rows > 1;
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const KernelAccess& access = kernel.accesses[a];
    if (access.map != RowMap::Direct) continue;
    if (access.space == KernelSpace::Row) {
      if (lists_rows) launch.accesses[a].list = numbers_to(launch.rows);
    } else {
      const bool is_ragged = kernel.segments == KernelSegments::Ragged;
      launch.accesses[a].list = numbers_to(is_ragged ? plan_.arrays[launch.offsets]->back()
                                                     : launch.rows * launch.members);
    }
  }
  launch.kernel = changed_kernel(launch.kernel, lists_rows ? Change::Rows : Change::RowsOfOne);
  if (has_tile_types(kernel)) return;
  launch.order = kNone;
  // Rows that no list names are numbered, too: a batch's order of them must not be narrow.
  constexpr std::uint32_t kNarrowRows = 1 << 16;
  if (launch.rows <= kNarrowRows) return;
  launch.kernel = changed_kernel(launch.kernel, Change::Order);
  launch.order = numbers_to(launch.rows);
}

}  // namespace vecc
