#include "src/plan/row_reads.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "src/plan/analysis/launch_rows.h"

namespace vecc {
namespace {

using Counts = std::vector<std::uint32_t>;

void add(std::uint32_t& count, std::uint32_t reads) {
  count += std::min(reads, std::numeric_limits<std::uint32_t>::max() - count);
}

// Visits each access of a Plan's launches to a buffer.
template <class Visit>
void for_each_access(const Plan& plan, BufferIndex buffer, Visit&& visit) {
  for (const Launch& launch : plan.launches) {
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      if (launch.accesses[a].buffer == buffer) visit(launch, a);
    }
  }
}

// Launches and accesses, by buffer.
using Accesses = std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>;
Accesses accesses_of(const Plan& plan) {
  Accesses accesses(plan.buffers.size());
  for (std::uint32_t l = 0; l < plan.launches.size(); ++l) {
    for (std::uint32_t a = 0; a < plan.launches[l].accesses.size(); ++a) {
      accesses[plan.launches[l].accesses[a].buffer].emplace_back(l, a);
    }
  }
  return accesses;
}

// How often what launches compute row by row is read by lists, there or where further launches go
// through it row by row.
class StoreReads {
 public:
  explicit StoreReads(const Plan& plan) : plan_(plan), accesses_(accesses_of(plan)) {}

  /// By row of the launch. `steps`: of launches that go through its rows.
  [[nodiscard]] const Counts& of(const Launch& launch, int steps = 3) {
    const auto [known, is_new] = known_.try_emplace({&launch, steps});
    if (is_new) known->second = count(launch, steps);
    return known->second;
  }

 private:
  [[nodiscard]] Counts count(const Launch& launch, int steps) {
    Counts counts(launch.rows);
    const Kernel& kernel = plan_.kernels[launch.kernel];
    for (std::size_t s = 0; s < launch.accesses.size(); ++s) {
      const KernelAccess& store = kernel.accesses[s];
      if (!store.store || !is_by_row(store)) continue;
      for (const auto& [l, a] : accesses_[launch.accesses[s].buffer]) {
        add_reads(launch, s, plan_.launches[l], a, steps, counts);
      }
    }
    return counts;
  }

  [[nodiscard]] static bool is_by_row(const KernelAccess& access) {
    return access.space == KernelSpace::Row && access.map == RowMap::Direct;
  }

  void add_reads(const Launch& launch, std::size_t s, const Launch& reader, std::size_t a,
                 int steps, Counts& counts) {
    const KernelAccess& load = plan_.kernels[reader.kernel].accesses[a];
    const AccessBinding& from = reader.accesses[a];
    const AccessBinding& to = launch.accesses[s];
    const std::uint64_t size = plan_.kernels[launch.kernel].accesses[s].shape.size();
    const auto add_row = [&](std::uint64_t row, std::uint32_t reads) {
      const std::uint64_t begin = from.first + row * load.shape.size();
      if (begin < to.first || (begin - to.first) / size >= counts.size()) return;
      add(counts[(begin - to.first) / size], reads);
    };
    if (load.store) return;
    if (load.map == RowMap::List) {
      for (const std::uint32_t entry : *plan_.arrays[from.list]) add_row(entry, 1);
    } else if (is_by_row(load) && steps > 0) {
      const Counts& further = of(reader, steps - 1);
      for (std::uint64_t row = 0; row < further.size(); ++row) add_row(row, further[row]);
    }
  }

  const Plan& plan_;
  Accesses accesses_;
  std::map<std::pair<const Launch*, int>, Counts> known_;
};

}  // namespace

std::uint64_t common_row_elements(const Plan& plan, const Program& program, BufferIndex table) {
  std::uint64_t size = 0;
  bool is_common = true;
  const auto note = [&](std::uint64_t elements, std::uint64_t first) {
    if (size == 0) size = elements;
    is_common = is_common && elements == size && first % size == 0;
  };
  for_each_access(plan, table, [&](const Launch& launch, std::size_t a) {
    const KernelAccess& access = plan.kernels[launch.kernel].accesses[a];
    note(access.shape.size(), launch.accesses[a].first);
    is_common = is_common && access.map != RowMap::Tile && !access.store;
  });
  for (ValueId id = 0; id < plan.places.size(); ++id) {
    if (plan.places[id].buffer != table) continue;
    if (id >= program.ops().size()) return 0;  // of a backward pass that is gone
    note(program.op(id).shape.size(), plan.places[id].first);
  }
  const bool fits = is_common && size > 0 && plan.buffers[table].elements % size == 0;
  return fits ? size : 0;
}

std::optional<RowReads> count_row_reads(const Plan& plan, const Program& program, BufferIndex table,
                                        bool by_batches) {
  RowReads reads;
  reads.row_elements = common_row_elements(plan, program, table);
  if (reads.row_elements == 0) return std::nullopt;
  reads.counts.resize(plan.buffers[table].elements / reads.row_elements);
  std::optional<StoreReads> store_reads;
  if (by_batches) store_reads.emplace(plan);
  for_each_access(plan, table, [&](const Launch& launch, std::size_t a) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    const KernelAccess& access = kernel.accesses[a];
    const AccessBinding& binding = launch.accesses[a];
    const std::uint64_t first = binding.first / reads.row_elements;
    const std::uint64_t count =
        access.map == RowMap::One ? 1 : counted_rows(plan, kernel, launch, access.space);
    Counts weights;
    if (store_reads && access.space == KernelSpace::Row) weights = store_reads->of(launch);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t row = access.map == RowMap::One      ? 0
                                : access.map == RowMap::Direct ? i
                                                               : (*plan.arrays[binding.list])[i];
      add(reads.counts[first + row], i < weights.size() ? std::max(weights[i], 1u) : 1);
    }
    if (access.map != RowMap::One) reads.list_entries += count;
  });
  return reads;
}

}  // namespace vecc
