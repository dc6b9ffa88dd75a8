#include "src/kernel/schedule/lanes.h"

#include <algorithm>

#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/outer_products.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

// Lanes that share a row. Each has two entries of an even row, and four or more where they would
// have several anyway: a thread moves as many at once, and more rows are in flight. Those that add
// up the product of two loaded rows take twice four.
std::uint32_t most_lanes_of(const Kernel& kernel) {
  constexpr std::uint64_t kEntries = 4;
  constexpr std::uint64_t kLongRow = 2 * kWarpThreads;
  constexpr std::uint64_t kLongProduct = 16;
  std::uint64_t widest = widest_row(kernel);
  if (widest >= kLongRow) {
    widest /= kEntries;
  } else if (widest % 2 == 0) {
    widest /= 2;
  }
  for (const KernelNode& node : kernel.nodes) {
    if (node.kind != Kind::Times || node.shape.size() > 1) continue;
    const std::uint64_t terms = kernel.nodes[node.operands[0]].shape.size();
    if (terms >= kLongProduct) widest = std::max(widest, terms / (2 * kEntries));
  }
  std::uint32_t lanes = 1;
  while (lanes < std::min<std::uint64_t>(widest, kWarpThreads)) lanes *= 2;
  return lanes;
}

// Rows of few numbers, that read rows of few. Two lanes may have all of one, so that more are in
// flight. (One alone would read and write them where no other does.)
bool is_narrow(const Kernel& kernel) {
  constexpr std::uint64_t kNarrowRow = 16;
  const bool reads_narrow = std::ranges::all_of(kernel.nodes, [](const KernelNode& node) {
    const bool is_matrix = node.shape.rows() > 1 && node.shape.cols() > 1;
    return is_matrix || node.shape.size() <= kNarrowRow;
  });
  return reads_narrow && widest_row(kernel) <= kNarrowRow;
}

// A running product, and members from the last to the first, take one loop in order.
bool may_share_members(const Kernel& kernel) {
  return kernel.segments != KernelSegments::None &&
         std::ranges::none_of(kernel.nodes,
                              [](const KernelNode& n) { return n.kind == Kind::Scan; }) &&
         std::ranges::none_of(kernel.phases, &KernelPhase::reversed);
}

// Whether a product is one of those that are added up without being kept.
bool is_summed_product(const Kernel& kernel, const KernelNode& node) {
  return std::ranges::any_of(kernel.phases, [&](const KernelPhase& phase) {
    const auto sum = outer_product_sum(kernel, phase);
    return sum && &kernel.nodes[sum->product] == &node;
  });
}

// Whether a lane computes its entries of a matrix from two that lie in memory: nothing of it passes
// from lane to lane. Not in place, where another lane may have stored over what is read. (Columns
// may be rows of a block, times a matrix that they share.)
bool is_product_of_loads(const Kernel& kernel, const KernelNode& node) {
  return node.kind == Kind::Times && node.shape.is_matrix() && !kernel.in_place &&
         std::ranges::all_of(node.operands, [&](std::uint32_t operand) {
           return kernel.nodes[operand].kind == Kind::Load;
         });
}

// Rows so long that all threads of a block are their lanes, or lanes in slots: nothing in the
// kernel may pass from lane to lane.
bool is_wide(const Kernel& kernel) {
  // In place a lane stores the entry that it alone has loaded, but of a row of one number, which
  // all lanes load.
  const bool may_store =
      !kernel.in_place || std::ranges::none_of(kernel.stores, [&](const KernelStore& store) {
        return kernel.nodes[store.value].shape.is_scalar();
      });
  return widest_row(kernel) >= kRowOfBlock && !kernel.reloads && may_store &&
         std::ranges::all_of(kernel.nodes, [&](const KernelNode& node) {
           // What another lane may have stored over: lanes of several blocks cannot wait.
           if (kernel.in_place && moved_load(kernel, node) != nullptr) return false;
           return node.kind != Kind::Selected && node.kind != Kind::Scan &&
                  (is_entrywise(kernel, node) || is_summed_product(kernel, node) ||
                   is_product_of_loads(kernel, node));
         });
}

// Wide rows of which a warp's lanes may have all entries in registers.
bool fits_warp(const Kernel& kernel) {
  return widest_row(kernel) <= kLongestRowOfWarp &&
         std::ranges::all_of(kernel.nodes,
                             [&](const KernelNode& node) { return is_entrywise(kernel, node); });
}

// Whether blocks share rows. One that sums outer products needs all entries of both columns.
bool has_parts(const Kernel& kernel) {
  return is_wide(kernel) && std::ranges::none_of(kernel.nodes, [&](const KernelNode& node) {
           return node.kind == Kind::Times && is_summed_product(kernel, node);
         });
}

// Whether slots of a block may share the members of wide rows: what they have is joined entry by
// entry, and none stores what another has yet to load.
bool may_share_wide(const Kernel& kernel) {
  return has_parts(kernel) && !kernel.in_place && may_share_members(kernel) &&
         std::ranges::none_of(kernel.nodes, [](const KernelNode& node) {
           return node.kind == Kind::ReduceArg ||
                  (node.kind == Kind::Reduce && selects_entries(node.combination));
         });
}

