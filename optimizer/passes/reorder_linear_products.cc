// reorder-linear: the order of products of three factors.
//
//   %4 = linear %v, %x ; %5 = linear %w, %4         W (V x): for every row of %x both
//   =>
//   %4 = linear %w, %v ; %5 = linear %4, %x         (W V) x: W V once for every pair of weights
//
// `times` is associative wherever both orders are defined and give one shape; a scalar factor also
// commutes. Of the inner products those count that no other op needs.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

using Factors = std::array<Factor, 3>;

// f[first] times f[second] is computed first; the third factor then stands left or right of it.
struct Order {
  std::size_t first = 0;
  std::size_t second = 0;
  std::size_t third = 0;
  bool third_is_left = false;
};
constexpr Order kLeftFirst{0, 1, 2, false};
constexpr Order kRightFirst{1, 2, 0, true};

std::optional<Shape> shape_of(const Factors& f, const Order& order) {
  const auto inner = times_shape(f[order.first].shape, f[order.second].shape);
  if (!inner) return {};
  const Shape third = f[order.third].shape;
  return order.third_is_left ? times_shape(third, *inner) : times_shape(*inner, third);
}

// The orders in which three factors have the same product.
std::vector<Order> orders_of(const Factors& f) {
  std::vector<Order> orders{kLeftFirst, kRightFirst};
  const bool left = f[0].shape.is_scalar() || f[1].shape.is_scalar();
  if (left || f[2].shape.is_scalar()) orders.push_back({0, 2, 1, left});
  return orders;
}

class Reassociator {
 public:
  // `side` of `linear` is a linear too.
  Reassociator(const ProductView& view, ValueId linear, std::size_t side)
      : view_(view), linear_(linear), product_(view.factor(linear, side)) {
    const ValueId inner = product_.source;
    Factor left = view.factor(inner, 0).at(product_.rows);
    Factor right = view.factor(inner, 1).at(product_.rows);
    if (product_.transposed) {  // (a b)^T is b^T a^T
      for (Factor* factor : {&left, &right}) {
        factor->transposed = !factor->transposed;
        factor->shape = factor->shape.transposed();
      }
      std::swap(left, right);
    }
    Factor other = view.factor(linear, 1 - side);
    factors_ = side == 0 ? Factors{std::move(left), std::move(right), std::move(other)}
                         : Factors{std::move(other), std::move(left), std::move(right)};
    now_ = side == 0 ? kLeftFirst : kRightFirst;
    for (std::size_t k = 0; k < factors_.size(); ++k) {
      distinct_[k] = count_distinct(factors_[k].rows, program().op(factors_[k].source).rows);
    }
  }

  [[nodiscard]] std::optional<Reordering> find() const {
    std::optional<Reordering> best;
    const double now = work_now();
    for (const Order& order : orders_of(factors_)) {
      const bool is_now = order.third == now_.third;
      if (is_now || shape_of(factors_, order) != program().op(linear_).shape) continue;
      // At least one product for each row of either side: most orders need not be looked at.
      const std::uint64_t least = std::max(distinct_[order.first], distinct_[order.second]);
      if (work_then(order, least) >= now) continue;
      auto inner = std::make_shared<Inner>(find_inner(order));
      const double saved = now - work_then(order, inner->pairs.size());
      if (saved <= 0 || (best && saved <= best->saved)) continue;
      best = Reordering{"products of three reordered",
                        saved,
                        linear_,
                        {product_.source},
                        [copy = *this, order, inner](Rewriter& rewriter) {
                          copy.apply(rewriter, order, *inner);
                        }};
    }
    return best;
  }

 private:
  // The products that are computed first, and which one each row needs.
  struct Inner {
    PairRows pairs;
    std::vector<std::uint32_t> pair_of;
  };

  [[nodiscard]] const Program& program() const { return view_.program(); }

