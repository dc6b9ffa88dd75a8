// reorder-linear: a product that only products read, each with a matrix that all rows share.
//
//   %3 = linear (gather %w [0, 0]), %x ; %5 = segment (gather %3 [0, 1, 0]) [0, 2, 3] sum
//   %7 = linear (gather %a [0, 0]), %5 ; %9 = linear (gather %b [0, 0]), %5
//   =>
//   %3 = segment (gather %x [0, 1, 0]) [0, 2, 3] sum ; %4 = linear %a, %w ; %5 = linear %b, %w
//   %7 = linear (gather %4 [0, 0]), %3 ; %9 = linear (gather %5 [0, 0]), %3
//
// A (W x) and B (W x) are (A W) x and (B W) x: messages W x whose sums are read by the gates of a
// recurrent cell. None of the readers gains by itself, since the others need the product: all of
// them change or none. With or without a sum in between. Where products are what a run waits for
// (waits_for_products(), cost.h): elsewhere the products of matrices are more launches.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

constexpr std::size_t kMostReaders = 16;

class SharedProduct {
 public:
  // Of a sum of a product's rows, or of the product itself.
  SharedProduct(const ProductView& view, const Readers& readers, ValueId read)
      : view_(view), readers_(readers), read_(read) {}

  [[nodiscard]] std::optional<Reordering> find() {
    if (!find_product() || !find_matrices(read_)) return {};
    const std::size_t least = has_sum() ? 1 : 2;
    if (matrices_.size() < least || matrices_.size() > kMostReaders) return {};
    const double saved = work_now() - work_then();
    if (saved <= 0) return {};
    // The rows that all of them read, once the first is there.
    const auto rows = std::make_shared<std::optional<ValueId>>();
    Reordering all = part(0, saved, rows);
    all.inner = has_sum() ? std::vector{product_, read_} : std::vector{product_};
    for (std::size_t k = 1; k < matrices_.size(); ++k) all.others.push_back(part(k, saved, rows));
    return all;
  }

 private:
  [[nodiscard]] const Op& op(ValueId id) const { return view_.program().op(id); }
  [[nodiscard]] bool has_sum() const { return product_ != read_; }
  [[nodiscard]] bool is_shared_matrix(const Factor& factor) const {
    return !factor.shape.is_scalar() && factor.rows.size() > 0 &&
           count_distinct(factor.rows, op(factor.source).rows) == 1;
  }
  // Of a product none of whose right sides is transposed.
  [[nodiscard]] Shape side_shape(ValueId linear, std::size_t side) const {
    const Shape shape = op(op(linear).operands[side]).shape;
    const bool is_transposed =
        side == 0 && std::get<LinearOp>(op(linear).attributes).transpose_left;
    return is_transposed ? shape.transposed() : shape;
  }
  [[nodiscard]] Factor w() const { return view_.factor(product_, 0); }
  [[nodiscard]] Factor x() const { return view_.factor(product_, 1); }

  // W x, by one W, whose rows nothing else reads.
  bool find_product() {
    product_ = read_;
    if (op(read_).kind() == OpKind::Segment) {
      const auto& segment = std::get<SegmentOp>(op(read_).attributes);
      if (segment.combination != Combination::Sum && segment.combination != Combination::Avg) {
        return false;
      }
      product_ = read_through(view_.program(), op(read_).operands[0]).source;
    }
    const auto* linear = std::get_if<LinearOp>(&op(product_).attributes);
    if (linear == nullptr || has_lifts(*linear) || linear->transpose_right ||
        op(product_).shape.cols() != 1 || side_shape(product_, 1).is_scalar()) {
      return false;
    }
    return (!has_sum() || sums_all_rows()) && is_shared_matrix(w());
  }

  // Whether all rows of the product are members, and nothing else reads them. Of many sums of one
  // product each has too few members: its rows are not gone through for each.
  [[nodiscard]] bool sums_all_rows() const {
    const std::uint32_t rows = op(product_).rows;
    return op(op(read_).operands[0]).rows >= rows &&
           view_.rows_only_read_by(product_, read_) == rows;
  }

  // Whether all readers are products with one matrix each on the left.
  bool find_matrices(ValueId value) {
    for (const ValueId reader : readers_.of(value)) {
      if (op(reader).kind() == OpKind::Gather) {
        if (!find_matrices(reader)) return false;
        continue;
      }
      const auto* linear = std::get_if<LinearOp>(&op(reader).attributes);
      if (linear == nullptr || has_lifts(*linear) || linear->transpose_right) return false;
      const Factor left = view_.factor(reader, 0);
      if (left.source == read_ || !is_defined(reader) || !is_shared_matrix(left)) return false;
      matrices_.push_back(reader);
    }
    return true;
  }

