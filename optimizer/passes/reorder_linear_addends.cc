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
//
// Where products are what a run waits for (waits_for_products(), cost.h), %w may be a few matrices,
// as of the types of edges: W_t (V x + b) is (W_t V) x + W_t b, in the rows of the product. Not
// through sums of members then, nor through what is read twice.
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

// Fewer rows by each matrix than this do not make its product with another one worth it.
constexpr std::size_t kLeastRowsOfType = 8;

// The matrices that a linear reads, each once.
struct MatrixTypes {
  std::vector<std::uint32_t> rows;     // of the matrices' source, ascending
  std::vector<std::uint32_t> type_of;  // by row of the linear

  MatrixTypes(const Factor& matrix, bool is_one, std::uint32_t bound) {
    if (is_one) {
      rows = {matrix.rows[0]};
      type_of.resize(matrix.rows.size());
      return;
    }
    type_of = list_of(matrix.rows.size(), [&](std::uint32_t i) { return matrix.rows[i]; });
    std::vector<std::uint32_t> type(bound);
    for (const std::uint32_t row : type_of) type[row] = 1;
    rows = entries_where(bound, [&](std::uint32_t row) { return type[row] != 0; });
    for (std::uint32_t t = 0; t < rows.size(); ++t) type[rows[t]] = t;
    for (std::uint32_t& row : type_of) row = type[row];
  }
};

class AddendCarrier {
 public:
  AddendCarrier(const ProductView& view, const Readers& readers, ValueId linear, bool has_one)
      : view_(view),
        linear_(linear),
        matrix_(view.factor(linear, 0)),
        types_(matrix_, has_one, op(matrix_.source).rows),
        tree_(view, readers, /*row_by_row=*/!has_one) {}

  [[nodiscard]] std::optional<Reordering> find() const {
    const auto& attributes = std::get<LinearOp>(op(linear_).attributes);
    const bool are_few = is_one() || types_.rows.size() * kLeastRowsOfType <= op(linear_).rows;
    if (!are_few || attributes.transpose_right || op(top()).shape.is_scalar()) return {};
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
    return Reordering{
        is_one() ? "products carried through sums" : "products by types carried through sums",
        saved, linear_, gone,
        [copy = *this, found](Rewriter& rewriter) { copy.apply(rewriter, *found); }};
  }

 private:
  [[nodiscard]] const Op& op(ValueId id) const { return view_.program().op(id); }
  [[nodiscard]] ValueId top() const { return op(linear_).operands[1]; }
  [[nodiscard]] bool is_one() const { return types_.rows.size() == 1; }
  // Whether the value is made in the rows of which one is read by all rows of the linear: once for
  // each matrix.
  [[nodiscard]] bool is_by_type(const Addend& addend) const {
    return !is_one() && addend.rows.size() == 1;
  }
  [[nodiscard]] std::uint32_t type_count() const {
    return static_cast<std::uint32_t>(types_.rows.size());
  }
  [[nodiscard]] std::uint32_t row_count(ValueId id, const Addend& addend) const {
    return is_by_type(addend) ? type_count() : tree_.row_count(id, addend);
  }
  // Rows of the value itself.
  [[nodiscard]] Index made_rows(ValueId id, const Addend& addend) const {
    return is_by_type(addend) ? one_row_each(addend.rows[0]) : tree_.made_rows(id, addend);
  }
  [[nodiscard]] Index one_row_each(std::uint32_t row) const {
    return Index::compact(std::vector<std::uint32_t>(types_.rows.size(), row));
  }

  // Whether (W V) x is what W (V x) is, and the rows of each matrix can be told.
  [[nodiscard]] bool is_defined(ValueId id, const Addend& addend) const {
    if (!is_one() && addend.all) return false;
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
        once.products(matrix_.shape, inner, type_count());
        sum += once.total();
        left = *times_shape(matrix_.shape, inner);
      }
      const Shape shape = *times_shape(matrix_.shape, op(id).shape);
      sum += tree_.work_of(id, addend, shape, row_count(id, addend), left);
    }
    return sum;
  }

  [[nodiscard]] ValueId matrices(Rewriter& rewriter, const Note& note) const {
    return rewriter.gather(rewriter.at(matrix_.source), Index::compact(types_.rows), note);
  }

  // Rows of a value times the matrix of each on their left.
  ValueId times(Rewriter& rewriter, ValueId matrices, LinearOp linear, ValueId rows,
                const Addend& addend) const {
    const Note& note = op(linear_).note;
    const std::uint32_t count = rewriter.to().op(rows).rows;
    const Index types = is_by_type(addend) ? Index::slice(0, count)
                        : is_one()         ? Index::compact(std::vector<std::uint32_t>(count, 0))
                                           : Index::compact(types_.type_of);
    const ValueId left = rewriter.gather(matrices, types, note);
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
        both[scalar] = rewriter.gather(rewriter.at(operands[scalar]), made_rows(id, addend), note);
        both[addend.carried] = now(operands[addend.carried]);
        return rewriter.add(op(id).attributes, std::move(both), id);
      }
      case AddendKind::Product: {
        const Factor inner = view_.factor(id, 0);
        LinearOp once;
        once.transpose_left = matrix_.transposed;
        once.transpose_right = inner.transposed;
        Operands both(2);
        both[0] = matrices(rewriter, note);
        both[1] = rewriter.gather(rewriter.at(inner.source), one_row_each(inner.rows[0]), note);
        LinearOp linear = std::get<LinearOp>(op(id).attributes);
        linear.transpose_left = false;
        const ValueId products = rewriter.add(once, std::move(both), linear_);
        const ValueId x = rewriter.gather(rewriter.at(operands[1]), made_rows(id, addend), note);
        return times(rewriter, products, linear, x, addend);
      }
      case AddendKind::Rest: break;
    }
    LinearOp linear;
    linear.transpose_left = matrix_.transposed;
    const ValueId rows = rewriter.gather(rewriter.at(id), made_rows(id, addend), note);
    return times(rewriter, matrices(rewriter, note), linear, rows, addend);
  }

  void apply(Rewriter& rewriter, const Addends& found) const {
    std::map<ValueId, ValueId> carried;
    for (const auto& [id, addend] : found) {
      const auto now = [&, reader = id, &of = addend](ValueId operand) {
        const ValueId made = carried.at(operand);
        if (is_by_type(found.at(operand)) && !is_by_type(of)) {
          return rewriter.gather(made, Index::compact(types_.type_of), op(reader).note);
        }
        if (!found.at(operand).all) return made;
        return rewriter.gather(made, tree_.rows_of(reader, of, operand), op(reader).note);
      };
      carried[id] = carry(rewriter, id, addend, now);
    }
    rewriter.replace(linear_, carried.at(top()));
  }

  const ProductView& view_;
  ValueId linear_;
  Factor matrix_;
  MatrixTypes types_;
  AddendTree tree_;
};

}  // namespace

std::optional<Reordering> carry_through_sums(const ProductView& view, const Readers& readers,
                                             ValueId linear) {
  const Factor matrix = view.factor(linear, 0);
  if (matrix.shape.is_scalar()) return {};
  const bool is_one = AddendTree(view, readers).is_one_row(matrix);
  const std::uint32_t most = view.program().op(matrix.source).rows;
  if (!is_one && !(view.fuses_maps() && most <= matrix.rows.size())) return {};
  return AddendCarrier(view, readers, linear, is_one).find();
}

}  // namespace vecc::opt
