// reorder-linear: common factors out of sums.
//
//   %4 = gather %w [0, 0, 1] ; %5 = linear %4, %x ; %6 = segment %5 [0, 3] sum
//   =>
//   %4 = segment %x [0, 2, 3] sum ; %5 = linear %w, %4 ; %6 = segment %5 [0, 2] sum
//
// A segment's members fall into groups that share the factor; a group's other sides are summed
// first, equal sums once, then multiplied, equal products once. Where a segment has several groups
// their products are summed.
#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "optimizer/rewrite/equal_rows.h"
#include "optimizer/rewrite/unset_array.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

struct Member {
  std::uint32_t group = 0;   // the shared side's number
  std::uint32_t place = 0;   // in its segment
  std::uint32_t factor = 0;  // row of the shared side's source
  std::uint32_t summed = 0;  // row of the other side's source
};

// What is computed instead.
struct Factoring {
  std::size_t shared_side = 0;
  std::vector<std::uint32_t> members;       // rows of the summed side's source
  std::vector<std::uint32_t> sum_lengths;   // by distinct sum: its members
  PairRows products;                        // factor row and sum
  std::vector<std::uint32_t> product_of;    // by group, segment by segment
  std::vector<std::uint32_t> group_counts;  // by segment
  bool one_group_each = true;
};

// Members that share a factor in their segment, group after group.
struct Groups {
  std::vector<std::uint32_t> factor_rows;     // by group
  std::vector<std::uint32_t> sizes;           // by group
  std::vector<std::uint32_t> counts;          // by segment: its groups
  std::vector<std::uint32_t> summed;          // by member: the row of the other side's source
  std::vector<std::uint32_t> summed_numbers;  // of each group's members, sorted

  // The groups of one range of segments after another.
  static Groups joined(std::vector<Groups> ranges) {
    if (ranges.size() == 1) return std::move(ranges[0]);
    Groups all;
    const auto lists = {&Groups::factor_rows, &Groups::sizes, &Groups::counts, &Groups::summed,
                        &Groups::summed_numbers};
    for (const auto list : lists) {
      std::vector<std::size_t> begins{0};
      for (const Groups& range : ranges) begins.push_back(begins.back() + (range.*list).size());
      (all.*list).resize(begins.back());
      ListThreads::for_pieces(ranges.size(), [&](std::size_t r) {
        std::ranges::copy(ranges[r].*list,
                          (all.*list).begin() + static_cast<std::ptrdiff_t>(begins[r]));
        std::vector<std::uint32_t>().swap(ranges[r].*list);
      });
    }
    return all;
  }
};

class Factorer {
 public:
  Factorer(const ProductView& view, ValueId segment)
      : view_(view), segment_(segment), read_(read_through(view.program(), operand())) {}

  [[nodiscard]] std::optional<Reordering> find() const {
    const Op& linear = view_.program().op(read_.source);
    const auto* attributes = std::get_if<LinearOp>(&linear.attributes);
    if (attributes == nullptr || has_lifts(*attributes) || read_.rows.size() == 0) return {};
    std::optional<Reordering> best;
    for (const std::size_t shared : {0, 1}) {
      auto found = with_shared_side(shared);
      if (found && (!best || found->saved > best->saved)) best = std::move(found);
    }
    return best;
  }

 private:
  [[nodiscard]] ValueId operand() const { return view_.program().op(segment_).operands[0]; }
  [[nodiscard]] const SegmentOp& attributes() const {
    return std::get<SegmentOp>(view_.program().op(segment_).attributes);
  }
  [[nodiscard]] std::uint32_t segment_count() const {
    return attributes().segments.count(read_.rows.size());
  }
  [[nodiscard]] Factor factor(std::size_t side) const {
    return view_.factor(read_.source, side).at(read_.rows);
  }

  // Calls visit(members) for segments begin .. end-1, their members sorted by group.
  template <class Visit>
  void for_each_segment(const Factor& shared, const Factor& summed, std::uint32_t begin,
                        std::uint32_t end, Visit&& visit) const {
    const SourceRows::View numbers = view_.numbers(shared.source);
    std::vector<Member> members;
    for (std::uint32_t s = begin; s < end; ++s) {
      members.clear();
      for_each_member(attributes().segments, read_.rows.size(), s, [&](std::uint32_t m) {
        const auto place = static_cast<std::uint32_t>(members.size());
        members.push_back({numbers[shared.rows[m]], place, shared.rows[m], summed.rows[m]});
      });
      std::ranges::sort(members, [](const Member& a, const Member& b) {
        return a.group != b.group ? a.group < b.group : a.place < b.place;
      });
      visit(std::span<const Member>(members));
    }
  }

  static std::span<const Member> first_group(std::span<const Member> members) {
    const auto end = std::ranges::find_if(
        members, [&](const Member& m) { return m.group != members.front().group; });
    return members.first(static_cast<std::size_t>(end - members.begin()));
  }

