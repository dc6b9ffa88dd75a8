// reorder-linear: sums of products with matrices that are themselves products.
//
//   %3 = linear %w, %h ; %4 = map sum($0, $1) %3, %b ; %5 = transform %4 reshape(2x3)
//   %6 = linear transpose %5, %x ; %7 = segment %6 [0, 2, 4] sum
//   =>
//   %3 = linear %h, transpose %x ; %4 = segment %3 [0, 2, 4] sum ; %5 = linear %w', %4
//   %6 = segment %x [0, 2, 4] sum ; %7 = linear transpose %b', %6 ; %8 = map sum($0, $1) %5, %7
//
// of one %w (its entries in another order are %w') and one %b: no matrix a member is made, and what
// all members share multiplies their sums (an edge's network of a convolution: NNConv). Members may
// take few different matrices: then those are less work.
#include <memory>
#include <utility>
#include <vector>

#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "optimizer/rewrite/readers.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

// What a matrix of each member is made of; rows are by member.
struct MadeMatrix {
  bool transposed = false;  // in the product with x
  Shape shape;              // m x n
  ValueId product = 0;      // W h
  Index product_rows;
  Factor factors;  // W, the same for all
  Factor h;
  std::optional<GatheredRows> addend;  // b, the same for all
  Factor x;
};

bool is_one_row(const Program& program, ValueId source, const Index& rows) {
  return rows.size() > 0 && count_distinct(rows, program.op(source).rows) == 1;
}

bool is_sum_of_two(const Op& op) {
  const auto* map = std::get_if<MapOp>(&op.attributes);
  return map != nullptr && map->expr->text() == "sum($0, $1)";
}

class MatrixFactorer {
 public:
  MatrixFactorer(const ProductView& view, const Readers& readers, ValueId segment)
      : view_(view), readers_(readers), segment_(segment) {}

  [[nodiscard]] std::optional<Reordering> find() const {
    const GatheredRows read = read_through(program(), op().operands[0]);
    const auto* linear = std::get_if<LinearOp>(&program().op(read.source).attributes);
    if (linear == nullptr || has_lifts(*linear) || read.rows.size() == 0) return {};
    if (view_.rows_only_read_by(read.source, segment_) != program().op(read.source).rows) return {};
    const Factor matrices = view_.factor(read.source, 0).at(read.rows);
    auto made = std::make_shared<MadeMatrix>();
    made->x = view_.factor(read.source, 1).at(read.rows);
    const bool is_column = made->x.shape.cols() == 1 && !made->x.shape.is_scalar();
    if (!is_column || made->x.transposed || !find_matrix(matrices, read.source, *made)) return {};
    const double saved = work_now(*made, read) - work_then(*made);
    if (saved <= 0) return {};
    return Reordering{"matrices that are products taken out of sums",
                      saved,
                      segment_,
                      {read.source, made->product},
                      [copy = *this, made](Rewriter& rewriter) { copy.apply(rewriter, *made); }};
  }

 private:
  [[nodiscard]] const Program& program() const { return view_.program(); }
  [[nodiscard]] const Op& op() const { return program().op(segment_); }
  [[nodiscard]] const SegmentOp& segment() const { return std::get<SegmentOp>(op().attributes); }

  // The matrix is a reshaped column W h, or W h + b, that nothing else reads.
  [[nodiscard]] bool find_matrix(const Factor& matrices, ValueId reader, MadeMatrix& made) const {
    const auto* reshape = std::get_if<TransformOp>(&program().op(matrices.source).attributes);
    if (reshape == nullptr || reshape->transformation.id != Transformation::Reshape) return false;
    made.transposed = matrices.transposed;
    made.shape = program().op(matrices.source).shape;
    if (!made.shape.is_matrix()) return false;
    GatheredRows column =
        read_through(program(), program().op(matrices.source).operands[0], matrices.rows);
    const ValueId whole = column.source;
    if (is_sum_of_two(program().op(whole)) && !take_addend(column, made)) return false;
    made.product = column.source;
    made.product_rows = column.rows;
    return is_read_once(matrices.source, reader) && is_read_once(whole, matrices.source) &&
           (whole == made.product || is_read_once(made.product, whole)) && find_factors(made);
  }

  // Of a sum of two, one is the same row for all members; `column` becomes the other one.
  [[nodiscard]] bool take_addend(GatheredRows& column, MadeMatrix& made) const {
    const Op& sum = program().op(column.source);
    for (const std::size_t k : {0u, 1u}) {
      GatheredRows same = operand_rows(sum.operands[k], column.rows);
      const bool broadcasts = program().op(same.source).shape != sum.shape;
      if (broadcasts || !is_one_row(program(), same.source, same.rows)) continue;
      made.addend = std::move(same);
      column = operand_rows(sum.operands[1 - k], column.rows);
      return true;
    }
    return false;
  }
  // A map reads an operand of one row in each of its rows.
  [[nodiscard]] GatheredRows operand_rows(ValueId operand, const Index& rows) const {
    const bool is_one = program().op(operand).rows == 1;
    return read_through(program(), operand, is_one ? Index::interleave(1, rows.size()) : rows);
  }

  // Through gathers, each value from the product to the matrix has one reader.
  [[nodiscard]] bool is_read_once(ValueId value, ValueId reader) const {
    for (ValueId at = readers_.only(value); at != reader; at = readers_.only(at)) {
      if (at == kNoValue || program().op(at).kind() != OpKind::Gather) return false;
    }
    return true;
  }

