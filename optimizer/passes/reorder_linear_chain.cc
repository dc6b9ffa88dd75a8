// reorder-linear: the order of a product of many matrices.
//
//   %4 = linear %a, %b ; %5 = linear %4, %c ; %6 = linear %5, %x         ((A B) C) x
//   =>
//   %4 = linear %c, %x ; %5 = linear %b, %4 ; %6 = linear %a, %5         A (B (C x))
//
// Products whose factors are products that nothing else reads, row by row. Orders of three factors
// at a time would go through such a chain factor by factor, round by round. An order of n factors
// is a triangulation of the polygon whose n + 1 corners are their dimensions: corners that are
// large beside their neighbours are cut off, the others fan out from the smallest one (F. Y. Chin,
// 1978: linear, at most 15.5 % above the least number of multiply-adds).
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

// Shorter ones are the business of the rule for three factors.
constexpr std::size_t kLeastFactors = 4;

// Factors in order, and the linears that multiply them now; `shape` of each.
struct ProductChain {
  std::vector<Factor> factors;
  std::vector<ValueId> linears;  // the one that makes the whole first
};

// By pair of corners i < k, the product of factors i .. k - 1: the corner j between them, so that
// it is the product of factors i .. j - 1 and that of j .. k - 1.
class ChainOrder {
 public:
  explicit ChainOrder(const std::vector<double>& corners) : corners_(corners) {
    const std::size_t n = corners.size();
    const auto least =
        static_cast<std::size_t>(std::ranges::min_element(corners) - corners.begin());
    std::vector<std::size_t> left{least};  // corners that are not cut off
    for (std::size_t step = 1; step <= n; ++step) {
      const std::size_t next = (least + step) % n;
      while (left.size() > 2 && pays_to_cut(left[left.size() - 2], left.back(), next, least)) {
        add(left[left.size() - 2], left.back(), next);
        left.pop_back();
      }
      left.push_back(next);
    }
    for (std::size_t k = 1; k + 2 < left.size(); ++k) add(least, left[k], left[k + 1]);
  }

  [[nodiscard]] std::size_t split(std::size_t first, std::size_t last) const {
    return split_.at(key(first, last));
  }

 private:
  // Whether the triangle of b and its neighbours, and c beside a, take less than both beside the
  // least corner: a b c + a c m < a b m + b c m.
  [[nodiscard]] bool pays_to_cut(std::size_t a, std::size_t b, std::size_t c, std::size_t m) const {
    if (c == m) return false;
    return 1 / corners_[m] + 1 / corners_[b] < 1 / corners_[a] + 1 / corners_[c];
  }
  void add(std::size_t a, std::size_t b, std::size_t c) {
    std::size_t sorted[] = {a, b, c};
    std::ranges::sort(sorted);
    split_[key(sorted[0], sorted[2])] = sorted[1];
  }
  [[nodiscard]] std::uint64_t key(std::size_t first, std::size_t last) const {
    return first * corners_.size() + last;
  }

  const std::vector<double>& corners_;
  boost::unordered_flat_map<std::uint64_t, std::size_t> split_;
};

bool reads_all_in_order(const Index& rows) {
  return rows.form() == Index::Form::Slice && rows.begin() == 0;
}

class ChainFinder {
 public:
  explicit ChainFinder(const ProductView& view)
      : view_(view), is_inside_(view.program().ops().size()) {}

  std::vector<Reordering> run() {
    std::vector<Reordering> found;
    for (auto id = static_cast<ValueId>(program().ops().size()); id-- > 0;) {
      if (is_inside_[id] || !is_product(id)) continue;
      auto reordering = reorder(chain_of(id));
      if (reordering) found.push_back(std::move(*reordering));
    }
    return found;
  }

 private:
  [[nodiscard]] const Program& program() const { return view_.program(); }

  // Of two matrices, vectors among them.
  [[nodiscard]] bool is_product(ValueId id) const {
    const Op& op = program().op(id);
    const auto* linear = std::get_if<LinearOp>(&op.attributes);
    if (linear == nullptr || has_lifts(*linear) || op.rows == 0 || view_.is_constant(id)) {
      return false;
    }
    return std::ranges::none_of(op.operands,
                                [&](ValueId side) { return program().op(side).shape.is_scalar(); });
  }

  // Whether a side is a product of as many rows that only this linear reads.
  [[nodiscard]] bool is_link(const Factor& side, ValueId linear) const {
    const std::uint32_t rows = program().op(linear).rows;
    return is_product(side.source) && !side.transposed && reads_all_in_order(side.rows) &&
           program().op(side.source).rows == rows && side.rows.size() == rows &&
           view_.rows_only_read_by(side.source, linear) == rows;
  }

