// split-concat-gathers: an order-free segment (sum, avg, elproduct) whose members are gathered from
// a concat becomes a segment a source, of that source's members only (a *partial segment*), and one
// row-wise combination of the partials. The members of every segment are put in order by source for
// it. A partial without a member is the neutral element; one of a single member a segment is the
// member itself; avg sums the partials and divides by the number of all members.
// max and min select the first of equal members: they are split only where every segment has
// members of all sources, already in the same order by source, and members keep their order.
//
//   %4 = concat %1, %2 : f32[16, 3x1]             # of 8 rows each; not read elsewhere
//   %5 = gather %4 [0, 9, 1, 8] : f32[4, 3x1]
//   %6 = segment %5 [0, 2, 4] sum : f32[2, 3x1]
//   =>
//   %4 = gather %1 [0:2] : f32[2, 3x1]
//   %5 = gather %2 [1, 0] : f32[2, 3x1]
//   %6 = map sum($0, $1) %4, %5 : f32[2, 3x1]
//
// When: at most 8 sources, and the pieces cost less than what they replace. Cost is the number of
// elements that are stored to be read again, and 4096 for every op that stores any (about what a
// launch takes on a CPU): of a gather its rows (none if it is a slice or stride), of a concat and
// of the gathers that only it reads its rows, if all of its readers are split; of a partial its
// segments. Copying the members of all sources into one concat again and reducing that would never
// cost less than the partials.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>

#include "optimizer/passes/passes.h"
#include "optimizer/passes/split_members.h"
#include "optimizer/rewrite/expr_nodes.h"
#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"

namespace vecc::opt {
namespace {

constexpr std::size_t kMostSources = 8;
constexpr std::uint64_t kOpCost = 4096;

// What pieces make is joined by a map, which has no elmax and elmin.
bool is_splittable(Combination combination) {
  return info(combination).segment == CombinationSegment::Reduction &&
         !selects_entries(combination);
}

// A segment over a concat, and what would replace it.
struct Split {
  ConcatSegment read;
  std::vector<SegmentPiece> pieces;
  std::vector<std::uint32_t> lengths;  // of avg's segments
  std::uint64_t before = 0;            // cost, without the concat
  std::uint64_t after = 0;
  bool chosen = false;
};

class SplitFinder {
 public:
  explicit SplitFinder(const Program& program)
      : program_(program), readers_(program), parts_(program), doubtful_(program) {}

  /// The splits that pay, in order of their segments.
  std::vector<Split> find() {
    for (ValueId id = 0; id < program_.ops().size(); ++id) consider(id);
    for (const auto& of_concat : by_concat_) choose(of_concat);
    std::erase_if(splits_, [](const Split& split) { return !split.chosen; });
    return std::move(splits_);
  }

 private:
  // The concat that a segment reads, alone if through a gather.
  [[nodiscard]] std::optional<ConcatSegment> concat_segment(ValueId id) const {
    const ValueId operand = program_.op(id).operands[0];
    if (program_.op(operand).kind() == OpKind::Concat) return ConcatSegment{id, operand, nullptr};
    const auto* gather = std::get_if<GatherOp>(&program_.op(operand).attributes);
    if (gather == nullptr || readers_.only(operand) != id) return std::nullopt;
    const ValueId concat = program_.op(operand).operands[0];
    if (program_.op(concat).kind() != OpKind::Concat) return std::nullopt;
    return ConcatSegment{id, concat, &gather->index};
  }

  void consider(ValueId id) {
    const Op& op = program_.op(id);
    const auto* segment = std::get_if<SegmentOp>(&op.attributes);
    if (segment == nullptr || !is_splittable(segment->combination)) return;
    const auto read = concat_segment(id);
    if (!read) return;
    const bool ordered = selects(segment->combination);
    if (ordered && doubtful_[op.operands[0]]) return;  // a NaN hides what stands behind it
    auto members = members_by_source(program_, *read, parts_, kMostSources, ordered);
    if (!members) return;
    Split split{*read, {}, {}, 0, 0, false};
    if (segment->combination == Combination::Avg) add_lengths(*members, split);
    const std::uint32_t dimension =
        segment->segments.is_fixed() ? segment->segments.dimension() : 2;
    for (SourceMembers& source : *members) {
      const ValueId value = program_.op(read->concat).operands[source.operand];
      split.pieces.push_back(make_piece(program_, value, std::move(source), dimension, !ordered));
    }
    set_costs(split);
    const auto [entry, is_new] = concat_number_.try_emplace(read->concat, by_concat_.size());
    if (is_new) by_concat_.emplace_back();
    by_concat_[entry->second].push_back(splits_.size());
    splits_.push_back(std::move(split));
  }

  static void add_lengths(const std::vector<SourceMembers>& members, Split& split) {
    split.lengths.resize(members.front().lengths.size());
    for (const SourceMembers& source : members) {
      for (std::size_t s = 0; s < split.lengths.size(); ++s) split.lengths[s] += source.lengths[s];
    }
  }

  void set_costs(Split& split) const {
    const std::uint64_t size = program_.op(split.read.concat).shape.size();
    if (split.read.gather) split.before = gather_cost(split.read.concat, *split.read.gather);
    for (const SegmentPiece& piece : split.pieces) {
      split.after += gather_cost(piece.source, piece.rows);
      if (piece.segments) split.after += piece.segment_count * size + kOpCost;
    }
  }