  // Whether (A W) x is what A (W x) is: where W x is a scalar, A may have any shape.
  [[nodiscard]] bool is_defined(ValueId reader) const {
    const auto both = times_shape(side_shape(reader, 0), side_shape(product_, 0));
    return both && times_shape(*both, side_shape(product_, 1)) == op(reader).shape;
  }

  void add_sum(WorkEstimate& work, Shape shape) const {
    if (!has_sum()) return;
    const auto& segment = std::get<SegmentOp>(op(read_).attributes);
    const std::uint64_t members = op(op(read_).operands[0]).rows;
    work.gather(shape, members);
    work.segment(shape, members, op(read_).rows, segment.combination);
  }

  [[nodiscard]] double work_now() const {
    WorkEstimate work(view_.program().dtype());
    const Factor right = x();
    work.launch();
    work.products(w().shape, right.shape, op(product_).rows);
    work.reads(right.shape, count_distinct(right.rows, op(right.source).rows));
    add_sum(work, op(product_).shape);
    for (const ValueId reader : matrices_) {
      work.products(view_.factor(reader, 0).shape, op(product_).shape, op(reader).rows);
      work.reads(op(product_).shape, op(reader).rows);
    }
    return work.total();
  }

  [[nodiscard]] double work_then() const {
    WorkEstimate work(view_.program().dtype());
    const Shape shape = x().shape;
    if (!view_.is_constant(x().source)) add_sum(work, shape);
    for (const ValueId reader : matrices_) {
      const Shape left = view_.factor(reader, 0).shape;
      work.launch();
      work.products(left, w().shape, 1);
      work.products(*times_shape(left, w().shape), shape, op(reader).rows);
      work.reads(shape, op(reader).rows);
    }
    return work.total();
  }

  [[nodiscard]] Reordering part(std::size_t k, double saved,
                                const std::shared_ptr<std::optional<ValueId>>& rows) const {
    const auto apply = [copy = *this, k, rows](Rewriter& rewriter) {
      if (!*rows) *rows = copy.make_rows(rewriter);
      copy.apply(rewriter, copy.matrices_[k], **rows);
    };
    return {"products by all readers' matrices", saved, matrices_[k], {}, apply, {}};
  }

  // What stands in the place of the value that is read.
  [[nodiscard]] ValueId make_rows(Rewriter& rewriter) const {
    const Note& note = op(read_).note;
    const Factor right = x();
    if (!has_sum()) return rewriter.gather(rewriter.at(right.source), right.rows, note);
    const GatheredRows members = read_through(view_.program(), op(read_).operands[0]);
    const ValueId of_members =
        rewriter.gather(rewriter.at(right.source), compose(right.rows, members.rows), note);
    return rewriter.add(op(read_).attributes, {of_members}, read_);
  }

  void apply(Rewriter& rewriter, ValueId reader, ValueId rows) const {
    const Note& note = op(reader).note;
    const auto one = [&](const Factor& factor) {
      return rewriter.gather(rewriter.at(factor.source),
                             Index::compact(std::vector<std::uint32_t>{factor.rows[0]}), note);
    };
    const Factor left = view_.factor(reader, 0);
    LinearOp product;
    product.transpose_left = left.transposed;
    product.transpose_right = w().transposed;
    const ValueId both = rewriter.add(product, {one(left), one(w())}, reader);
    const Index same = Index::interleave(1, op(reader).rows);
    const ValueId of_reader = rewriter.gather(rows, view_.factor(reader, 1).rows, note);
    rewriter.replace(
        reader, rewriter.add(LinearOp{}, {rewriter.gather(both, same, note), of_reader}, reader));
  }

  const ProductView& view_;
  const Readers& readers_;
  ValueId read_;
  ValueId product_ = 0;
  std::vector<ValueId> matrices_;  // the products that read it
};

}  // namespace

std::optional<Reordering> multiply_matrices_of_readers(const ProductView& view,
                                                       const Readers& readers, ValueId read) {
  if (!view.fuses_maps()) return {};
  return SharedProduct(view, readers, read).find();
}

}  // namespace vecc::opt
