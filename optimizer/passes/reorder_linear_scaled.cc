// reorder-linear: common factors out of sums in which products stand beside other rows, or times
// scalars.
//
//   %4 = linear (gather %m [0, 0]), %x ; %5 = linear {-1}, (gather %4 [1])
//   %6 = concat %4, %5, %b ; %7 = gather %6 [0, 3, 2] ; %8 = segment %7 [0, 3] sum    M x + b - M y
//   =>
//   %4 = linear {-1}, (gather %x [1]) ; %5 = concat (gather %x [0]), %4
//   %6 = segment %5 [0, 2] sum ; %7 = linear %m, %6                                   M (x - y)
//   %8 = concat %7, %b ; %9 = segment %8 [0, 2] sum
//
// Members are looked at through gathers, concats and one product by a scalar. Those of a segment
// that share a factor are summed first, equal sums once, then multiplied, equal products once. All
// else stays a member of the segment.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_terms.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "optimizer/rewrite/equal_rows.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

// Pairs of numbers, each once, numbered as they come.
class NumberedPairs {
 public:
  std::uint32_t number(std::uint32_t left, std::uint32_t right) {
    const auto next = static_cast<std::uint32_t>(pairs_.size());
    const auto [at, is_new] = numbers_.try_emplace(std::uint64_t{left} << 32 | right, next);
    if (is_new) pairs_.emplace_back(left, right);
    return at->second;
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(pairs_.size()); }
  [[nodiscard]] RowNumbers left() const { return side(&std::pair<RowNumber, RowNumber>::first); }
  [[nodiscard]] RowNumbers right() const { return side(&std::pair<RowNumber, RowNumber>::second); }

 private:
  [[nodiscard]] RowNumbers side(RowNumber std::pair<RowNumber, RowNumber>::*of) const {
    RowNumbers result(pairs_.size());
    std::ranges::transform(pairs_, result.begin(), of);
    return result;
  }
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> numbers_;  // only looked up
  std::vector<std::pair<RowNumber, RowNumber>> pairs_;
};

// What is computed instead. A RowNumber is one of the Program, or ScaledTerms::first_made() and
// more: a row of what is made here (scaled inputs, or products).
struct ScaledFactoring {
  std::size_t shared_side = 0;
  NumberedPairs scaled;  // scalar and input
  RowNumbers summed;     // members of the sums: inputs, or scaled ones
  std::vector<std::uint32_t> sum_lengths;
  NumberedPairs products;  // factor and sum
  RowNumbers members;      // of the segments: products and other rows
  std::vector<std::uint32_t> member_counts;
  RowNumbers stay;  // members that are members still
  RowNumbers gone;  // those that are summed
};

// Products that are members of one segment: the number of the factor, and of the member.
using FactorMembers = std::vector<std::pair<std::uint32_t, RowNumber>>;

struct SharedFactor {
  std::uint32_t factor = 0;
  std::size_t begin = 0;  // of its terms
  std::size_t size = 0;
};

class ScaledFactorer {
 public:
  ScaledFactorer(const ProductView& view, const Readers& readers, ValueId segment)
      : view_(view), segment_(segment), terms_(view, readers, segment) {}

  [[nodiscard]] std::optional<Reordering> find() const {
    if (!terms_.has_products()) return {};
    std::optional<Reordering> best;
    for (const std::size_t side : {0, 1}) {
      auto made = std::make_shared<ScaledFactoring>();
      if (!build(side, *made)) continue;
      const double saved =
          terms_.work_of(made->gone, made->stay, side) + work_of_sum() - work_then(*made);
      if (saved <= 0 || (best && saved <= best->saved)) continue;
      best = Reordering{"scaled products taken out of sums", saved, segment_, terms_.linears(),
                        [copy = *this, made](Rewriter& rewriter) { copy.apply(rewriter, *made); }};
    }
    return best;
  }

 private:
  [[nodiscard]] const Program& program() const { return view_.program(); }
  [[nodiscard]] const Op& segment() const { return program().op(segment_); }

