// fold-multiplicity: equal members inside one segment become one member and its count.
//
//   %3 = gather %2 [0, 0, 0, 1, 1, 1] : f32[6, 3x1] ; %4 = segment %3 [0, 4, 6] sum
//   =>
//   %3 = gather %2 [0, 1, 1] ; %4 = fact {3, 1, 2} ; %5 = linear %4, %3 : f32[3, 3x1]
//   %6 = segment %5 [0, 2, 3] sum
//
// Equal members are rows that are equal whatever the weights are (row_classes.h: one row read
// twice, or products and sums of equal rows). The first of them stays, in its place.
//   sum        each kept member times its count
//   avg        a sum of the kept members times count / number of members; an empty mean stays 0
//   max, min   no count: the first of equal members wins before the others anyway
// Other functions are left alone.
//
// A member is read, stored in its segment's order and read again: three moves. The count costs a
// kept member of a sum or mean a fourth, so these are folded, all segments of a value or none,
// where at most 3/4 of the members stay; a max or min where more than 1/20 of them go, since
// segments of unequal lengths may come of it.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/distinct_members.h"
#include "optimizer/rewrite/needed_rows.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/row_classes.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

bool can_fold(Combination combination) {
  return combination == Combination::Sum || combination == Combination::Avg || selects(combination);
}

bool pays(Combination combination, std::uint64_t kept, std::uint64_t members) {
  if (selects(combination)) return 20 * kept < 19 * members;
  return 4 * kept <= 3 * members;
}

// What each kept member is multiplied with.
std::vector<double> factors(const DistinctMembers& distinct, Combination combination) {
  std::vector<double> result(distinct.counts.begin(), distinct.counts.end());
  if (combination != Combination::Avg) return result;
  auto begin = result.begin();
  for (const std::uint32_t length : distinct.lengths) {
    const auto end = begin + length;
    const double members = std::accumulate(begin, end, 0.0);
    std::for_each(begin, end, [&](double& factor) { factor /= members; });
    begin = end;
  }
  return result;
}

class MultiplicityFolder {
 public:
  MultiplicityFolder(const Program& program, PassContext& context)
      : program_(program), context_(context), folds_(program.ops().size()) {
    DistinctMemberFinder finder(program, context.row_classes(program));
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      const auto* segment = std::get_if<SegmentOp>(&program.op(id).attributes);
      if (segment != nullptr && can_fold(segment->combination)) consider(*segment, id, finder);
    }
  }

  [[nodiscard]] bool folds_any() const { return folds_any_; }

  [[nodiscard]] Program run() const {
    Rewriter rewriter(program_);
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (folds_[id]) {
        fold(rewriter, id, *folds_[id]);
      } else {
        rewriter.copy(id);
      }
    }
    return rewriter.finish();
  }

 private:
  void consider(const SegmentOp& segment, ValueId id, DistinctMemberFinder& finder) {
    const std::uint64_t members = program_.op(program_.op(id).operands[0]).rows;
    const std::uint64_t kept = finder.count(id);
    context_.count("members", members);
    context_.count("distinct members", kept);
    if (kept == members || !pays(segment.combination, kept, members)) return;
    context_.count("members folded", members - kept);
    folds_[id] = finder.find(id);
    folds_any_ = true;
  }

  void fold(Rewriter& rewriter, ValueId id, const DistinctMembers& distinct) const {
    const Op& op = program_.op(id);
    const Combination combination = std::get<SegmentOp>(op.attributes).combination;
    const Segments segments = segments_of_lengths(distinct.lengths);
    const ValueId operand = op.operands[0];
    const ValueId members = rewriter.gather(rewriter.at(operand), Index::compact(distinct.rows),
                                            program_.op(operand).note);
    if (selects(combination)) {
      rewriter.replace(id, rewriter.add(SegmentOp{segments, combination}, {members}, id));
      return;
    }
    const auto rows = static_cast<std::uint32_t>(distinct.rows.size());
    const ValueId counts =
        rewriter.to().fact(factors(distinct, combination), rows, Shape::scalar(), op.note);
    const ValueId scaled = rewriter.add(LinearOp{}, {counts, members}, id);
    rewriter.replace(id, rewriter.add(SegmentOp{segments, Combination::Sum}, {scaled}, id));
  }

  const Program& program_;
  PassContext& context_;
  std::vector<std::optional<DistinctMembers>> folds_;  // by value
  bool folds_any_ = false;
};

}  // namespace

bool fold_multiplicity(Program& program, PassContext& context) {
  if (!SourceRows::fits(program)) return false;
  const MultiplicityFolder folder(program, context);
  if (!folder.folds_any()) return false;
  program = folder.run();
  drop_unread_rows(program);
  return true;
}

}  // namespace vecc::opt
