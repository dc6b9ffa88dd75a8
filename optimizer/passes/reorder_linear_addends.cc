// reorder-linear: a product with a sum of which a part is a product.
//
//   %2 = linear %v, %x ; %4 = map sum($0, $1) %2, %b ; %5 = linear %w, %4         W (V x + b)
//   =>
//   %2 = linear %w, %v ; %4 = linear %2, %x ; %5 = linear %w, %b ; %6 = map sum($0, $1) %4, %5
//
// of one %w and one %v: layers with biases and no function between them, W (V x + b) + c. The
// matrix goes down through sums, means, factors and gathers until it meets products by a matrix
// that all rows share, each of which becomes a product by the product of both; what else there is
// is multiplied where it stands. Pays where x is narrower than V x, or where V x goes.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "optimizer/passes/addend_tree.h"
#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

class AddendCarrier {
 public:
  AddendCarrier(const ProductView& view, const Readers& readers, ValueId linear)
      : view_(view), tree_(view, readers), linear_(linear), matrix_(view.factor(linear, 0)) {}

  [[nodiscard]] std::optional<Reordering> find() const {
    const auto& attributes = std::get<LinearOp>(op(linear_).attributes);
    const bool is_one_matrix = tree_.is_one_row(matrix_) && !matrix_.shape.is_scalar();
    if (!is_one_matrix || attributes.transpose_right || op(top()).shape.is_scalar()) return {};
    const auto found = std::make_shared<const Addends>(tree_.collect(top()));
    const auto has = [&](AddendKind kind) {
      return std::ranges::any_of(*found, [&](const auto& it) { return it.second.kind == kind; });
    };
    if (found->size() > AddendTree::kMost || !has(AddendKind::Sum) || !has(AddendKind::Product) ||
        !std::ranges::all_of(*found,
                             [&](const auto& it) { return is_defined(it.first, it.second); })) {
      return {};
    }
    const std::vector<ValueId> gone = tree_.find_gone(*found, linear_);
    const double saved = work_now(*found, gone) - work_then(*found);
    if (saved <= 0) return {};
    return Reordering{"products carried through sums", saved, linear_, gone,
                      [copy = *this, found](Rewriter& rewriter) { copy.apply(rewriter, *found); }};
  }

 private:
  [[nodiscard]] const Op& op(ValueId id) const { return view_.program().op(id); }
  [[nodiscard]] ValueId top() const { return op(linear_).operands[1]; }
  // Whether (W V) x is what W (V x) is.
  [[nodiscard]] bool is_defined(ValueId id, const Addend& addend) const {
    if (addend.kind != AddendKind::Product) return true;
    const auto both = times_shape(matrix_.shape, view_.factor(id, 0).shape);
    return both && times_shape(*both, view_.factor(id, 1).shape) ==
                       times_shape(matrix_.shape, op(id).shape);
  }

  [[nodiscard]] double work_now(const Addends& found, const std::vector<ValueId>& gone) const {
    WorkEstimate work(view_.program().dtype());
    work.launch();
    work.products(matrix_.shape, op(top()).shape, op(linear_).rows);
    const GatheredRows read = read_through(view_.program(), top());
    work.reads(op(top()).shape, count_distinct(read.rows, op(read.source).rows));
    double sum = work.total();
    for (const ValueId id : gone) {
      const Addend& addend = found.at(id);
      const bool is_product = addend.kind == AddendKind::Product;
      const Shape left = is_product ? view_.factor(id, 0).shape : matrix_.shape;
      sum += tree_.work_of(id, addend, op(id).shape, op(id).rows, left);
    }
    return sum;
  }

  [[nodiscard]] double work_then(const Addends& found) const {
    double sum = 0;
    for (const auto& [id, addend] : found) {
      Shape left = matrix_.shape;
      if (addend.kind == AddendKind::Product) {
        const Shape inner = view_.factor(id, 0).shape;
        WorkEstimate once(view_.program().dtype());
        once.launch();
        once.products(matrix_.shape, inner, 1);
        sum += once.total();
        left = *times_shape(matrix_.shape, inner);
      }
      const Shape shape = *times_shape(matrix_.shape, op(id).shape);
      sum += tree_.work_of(id, addend, shape, tree_.row_count(id, addend), left);
    }
    return sum;
  }

