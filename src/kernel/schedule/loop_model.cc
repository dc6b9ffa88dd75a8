#include "src/kernel/schedule/loop_model.h"

#include <bit>
#include <cmath>

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

bool computes_much(const Kernel& kernel, const KernelNode& node) {
  if (node.kind == Kind::Times) {
    return std::ranges::none_of(node.operands, [&](std::uint32_t operand) {
      return kernel.nodes[operand].shape.is_scalar();
    });
  }
  return node.kind == Kind::Transform || node.kind == Kind::TransformVjp;
}

// Members that a group of lanes may have in flight: as many as there are registers for, and few of
// what takes many instructions (but of numbers, which take a register each).
std::uint32_t most_in_flight(const Kernel& kernel, std::uint32_t lanes) {
  constexpr std::uint64_t kNumbers = 24;
  constexpr std::uint32_t kMost = 8;
  constexpr std::uint32_t kMostOfWide = 16;  // of rows that a block shares
  constexpr std::uint32_t kMostOfFunctions = 4;
  if (!uses_batches(kernel)) return 1;
  std::uint64_t widest = 1;
  bool has_functions = false;
  for (const KernelPhase& phase : kernel.phases) {
    if (phase.space != KernelSpace::Member) continue;
    for (const KernelStep& step : phase.steps) {
      if (step.store) continue;
      const KernelNode& node = kernel.nodes[step.number];
      if (node.kind != KernelNode::Kind::Reduce) widest = std::max(widest, node.shape.size());
      has_functions = has_functions || (lanes > 1 && computes_much(kernel, node));
    }
  }
  std::uint32_t most = lanes > kWarpThreads ? kMostOfWide : kMost;
  if (has_functions) most = std::min(most, kMostOfFunctions);
  const std::uint64_t bytes = kernel.dtype == DType::F64 ? 2 : 1;
  const std::uint64_t numbers = lane_entries(widest, lanes) * bytes;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::bit_floor(kNumbers / numbers), 1, most));
}

// Lanes of a row that take members of their own.
std::uint32_t lane_slots(const Kernel& kernel, std::uint32_t lanes) {
  const bool share = std::ranges::all_of(kernel.phases, [&](const KernelPhase& phase) {
    return phase.space == KernelSpace::Row || phase.steps.empty() ||
           lanes_share_members(kernel, phase, lanes);
  });
  return share ? lanes : 1;
}

// Whether members come from all over the memory.
bool is_scattered(const Kernel& kernel) {
  return std::ranges::any_of(kernel.accesses, [](const KernelAccess& access) {
    return access.space == KernelSpace::Member && access.map == RowMap::List && !access.renumbered;
  });
}

}  // namespace

LoopModel::LoopModel(const Kernel& kernel, const LaneChoices& choices, const MemberLoops& loops,
                     const Target& target)
    : loops_(loops),
      shares_members_(choices.shares_members),
      cost_(cost_of_row(kernel, loops.lanes * loops.parts, target)),
      times_(target.loops),
      multiprocessors_(target.multiprocessors),
      lane_slots_(kernel.segments == KernelSegments::None ? 1 : lane_slots(kernel, loops.lanes)),
      is_scattered_(is_scattered(kernel)),
      most_(most_in_flight(kernel, loops.lanes * loops.parts)) {
  double join = 0;
  choices_.push_back({1, join});
  if (!shares_members_) return;
  const std::uint32_t warp_slots = loops.lanes > kWarpThreads ? 1 : kWarpThreads / loops.lanes;
  for (std::uint32_t slots = 2; slots <= warp_slots; slots *= 2) {
    choices_.push_back({slots, join += cost_.halving});
  }
  if (block_slots() > choices_.back().slots) {
    choices_.push_back({block_slots(), join + times_.block_join * (1 + cost_.halving)});
  }
}

std::uint32_t LoopModel::block_slots() const {
  return shares_members_ ? loops_.threads / loops_.lanes : 1;
}

const LoopModel::Choice& LoopModel::best_of(const RowClass& rows) const {
  return *std::ranges::min_element(
      choices_, {}, [&](const Choice& choice) { return cycles_of(rows, choice).sum(); });
}

MemberLoop LoopModel::loop_of(const RowClass& rows, const Choice& choice) const {
  constexpr std::uint64_t kQuarters = 4;
  const std::uint64_t slots = std::uint64_t{choice.slots} * lane_slots_;
  const std::uint64_t groups = std::max(rows.rows, 1u) * slots * kQuarters;
  std::uint64_t usual = (rows.members * (kQuarters - 1) + groups - 1) / groups;
  if (rows.are_long) usual = (rows.longest + slots - 1) / slots;
  const auto batch = static_cast<std::uint32_t>(std::bit_ceil(std::max<std::uint64_t>(usual, 1)));
  return {choice.slots, std::min(most_, batch)};
}

Cycles LoopModel::cycles_of(const RowClass& rows, const Choice& choice) const {
  if (rows.rows == 0) return {};
  const bool by_block = choice.slots == block_slots();
  const double member = by_block ? cost_.block_member : cost_.member;
  const double batch = loop_of(rows, choice).batch;
  const double at_once = choice.slots * lane_slots_ * (by_block ? cost_.block_members : 1);
  const double mean = static_cast<double>(rows.members) / rows.rows;
  const double members = std::max(mean / at_once, std::min(mean, batch));
  const double warps =
      static_cast<double>(rows.rows) * loops_.parts * loops_.lanes * choice.slots / kWarpThreads;
  const double of_a_warp = cost_.row + choice.join + members * member;
  const double groups = static_cast<double>(kWarpThreads) / loops_.lanes;
  const double lines = is_scattered_ ? groups : std::max(1.0, groups / choice.slots);
  const double wait =
      times_.wait + batch * (times_.instruction_wait * member + times_.line_wait * lines);
  return {warps * of_a_warp / (multiprocessors_ * times_.instructions),
          wait * std::ceil(rows.longest / (at_once * batch)) +
              times_.instruction_wait * (cost_.row + choice.join)};
}

}  // namespace vecc
