#include "src/kernel/schedule/row_cost.h"

#include <algorithm>
#include <cmath>

#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/lanes.h"
#include "src/kernel/schedule/outer_products.h"
#include "src/kernel/schedule/warp_tiles.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

// The loop, a row's bounds, addresses of 64 bits.
constexpr double kRow = 60;
constexpr double kMember = 6;
constexpr double kAddress = 3;
// Of an entry: of functions, of which some are cheap, and of all else.
constexpr double kFunction = 5;
constexpr double kOther = 2;

struct Share {
  double entries = 1;  // of a lane
  double loads = 1;    // that move them
};
Share share_of(std::uint64_t size, std::uint32_t lanes) {
  const std::uint64_t entries = lane_entries(size, lanes);
  return {static_cast<double>(entries), static_cast<double>(entries / lane_pack(size, lanes))};
}

class CostCounter {
 public:
  CostCounter(const Kernel& kernel, std::uint32_t lanes, const Target& target)
      : kernel_(kernel), lanes_(lanes), target_(target) {}

  RowCost count() const {
    RowCost cost;
    cost.row = kRow;
    for (const KernelPhase& phase : kernel_.phases) {
      const bool by_member = phase.space == KernelSpace::Member;
      double& to = by_member ? cost.member : cost.row;
      if (by_member) to += kMember;
      for (const KernelStep& step : phase.steps) {
        to += step.store ? of_store(kernel_.stores[step.number])
                         : of_node(kernel_.nodes[step.number]);
        if (!step.store) cost.halving += of_join(kernel_.nodes[step.number]);
      }
    }
    cost.block_member = cost.member;
    count_tiles(cost);
    return cost;
  }

 private:
  // Sums of outer products by a block's warps.
  void count_tiles(RowCost& cost) const {
    for (const KernelPhase& phase : kernel_.phases) {
      const auto sum = outer_product_sum(kernel_, phase);
      if (lanes_ != kWarpThreads || !sum) continue;
      const WarpTiles tiles =
          warp_tiles(kernel_.nodes[sum->left].shape.size(), kernel_.nodes[sum->right].shape.size());
      cost.block_members = tiles.groups();
      cost.block_member =
          kMember + 2 * kAddress + tiles.rows + tiles.cols + 2.0 * tiles.rows * tiles.cols;
    }
  }
  [[nodiscard]] Share share(std::uint64_t size) const { return share_of(size, lanes_); }

  [[nodiscard]] double of_store(const KernelStore& store) const {
    return of_access(store.access, kernel_.nodes[store.value].shape.size());
  }
  [[nodiscard]] double of_access(std::uint32_t number, std::uint64_t entries) const {
    const KernelAccess& access = kernel_.accesses[number];
    const Share row = share(entries);
    const double moves = access.aligned ? row.loads : row.entries;
    return kAddress + moves + (access.map == RowMap::List && !access.renumbered ? 1 : 0);
  }
  // A matrix is loaded by the product that reads it.
  [[nodiscard]] double of_load(const KernelNode& node) const {
    const bool is_matrix = node.shape.rows() > 1 && node.shape.cols() > 1;
    return is_matrix ? kAddress : of_access(node.access, node.shape.size());
  }
  [[nodiscard]] double of_node(const KernelNode& node) const {
    if (node.kind == Kind::Load) return of_load(node);
    if (node.kind == Kind::Constant) return 0;
    if (node.kind == Kind::Times) return of_product(node);
    double entries = share(node.shape.size()).entries;
    for (const std::uint32_t operand : node.operands) {
      entries = std::max(entries, share(kernel_.nodes[operand].shape.size()).entries);
    }
    const bool is_function = node.kind == Kind::Transform || node.kind == Kind::TransformVjp;
    double cost = entries * (is_function ? kFunction : kOther);
    if (!is_entrywise(kernel_, node) && lanes_ > 1) cost *= lanes_;  // every lane gets all
    return cost;
  }
  [[nodiscard]] double of_product(const KernelNode& node) const {
    const Shape left = kernel_.nodes[node.operands[0]].shape;
    const Shape right = kernel_.nodes[node.operands[1]].shape;
    const double inner = node.transpose_left ? left.rows() : left.cols();
    if (left.is_scalar() || right.is_scalar()) return share(node.shape.size()).entries * 2;
    if (node.shape.size() == 1) {  // a row times a column
      return share(left.size()).entries * 2 + 2 * std::log2(lanes_);
    }
    const double own = share(node.shape.size()).entries;
    const double gather = lanes_ > 1 && inner > 1 ? inner : 0;
    const double loads = node.shape.cols() == 1 ? own * inner / 2 : own * inner;
    const double lines = lines_of(node, inner) * target_.loops.line_instructions;
    return gather + own * inner + std::max(loads, lines);
  }
  // Lanes of neighbouring entries read a matrix by its rows, or, of its transpose, along them.
  [[nodiscard]] double lines_of(const KernelNode& node, double inner) const {
    const Shape matrix = kernel_.nodes[node.operands[0]].shape;
    if (matrix.rows() < 2 || matrix.cols() < 2 || node.shape.cols() > 1) return 0;
    const double bytes = 4.0 * static_cast<double>(matrix.size());
    if (node.transpose_left) return inner * std::max(1.0, bytes / inner / target_.line_bytes);
    const double lines = std::min<double>(lanes_, std::max(1.0, bytes / target_.line_bytes));
    const double rows = share(node.shape.size()).entries;
    return lines * rows * std::max(1.0, inner * 4 / target_.packed_bytes);
  }
  [[nodiscard]] double of_join(const KernelNode& node) const {
    if (node.kind != Kind::Reduce && node.kind != Kind::ReduceArg) return 0;
    return 2 * share(node.shape.size()).entries;
  }

  const Kernel& kernel_;
  std::uint32_t lanes_;
  const Target& target_;
};

}  // namespace

RowCost cost_of_row(const Kernel& kernel, std::uint32_t lanes, const Target& target) {
  return CostCounter(kernel, lanes, target).count();
}

}  // namespace vecc