  // False if no two members of a segment share a factor.
  [[nodiscard]] bool build(std::size_t side, ScaledFactoring& made) const {
    made.shared_side = side;
    RowNumbers terms;  // of groups, one after another
    std::vector<SharedFactor> groups;
    const std::uint32_t rows = program().op(segment().operands[0]).rows;
    const Segments& segments = std::get<SegmentOp>(segment().attributes).segments;
    const SourceRows::View numbers = view_.numbers(segment().operands[0]);
    FactorMembers products;  // of one segment
    for (std::uint32_t s = 0; s < segments.count(rows); ++s) {
      products.clear();
      const std::size_t before = made.members.size();
      for_each_member(segments, rows, s, [&](std::uint32_t m) {
        const auto term = terms_.of(numbers[m]);
        if (term) {
          products.emplace_back(terms_.factor(*term, side), numbers[m]);
        } else {
          made.members.push_back(numbers[m]);
        }
      });
      add_groups(products, terms, groups, made.members);
      made.member_counts.push_back(static_cast<std::uint32_t>(made.members.size() - before));
    }
    if (groups.empty()) return false;
    std::ranges::copy_if(made.members, std::back_inserter(made.stay),
                         [&](RowNumber member) { return member < terms_.first_made(); });
    made.gone = terms;
    number_products(groups, summed_terms(terms, made), made);
    return true;
  }

  // Products that share a factor with another one become a member that stands for their group.
  void add_groups(FactorMembers& products, RowNumbers& terms, std::vector<SharedFactor>& groups,
                  RowNumbers& members) const {
    std::ranges::stable_sort(products, std::ranges::less(), &FactorMembers::value_type::first);
    for (auto at = products.begin(); at != products.end();) {
      const auto end =
          std::find_if(at, products.end(), [&](const auto& it) { return it.first != at->first; });
      if (end - at == 1) {
        members.push_back(at->second);
      } else {
        members.push_back(terms_.first_made() + groups.size());
        groups.push_back({at->first, terms.size(), static_cast<std::size_t>(end - at)});
        std::transform(at, end, std::back_inserter(terms),
                       [](const auto& it) { return it.second; });
      }
      at = end;
    }
  }

  // The other sides of terms, times their scalars.
  [[nodiscard]] RowNumbers summed_terms(const RowNumbers& members, ScaledFactoring& made) const {
    RowNumbers result(members.size());
    std::ranges::transform(members, result.begin(), [&](RowNumber member) -> RowNumber {
      const ScaledTerm term = *terms_.of(static_cast<std::uint32_t>(member));
      const std::uint32_t input = terms_.factor(term, 1 - made.shared_side);
      return term.is_scaled ? terms_.first_made() + made.scaled.number(term.scale, input) : input;
    });
    return result;
  }