// Lanes of wide rows. Where members are shared, so few that all lanes have entries.
void choose_wide_lanes(const Kernel& kernel, LaneChoices& choices) {
  choices.wide = true;
  choices.most_lanes = choices.fewest_lanes = choices.most_threads;
  if (!may_share_wide(kernel)) return;
  std::uint32_t lanes = choices.most_threads;
  while (lanes > kWarpThreads && widest_row(kernel) % lanes != 0) lanes /= 2;
  if (widest_row(kernel) % lanes != 0) return;
  choices.most_lanes = lanes;
  choices.fewest_lanes = kWarpThreads;
  choices.shares_members = true;
}

}  // namespace

std::uint64_t lane_pack(std::uint64_t entries, std::uint64_t lanes) {
  if (lanes > kWarpThreads) return 1;
  if (entries % 4 == 0 && entries > 2 * lanes) return 4;
  return entries % 2 == 0 && entries > lanes ? 2 : 1;
}

std::uint64_t lane_entries(std::uint64_t entries, std::uint64_t lanes) {
  const std::uint64_t pack = lane_pack(entries, lanes);
  return (entries + lanes * pack - 1) / (lanes * pack) * pack;
}

std::uint64_t own_entries(std::uint64_t entries, std::uint32_t lanes) {
  return lanes == 0 ? entries : lane_entries(entries, lanes);
}

bool unrolls(std::uint64_t entries, std::uint32_t lanes) {
  constexpr std::uint64_t kMost = 128;  // a GPU's thread has 255 registers
  return own_entries(entries, lanes) <= kMost;
}

LaneChoices lane_choices(const Kernel& kernel, bool by_warps) {
  LaneChoices choices;
  const std::uint64_t entries = kernel.accesses.empty() ? 1 : kernel.accesses[0].shape.size();
  choices.flat = is_flat(kernel, entries);
  if (choices.flat) return choices;
  if (is_wide(kernel) && !(by_warps && fits_warp(kernel))) {
    choose_wide_lanes(kernel, choices);
    return choices;
  }
  choices.most_lanes = choices.fewest_lanes = most_lanes_of(kernel);
  if (is_narrow(kernel)) {
    choices.fewest_lanes = std::min(choices.most_lanes, 2u);
    choices.fewest_threads = kNarrowThreads;
  }
  choices.shares_members = may_share_members(kernel);
  return choices;
}

MemberLoops most_of(const Kernel& kernel, const LaneChoices& choices) {
  const std::uint32_t lanes = choices.most_lanes;
  return {lanes, {{}}, choices.most_threads, row_parts(kernel, choices, lanes)};
}

std::uint32_t row_parts(const Kernel& kernel, const LaneChoices& choices, std::uint32_t lanes) {
  if (!choices.wide || !has_parts(kernel)) return 1;
  return static_cast<std::uint32_t>((widest_row(kernel) + lanes - 1) / lanes);
}

// Where few lanes have a row each of them takes numbers of its own: else all would load the same.
bool lanes_share_members(const Kernel& kernel, const KernelPhase& phase, std::uint32_t lanes) {
  constexpr std::uint32_t kMostLanes = 4;
  const auto is_number = [&](std::uint32_t node) { return kernel.nodes[node].shape.is_scalar(); };
  return lanes > 1 && lanes <= kMostLanes && phase.space == KernelSpace::Member &&
         !phase.reversed && std::ranges::all_of(phase.steps, [&](const KernelStep& step) {
           if (step.store) return is_number(kernel.stores[step.number].value);
           const KernelNode& node = kernel.nodes[step.number];
           return node.kind != Kind::Scan && node.kind != Kind::Threshold &&
                  is_number(step.number) && std::ranges::all_of(node.operands, is_number);
         });
}

// Not where rows of several numbers are loaded and others stored: a store might change what others
// read, as far as the compiler knows. Nor where a load may read what the same member has stored.
bool may_batch(const Kernel& kernel, const KernelPhase& phase) {
  if (phase.reversed) return false;
  const bool stores = std::ranges::any_of(phase.steps, &KernelStep::store);
  bool has_stored = false;
  for (const KernelStep& step : phase.steps) {
    has_stored = has_stored || step.store;
    if (step.store) continue;
    const KernelNode& node = kernel.nodes[step.number];
    if (node.kind == Kind::Scan || node.kind == Kind::Threshold) return false;
    if (stores && node.kind == Kind::Load && !node.shape.is_scalar()) return false;
    if (has_stored && node.kind == Kind::Load && kernel.reloads) return false;
  }
  return true;
}

bool uses_batches(const Kernel& kernel) {
  return std::ranges::any_of(kernel.phases, [&](const KernelPhase& phase) {
    return phase.space == KernelSpace::Member && !phase.steps.empty() && may_batch(kernel, phase) &&
           !outer_product_sum(kernel, phase);
  });
}

}  // namespace vecc