  // Whether members share factors at all; a mean must have one factor in each segment.
  [[nodiscard]] bool is_worth_a_look(const Factor& shared) const {
    const std::uint32_t source_rows = view_.program().op(shared.source).rows;
    if (count_distinct(shared.rows, source_rows) == shared.rows.size()) return false;
    const SourceRows::View numbers = view_.numbers(shared.source);
    const Segments& segments = attributes().segments;
    const std::uint32_t rows = read_.rows.size();
    std::atomic<std::uint64_t> groups{0};
    std::atomic<bool> one_each{true};
    ListThreads::for_ranges(segment_count(), [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint32_t> here;  // factors of one segment
      std::uint64_t groups_of_range = 0;
      bool one_each_here = true;
      for (auto s = static_cast<std::uint32_t>(begin); s < end; ++s) {
        here.clear();
        for_each_member(segments, rows, s,
                        [&](std::uint32_t m) { here.push_back(numbers[shared.rows[m]]); });
        std::ranges::sort(here);
        const auto groups_here = std::unique(here.begin(), here.end()) - here.begin();
        groups_of_range += static_cast<std::uint64_t>(groups_here);
        if (groups_here > 1) one_each_here = false;
      }
      groups.fetch_add(groups_of_range, std::memory_order_relaxed);
      if (!one_each_here) one_each.store(false, std::memory_order_relaxed);
    });
    if (attributes().combination == Combination::Avg && !one_each) return false;
    return groups < read_.rows.size();
  }

  [[nodiscard]] Groups find_groups(const Factor& shared, const Factor& summed) const {
    const SourceRows::View numbers = view_.numbers(summed.source);
    std::vector<Groups> ranges(ListThreads::ranges_of(segment_count()));
    ListThreads::for_numbered_ranges(
        segment_count(), [&](std::size_t range, std::size_t begin, std::size_t end) {
          Groups& own = ranges[range];
          for_each_segment(
              shared, summed, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
              [&](std::span<const Member> members) {
                const std::size_t before = own.sizes.size();
                while (!members.empty()) {
                  const auto group = first_group(members);
                  const auto first = static_cast<std::ptrdiff_t>(own.summed.size());
                  for (const Member& m : group) {
                    own.summed.push_back(m.summed);
                    own.summed_numbers.push_back(numbers[m.summed]);
                  }
                  std::sort(own.summed_numbers.begin() + first, own.summed_numbers.end());
                  own.factor_rows.push_back(group.front().factor);
                  own.sizes.push_back(static_cast<std::uint32_t>(group.size()));
                  members = members.subspan(group.size());
                }
                own.counts.push_back(static_cast<std::uint32_t>(own.sizes.size() - before));
              });
        });
    return Groups::joined(std::move(ranges));
  }

  // By group: the first group of equal members.
  [[nodiscard]] std::vector<std::uint32_t> first_of_equal_sums(
      const Groups& groups, const std::vector<std::uint32_t>& begins) const {
    const auto numbers = [&](std::uint32_t g) {
      return std::span(groups.summed_numbers).subspan(begins[g], groups.sizes[g]);
    };
    const auto hash = [&](std::uint32_t g) {
      std::uint64_t result = 0;
      for (const std::uint32_t number : numbers(g)) result = 3 * result + hash_of_pair(0, number);
      return result * 0x9E3779B97F4A7C15ull;
    };
    return EqualRows::find(static_cast<std::uint32_t>(groups.sizes.size()), hash,
                           [&](std::uint32_t a, std::uint32_t b) {
                             return std::ranges::equal(numbers(a), numbers(b));
                           });
  }

