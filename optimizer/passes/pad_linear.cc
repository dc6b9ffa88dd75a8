// pad-linear: the rows of a linear are computed in an order in which one or both sides repeat, with
// unread rows added where that order has gaps, so that broadcast-linear reads the
// repeating sides in place; a gather after the linear picks the real rows.
//
//   %2 = gather %0 [0, 1, 0, 0, 1, 0, 1] ; %3 = gather %1 [2, 3, 4, 0, 1, 8, 5]
//   %4 = linear %2, %3 : f32[7, 3x1] ; %5 = transform %4 tanh
//   =>
//   %2 = gather %0 [0, 1, 0, 1, 0, 1, 0, 1] ; %3 = gather %1 [0, 1, 2, 3, 4, 5, 8, 5]
//   %4 = linear %2, %3 : f32[8, 3x1] ; %5 = gather %4 [2, 3, 4, 0, 1, 6, 5]
//   %6 = transform %5 tanh
//
// Candidates (pad_linear_layouts.h): none, with the lifts that broadcast-linear finds in the order
// as it is; left and right, where each row of that side is used as often as the one used most;
// both, all pairs of the two sides' rows; and bucketed by left or right, where a row I with n_I
// uses stands t_I = floor(n_I / n_min + 1/2) times in a period of at most 24. `--pad` says which of
// them may be chosen. Of those the first of least cost is, counted in elements and multiply-adds:
//
//   left rows gathered * size of one + right rows gathered * size of one
//   + products * (multiply-adds of one + size of its result)
//   + rows that a gather after the linear stores * size of one
//
// A side that is lifted gathers its period only; one that is read in place, or through a gather
// that others read as well, gathers nothing as long as it stays. Since products count, padding
// cannot win by gathers alone: a Program never stores more and multiplies more than before.
//
// Where products are what a run waits for (waits_for_products(), cost.h), slices of the products
// and their sums with rows that the left side's row decides, as biases by type, are computed in the
// padded order too, where that is hardly more rows: a kernel adds biases to products that it has in
// registers, and no row is stored twice.
//
// Where fixed segments over dimension 1 follow (transpose-fixed-segments), the left side
// interleaves and the right one repeats, else the reverse. Pairs must be distinct
// (dedup-linear-pairs), and linears with lifts stay as they are.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "optimizer/cost/work.h"
#include "optimizer/passes/linear_lifts.h"
#include "optimizer/passes/pad_linear_layouts.h"
#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/function/expr_reads.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

// Sorts the pairs by either side; false if one repeats.
bool sort_pairs(DistinctPairs& pairs) {
  pairs.by_left = uses_of(pairs.left, pairs.right);
  const auto& order = pairs.by_left.order;
  const bool is_distinct = holds_for_all(order.size() - 1, [&](std::size_t i) {
    const std::uint32_t a = order[i];
    const std::uint32_t b = order[i + 1];
    return pairs.left[a] != pairs.left[b] || pairs.right[a] != pairs.right[b];
  });
  if (!is_distinct) return false;
  pairs.by_right = uses_of(pairs.right, pairs.left);
  return true;
}

// More padded rows than this for each row are not computed for what reads the products.
constexpr double kMostPaddedPerRow = 1.25;

// What is computed in padded rows.
struct PaddedValue {
  ValueId now = 0;  // the value in the new Program
  struct Layout {
    std::vector<std::uint32_t> left;         // by row: the row that the product read on the left
    std::vector<std::uint32_t> padded_left;  // by padded row
    Index place;                             // by row: its padded one
  };
  std::shared_ptr<const Layout> layout;
};

class Padder {
 public:
  Padder(const Program& program, PassContext& context)
      : program_(program),
        context_(context),
        readers_(program),
        rewriter_(program),
        padded_(program.ops().size()) {}