  // Equal sums, then equal products, once; members that stand for groups become products.
  void number_products(const std::vector<SharedFactor>& groups, RowNumbers summed,
                       ScaledFactoring& made) const {
    const auto terms_of = [&](std::uint32_t g) {
      return std::span(summed).subspan(groups[g].begin, groups[g].size);
    };
    for (std::uint32_t g = 0; g < groups.size(); ++g) std::ranges::sort(terms_of(g));
    const auto hash = [&](std::uint32_t g) {
      std::uint64_t result = 0;
      for (const RowNumber term : terms_of(g)) {
        result = 3 * result + hash_of_pair(static_cast<std::uint32_t>(term >> 32),
                                           static_cast<std::uint32_t>(term));
      }
      return result * 0x9E3779B97F4A7C15ull;
    };
    const auto first = EqualRows::find(static_cast<std::uint32_t>(groups.size()), hash,
                                       [&](std::uint32_t a, std::uint32_t b) {
                                         return std::ranges::equal(terms_of(a), terms_of(b));
                                       });
    std::vector<std::uint32_t> sums(groups.size());
    std::vector<RowNumber> products(groups.size());
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      if (first[g] == g) {
        sums[g] = static_cast<std::uint32_t>(made.sum_lengths.size());
        made.sum_lengths.push_back(static_cast<std::uint32_t>(groups[g].size));
        std::ranges::copy(terms_of(g), std::back_inserter(made.summed));
      }
      sums[g] = sums[first[g]];
      products[g] = terms_.first_made() + made.products.number(groups[g].factor, sums[g]);
    }
    for (RowNumber& member : made.members) {
      if (member >= terms_.first_made()) member = products[member - terms_.first_made()];
    }
  }

  // Neither counts products by scalars and copies of members, of which there are as many before
  // and after: they are read in place, or left out by other passes.
  [[nodiscard]] double work_of_sum() const {
    const std::uint32_t rows = program().op(segment().operands[0]).rows;
    WorkEstimate work(program().dtype());
    work.segment(segment().shape, rows, segment().rows, Combination::Sum);
    return work.total();
  }
  [[nodiscard]] double work_then(const ScaledFactoring& made) const {
    const auto [left, right] = terms_.shapes();
    const Shape input = made.shared_side == 0 ? right : left;
    const bool is_constant = terms_.are_constant(made.summed) &&
                             terms_.are_constant(made.scaled.left()) &&
                             terms_.are_constant(made.scaled.right());
    WorkEstimate work(program().dtype());
    if (!is_constant) {
      work.segment(input, made.summed.size(), made.sum_lengths.size(), Combination::Sum);
    }
    work.launch();
    work.products(left, right, made.products.size());
    work.reads(input, made.sum_lengths.size());
    if (!has_one_each(made)) {
      work.segment(segment().shape, made.members.size(), segment().rows, Combination::Sum);
    }
    return work.total();
  }

  static bool has_one_each(const ScaledFactoring& made) {
    return std::ranges::all_of(made.member_counts, [](std::uint32_t n) { return n == 1; });
  }

  void apply(Rewriter& rewriter, const ScaledFactoring& made) const {
    const Note& note = segment().note;
    const auto rows_of = [&](const RowNumbers& rows, ValueId of_made) {
      return terms_.rows_of(rewriter, rows, of_made);
    };
    ValueId scaled = kNoValue;
    if (made.scaled.size() > 0) {
      const ValueId scalars = rows_of(made.scaled.left(), kNoValue);
      const ValueId inputs = rows_of(made.scaled.right(), kNoValue);
      scaled = rewriter.to().linear(scalars, inputs, {}, note);
    }
    const ValueId sums =
        rewriter.add(SegmentOp{segments_of_lengths(made.sum_lengths), Combination::Sum},
                     {rows_of(made.summed, scaled)}, segment_);
    const ValueId factors = rows_of(made.products.left(), kNoValue);
    std::vector<std::uint32_t> sum_of;
    std::ranges::copy(made.products.right(), std::back_inserter(sum_of));
    Operands operands{factors, rewriter.gather(sums, Index::compact(std::move(sum_of)), note)};
    if (made.shared_side == 1) std::swap(operands[0], operands[1]);
    const ValueId products = rewriter.to().linear(operands[0], operands[1], terms_.linear(), note);
    const ValueId members = rows_of(made.members, products);
    rewriter.replace(segment_, has_one_each(made)
                                   ? members
                                   : rewriter.add(SegmentOp{segments_of_lengths(made.member_counts),
                                                            Combination::Sum},
                                                  {members}, segment_));
  }

  const ProductView& view_;
  ValueId segment_;
  ScaledTerms terms_;
};

}  // namespace

std::optional<Reordering> factor_out_of_scaled_sums(const ProductView& view, const Readers& readers,
                                                    ValueId segment) {
  const auto& op = std::get<SegmentOp>(view.program().op(segment).attributes);
  if (op.combination != Combination::Sum || view.program().op(segment).shape.is_scalar()) return {};
  return ScaledFactorer(view, readers, segment).find();
}

}  // namespace vecc::opt