  [[nodiscard]] Inner find_inner(const Order& order) const {
    const Factor& first = factors_[order.first];
    const Factor& second = factors_[order.second];
    Inner inner;
    inner.pair_of = inner.pairs.number_all({first.rows, view_.numbers(first.source)},
                                           {second.rows, view_.numbers(second.source)});
    return inner;
  }

  void add_reads(WorkEstimate& work, std::size_t factor) const {
    work.reads(factors_[factor].shape, distinct_[factor]);
  }

  void add_outer(WorkEstimate& work, const Order& order, Shape inner) const {
    const Shape third = factors_[order.third].shape;
    work.launch();
    work.products(order.third_is_left ? third : inner, order.third_is_left ? inner : third,
                  program().op(linear_).rows);
    add_reads(work, order.third);
  }

  [[nodiscard]] double work_now() const {
    WorkEstimate work(program().dtype());
    const Op& inner = program().op(product_.source);
    add_outer(work, now_, product_.shape);
    work.reads(product_.shape, count_distinct(product_.rows, inner.rows));
    if (view_.is_constant(product_.source)) return work.total();
    const std::uint64_t only_here = view_.rows_only_read_by(product_.source, linear_);
    work.products(factors_[now_.first].shape, factors_[now_.second].shape, only_here);
    if (only_here == inner.rows) {
      work.launch();
      add_reads(work, now_.first);
      add_reads(work, now_.second);
    }
    return work.total();
  }

  [[nodiscard]] double work_then(const Order& order, std::uint64_t inner_products) const {
    const Factor& first = factors_[order.first];
    const Factor& second = factors_[order.second];
    const Shape shape = *times_shape(first.shape, second.shape);
    WorkEstimate work(program().dtype());
    add_outer(work, order, shape);
    work.reads(shape, inner_products);
    if (view_.is_constant(first.source) && view_.is_constant(second.source)) return work.total();
    work.launch();
    work.products(first.shape, second.shape, inner_products);
    add_reads(work, order.first);
    add_reads(work, order.second);
    return work.total();
  }

  void apply(Rewriter& rewriter, const Order& order, const Inner& inner) const {
    const Factor& first = factors_[order.first];
    const Factor& second = factors_[order.second];
    const Factor& third = factors_[order.third];
    const Note& note = program().op(linear_).note;
    const auto read = [&](const Factor& factor, const Index& rows) {
      return rewriter.gather(rewriter.at(factor.source), rows, note);
    };
    LinearOp inner_op;
    inner_op.transpose_left = first.transposed;
    inner_op.transpose_right = second.transposed;
    const ValueId left = read(first, Index::compact(inner.pairs.left()));
    const ValueId right = read(second, Index::compact(inner.pairs.right()));
    const ValueId products = rewriter.add(inner_op, {left, right}, product_.source);
    const ValueId rows = rewriter.gather(products, Index::compact(inner.pair_of), note);
    LinearOp outer;
    (order.third_is_left ? outer.transpose_left : outer.transpose_right) = third.transposed;
    Operands operands{read(third, third.rows), rows};
    if (!order.third_is_left) std::swap(operands[0], operands[1]);
    rewriter.replace(linear_, rewriter.add(outer, std::move(operands), linear_));
  }

  const ProductView& view_;
  ValueId linear_;
  Factor product_;  // the side that is a linear
  Factors factors_;
  std::array<std::uint64_t, 3> distinct_;  // by factor: its distinct rows
  Order now_;
};

}  // namespace

std::optional<Reordering> reassociate(const ProductView& view, ValueId linear) {
  std::optional<Reordering> best;
  for (const std::size_t side : {0, 1}) {
    const Op& inner = view.program().op(view.factor(linear, side).source);
    const auto* attributes = std::get_if<LinearOp>(&inner.attributes);
    if (attributes == nullptr || has_lifts(*attributes)) continue;
    auto found = Reassociator(view, linear, side).find();
    if (found && (!best || found->saved > best->saved)) best = std::move(found);
  }
  return best;
}

}  // namespace vecc::opt
