#include "src/plan/choose_loops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "src/kernel/body_printer.h"
#include "src/plan/row_cost.h"
#include "src/plan/row_order.h"

namespace vecc {
namespace {

constexpr std::uint32_t kWarp = 32;
// Measured on an H200: instructions that a processor begins in a cycle, while others wait for
// memory; cycles until what a batch of members loads is there (an entry of a list, then a row), of
// each of its instructions, and of each line of the cache that a warp reads for it.
constexpr double kPerCycle = 1.6;
constexpr double kWait = 900;
constexpr double kInstructionWait = 6;
constexpr double kLineWait = 16;
// Joins of halves that joining a block's warps is like.
constexpr double kBlockJoin = 12;

// Rows of about the same length.
struct RowClass {
  std::uint32_t rows = 0;
  std::uint64_t members = 0;
  std::uint32_t longest = 0;
  bool are_long = false;  // others are not

  void add(std::uint32_t length, std::uint32_t count = 1) {
    rows += count;
    members += std::uint64_t{length} * count;
    longest = std::max(longest, length);
  }
  void add(const RowClass& other) {
    rows += other.rows;
    members += other.members;
    longest = std::max(longest, other.longest);
  }
};

// In the launch's order; one if that has not the long rows first.
std::vector<RowClass> classes_of(const Plan& plan, const Launch& launch) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  std::vector<RowClass> classes(1);
  if (kernel.segments != KernelSegments::Ragged) {
    classes[0].add(kernel.members > 0 ? kernel.members : launch.members, launch.rows);
    return classes;
  }
  const std::vector<std::uint32_t>& offsets = *plan.arrays[launch.offsets];
  const std::vector<std::uint32_t>* order =
      launch.order == kNone ? nullptr : plan.arrays[launch.order].get();
  bool is_falling = order != nullptr && launch.tile_types.empty();
  std::uint32_t last = ~0u;
  for (std::uint32_t at = 0; at < launch.rows; ++at) {
    const std::uint32_t row = order == nullptr ? at : (*order)[at];
    const std::uint32_t length = offsets[row + 1] - offsets[row];
    const std::uint32_t number = length_class(length);
    if (is_falling && at > 0 && number != last) classes.emplace_back();
    is_falling = is_falling && number <= last;
    last = number;
    classes.back().add(length);
  }
  if (!is_falling) {
    for (std::size_t c = 1; c < classes.size(); ++c) classes[0].add(classes[c]);
    classes.resize(1);
  }
  return classes;
}

bool computes_much(const Kernel& kernel, const KernelNode& node) {
  using Kind = KernelNode::Kind;
  if (node.kind == Kind::Times) {
    return std::ranges::none_of(node.operands, [&](std::uint32_t operand) {
      return kernel.nodes[operand].shape.is_scalar();
    });
  }
  return node.kind == Kind::Transform || node.kind == Kind::TransformVjp;
}

// Members that a group of lanes may have under way: as many as there are registers for, and few of
// what takes many instructions (but of numbers, which take a register each).
std::uint32_t most_under_way(const Kernel& kernel, std::uint32_t lanes) {
  constexpr std::uint64_t kNumbers = 16;
  constexpr std::uint32_t kMost = 8;
  constexpr std::uint32_t kMostOfWide = 16;  // of rows that a block shares
  constexpr std::uint32_t kMostOfFunctions = 4;
  if (!BodyPrinter(kernel, lanes).uses_batches()) return 1;
  std::uint64_t widest = 1;
  std::uint32_t most = lanes > kWarp ? kMostOfWide : kMost;
  for (const KernelPhase& phase : kernel.phases) {
    if (phase.space != KernelSpace::Member) continue;
    for (const KernelStep& step : phase.steps) {
      if (step.store) continue;
      const KernelNode& node = kernel.nodes[step.number];
      if (node.kind != KernelNode::Kind::Reduce) widest = std::max(widest, node.shape.size());
      if (lanes > 1 && computes_much(kernel, node)) most = std::min(most, kMostOfFunctions);
    }
  }
  const std::uint64_t bytes = kernel.dtype == DType::F64 ? 2 : 1;
  const std::uint64_t numbers = (widest + lanes - 1) / lanes * bytes;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::bit_floor(kNumbers / numbers), 1, most));
}

// What rows take, in cycles: what processors begin, and the longest row.
struct Cycles {
  double begun = 0;
  double longest = 0;

  // Squared: others hide some. (No root: that may differ from one machine to the next, and then the
  // order of sums.)
  [[nodiscard]] double sum() const { return begun * begun + longest * longest; }
};