  [[nodiscard]] static ValueId one_row(Rewriter& rewriter, const Factor& of, const Note& note) {
    return rewriter.gather(rewriter.at(of.source), Index::slice(of.rows[0], 1), note);
  }

  // Rows of a value times the matrix on their left.
  ValueId times(Rewriter& rewriter, ValueId matrix, LinearOp linear, ValueId rows) const {
    const Note& note = op(linear_).note;
    const Index same = Index::compact(std::vector<std::uint32_t>(rewriter.to().op(rows).rows, 0));
    const ValueId left = rewriter.gather(matrix, same, note);
    return rewriter.add(linear, {left, rows}, linear_);
  }

  ValueId carry(Rewriter& rewriter, ValueId id, const Addend& addend,
                const std::function<ValueId(ValueId)>& now) const {
    const Note& note = op(id).note;
    const Operands& operands = op(id).operands;
    switch (addend.kind) {
      case AddendKind::Sum: {
        const auto scalar = [&](ValueId v) {
          return rewriter.gather(rewriter.at(v), tree_.rows_of(id, addend, v), note);
        };
        return rewriter.add(
            op(id).attributes,
            mapped(operands,
                   [&](ValueId v) { return op(v).shape == op(id).shape ? now(v) : scalar(v); }),
            id);
      }
      case AddendKind::Members: return rewriter.add(op(id).attributes, {now(operands[0])}, id);
      case AddendKind::Gathered: return now(operands[0]);
      case AddendKind::Scaled: {
        Operands both = operands;
        const std::size_t scalar = 1 - addend.carried;
        both[scalar] =
            rewriter.gather(rewriter.at(operands[scalar]), tree_.made_rows(id, addend), note);
        both[addend.carried] = now(operands[addend.carried]);
        return rewriter.add(op(id).attributes, std::move(both), id);
      }
      case AddendKind::Product: {
        const Factor inner = view_.factor(id, 0);
        LinearOp once;
        once.transpose_left = matrix_.transposed;
        once.transpose_right = inner.transposed;
        Operands matrices(2);
        matrices[0] = one_row(rewriter, matrix_, note);
        matrices[1] = one_row(rewriter, inner, note);
        LinearOp linear = std::get<LinearOp>(op(id).attributes);
        linear.transpose_left = false;
        const ValueId both = rewriter.add(once, std::move(matrices), linear_);
        const ValueId x =
            rewriter.gather(rewriter.at(operands[1]), tree_.made_rows(id, addend), note);
        return times(rewriter, both, linear, x);
      }
      case AddendKind::Rest: break;
    }
    LinearOp linear;
    linear.transpose_left = matrix_.transposed;
    const ValueId rows = rewriter.gather(rewriter.at(id), tree_.made_rows(id, addend), note);
    return times(rewriter, one_row(rewriter, matrix_, note), linear, rows);
  }

  void apply(Rewriter& rewriter, const Addends& found) const {
    std::map<ValueId, ValueId> carried;
    for (const auto& [id, addend] : found) {
      const auto now = [&, reader = id, &of = addend](ValueId operand) {
        const ValueId made = carried.at(operand);
        if (!found.at(operand).all) return made;
        return rewriter.gather(made, tree_.rows_of(reader, of, operand), op(reader).note);
      };
      carried[id] = carry(rewriter, id, addend, now);
    }
    rewriter.replace(linear_, carried.at(top()));
  }

  const ProductView& view_;
  AddendTree tree_;
  ValueId linear_;
  Factor matrix_;
};

}  // namespace

std::optional<Reordering> carry_through_sums(const ProductView& view, const Readers& readers,
                                             ValueId linear) {
  return AddendCarrier(view, readers, linear).find();
}

}  // namespace vecc::opt
