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
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

// More values than this below one product are left alone, so that a round is linear in the Program.
constexpr std::size_t kMostAddends = 32;

enum class AddendKind : std::uint8_t {
  Rest,      // multiplied as it is
  Sum,       // map that adds up values of its own shape
  Members,   // segment sum or mean
  Gathered,  // gather
  Scaled,    // linear of a scalar and operand `carried`
  Product,   // linear of one matrix, the left operand, and others
};

struct Addend {
  AddendKind kind = AddendKind::Rest;
  std::size_t carried = 0;
  bool all = false;  // all rows are made, and gathered where they are read; else those of `rows`
  Index rows;
};

// Values that the matrix is carried through, or to, readers behind what they read.
using Addends = std::map<ValueId, Addend>;

// Whether a map adds up operands of its own shape, each times scalars and numbers.
bool adds_rows(const Program& program, const Op& op) {
  const auto* map = std::get_if<MapOp>(&op.attributes);
  if (map == nullptr || op.shape.is_scalar()) return false;
  std::vector<bool> is_row;  // of the nodes that are read next; else a scalar
  for (const ExprNode& node : map->expr->nodes) {
    if (node.kind == ExprNode::Kind::Constant) {
      is_row.push_back(false);
    } else if (node.kind == ExprNode::Kind::Input) {
      const Shape shape = program.op(op.operands[node.input]).shape;
      if (shape != op.shape && !shape.is_scalar()) return false;
      is_row.push_back(shape == op.shape);
    } else {
      const auto first = is_row.end() - node.arity;
      const auto rows = std::count(first, is_row.end(), true);
      const bool is_sum = node.combination == Combination::Sum && rows == node.arity;
      const bool is_scaled = node.combination == Combination::ElProduct && rows == 1;
      if (node.kind != ExprNode::Kind::Combine || (!is_sum && !is_scaled)) return false;
      is_row.erase(first, is_row.end());
      is_row.push_back(true);
    }
  }
  return is_row.back();
}

class AddendCarrier {
 public:
  AddendCarrier(const ProductView& view, const Readers& readers, ValueId linear)
      : view_(view), readers_(readers), linear_(linear), matrix_(view.factor(linear, 0)) {}

  [[nodiscard]] std::optional<Reordering> find() const {
    const auto& attributes = std::get<LinearOp>(op(linear_).attributes);
    const bool is_one_matrix = is_one_row(matrix_) && !matrix_.shape.is_scalar();
    if (!is_one_matrix || attributes.transpose_right || op(top()).shape.is_scalar()) return {};
    const auto found = std::make_shared<const Addends>(collect());
    const auto has = [&](AddendKind kind) {
      return std::ranges::any_of(*found, [&](const auto& it) { return it.second.kind == kind; });
    };
    if (found->size() > kMostAddends || !has(AddendKind::Sum) || !has(AddendKind::Product)) {
      return {};
    }
    const std::vector<ValueId> gone = find_gone(*found);
    const double saved = work_now(*found, gone) - work_then(*found);
    if (saved <= 0) return {};
    return Reordering{"products carried through sums", saved, linear_, gone,
                      [copy = *this, found](Rewriter& rewriter) { copy.apply(rewriter, *found); }};
  }

 private:
  [[nodiscard]] const Op& op(ValueId id) const { return view_.program().op(id); }
  [[nodiscard]] ValueId top() const { return op(linear_).operands[1]; }
  [[nodiscard]] bool is_one_row(const Factor& factor) const {
    return factor.rows.size() > 0 && count_distinct(factor.rows, op(factor.source).rows) == 1;
  }

  struct Kind {
    AddendKind kind = AddendKind::Rest;
    std::size_t carried = 0;
  };
  [[nodiscard]] Kind kind_of(ValueId id) const {
    const Op& of = op(id);
    if (view_.is_constant(id)) return {};
    if (of.kind() == OpKind::Gather) return {AddendKind::Gathered, 0};
    if (adds_rows(view_.program(), of)) return {AddendKind::Sum, 0};
    if (const auto* segment = std::get_if<SegmentOp>(&of.attributes)) {
      const bool adds =
          segment->combination == Combination::Sum || segment->combination == Combination::Avg;
      return {adds ? AddendKind::Members : AddendKind::Rest, 0};
    }
    const auto* linear = std::get_if<LinearOp>(&of.attributes);
    return linear == nullptr || has_lifts(*linear) ? Kind{} : kind_of_linear(id, *linear);
  }
  [[nodiscard]] Kind kind_of_linear(ValueId id, const LinearOp& linear) const {
    const Factor left = view_.factor(id, 0);
    const Factor right = view_.factor(id, 1);
    if (left.shape.is_scalar()) {
      return {linear.transpose_right ? AddendKind::Rest : AddendKind::Scaled, 1};
    }
    if (right.shape.is_scalar()) {
      return {linear.transpose_left ? AddendKind::Rest : AddendKind::Scaled, 0};
    }
    const auto both = times_shape(matrix_.shape, left.shape);
    const bool is_defined =
        both && times_shape(*both, right.shape) == times_shape(matrix_.shape, op(id).shape);
    return {is_defined && is_one_row(left) ? AddendKind::Product : AddendKind::Rest, 0};
  }

  // A value that is read twice, or in more rows than it has, is made in all of its rows.
  void reach(Addends& found, ValueId id, bool all, Index rows) const {
    all = all || rows.size() > op(id).rows;
    const auto [at, is_new] = found.try_emplace(id);
    at->second.all = all || !is_new;
    if (is_new && !all) at->second.rows = std::move(rows);
  }