class LoopModel {
 public:
  LoopModel(const Kernel& kernel, const CudaLayout& layout, std::uint32_t processors)
      : layout_(layout),
        cost_(cost_of_row(kernel, layout.lanes)),
        processors_(processors),
        most_(most_under_way(kernel, layout.lanes)) {
    double join = 0;
    choices_.push_back({1, join});
    if (!layout.shares_members) return;
    for (std::uint32_t slots = 2; slots <= warp_slots(layout); slots *= 2) {
      choices_.push_back({slots, join += cost_.halving});
    }
    if (block_slots(layout) > choices_.back().slots) {
      choices_.push_back({block_slots(layout), join + kBlockJoin * (1 + cost_.halving)});
    }
  }

  struct Choice {
    std::uint32_t slots = 1;
    double join = 0;
  };
  [[nodiscard]] std::span<const Choice> choices() const { return choices_; }

  [[nodiscard]] const Choice& best_of(const RowClass& rows) const {
    return *std::ranges::min_element(
        choices_, {}, [&](const Choice& choice) { return cycles_of(rows, choice).sum(); });
  }

  // About as many as most rows have; of long rows, which others wait for, as the longest.
  [[nodiscard]] MemberLoop loop_of(const RowClass& rows, const Choice& choice) const {
    constexpr std::uint64_t kQuarters = 4;
    const std::uint64_t groups = std::uint64_t{std::max(rows.rows, 1u)} * choice.slots * kQuarters;
    std::uint64_t usual = (rows.members * (kQuarters - 1) + groups - 1) / groups;
    if (rows.are_long) usual = (rows.longest + choice.slots - 1) / choice.slots;
    return {choice.slots, std::min(most_, static_cast<std::uint32_t>(
                                              std::bit_ceil(std::max<std::uint64_t>(usual, 1))))};
  }

  [[nodiscard]] Cycles cycles_of(const RowClass& rows, const Choice& choice) const {
    if (rows.rows == 0) return {};
    const bool by_block = choice.slots == block_slots(layout_);
    const double member = by_block ? cost_.block_member : cost_.member;
    const double batch = loop_of(rows, choice).batch;
    const double at_once = choice.slots * (by_block ? cost_.block_members : 1);
    const double mean = static_cast<double>(rows.members) / rows.rows;
    const double members = std::max(mean / at_once, std::min(mean, batch));
    const double warps = static_cast<double>(rows.rows) * layout_.lanes * choice.slots / kWarp;
    const double of_a_warp = cost_.row + choice.join + members * member;
    const double wait =
        kWait + batch * (kInstructionWait * member + kLineWait * kWarp / layout_.lanes);
    return {warps * of_a_warp / (processors_ * kPerCycle),
            wait * std::ceil(rows.longest / (at_once * batch)) + choice.join};
  }

 private:
  CudaLayout layout_;
  RowCost cost_;
  double processors_;
  std::uint32_t most_;
  std::vector<Choice> choices_;
};

RowClass sum_of(std::span<const RowClass> classes) {
  RowClass all;
  for (const RowClass& some : classes) all.add(some);
  return all;
}

}  // namespace

MemberLoop choose_loop(const Plan& plan, const Launch& launch, const CudaLayout& layout,
                       std::uint32_t processors) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  if (kernel.segments == KernelSegments::None) return {1, layout.flat ? kFlatBatch : 1};
  const LoopModel model(kernel, layout, processors);
  const RowClass all = sum_of(classes_of(plan, launch));
  return model.loop_of(all, model.best_of(all));
}

RowLoops choose_row_loops(const Plan& plan, const Launch& launch, const CudaLayout& layout,
                          std::uint32_t processors) {
  // (A block has no memory for the products of two kinds of rows.)
  if (!layout.shares_members || layout.block_rows > 0) {
    const MemberLoop loop = choose_loop(plan, launch, layout, processors);
    return {{loop, loop}, 0};
  }
  const LoopModel model(plan.kernels[launch.kernel], layout, processors);
  const std::vector<RowClass> classes = classes_of(plan, launch);
  const RowClass all = sum_of(classes);
  const LoopModel::Choice& one = model.best_of(all);
  RowLoops best{{model.loop_of(all, one), model.loop_of(all, one)}, 0};
  double least = model.cycles_of(all, one).sum();
  for (std::size_t c = 1; c < classes.size(); ++c) {
    RowClass long_rows = sum_of(std::span(classes).first(c));
    long_rows.are_long = true;
    const RowClass others = sum_of(std::span(classes).subspan(c));
    for (const LoopModel::Choice& many : model.choices()) {
      const Cycles of_long = model.cycles_of(long_rows, many);
      for (const LoopModel::Choice& few : model.choices()) {
        if (few.slots >= many.slots) break;
        const Cycles of_others = model.cycles_of(others, few);
        const Cycles both{of_long.begun + of_others.begun,
                          std::max(of_long.longest, of_others.longest)};
        if (both.sum() >= least) continue;
        least = both.sum();
        best = {{model.loop_of(others, few), model.loop_of(long_rows, many)}, long_rows.rows};
      }
    }
  }
  return best;
}

}  // namespace vecc