  bool run() {
    bool changed = false;
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const Op& op = program_.op(id);
      const auto* gather = std::get_if<GatherOp>(&op.attributes);
      if (op.kind() == OpKind::Linear && pad(id)) {
        changed = true;
      } else if (gather != nullptr && padded_[op.operands[0]]) {
        // One gather from the products, not one from the restored rows.
        const ValueId products = rewriter_.at(op.operands[0]);
        rewriter_.replace(id, rewriter_.gather(products, gather->index, op.note));
      } else if (!context_.waits_for_products() || !compute_padded(id)) {
        rewriter_.copy(id);
      }
    }
    return changed;
  }

  Program finish() { return rewriter_.finish(); }

 private:
  bool pad(ValueId id) {
    const Op& op = program_.op(id);
    const auto& linear = std::get<LinearOp>(op.attributes);
    if (has_lifts(linear) || op.rows < 2) return false;
    const GatheredRows left = read_through(program_, op.operands[0]);
    const GatheredRows right = read_through(program_, op.operands[1]);
    DistinctPairs pairs{left.rows.materialize(), right.rows.materialize(), {}, {}};
    pairs.by_left = count_uses(pairs.left, program_.op(left.source).rows);
    pairs.by_right = count_uses(pairs.right, program_.op(right.source).rows);
    const std::optional<PadLayout> layout = choose(id, pairs, left.rows, right.rows);
    if (!layout || !sort_pairs(pairs)) return false;
    const FollowingSegments following = following_segments(program_, readers_, id);
    PaddedRows rows = lay_out(
        pairs, *layout,
        following.dimension == 1 ? Orientation::LeftInterleaves : Orientation::RightInterleaves);
    const auto operand = [&](std::size_t k, ValueId source, std::vector<std::uint32_t>& read) {
      return rewriter_.gather(rewriter_.at(source), Index::compact(std::move(read)),
                              program_.op(op.operands[k]).note);
    };
    std::vector<std::uint32_t> read_left = rows.left;
    const ValueId new_left = operand(0, left.source, read_left);
    const ValueId new_right = operand(1, right.source, rows.right);
    const ValueId products = rewriter_.add(linear, {new_left, new_right}, id);
    auto made = std::make_shared<PaddedValue::Layout>();
    made->place = Index::compact(std::move(rows.place));
    rewriter_.replace(id, rewriter_.gather(products, made->place, op.note));
    if (static_cast<double>(layout->products) <= kMostPaddedPerRow * op.rows) {
      made->left = std::move(pairs.left);
      made->padded_left = std::move(rows.left);
    }
    padded_[id] = {products, std::move(made)};
    context_.count("linears padded", 1);
    context_.count("rows added", layout->products - op.rows);
    return true;
  }

  // Slices of the rows of one value that is in padded rows, or their sums with rows that the left
  // side of its products decides: in padded rows. (Other functions may have no derivative in rows
  // that are not read.)
  bool compute_padded(ValueId id) {
    const Op& op = program_.op(id);
    const auto* map = std::get_if<MapOp>(&op.attributes);
    const bool is_sum = map != nullptr && is_sum_of_each(*map->expr, op.operands.size());
    const auto* transform = std::get_if<TransformOp>(&op.attributes);
    const bool is_slice =
        transform != nullptr && transform->transformation.id == Transformation::Slice;
    if (!is_sum && !is_slice) return false;
    const auto is_padded = [&](ValueId v) {
      return padded_[v] && !padded_[v]->layout->left.empty() && program_.op(v).rows == op.rows;
    };
    if (std::ranges::count_if(op.operands, is_padded) != 1) return false;
    const PaddedValue of = *padded_[*std::ranges::find_if(op.operands, is_padded)];
    Operands operands;
    for (const ValueId v : op.operands) {
      const std::optional<ValueId> now =
          is_padded(v) ? std::optional(of.now) : rows_by_left(v, *of.layout);
      if (!now) return false;
      operands.push_back(*now);
    }
    const ValueId made = rewriter_.add(op.attributes, std::move(operands), id);
    rewriter_.replace(id, rewriter_.gather(made, of.layout->place, op.note));
    padded_[id] = {made, of.layout};
    context_.count("values computed in padded rows", 1);
    return true;
  }

  // The value's rows in padded order; none if a row of the left side stands beside two of them.
  std::optional<ValueId> rows_by_left(ValueId value, const PaddedValue::Layout& layout) {
    if (program_.op(value).rows == 1) return rewriter_.at(value);
    const GatheredRows read = read_through(program_, value);
    const std::uint32_t bound = 1 + std::max(*std::ranges::max_element(layout.left),
                                             *std::ranges::max_element(layout.padded_left));
    constexpr std::uint32_t kNone = 0xFFFFFFFF;
    constexpr std::size_t kManyRowsPerUse = 64;  // a table of all would be more work than the sum
    if (bound / kManyRowsPerUse > layout.left.size()) return {};
    std::vector<std::uint32_t> row_of(bound, kNone);
    for (std::uint32_t i = 0; i < layout.left.size(); ++i) {
      std::uint32_t& row = row_of[layout.left[i]];
      if (row == kNone) row = read.rows[i];
      if (row != read.rows[i]) return {};
    }
    return rewriter_.gather(
        rewriter_.at(read.source),
        Index::compact(list_of(static_cast<std::uint32_t>(layout.padded_left.size()),
                               [&](std::uint32_t i) { return row_of[layout.padded_left[i]]; })),
        program_.op(value).note);
  }

  // The layout that costs less than leaving the linear as it is, if there is one.
  [[nodiscard]] std::optional<PadLayout> choose(ValueId id, const DistinctPairs& pairs,
                                                const Index& left, const Index& right) const {
    const Op& op = program_.op(id);
    const Shape left_shape = program_.op(op.operands[0]).shape;
    const Shape right_shape = program_.op(op.operands[1]).shape;
    const double of_product =
        product_cost(std::get<LinearOp>(op.attributes), left_shape, right_shape, op.shape);
    const auto gathers = [&](double left_rows, double right_rows) {
      return left_rows * static_cast<double>(left_shape.size()) +
             right_rows * static_cast<double>(right_shape.size());
    };
    const LinearLifts lifts = choose_lifts({left, left_shape.size()}, {right, right_shape.size()},
                                           following_segments(program_, readers_, id));
    double least =
        gathers(rows_gathered(id, 0, left, lifts.left), rows_gathered(id, 1, right, lifts.right)) +
        op.rows * of_product;
    const double restored = rows_restored(id) * static_cast<double>(op.shape.size());
    std::optional<PadLayout> best;
    for (PadLayout& layout : pad_layouts(pairs, context_.pad_mode())) {
      const double cost =
          gathers(static_cast<double>(layout.left_rows), static_cast<double>(layout.right_rows)) +
          static_cast<double>(layout.products) * of_product + restored;
      if (cost >= least) continue;
      least = cost;
      best = std::move(layout);
    }
    return best;
  }

  [[nodiscard]] static double product_cost(const LinearOp& linear, Shape left, Shape right,
                                           Shape result) {
    return static_cast<double>(multiply_adds(linear.transpose_left ? left.transposed() : left,
                                             linear.transpose_right ? right.transposed() : right) +
                               result.size());
  }

  // Rows that an operand's gather stores for this linear as it is, under its lift.
  [[nodiscard]] double rows_gathered(ValueId linear, std::size_t side, const Index& rows,
                                     const Lift& lift) const {
    if (lift.kind != Lift::Kind::None) return rows.size() / lift.times;
    const ValueId operand = program_.op(linear).operands[side];
    const bool stored_anyway = is_view(rows) || readers_.only(operand) != linear;
    return stored_anyway ? 0 : rows.size();
  }

  // Rows that gathers after the padded linear store and store not yet.
  [[nodiscard]] double rows_restored(ValueId linear) const {
    double rows = 0;
    bool all = false;
    for (const ValueId reader : readers_.of(linear)) {
      const auto* gather = std::get_if<GatherOp>(&program_.op(reader).attributes);
      if (gather == nullptr) {
        all = true;
      } else if (is_view(gather->index)) {
        rows += gather->index.size();
      }
    }
    return rows + (all ? program_.op(linear).rows : 0);
  }

  const Program& program_;
  PassContext& context_;
  Readers readers_;
  Rewriter rewriter_;
  std::vector<std::optional<PaddedValue>> padded_;  // by old value
};

}  // namespace

bool pad_linear(Program& program, PassContext& context) {
  if (context.pad_mode() == PadMode::Never) return false;
  const auto may_repeat = [](const Op& op) { return op.kind() == OpKind::Linear && op.rows > 1; };
  if (std::ranges::none_of(program.ops(), may_repeat)) return false;
  Padder padder(program, context);
  if (!padder.run()) return false;
  program = padder.finish();
  return true;
}

}  // namespace vecc::opt