  [[nodiscard]] Addends collect() const {
    Addends found;
    reach(found, top(), false, Index::slice(0, op(top()).rows));
    // From the last value on: all that read a value stand before it.
    for (auto at = found.end(); at != found.begin() && found.size() <= kMostAddends;) {
      auto& [id, addend] = *--at;
      const Kind kind = kind_of(id);
      addend.kind = kind.kind;
      addend.carried = kind.carried;
      addend.all = addend.all || kind.kind == AddendKind::Members;
      for (const ValueId operand : carried_operands(id, addend)) {
        reach(found, operand, addend.all, rows_of(id, addend, operand));
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<ValueId> carried_operands(ValueId id, const Addend& addend) const {
    const Operands& all = op(id).operands;
    switch (addend.kind) {
      case AddendKind::Rest:
      case AddendKind::Product: return {};
      case AddendKind::Sum: {
        std::vector<ValueId> rows;
        std::ranges::copy_if(all, std::back_inserter(rows),
                             [&](ValueId v) { return op(v).shape == op(id).shape; });
        return rows;
      }
      case AddendKind::Members:
      case AddendKind::Gathered: return {all[0]};
      case AddendKind::Scaled: return {all[addend.carried]};
    }
    return {};
  }

  [[nodiscard]] Index made_rows(ValueId id, const Addend& addend) const {
    return addend.all ? Index::slice(0, op(id).rows) : addend.rows;
  }
  [[nodiscard]] std::uint32_t row_count(ValueId id, const Addend& addend) const {
    return addend.all ? op(id).rows : addend.rows.size();
  }
  // The rows of an operand that the rows of `id` that are made read.
  [[nodiscard]] Index rows_of(ValueId id, const Addend& addend, ValueId operand) const {
    if (addend.kind == AddendKind::Members) return Index::slice(0, op(operand).rows);
    const Index rows = made_rows(id, addend);
    if (addend.kind == AddendKind::Gathered) {
      return compose(std::get<GatherOp>(op(id).attributes).index, rows);
    }
    const bool is_broadcast = op(operand).rows == 1 && op(id).rows != 1;
    return is_broadcast ? Index::slice(0, 1) : rows;
  }

  // Without them nothing would read these.
  [[nodiscard]] std::vector<ValueId> find_gone(const Addends& found) const {
    std::vector<ValueId> gone;
    for (auto at = found.rbegin(); at != found.rend(); ++at) {
      const bool goes = std::ranges::all_of(readers_.of(at->first), [&](ValueId reader) {
        return reader == linear_ || std::ranges::count(gone, reader) > 0;
      });
      if (goes && at->second.kind != AddendKind::Rest) gone.push_back(at->first);
    }
    return gone;
  }

  // What computing a value takes in so many rows of that shape.
  [[nodiscard]] double work_of(ValueId id, const Addend& addend, Shape shape, std::uint32_t rows,
                               Shape left) const {
    WorkEstimate work(view_.program().dtype());
    switch (addend.kind) {
      case AddendKind::Sum:
        work.launch();
        work.reads(shape, rows);
        for (const ValueId v : carried_operands(id, addend)) {
          work.reads(shape, std::min(op(v).rows, rows));
        }
        break;
      case AddendKind::Members: {
        const auto combination = std::get<SegmentOp>(op(id).attributes).combination;
        work.segment(shape, op(op(id).operands[0]).rows, rows, combination);
        break;
      }
      case AddendKind::Gathered:
        if (addend.all) work.gather(shape, rows);
        break;
      case AddendKind::Scaled:
        work.launch();
        work.products(Shape::scalar(), shape, rows);
        work.reads(shape, rows);
        break;
      case AddendKind::Product: {
        const Factor right = view_.factor(id, 1);
        work.launch();
        work.products(left, right.shape, rows);
        work.reads(right.shape, std::min(rows, op(right.source).rows));
        break;
      }
      case AddendKind::Rest:
        work.launch();
        work.products(left, op(id).shape, rows);
        work.reads(op(id).shape, rows);
        break;
    }
    return work.total();
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
      sum += work_of(id, addend, op(id).shape, op(id).rows, left);
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
      sum += work_of(id, addend, shape, row_count(id, addend), left);
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
          return rewriter.gather(rewriter.at(v), rows_of(id, addend, v), note);
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
        Operands matrices(2);
        matrices[0] = one_row(rewriter, matrix_, note);
        matrices[1] = one_row(rewriter, inner, note);
        LinearOp linear = std::get<LinearOp>(op(id).attributes);
        linear.transpose_left = false;
        const ValueId both = rewriter.add(once, std::move(matrices), linear_);
        const ValueId x = rewriter.gather(rewriter.at(operands[1]), made_rows(id, addend), note);
        return times(rewriter, both, linear, x);
      }
      case AddendKind::Rest: break;
    }
    LinearOp linear;
    linear.transpose_left = matrix_.transposed;
    const ValueId rows = rewriter.gather(rewriter.at(id), made_rows(id, addend), note);
    return times(rewriter, one_row(rewriter, matrix_, note), linear, rows);
  }

  void apply(Rewriter& rewriter, const Addends& found) const {
    std::map<ValueId, ValueId> carried;
    for (const auto& [id, addend] : found) {
      const auto now = [&, reader = id, &of = addend](ValueId operand) {
        const ValueId made = carried.at(operand);
        if (!found.at(operand).all) return made;
        return rewriter.gather(made, rows_of(reader, of, operand), op(reader).note);
      };
      carried[id] = carry(rewriter, id, addend, now);
    }
    rewriter.replace(linear_, carried.at(top()));
  }

  const ProductView& view_;
  const Readers& readers_;
  ValueId linear_;
  Factor matrix_;
};

}  // namespace

std::optional<Reordering> carry_through_sums(const ProductView& view, const Readers& readers,
                                             ValueId linear) {
  return AddendCarrier(view, readers, linear).find();
}

}  // namespace vecc::opt
