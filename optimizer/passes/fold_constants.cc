// fold-constants: rows that no learnable weight and no state reaches are computed at compile time.
//
// A row is *constant* if it is a row of a fact, a count, or made by a linear, segment, transform or
// map of constant rows only. Constant rows that something else reads (a row with weights, an
// output) become a fact, in which equal ones stand once; whatever only they needed goes:
//
//   %0 = fact {1, 2} : f32[2, 1] ; %1 = transform %0 square : f32[2, 1]
//   %2 = gather %1 [0, 1, 0] : f32[3, 1] ; %3 = segment %2 [0, 2, 3] sum : f32[2, 1]
//   %4 = linear %w, %3 : f32[2, 1]
//   =>
//   %0 = fact {5, 1} : f32[2, 1] ; %1 = linear %w, %0 : f32[2, 1]
//
// Gathers and concats are looked through, row by row. A value of which only some rows are constant
// keeps the others, and is joined with the fact by a concat. Left as they are: values with more
// rows that are not constant than needed ones that are (that concat would cost more than it saves),
// values of which the fact would be large (fold_plan.h has the numbers), contract. Then, a product
// by one-hot facts is a column of the other side (one_hot.h).
//
// Constants are evaluated in double: an F32 Program gets them rounded once, at the end.
#include <optional>
#include <utility>
#include <vector>

#include "optimizer/passes/evaluate_rows.h"
#include "optimizer/passes/fold_plan.h"
#include "optimizer/passes/one_hot.h"
#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/row_map.h"

namespace vecc::opt {
namespace {

// Replaces values by facts and leaves out rows, as a plan says.
class ConstantFolder {
 public:
  ConstantFolder(const Program& program, PassContext& context)
      : program_(program), context_(context), sources_(program), rewriter_(program) {}

  // None: nothing folds.
  std::optional<Program> run() {
    plan_ = plan_folds(program_, sources_);
    if (plan_.folds == 0) return {};
    folded_ = evaluate_folds(program_, sources_, plan_);
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      switch (plan_.decisions[id]) {
        case FoldDecision::Keep: rewriter_.copy(id); break;
        case FoldDecision::DropRows: drop_rows(id); break;
        case FoldDecision::Fold: fold(id); break;
      }
    }
    maps_.resize(rewriter_.to().ops().size());
    return rebuild_rows(rewriter_.to(), maps_);
  }

 private:
  // Rows of a value that are computed still.
  std::vector<std::uint32_t> computed_rows(ValueId id) const {
    const SourceRows::View numbers = sources_.of(id);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < program_.op(id).rows; ++row) {
      if (!plan_.constant[numbers[row]]) rows.push_back(row);
    }
    return rows;
  }

  // The value itself, of which only `rows` will be computed.
  ValueId copy_rows(ValueId id, std::vector<std::uint32_t> rows) {
    const ValueId now = rewriter_.copy(id);
    RowMap map;
    map.identity = false;
    map.place.resize(program_.op(id).rows, kNoRow);
    for (std::uint32_t i = 0; i < rows.size(); ++i) map.place[rows[i]] = i;
    map.kept = std::move(rows);
    maps_.resize(now + std::size_t{1});
    maps_.set(now, std::move(map));
    return now;
  }

  // A value whose constant rows are not read. If that is all of them, a concat may still
  // hold them: rows of zeros take their places there.
  void drop_rows(ValueId id) {
    const Op& op = program_.op(id);
    std::vector<std::uint32_t> rows = computed_rows(id);
    if (!rows.empty()) {
      copy_rows(id, std::move(rows));
      return;
    }
    const ValueId zero =
        rewriter_.to().fact(std::vector<double>(op.shape.size()), 1, op.shape, op.note);
    rewriter_.replace(id, rewriter_.to().gather(zero, Index::repeat(1, op.rows), op.note));
  }

  void fold(ValueId id) {
    const Op& op = program_.op(id);
    FoldedRows& folded = folded_[id];
    std::vector<std::uint32_t> computed = computed_rows(id);
    std::vector<ValueId> parts;
    std::vector<std::uint32_t> place(op.rows);  // rows that are not needed read the first
    std::uint32_t first = 0;                    // row of the fact in the concat of both
    if (!computed.empty()) {
      for (const std::uint32_t row : computed) place[row] = row;
      first = op.rows;
      parts.push_back(copy_rows(id, std::move(computed)));
    }
    for (std::uint32_t row = 0; row < op.rows; ++row) {
      if (folded.place[row] != kNoRow) place[row] = first + folded.place[row];
    }
    parts.push_back(rewriter_.to().fact(std::move(folded.values), folded.rows, op.shape, op.note));
    const ValueId joined = rewriter_.to().concat(parts, op.note);
    rewriter_.replace(id, rewriter_.to().gather(joined, Index::compact(std::move(place)), op.note));
    context_.count(parts.size() == 1 ? "values folded" : "values folded in part", 1);
    context_.count("rows of facts made", folded.rows);
  }

  const Program& program_;
  PassContext& context_;
  SourceRows sources_;
  Rewriter rewriter_;
  FoldPlan plan_;
  std::vector<FoldedRows> folded_;
  RowMaps maps_;  // of the new Program
};

}  // namespace

bool fold_constants(Program& program, PassContext& context) {
  if (!SourceRows::fits(program)) return false;
  std::optional<Program> folded = ConstantFolder(program, context).run();
  if (folded) program = std::move(*folded);
  const std::uint64_t products = slice_one_hot_products(program);
  context.count("products by one-hot rows dropped", products);
  return folded || products > 0;
}

}  // namespace vecc::opt
