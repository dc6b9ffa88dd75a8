// reorder-linear: products out of sums whose members have a bias.
//
//   %3 = linear (gather %v [0, 0, ...]), %x ; %4 = map sum($0, $1) %3, %b
//   %5 = gather %4 [1, 2, 0] ; %6 = segment %5 [0, 2, 3] sum
//   =>
//   %3 = gather %x [1, 2, 0] ; %4 = segment %3 [0, 2, 3] sum ; %5 = linear (gather %v [0, 0]), %4
//   %6 = linear {2, 1}, (gather %b [0, 0]) ; %7 = map sum($0, $1) %5, %6
//
// Also of sums of such sums and of their members, `y + sum y` with y = V x + b, and through scalar
// factors. Each sum is a linear function of the rows of V x and of b: V times the same function of
// x's rows, and as often b as the function of ones says. Where x are facts both are computed at
// compile time: the first layer of a network that convolves features.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "optimizer/passes/addend_tree.h"
#include "optimizer/passes/fold_plan.h"
#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "src/function/expr_reads.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

bool sums_each_operand(const Op& op) {
  return is_sum_of_each(*std::get<MapOp>(op.attributes).expr, op.operands.size());
}

// A sum of rows of one product and of single rows.
struct NestedSum {
  Addends addends;
  ValueId product = 0;
  std::vector<ValueId> biases;
};

class NestedFactorer {
 public:
  NestedFactorer(const ProductView& view, const Readers& readers, ValueId root)
      : view_(view), tree_(view, readers), root_(root) {}

  [[nodiscard]] std::optional<Reordering> find() const {
    if (op(root_).shape.is_scalar()) return {};
    const auto of = std::make_shared<NestedSum>();
    of->addends = tree_.collect(root_);
    if (!find_leaves(*of)) return {};
    std::vector<ValueId> gone = tree_.find_gone(of->addends, root_);
    std::erase(gone, root_);
    double saved = work_of_root(*of) - work_then(*of);
    for (const ValueId id : gone) saved += work_now(*of, id);
    if (saved <= 0) return {};
    return Reordering{"products taken out of sums with biases", saved, root_, gone,
                      [copy = *this, of](Rewriter& rewriter) { copy.apply(rewriter, *of); }};
  }

 private:
  using Made = std::map<ValueId, ValueId>;

  [[nodiscard]] const Op& op(ValueId id) const { return view_.program().op(id); }
  [[nodiscard]] Factor matrix(const NestedSum& of) const { return view_.factor(of.product, 0); }
  [[nodiscard]] ValueId x(const NestedSum& of) const { return op(of.product).operands[1]; }

  [[nodiscard]] bool find_leaves(NestedSum& of) const {
    if (of.addends.size() > AddendTree::kMost) return false;
    std::size_t products = 0;
    bool has_members = false;
    for (const auto& [id, addend] : of.addends) {
      has_members = has_members || addend.kind == AddendKind::Members;
      if (addend.kind == AddendKind::Product) {
        of.product = id;
        ++products;
      } else if (addend.kind == AddendKind::Rest) {
        if (op(id).rows != 1) return false;
        of.biases.push_back(id);
      } else if (addend.kind == AddendKind::Sum) {
        const bool is_one = tree_.carried_operands(id, addend).size() == 1;
        if (!is_one && !sums_each_operand(op(id))) return false;
      }
    }
    return products == 1 && has_members && !of.biases.empty();
  }

  [[nodiscard]] double work_now(const NestedSum& of, ValueId id) const {
    const Addend& addend = of.addends.at(id);
    const Shape left = addend.kind == AddendKind::Product ? matrix(of).shape : Shape();
    return tree_.work_of(id, addend, op(id).shape, op(id).rows, left);
  }
  [[nodiscard]] double work_of_root(const NestedSum& of) const { return work_now(of, root_); }

  // Of the sums of rows of that shape.
  [[nodiscard]] double work_of_sums(const NestedSum& of, Shape shape) const {
    double sum = 0;
    for (const auto& [id, addend] : of.addends) {
      const bool is_leaf = addend.kind == AddendKind::Product || addend.kind == AddendKind::Rest;
      if (!is_leaf) {
        sum += tree_.work_of(id, addend, shape, tree_.row_count(id, addend), Shape());
      }
    }
    return sum;
  }
  // Whether all factors are.
  [[nodiscard]] bool is_constant(const NestedSum& of) const {
    return std::ranges::all_of(of.addends, [&](const auto& it) {
      const auto& [id, addend] = it;
      if (addend.kind == AddendKind::Product || addend.kind == AddendKind::Rest) return true;
      const std::vector<ValueId> carried = tree_.carried_operands(id, addend);
      return std::ranges::all_of(op(id).operands, [&](ValueId v) {
        return view_.is_constant(v) || std::ranges::count(carried, v) > 0;
      });
    });
  }