  ProductChain chain_of(ValueId root) {
    ProductChain chain;
    struct Side {
      ValueId linear;
      std::size_t side;
    };
    std::vector<Side> open;  // sides to be looked at, the leftmost last
    const auto enter = [&](ValueId linear) {
      chain.linears.push_back(linear);
      open.push_back({linear, 1});
      open.push_back({linear, 0});
    };
    enter(root);
    while (!open.empty()) {
      const Side next = open.back();
      open.pop_back();
      Factor factor = view_.factor(next.linear, next.side);
      if (is_link(factor, next.linear)) {
        is_inside_[factor.source] = true;
        enter(factor.source);
      } else {
        chain.factors.push_back(std::move(factor));
      }
    }
    return chain;
  }

  // The launches and what is read of the factors are the same in every order.
  [[nodiscard]] double work_of(Shape left, Shape right, std::uint32_t rows) const {
    WorkEstimate work(program().dtype());
    work.products(left, right, rows);
    work.reads(*times_shape(left, right), rows);
    return work.total();
  }

  [[nodiscard]] std::optional<Reordering> reorder(ProductChain&& of) const {
    if (of.factors.size() < kLeastFactors) return {};
    const auto chain = std::make_shared<ProductChain>(std::move(of));
    const ValueId root = chain->linears.front();
    const std::uint32_t rows = program().op(root).rows;
    double now = 0;
    for (const ValueId id : chain->linears) {
      now += work_of(view_.factor(id, 0).shape, view_.factor(id, 1).shape, rows);
    }
    std::vector<double> corners{static_cast<double>(chain->factors[0].shape.rows())};
    for (const Factor& factor : chain->factors) corners.push_back(factor.shape.cols());
    const ChainOrder order(corners);
    double then = 0;
    const auto shape_of = [&](std::size_t k) { return chain->factors[k].shape; };
    multiply<Shape>(order, chain->factors.size(), shape_of, [&](Shape left, Shape right) {
      then += work_of(left, right, rows);
      return *times_shape(left, right);
    });
    if (then >= now) return {};
    std::vector<ValueId> inner(chain->linears.begin() + 1, chain->linears.end());
    return Reordering{"products of many reordered", now - then, root, std::move(inner),
                      [chain, corners](Rewriter& rewriter) { apply(rewriter, *chain, corners); }};
  }

  // The product of all factors: `factor(k)` is one, `product(left, right)` that of two.
  template <class Value, class OfFactor, class Product>
  static Value multiply(const ChainOrder& order, std::size_t count, OfFactor&& factor,
                        Product&& product) {
    struct Range {
      std::size_t first;
      std::size_t last;
      bool has_sides;  // which are on the stack
    };
    std::vector<Range> open{{0, count, false}};
    std::vector<Value> made;
    while (!open.empty()) {
      const Range range = open.back();
      open.pop_back();
      if (range.has_sides) {
        const Value right = made.back();
        made.pop_back();
        made.back() = product(made.back(), right);
      } else if (range.last - range.first == 1) {
        made.push_back(factor(range.first));
      } else {
        const std::size_t split = order.split(range.first, range.last);
        open.push_back({range.first, range.last, true});
        open.push_back({split, range.last, false});
        open.push_back({range.first, split, false});
      }
    }
    return made.back();
  }

  static void apply(Rewriter& rewriter, const ProductChain& chain,
                    const std::vector<double>& corners) {
    struct Side {
      ValueId value;
      bool transposed;
    };
    const ValueId root = chain.linears.front();
    const Note& note = rewriter.from().op(root).note;
    const auto factor = [&](std::size_t k) {
      const Factor& of = chain.factors[k];
      return Side{rewriter.gather(rewriter.at(of.source), of.rows, note), of.transposed};
    };
    const auto product = [&](const Side& left, const Side& right) {
      LinearOp op;
      op.transpose_left = left.transposed;
      op.transpose_right = right.transposed;
      return Side{rewriter.add(op, {left.value, right.value}, root), false};
    };
    const ChainOrder order(corners);
    rewriter.replace(root, multiply<Side>(order, chain.factors.size(), factor, product).value);
  }

  const ProductView& view_;
  std::vector<bool> is_inside_;  // by linear: of a chain that was found
};

}  // namespace

std::vector<Reordering> reorder_chains(const ProductView& view) {
  return ChainFinder(view).run();
}

}  // namespace vecc::opt
