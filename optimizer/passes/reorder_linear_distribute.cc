// reorder-linear: a product of a sum is the sum of the members' products.
//
//   %4 = segment %x [0, 2, 4] sum ; %5 = linear %w, %4
//   =>
//   %4 = linear (gather %w [0, 0, 1, 1]), %x ; %5 = segment %4 [0, 2, 4] sum
//
// Equal products are computed once. Pays where the members are few distinct rows, or where the
// products are narrower than the members: `w . mean(x)` sums numbers instead of vectors.
#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

// What is computed instead.
struct Distribution {
  std::size_t summed_side = 0;
  ValueId members_source = 0;
  PairRows products;                      // the factor's row and the member's
  std::vector<std::uint32_t> product_of;  // by member of the new segments
  std::vector<std::uint32_t> lengths;     // by row of the linear
};

class Distributor {
 public:
  Distributor(const ProductView& view, ValueId linear) : view_(view), linear_(linear) {}

  [[nodiscard]] std::optional<Reordering> find() const {
    std::optional<Reordering> best;
    for (const std::size_t side : {0, 1}) {
      const Factor sum = view_.factor(linear_, side);
      const auto* segment = std::get_if<SegmentOp>(&program().op(sum.source).attributes);
      const bool is_sum = segment != nullptr && (segment->combination == Combination::Sum ||
                                                 segment->combination == Combination::Avg);
      if (!is_sum) continue;
      auto found = over(side, sum, *segment);
      if (found && (!best || found->saved > best->saved)) best = std::move(found);
    }
    return best;
  }

 private:
  [[nodiscard]] const Program& program() const { return view_.program(); }

  [[nodiscard]] std::optional<Reordering> over(std::size_t side, const Factor& sum,
                                               const SegmentOp& segment) const {
    const std::uint64_t members = total_of(sum.rows.size(), [&](std::uint32_t i) {
      return member_count(segment.segments, sum.rows[i]);
    });
    if (members == 0 || members >= std::numeric_limits<std::uint32_t>::max()) return {};
    const double now = work_now(sum, segment);
    const Shape result = program().op(linear_).shape;
    WorkEstimate least(program().dtype());
    least.segment(result, members, sum.rows.size(), segment.combination);
    if (least.total() >= now) return {};
    least.launch();
    least.products(view_.factor(linear_, 0).shape, view_.factor(linear_, 1).shape,
                   fewest_products(side, sum));
    if (least.total() >= now) return {};
    auto made = std::make_shared<Distribution>(build(side, sum, segment));
    const double saved = now - work_then(*made, segment);
    if (saved <= 0) return {};
    return Reordering{"products of sums distributed",
                      saved,
                      linear_,
                      {sum.source},
                      [copy = *this, made](Rewriter& rewriter) { copy.apply(rewriter, *made); }};
  }

  // No more than there will be, found without building them: two rows of the linear that differ
  // have no product in common if a sum of theirs has a member of its own.
  [[nodiscard]] std::uint64_t fewest_products(std::size_t side, const Factor& sum) const {
    const Factor factor = view_.factor(linear_, 1 - side);
    const SourceRows::View numbers = view_.numbers(factor.source);
    const auto pair_at = [&](std::size_t at) {
      const auto i = static_cast<std::uint32_t>(at);
      const std::uint32_t number = numbers[factor.rows[i]];
      return side == 1 ? std::uint64_t{number} << 32 | sum.rows[i]
                       : std::uint64_t{sum.rows[i]} << 32 | number;
    };
    const bool ascends = holds_for_all(sum.rows.size() - 1,
                                       [&](std::size_t i) { return pair_at(i) < pair_at(i + 1); });
    if (!ascends) return 0;  // not in the order of dedup-linear-pairs
    const std::vector<std::uint8_t> has_own = view_.with_own_member(sum.source);
    return total_of(sum.rows.size(), [&](std::uint32_t i) { return has_own[sum.rows[i]]; });
  }

