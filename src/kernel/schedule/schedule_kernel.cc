#include "src/kernel/schedule/schedule_kernel.h"

#include <algorithm>

#include "src/kernel/kernel_lists.h"
#include "src/kernel/schedule/entry_loops.h"
#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/lanes.h"
#include "src/kernel/schedule/launch_bounds.h"
#include "src/kernel/schedule/outer_products.h"
#include "src/kernel/schedule/row_products.h"
#include "src/kernel/schedule/segment_sum.h"
#include "src/kernel/schedule/tensor_cores.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

PhaseSchedule schedule_phase(const Kernel& kernel, const KernelPhase& phase, std::uint32_t lanes,
                             const ProcessorTiles& tiles) {
  if (phase.space == KernelSpace::Row || phase.steps.empty()) return {};
  if (const auto sum =
          lanes == 0 ? outer_product_sums(kernel, phase) : outer_product_sum(kernel, phase)) {
    return schedule_outer_products(kernel, *sum, lanes, tiles);
  }
  if (lanes == 0 && segment_sum(kernel, phase)) return {PhaseLoop::RowSum};
  const bool only_threshold = std::ranges::all_of(phase.steps, [&](const KernelStep& step) {
    return !step.store && (kernel.nodes[step.number].kind == Kind::Threshold ||
                           kernel.nodes[step.number].kind == Kind::Load);
  });
  PhaseSchedule schedule{PhaseLoop::Steps, lanes_share_members(kernel, phase, lanes)};
  if (only_threshold) {
    schedule.loop = PhaseLoop::NoLoop;
  } else if (lanes > 0 && may_batch(kernel, phase)) {
    schedule.loop = PhaseLoop::Batches;
  }
  return schedule;
}

// What a body does with its phases; of a flat kernel, of one number.
void schedule_body(const Kernel& kernel, const ProcessorTiles& tiles, KernelSchedule& schedule) {
  schedule.arrays = nodes_in_arrays(kernel);
  schedule.packs = packs_of(kernel, schedule.row_lanes());
  for (const KernelPhase& phase : kernel.phases) {
    schedule.phases.push_back(schedule_phase(kernel, phase, schedule.lanes(), tiles));
  }
  if (schedule.loop == RowLoop::Rows) schedule.early_loads = early_loads(kernel, schedule);
  if (schedule.loop != RowLoop::LargeSum) place_arrays(kernel, schedule);
}

// What takes few instructions a number has several in flight on a GPU.
void schedule_numbers(const Kernel& kernel, std::uint64_t entries, KernelSchedule& schedule) {
  const bool is_short =
      !stores_alias_loads(kernel) && std::ranges::none_of(kernel.nodes, [](const KernelNode& node) {
        return node.kind == Kind::Transform || node.kind == Kind::TransformVjp;
      });
  schedule.loop = RowLoop::Numbers;
  schedule.entries = static_cast<std::uint32_t>(entries);
  if (schedule.on_gpu() && is_short) schedule.in_flight = kFlatBatch;
  schedule_body(as_scalars(kernel), {}, schedule);
}

// Of a block's memory, for sums of outer products by tensor cores.
std::uint32_t tensor_bytes(const Kernel& kernel, const KernelSchedule& schedule) {
  std::uint32_t bytes = 0;
  for (std::size_t p = 0; p < kernel.phases.size(); ++p) {
    if (schedule.phases[p].loop != PhaseLoop::TensorTiles) continue;
    const OuterProductSum of = *outer_product_sum(kernel, kernel.phases[p]);
    bytes = std::max(bytes, tensor_sum_bytes(kernel.nodes[of.left].shape.size(),
                                             kernel.nodes[of.right].shape.size()));
  }
  return bytes;
}

// Whether the kernel multiplies matrices, or a matrix and a row, and not only with scalars.
bool multiplies_rows(const Kernel& kernel) {
  return std::ranges::any_of(kernel.nodes, [&](const KernelNode& node) {
    return node.kind == Kind::Times && !is_entrywise(kernel, node);
  });
}

// Scattered rows that a processor stores are on their way into a cache before: no processor guesses
// where a list goes on.
void schedule_fetches(const Kernel& kernel, const ProcessorTiles& tiles, KernelSchedule& schedule) {
  if (schedule.rows_are_a_vector_loop) return;
  for (std::uint32_t a = 0; a < kernel.accesses.size(); ++a) {
    const KernelAccess& access = kernel.accesses[a];
    const bool is_scattered =
        access.map == RowMap::List || (access.map == RowMap::Direct && has_order(kernel));
    if (access.store && access.space == KernelSpace::Row && is_scattered &&
        access.shape.size() * byte_size(kernel.dtype) <= tiles.fetched_bytes) {
      schedule.fetched.push_back(a);
    }
  }
  if (schedule.fetched.empty()) return;
  // Of products from memory to memory, in front of each block.
  const bool by_blocks = schedule.product && schedule.product->columns;
  schedule.rows_ahead = by_blocks ? schedule.product->rows : tiles.rows_ahead;
}