  [[nodiscard]] std::uint64_t gather_cost(ValueId source, const Index& rows) const {
    if (is_view(read_through(program_, source, rows).rows)) return 0;
    return rows.size() * program_.op(source).shape.size() + kOpCost;
  }

  // What goes with a concat that nothing reads any more.
  [[nodiscard]] std::uint64_t concat_cost(ValueId concat) const {
    const Op& op = program_.op(concat);
    std::uint64_t cost = op.size() + kOpCost;
    for (const ValueId operand : op.operands) {
      const auto* gather = std::get_if<GatherOp>(&program_.op(operand).attributes);
      if (gather != nullptr && readers_.only(operand) == concat) {
        cost += gather_cost(program_.op(operand).operands[0], gather->index);
      }
    }
    return cost;
  }

  // All splits of one concat, if they pay together without it; else those that pay alone.
  void choose(const std::vector<std::size_t>& of_concat) {
    const ValueId concat = splits_[of_concat.front()].read.concat;
    if (readers_.of(concat).size() == of_concat.size()) {
      std::uint64_t before = concat_cost(concat);
      std::uint64_t after = 0;
      for (const std::size_t k : of_concat) {
        before += splits_[k].before;
        after += splits_[k].after;
      }
      if (after < before) {
        for (const std::size_t k : of_concat) splits_[k].chosen = true;
        return;
      }
    }
    for (const std::size_t k : of_concat) splits_[k].chosen = splits_[k].after < splits_[k].before;
  }

  const Program& program_;
  Readers readers_;
  ConcatParts parts_;
  DoubtfulValues doubtful_;
  std::vector<Split> splits_;
  boost::unordered_flat_map<ValueId, std::size_t> concat_number_;  // only looked up
  std::vector<std::vector<std::size_t>> by_concat_;                // numbers of splits
};

// Writes one split into the new Program.
class SplitWriter {
 public:
  SplitWriter(Rewriter& rewriter, const Split& split)
      : rewriter_(rewriter),
        split_(split),
        op_(rewriter.from().op(split.read.segment)),
        combination_(std::get<SegmentOp>(op_.attributes).combination) {}

  ValueId write() {
    const bool is_avg = combination_ == Combination::Avg;
    const bool all_single = std::ranges::all_of(
        split_.pieces, [](const SegmentPiece& piece) { return !piece.segments.has_value(); });
    const auto count = static_cast<std::uint32_t>(split_.pieces.size());
    const Combination inner = is_avg && !all_single ? Combination::Sum : combination_;
    std::vector<ValueId> operands;
    Expr expr;
    for (const SegmentPiece& piece : split_.pieces) {
      expr.nodes.push_back(input_node(static_cast<std::uint32_t>(operands.size())));
      operands.push_back(partial(piece, inner));
    }
    expr.nodes.push_back(combine_node(inner, count));
    if (is_avg && !all_single) divide(expr, operands);
    return rewriter_.to().map(std::move(expr), operands, op_.note);
  }

 private:
  ValueId partial(const SegmentPiece& piece, Combination combination) {
    const ValueId members = rewriter_.gather(rewriter_.at(piece.source), piece.rows, op_.note);
    if (!piece.segments) return members;
    return rewriter_.to().segment(members, *piece.segments, combination, op_.note);
  }

  // The sum of all members by their number; of none it is 0 whatever it is divided by.
  void divide(Expr& expr, std::vector<ValueId>& operands) {
    const auto& lengths = split_.lengths;
    if (std::ranges::adjacent_find(lengths, std::ranges::not_equal_to()) == lengths.end()) {
      expr.nodes.push_back(constant_node(1.0 / lengths.front()));
    } else {
      std::vector<double> factors;
      factors.reserve(lengths.size());
      for (const std::uint32_t n : lengths) factors.push_back(n == 0 ? 1.0 : 1.0 / n);
      expr.nodes.push_back(input_node(static_cast<std::uint32_t>(operands.size())));
      operands.push_back(
          rewriter_.to().fact(std::move(factors), op_.rows, Shape::scalar(), op_.note));
    }
    expr.nodes.push_back(combine_node(Combination::ElProduct, 2));
  }

  Rewriter& rewriter_;
  const Split& split_;
  const Op& op_;
  Combination combination_;
};

bool split_once(Program& program, PassContext& context) {
  const std::vector<Split> splits = SplitFinder(program).find();
  if (splits.empty()) return false;
  Rewriter rewriter(program);
  auto next = splits.begin();
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (next == splits.end() || next->read.segment != id) {
      rewriter.copy(id);
      continue;
    }
    rewriter.replace(id, SplitWriter(rewriter, *next).write());
    context.count("partial segments", next->pieces.size());
    ++next;
  }
  context.count("segments split", splits.size());
  program = rewriter.finish();
  return true;
}

}  // namespace

bool split_concat_gathers(Program& program, PassContext& context) {
  bool changed = false;
  // A piece of a nested concat can be split again.
  while (split_once(program, context)) changed = true;
  return changed;
}

}  // namespace vecc::opt