  [[nodiscard]] Distribution build(std::size_t side, const Factor& sum,
                                   const SegmentOp& segment) const {
    Distribution made;
    made.summed_side = side;
    const ValueId operand = program().op(sum.source).operands[0];
    const std::uint32_t rows = program().op(operand).rows;
    const GatheredRows members = read_through(program(), operand);
    made.members_source = members.source;
    const Factor factor = view_.factor(linear_, 1 - side);
    made.lengths = list_of(sum.rows.size(), [&](std::uint32_t i) {
      return member_count(segment.segments, sum.rows[i]);
    });
    std::vector<std::uint32_t> begins(made.lengths.size());
    std::exclusive_scan(made.lengths.begin(), made.lengths.end(), begins.begin(), 0u);
    std::vector<std::uint32_t> factor_rows(begins.back() + made.lengths.back());
    std::vector<std::uint32_t> member_rows(factor_rows.size());  // by member of the new segments
    ListThreads::for_ranges(sum.rows.size(), [&](std::size_t begin, std::size_t end) {
      std::uint32_t at = begins[begin];
      for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
        for_each_member(segment.segments, rows, sum.rows[i], [&](std::uint32_t m) {
          factor_rows[at] = factor.rows[i];
          member_rows[at++] = members.rows[m];
        });
      }
    });
    made.product_of = made.products.number_all(
        {Index::list(std::move(factor_rows)), view_.numbers(factor.source)},
        {Index::list(std::move(member_rows)), view_.numbers(members.source)});
    return made;
  }

  [[nodiscard]] double work_now(const Factor& sum, const SegmentOp& segment) const {
    const Op& op = program().op(linear_);
    const Op& source = program().op(sum.source);
    WorkEstimate work(program().dtype());
    work.launch();
    work.products(view_.factor(linear_, 0).shape, view_.factor(linear_, 1).shape, op.rows);
    work.reads(sum.shape, count_distinct(sum.rows, source.rows));
    if (view_.is_constant(sum.source)) return work.total();
    // Only the segments that no other op needs would go.
    std::uint64_t segments = 0;
    std::uint64_t members = 0;
    for (std::uint32_t s = 0; s < source.rows; ++s) {
      if (!view_.is_only_read_by(sum.source, s, linear_)) continue;
      ++segments;
      members += member_count(segment.segments, s);
    }
    if (segments == 0) return work.total();
    const ValueId operand = source.operands[0];
    if (program().op(operand).kind() == OpKind::Gather) work.gather(source.shape, members);
    work.segment(source.shape, members, segments, segment.combination);
    return work.total();
  }

  [[nodiscard]] double work_then(const Distribution& made, const SegmentOp& segment) const {
    const Shape result = program().op(linear_).shape;
    const Shape member = view_.factor(linear_, made.summed_side).shape;
    WorkEstimate work(program().dtype());
    work.launch();
    work.products(view_.factor(linear_, 0).shape, view_.factor(linear_, 1).shape,
                  made.products.size());
    work.reads(member, count_distinct(Index::compact(made.products.right()),
                                      program().op(made.members_source).rows));
    if (made.products.size() != made.product_of.size()) {
      work.gather(result, made.product_of.size());
    }
    work.segment(result, made.product_of.size(), made.lengths.size(), segment.combination);
    return work.total();
  }

  void apply(Rewriter& rewriter, const Distribution& made) const {
    const Op& op = program().op(linear_);
    const Factor factor = view_.factor(linear_, 1 - made.summed_side);
    const ValueId factors =
        rewriter.gather(rewriter.at(factor.source), Index::compact(made.products.left()), op.note);
    const ValueId members = rewriter.gather(rewriter.at(made.members_source),
                                            Index::compact(made.products.right()), op.note);
    Operands operands{factors, members};
    if (made.summed_side == 0) std::swap(operands[0], operands[1]);
    const ValueId products = rewriter.add(op.attributes, std::move(operands), linear_);
    const ValueId gathered = rewriter.gather(products, Index::compact(made.product_of), op.note);
    const ValueId sum = view_.factor(linear_, made.summed_side).source;
    const auto& segment = std::get<SegmentOp>(program().op(sum).attributes);
    rewriter.replace(linear_,
                     rewriter.add(SegmentOp{segments_of_lengths(made.lengths), segment.combination},
                                  {gathered}, sum));
  }

  const ProductView& view_;
  ValueId linear_;
};

}  // namespace

std::optional<Reordering> distribute_over_sums(const ProductView& view, ValueId linear) {
  return Distributor(view, linear).find();
}

}  // namespace vecc::opt