  [[nodiscard]] Factoring build(std::size_t shared_side, const Factor& shared,
                                const Factor& summed) const {
    Factoring made;
    made.shared_side = shared_side;
    Groups groups = find_groups(shared, summed);
    std::vector<std::uint32_t> begins(groups.sizes.size());  // by group: its first member
    std::exclusive_scan(groups.sizes.begin(), groups.sizes.end(), begins.begin(), 0u);
    std::vector<std::uint32_t> sums = first_of_equal_sums(groups, begins);
    const auto group_count = static_cast<std::uint32_t>(sums.size());
    const std::vector<std::uint32_t> firsts =
        entries_where(group_count, [&](std::uint32_t g) { return sums[g] == g; });
    made.sum_lengths = list_of(static_cast<std::uint32_t>(firsts.size()),
                               [&](std::uint32_t sum) { return groups.sizes[firsts[sum]]; });
    std::vector<std::uint32_t> member_begins(firsts.size() + 1);  // by sum
    std::inclusive_scan(made.sum_lengths.begin(), made.sum_lengths.end(),
                        member_begins.begin() + 1);
    made.members.resize(member_begins.back());
    UnsetArray<std::uint32_t> of_first(group_count);  // by group that is the first of its sum
    ListThreads::for_ranges(firsts.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t sum = begin; sum < end; ++sum) {
        of_first[firsts[sum]] = static_cast<std::uint32_t>(sum);
        std::copy_n(groups.summed.begin() + begins[firsts[sum]], groups.sizes[firsts[sum]],
                    made.members.begin() + member_begins[sum]);
      }
    });
    sums = list_of(group_count, [&](std::uint32_t g) { return of_first[sums[g]]; });
    made.group_counts = std::move(groups.counts);
    made.one_group_each = std::ranges::count(made.group_counts, 1u) ==
                          static_cast<std::ptrdiff_t>(made.group_counts.size());
    made.product_of = made.products.number_all(
        {Index::list(std::move(groups.factor_rows)), view_.numbers(shared.source)},
        {Index::list(std::move(sums)), {}});
    return made;
  }

  [[nodiscard]] std::optional<Reordering> with_shared_side(std::size_t shared_side) const {
    const Factor shared = factor(shared_side);
    const Factor summed = factor(1 - shared_side);
    if (!is_worth_a_look(shared)) return {};
    auto made = std::make_shared<Factoring>(build(shared_side, shared, summed));
    const double saved = work_now(summed) - work_then(*made, shared, summed);
    if (saved <= 0) return {};
    return Reordering{"common factors taken out of sums",
                      saved,
                      segment_,
                      {read_.source},
                      [copy = *this, made](Rewriter& rewriter) { copy.apply(rewriter, *made); }};
  }

  [[nodiscard]] double work_now(const Factor& summed) const {
    const Op& linear = view_.program().op(read_.source);
    const std::uint64_t members = read_.rows.size();
    WorkEstimate work(linear.dtype);
    if (operand() != read_.source) work.gather(linear.shape, members);
    work.segment(linear.shape, members, view_.program().op(segment_).rows,
                 attributes().combination);
    // Only the products that no other op needs would go.
    const std::uint64_t only_here = view_.rows_only_read_by(read_.source, segment_);
    if (only_here > 0) {
      work.products(view_.factor(read_.source, 0).shape, view_.factor(read_.source, 1).shape,
                    only_here);
    }
    if (only_here == linear.rows) {
      work.launch();
      work.reads(summed.shape, count_distinct(summed.rows, view_.program().op(summed.source).rows));
    }
    return work.total();
  }

  [[nodiscard]] double work_then(const Factoring& made, const Factor& shared,
                                 const Factor& summed) const {
    const Shape result = view_.program().op(segment_).shape;
    WorkEstimate work(view_.program().dtype());
    if (!view_.is_constant(summed.source)) {
      const std::uint32_t rows = view_.program().op(summed.source).rows;
      if (!is_identity(Index::compact(made.members), rows)) {
        work.gather(summed.shape, made.members.size());
      }
      work.segment(summed.shape, made.members.size(), made.sum_lengths.size(),
                   attributes().combination);
    }
    const bool is_left = made.shared_side == 0;
    work.launch();
    work.products(is_left ? shared.shape : summed.shape, is_left ? summed.shape : shared.shape,
                  made.products.size());
    work.reads(summed.shape, made.sum_lengths.size());
    const std::uint64_t groups = made.product_of.size();
    if (groups != made.products.size()) work.gather(result, groups);
    if (!made.one_group_each) {
      work.segment(result, groups, made.group_counts.size(), Combination::Sum);
    }
    return work.total();
  }

  void apply(Rewriter& rewriter, const Factoring& made) const {
    const Factor shared = factor(made.shared_side);
    const Factor summed = factor(1 - made.shared_side);
    const Note& note = view_.program().op(segment_).note;
    const ValueId members =
        rewriter.gather(rewriter.at(summed.source), Index::compact(made.members), note);
    const ValueId sums =
        rewriter.add(SegmentOp{segments_of_lengths(made.sum_lengths), attributes().combination},
                     {members}, segment_);
    const ValueId factors =
        rewriter.gather(rewriter.at(shared.source), Index::compact(made.products.left()), note);
    const ValueId right = rewriter.gather(sums, Index::compact(made.products.right()), note);
    Operands operands{factors, right};
    if (made.shared_side == 1) std::swap(operands[0], operands[1]);
    const auto& linear = std::get<LinearOp>(view_.program().op(read_.source).attributes);
    const ValueId products = rewriter.add(linear, std::move(operands), read_.source);
    const ValueId groups = rewriter.gather(products, Index::compact(made.product_of), note);
    rewriter.replace(segment_, made.one_group_each
                                   ? groups
                                   : rewriter.add(SegmentOp{segments_of_lengths(made.group_counts),
                                                            Combination::Sum},
                                                  {groups}, segment_));
  }

  const ProductView& view_;
  ValueId segment_;
  GatheredRows read_;
};

}  // namespace

std::optional<Reordering> factor_out_of_sums(const ProductView& view, ValueId segment) {
  const auto& op = std::get<SegmentOp>(view.program().op(segment).attributes);
  if (op.combination != Combination::Sum && op.combination != Combination::Avg) return {};
  return Factorer(view, segment).find();
}

}  // namespace vecc::opt