  [[nodiscard]] bool find_factors(MadeMatrix& made) const {
    const auto* linear = std::get_if<LinearOp>(&program().op(made.product).attributes);
    if (linear == nullptr || has_lifts(*linear)) return false;
    made.factors = view_.factor(made.product, 0).at(made.product_rows);
    made.h = view_.factor(made.product, 1).at(made.product_rows);
    const Shape columns = made.h.shape;
    return !made.factors.transposed && !made.h.transposed && made.factors.shape.is_matrix() &&
           !columns.is_scalar() && columns.cols() == 1 &&
           is_one_row(program(), made.factors.source, made.factors.rows);
  }

  [[nodiscard]] double work_now(const MadeMatrix& made, const GatheredRows& read) const {
    const Op& products = program().op(read.source);
    const std::uint64_t matrices =
        count_distinct(made.product_rows, program().op(made.product).rows);
    const std::uint64_t members = read.rows.size();
    WorkEstimate work(program().dtype());
    work.launch();
    work.products(made.factors.shape, made.h.shape, matrices);
    work.reads(made.h.shape, matrices);
    work.launch();
    work.products(view_.factor(read.source, 0).shape, made.x.shape, products.rows);
    work.reads(made.shape, matrices);
    if (op().operands[0] != read.source) work.gather(products.shape, members);
    work.segment(products.shape, members, op().rows, segment().combination);
    return work.total();
  }

  [[nodiscard]] Shape outer_shape(const MadeMatrix& made) const {
    const std::uint32_t h = made.h.shape.rows();
    const std::uint32_t x = made.x.shape.rows();
    return made.transposed ? Shape(h, x) : Shape(x, h);
  }

  [[nodiscard]] double work_then(const MadeMatrix& made) const {
    const std::uint64_t members = made.x.rows.size();
    const Shape outer = outer_shape(made);
    const Shape result = op().shape;
    WorkEstimate work(program().dtype());
    work.launch();
    work.products(made.h.shape, made.x.shape.transposed(), members);
    work.segment(outer, members, op().rows, segment().combination);
    work.launch();
    work.products(Shape(result.rows(), static_cast<std::uint32_t>(outer.size())),
                  Shape::column(static_cast<std::uint32_t>(outer.size())), op().rows);
    work.reads(outer, op().rows);
    if (made.addend) {
      work.segment(made.x.shape, members, op().rows, segment().combination);
      work.launch();
      work.products(Shape(result.rows(), made.x.shape.rows()), made.x.shape, op().rows);
      work.launch();
    }
    return work.total();
  }

  // The entries of %w as the products of h and x have them: o (c i) of (i o) c where matrices are
  // transposed, else o (i c) of (o i) c.
  [[nodiscard]] ValueId factors_of(Rewriter& rewriter, const MadeMatrix& made) const {
    Program& to = rewriter.to();
    const Note& note = op().note;
    ValueId w = rewriter.gather(rewriter.at(made.factors.source),
                                Index::slice(made.factors.rows[0], 1), note);
    const std::uint32_t outputs = op().shape.rows();
    const auto all = static_cast<std::uint32_t>(made.factors.shape.size());
    if (made.transposed) {
      w = reshaped(to, w, Shape(made.shape.rows(), all / made.shape.rows()), note);
      w = to.transform(w, {Transformation::Transp, 0.01, {}}, {}, note);
    }
    return reshaped(to, w, Shape(outputs, all / outputs), note);
  }
  static ValueId reshaped(Program& to, ValueId value, Shape shape, const Note& note) {
    return to.transform(value, {Transformation::Reshape, 0.01, shape}, {}, note);
  }

  void apply(Rewriter& rewriter, const MadeMatrix& made) const {
    Program& to = rewriter.to();
    const Note& note = op().note;
    const ValueId h = rewriter.gather(rewriter.at(made.h.source), made.h.rows, note);
    const ValueId x = rewriter.gather(rewriter.at(made.x.source), made.x.rows, note);
    LinearOp outer;
    outer.transpose_right = true;
    const ValueId members =
        to.linear(made.transposed ? h : x, made.transposed ? x : h, outer, note);
    const ValueId sums = rewriter.add(segment(), {members}, segment_);
    const auto entries = static_cast<std::uint32_t>(outer_shape(made).size());
    const Index all = Index::interleave(1, op().rows);
    // Each op by a statement: compilers evaluate arguments in orders of their own.
    const ValueId column = reshaped(to, sums, Shape::column(entries), note);
    const ValueId factors = rewriter.gather(factors_of(rewriter, made), all, note);
    ValueId result = to.linear(factors, column, {}, note);
    if (made.addend) {
      const ValueId b = rewriter.gather(rewriter.at(made.addend->source),
                                        Index::slice(made.addend->rows[0], 1), note);
      LinearOp turned;
      turned.transpose_left = made.transposed;
      const ValueId sum_of_x = rewriter.add(segment(), {x}, segment_);
      const ValueId matrix = rewriter.gather(reshaped(to, b, made.shape, note), all, note);
      const ValueId of_sums = to.linear(matrix, sum_of_x, turned, note);
      const ValueId both[] = {result, of_sums};
      result = to.map(*parse_expr("sum($0, $1)", "reorder-linear"), both, note);
    }
    rewriter.replace(segment_, result);
  }

  const ProductView& view_;
  const Readers& readers_;
  ValueId segment_;
};

}  // namespace

std::optional<Reordering> factor_out_of_matrices(const ProductView& view, const Readers& readers,
                                                 ValueId segment) {
  const auto& op = std::get<SegmentOp>(view.program().op(segment).attributes);
  if (op.combination != Combination::Sum && op.combination != Combination::Avg) return {};
  if (!view.program().op(segment).shape.is_vector()) return {};
  return MatrixFactorer(view, readers, segment).find();
}

}  // namespace vecc::opt