  [[nodiscard]] double work_then(const NestedSum& of) const {
    const Shape result = op(root_).shape;
    const std::uint32_t rows = op(root_).rows;
    const bool constant = is_constant(of);
    const Shape column = op(x(of)).shape;
    WorkEstimate work(view_.program().dtype());
    work.launch();
    work.products(matrix(of).shape, view_.factor(of.product, 1).shape, rows);
    work.reads(column, rows);
    const bool is_folded = constant && view_.is_constant(x(of)) &&
                           std::uint64_t{rows} * column.size() <= kMostEvaluated;
    double sum = is_folded ? 0 : work_of_sums(of, column);
    for (std::size_t b = 0; b < of.biases.size(); ++b) {
      work.launch();
      work.products(Shape::scalar(), result, rows);
      work.reads(Shape::scalar(), rows);
      if (view_.fuses_maps()) {
        work.fused_sum(result, rows, 2);
      } else {
        work.launch();
        work.reads(result, 3 * std::uint64_t{rows});
      }
      if (!constant) sum += work_of_sums(of, Shape::scalar());
    }
    return sum + work.total();
  }

  // The sum of the rows that stand in the place of `leaf`'s, without all other leaves.
  [[nodiscard]] ValueId sum_of(Rewriter& rewriter, const NestedSum& of, ValueId leaf,
                               ValueId rows) const {
    Made made;
    for (const auto& [id, addend] : of.addends) {
      if (id == leaf) {
        made[id] = rewriter.gather(rows, tree_.made_rows(id, addend), op(id).note);
      } else if (addend.kind != AddendKind::Product && addend.kind != AddendKind::Rest) {
        if (const auto sum = sum_of_one(rewriter, of, id, made)) made[id] = *sum;
      }
    }
    return made.at(root_);
  }

  [[nodiscard]] std::optional<ValueId> sum_of_one(Rewriter& rewriter, const NestedSum& of,
                                                  ValueId id, const Made& made) const {
    const Addend& addend = of.addends.at(id);
    const Note& note = op(id).note;
    const auto read = [&](ValueId operand) {
      const ValueId value = made.at(operand);
      if (!of.addends.at(operand).all) return value;
      return rewriter.gather(value, tree_.rows_of(id, addend, operand), note);
    };
    std::vector<ValueId> carried = tree_.carried_operands(id, addend);
    std::erase_if(carried, [&](ValueId v) { return !made.contains(v); });
    if (carried.empty()) return {};
    ValueId result = read(carried[0]);
    if (addend.kind == AddendKind::Sum && sums_each_operand(op(id))) {
      for (std::size_t k = 1; k < carried.size(); ++k) {
        const ValueId both[] = {result, read(carried[k])};
        result = rewriter.to().map(*parse_expr("sum($0, $1)", "reorder-linear"), both, note);
      }
    } else if (addend.kind != AddendKind::Gathered) {
      const Operands operands = mapped(op(id).operands, [&](ValueId v) {
        if (v == carried[0]) return result;
        return rewriter.gather(rewriter.at(v), tree_.rows_of(id, addend, v), note);
      });
      result = rewriter.add(op(id).attributes, operands, id);
    }
    // A row that was added to all rows.
    const std::uint32_t count = tree_.row_count(id, addend);
    const bool is_whole = rewriter.to().op(result).rows == count;
    return is_whole ? result : rewriter.gather(result, Index::interleave(1, count), note);
  }

  // Products of rows that lie beside each other, the left one the same for all.
  void apply(Rewriter& rewriter, const NestedSum& of) const {
    Program& to = rewriter.to();
    const Note& note = op(root_).note;
    const Index same =
        Index::compact(std::vector<std::uint32_t>(op(root_).rows, matrix(of).rows[0]));
    const ValueId sums = sum_of(rewriter, of, of.product, rewriter.at(x(of)));
    const ValueId matrices = rewriter.gather(rewriter.at(matrix(of).source), same, note);
    ValueId result = rewriter.add(op(of.product).attributes, {matrices, sums}, of.product);
    for (const ValueId bias : of.biases) {
      const ValueId one = to.fact({1.0}, 1, Shape::scalar(), note);
      const ValueId times = sum_of(rewriter, of, bias, one);
      const ValueId rows = rewriter.gather(
          rewriter.at(bias), Index::compact(std::vector<std::uint32_t>(op(root_).rows, 0)), note);
      const ValueId both[] = {result, to.linear(times, rows, {}, note)};
      result = to.map(*parse_expr("sum($0, $1)", "reorder-linear"), both, note);
    }
    rewriter.replace(root_, result);
  }

  const ProductView& view_;
  AddendTree tree_;
  ValueId root_;
};

}  // namespace

std::optional<Reordering> factor_out_of_nested_sums(const ProductView& view, const Readers& readers,
                                                    ValueId sum) {
  return NestedFactorer(view, readers, sum).find();
}

}  // namespace vecc::opt