// The same of rows that members load through a list, where members come one behind the other, from
// the first of a tile's first row to the last of its last row: of one loop over members, entry by
// entry, that loads two such rows of a cache's line or more. Sums of rows alone have loads of
// several members under way at once, and later loops find in a cache what the first one loaded.
void schedule_gathers(const Kernel& kernel, const ProcessorTiles& tiles, KernelSchedule& schedule) {
  constexpr std::uint64_t kLineBytes = 64;
  const auto is_of_members = [](const KernelPhase& phase) {
    return phase.space == KernelSpace::Member;
  };
  if (kernel.segments == KernelSegments::Strided || multiplies_rows(kernel) ||
      std::ranges::count_if(kernel.phases, is_of_members) != 1) {
    return;
  }
  for (std::size_t p = 0; p < kernel.phases.size(); ++p) {
    const KernelPhase& phase = kernel.phases[p];
    const bool has_steps = schedule.phases[p].loop == PhaseLoop::Steps;
    if (phase.space != KernelSpace::Member || phase.reversed || !has_steps) continue;
    for (const KernelStep& step : phase.steps) {
      if (!is_load(kernel, step)) continue;
      const std::uint32_t a = kernel.nodes[step.number].access;
      const KernelAccess& access = kernel.accesses[a];
      const std::uint64_t bytes = access.shape.size() * byte_size(kernel.dtype);
      if (access.map == RowMap::List && bytes >= kLineBytes && bytes <= tiles.fetched_bytes &&
          std::ranges::find(schedule.gathered, a) == schedule.gathered.end()) {
        schedule.gathered.push_back(a);
      }
    }
  }
  if (schedule.gathered.size() < 2) return schedule.gathered.clear();
  schedule.members_ahead = tiles.rows_ahead;
}

void schedule_rows(const Kernel& kernel, const ProcessorTiles& tiles, KernelSchedule& schedule) {
  schedule_row_product(kernel, schedule);
  if (!schedule.on_gpu()) {
    if (multiplies_rows(kernel)) schedule.tile_rows = tiles.rows;
    schedule.rows_are_a_vector_loop =
        kernel.segments == KernelSegments::None && !kernel.reloads &&
        std::ranges::all_of(kernel.nodes, [](const KernelNode& n) { return n.shape.size() == 1; });
    schedule_fetches(kernel, tiles, schedule);
  } else if (!schedule.product && only_large_sum(kernel)) {
    const Shape sum = kernel.nodes[kernel.phases[0].steps.back().number].shape;
    schedule.loop = RowLoop::LargeSum;
    schedule.parts = parts_of_sum(sum, kernel.precision);
  } else if (!schedule.product) {
    schedule.parts = schedule.members.parts;
  }
  schedule_body(kernel, tiles, schedule);
  if (!schedule.on_gpu()) schedule_gathers(kernel, tiles, schedule);
  if (!schedule.product) schedule.shared_bytes = tensor_bytes(kernel, schedule);
}

// All but launch bounds. 0 lanes: C++, whose products have these tiles.
KernelSchedule schedule_loops(const Kernel& kernel, const MemberLoops& loops,
                              const ProcessorTiles& tiles) {
  KernelSchedule schedule;
  schedule.members = loops;
  const std::uint64_t entries = kernel.accesses.empty() ? 1 : kernel.accesses[0].shape.size();
  // In C++ rows of one number are a loop over rows.
  if (is_flat(kernel, entries) && (schedule.on_gpu() || entries > 1)) {
    schedule_numbers(kernel, entries, schedule);
  } else {
    schedule_rows(kernel, tiles, schedule);
  }
  return schedule;
}

}  // namespace

bool KernelSchedule::is_large() const {
  return loop == RowLoop::LargeMatrix || loop == RowLoop::LargeSum;
}

bool KernelSchedule::uses_tensor_cores() const {
  return loop == RowLoop::TensorCores ||
         (!product && std::ranges::any_of(phases, [](const PhaseSchedule& phase) {
           return phase.loop == PhaseLoop::TensorTiles;
         }));
}

KernelSchedule schedule_for_cpp(const Kernel& kernel, const Target& target) {
  return schedule_loops(kernel, {0, {}, 0}, target.tiles);
}

KernelSchedule schedule_widest(const Kernel& kernel) {
  return schedule_loops(kernel, most_of(kernel, lane_choices(kernel)), {});
}

KernelSchedule schedule_kernel(const Kernel& kernel, const MemberLoops& loops,
                               const Target& target) {
  KernelSchedule schedule = schedule_loops(kernel, loops, target.tiles);
  schedule.least_blocks = least_blocks(kernel, schedule, target);
  return schedule;
}

std::uint32_t rows_of_block(const KernelSchedule& schedule, std::uint32_t slots, std::uint32_t rows,
                            const Target& target) {
  const std::uint32_t threads = schedule.members.threads;
  if (schedule.loop == RowLoop::Numbers) {
    return std::max(1u, threads * kFlatBatch / schedule.entries);
  }
  if (!schedule.product) return threads / (schedule.lanes() * slots);
  // Fewer than it can have if other multiprocessors were without any.
  std::uint32_t most = schedule.product->rows;
  while (most > kFewestProductRows &&
         std::uint64_t{rows} * schedule.parts < most * target.multiprocessors) {
    most /= 2;
  }
  return most;
}

bool runs_in_blocks(const Kernel& kernel) {
  KernelSchedule schedule;
  schedule.members.lanes = 1;
  schedule_row_product(kernel, schedule);
  return schedule.product.has_value();
}

}  // namespace vecc
