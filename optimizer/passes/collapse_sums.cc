// collapse-sums: a sum of sums is one sum, through constant factors, means and products.
//
//   %1 = gather %0 [0, 1, 1, 2] ; %2 = segment %1 [fixed 2 dim 2] sum : f32[2, 2x1]
//   %3 = gather %2 [0, 1, 1] ; %4 = segment %3 [0, 3] avg : f32[1, 2x1]
//   =>
//   %1 = fact {1/3, 1, 2/3} ; %2 = linear %1, %0 : f32[3, 2x1]
//   %3 = segment %2 [0, 3] sum : f32[1, 2x1]
//
// Layers without a function between them are such sums: a mean over the nodes of a graph of sums
// over their neighbours. As matrices, A (B x) is (A B) x. A product in between, A (W (B x)), is
// (A B) (W x): equal products of x's rows once.
//
// All terms of a row of the outer sum are written out, equal ones become one with a factor
// (sum_terms.h). Done where that, with the products that it needs, is less counted work
// (reorder_linear_work.h), by a tenth, than the outer sum and all that has no other reader below
// it. Few distinct rows make it so, as iso-compress leaves them; on a graph of a million nodes
// terms only multiply, and writing them ends once those so far are more work than may remain.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "optimizer/passes/passes.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "optimizer/passes/sum_terms.h"
#include "optimizer/rewrite/needed_rows.h"
#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

// A list of rows of several values, read as one value: a gather, of a concat if there are several.
class RowList {
 public:
  explicit RowList(Rewriter& rewriter) : rewriter_(rewriter) {}

  // Row `row` of `value`, a value of the new Program. All have one shape.
  void add(ValueId value, std::uint32_t row) {
    const auto [first, is_new] = first_rows_.try_emplace(value, next_row_);
    if (is_new) {
      values_.push_back(value);
      next_row_ += rewriter_.to().op(value).rows;
    }
    rows_.push_back(first->second + row);
  }

  // The rows in the order in which they were added, at least one.
  ValueId read(const Note& note) {
    VECC_CHECK(!rows_.empty(), "a list of no rows");
    ValueId from = values_[0];
    if (values_.size() > 1) {
      const auto all = rewriter_.to().add(ConcatOp{}, std::move(values_), note);
      VECC_CHECK(all.has_value(), all ? "" : all.error().text());
      from = *all;
    }
    return rewriter_.gather(from, Index::compact(std::move(rows_)), note);
  }

 private:
  Rewriter& rewriter_;
  Operands values_;
  boost::unordered_flat_map<ValueId, std::uint32_t> first_rows_;  // by value, in the concat
  std::uint32_t next_row_ = 0;
  std::vector<std::uint32_t> rows_;
};

class Collapser {
 public:
  explicit Collapser(const Program& program)
      : program_(program),
        sources_(program),
        readers_(program),
        constant_(find_constants(program)),
        terms_(program, sources_, constant_),
        collapsed_(program.ops().size()),
        gone_(program.ops().size()) {
    for (auto id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
      if (!gone_[id] && !constant_[id] && program.op(id).kind() == OpKind::Segment) consider(id);
    }
  }

  [[nodiscard]] std::uint64_t collapsed() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        collapsed_, [](const std::optional<TermRows>& rows) { return rows.has_value(); }));
  }

  [[nodiscard]] Program run() const {
    Rewriter rewriter(program_);
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (collapsed_[id]) {
        rewriter.replace(id, write(rewriter, id, *collapsed_[id]));
      } else {
        rewriter.copy(id);
      }
    }
    return rewriter.finish();
  }

 private:
  // Of the work that could go. The count knows nothing of what all terms have to be kept for: of
  // GIN on DD, 5 layers of 64, it promises 7 %, and a GPU then takes 24 % longer.
  static constexpr double kLeastSaved = 0.1;

  void consider(ValueId root) {
    if (!terms_.is_nested(root, /*through_products=*/true)) return;
    const std::vector<ValueId> reached = terms_.reach(root);
    const double all_work = work_of(root, reached);
    double most_saved = kLeastSaved * all_work;
    const auto pays = [&](const TermRows& rows) {
      return may_pay(root, rows, all_work - most_saved);
    };
    std::vector<ValueId> gone;
    for (const bool through_products : {false, true}) {
      if (!terms_.is_nested(root, through_products)) continue;
      std::optional<TermRows> rows = terms_.write_out(root, reached, through_products, pays);
      if (!rows || rows->terms.empty()) break;  // through products there are no fewer
      const bool is_all = !rows->leaves_products;
      std::vector<ValueId> unread = unread_without(root, rows->opened);
      const double saved = work_of(root, unread) - work_of(root, *rows);
      if (saved > most_saved) {
        most_saved = saved;
        gone = std::move(unread);
        collapsed_[root] = std::move(rows);
      }
      if (is_all) break;
    }
    for (const ValueId id : gone) gone_[id] = true;
  }

  // Whether all terms may be less work than `most`, by those of the first rows. Rows differ: it
  // takes some of them, and twice the work, to say no.
  [[nodiscard]] bool may_pay(ValueId root, const TermRows& rows, double most) const {
    constexpr double kLeastShare = 1.0 / 32;
    const double share =
        static_cast<double>(rows.lengths.size()) / static_cast<double>(program_.op(root).rows);
    const double of_rows = least_work_of(root, {});  // whatever their terms are
    const double of_terms = least_work_of(root, rows) - of_rows;
    return of_rows + of_terms < most &&
           (share < kLeastShare || of_rows + of_terms / share < 2 * most);
  }

  // Of `opened`, from the last to the first, what is not read once `root` does not.
  [[nodiscard]] std::vector<ValueId> unread_without(ValueId root,
                                                    const std::vector<ValueId>& opened) const {
    std::vector<ValueId> unread;
    for (const ValueId id : opened) {
      if (only_read_by(id, root, unread)) unread.push_back(id);
    }
    return unread;
  }
  [[nodiscard]] bool only_read_by(ValueId value, ValueId root,
                                  const std::vector<ValueId>& unread) const {
    return std::ranges::all_of(readers_.of(value), [&](ValueId reader) {
      const OpKind kind = program_.op(reader).kind();
      if (kind == OpKind::Gather || kind == OpKind::Concat) {
        return only_read_by(reader, root, unread);
      }
      return reader == root || std::ranges::find(unread, reader) != unread.end();
    });
  }

  [[nodiscard]] Shape side_shape(const Op& op, std::size_t k) const {
    const auto& linear = std::get<LinearOp>(op.attributes);
    const Shape shape = program_.op(op.operands[k]).shape;
    return (k == 0 ? linear.transpose_left : linear.transpose_right) ? shape.transposed() : shape;
  }

  // The work of the sum and of other sums and products as they are.
  [[nodiscard]] double work_of(ValueId root, const std::vector<ValueId>& others) const {
    WorkEstimate work(program_.dtype());
    add_work(work, root);
    for (const ValueId id : others) add_work(work, id);
    return work.total();
  }
  void add_work(WorkEstimate& work, ValueId id) const {
    const Op& op = program_.op(id);
    if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) {
      const std::uint32_t members = program_.op(op.operands[0]).rows;
      return work.segment(op.shape, members, op.rows, segment->combination);
    }
    work.launch();
    work.products(side_shape(op, 0), side_shape(op, 1), op.rows);
    for (const std::size_t k : {0, 1}) {
      const SourceRows::View rows = sources_.of(op.operands[k]);
      std::vector<std::uint32_t> numbers(program_.op(op.operands[k]).rows);
      for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = rows[i];
      add_reads(work, op.operands[k], std::move(numbers));
    }
  }

  // Reading these source rows, shaped as the operand's, each once.
  void add_reads(WorkEstimate& work, ValueId operand, std::vector<std::uint32_t> numbers) const {
    work.reads(program_.op(operand).shape,
               count_distinct(Index::list(std::move(numbers)), sources_.size()));
  }

  // Of terms, without starting and reading: it only grows with them.
  void add_terms(WorkEstimate& work, ValueId root, const TermRows& rows) const {
    const Op& op = program_.op(root);
    for (const ProductTable& table : rows.products) {
      const Op& linear = program_.op(table.linear);
      work.products(side_shape(linear, 0), side_shape(linear, 1), table.left.size());
    }
    if (rows.has_factors) work.products(Shape::scalar(), op.shape, rows.terms.size());
    work.segment(op.shape, rows.terms.size(), op.rows, Combination::Sum);
  }
  [[nodiscard]] double least_work_of(ValueId root, const TermRows& rows) const {
    WorkEstimate work(program_.dtype());
    add_terms(work, root, rows);
    return work.total();
  }

  [[nodiscard]] double work_of(ValueId root, const TermRows& rows) const {
    WorkEstimate work(program_.dtype());
    add_terms(work, root, rows);
    for (const ProductTable& table : rows.products) {
      const Op& linear = program_.op(table.linear);
      work.launch();
      add_reads(work, linear.operands[0], table.left);
      add_reads(work, linear.operands[1], table.right);
    }
    if (rows.has_factors) work.launch();
    return work.total();
  }

  // The rows of the Program that `numbers` are.
  ValueId read(Rewriter& rewriter, const std::vector<std::uint32_t>& numbers,
               const Note& note) const {
    RowList rows(rewriter);
    for (const std::uint32_t number : numbers) add_row(rows, rewriter, number);
    return rows.read(note);
  }
  void add_row(RowList& rows, const Rewriter& rewriter, std::uint32_t number) const {
    const auto [value, row] = sources_.source(number);
    rows.add(rewriter.at(value), row);
  }

  ValueId write_products(Rewriter& rewriter, const ProductTable& table) const {
    const Op& op = program_.op(table.linear);
    LinearOp linear = std::get<LinearOp>(op.attributes);
    linear.lift_left = linear.lift_right = {};
    const ValueId left = read(rewriter, table.left, program_.op(op.operands[0]).note);
    const ValueId right = read(rewriter, table.right, program_.op(op.operands[1]).note);
    return rewriter.add(linear, {left, right}, table.linear);
  }

  // The sum `root` as one sum of all its terms.
  ValueId write(Rewriter& rewriter, ValueId root, const TermRows& rows) const {
    std::vector<ValueId> tables;
    for (const ProductTable& table : rows.products) {
      tables.push_back(write_products(rewriter, table));
    }
    RowList list(rewriter);
    std::vector<double> factors;
    factors.reserve(rows.terms.size());
    for (const Term& term : rows.terms) {
      factors.push_back(term.factor);
      if (term.table > 0) {
        list.add(tables[term.table - 1], term.row);
      } else {
        add_row(list, rewriter, term.row);
      }
    }
    const Op& op = program_.op(root);
    ValueId members = list.read(program_.op(op.operands[0]).note);
    if (rows.has_factors) {
      const auto count = static_cast<std::uint32_t>(factors.size());
      const ValueId fact = rewriter.to().fact(std::move(factors), count, Shape::scalar(), op.note);
      members = rewriter.add(LinearOp{}, {fact, members}, root);
    }
    const SegmentOp sum{segments_of_lengths(rows.lengths), Combination::Sum};
    return rewriter.add(sum, {members}, root);
  }

  const Program& program_;
  SourceRows sources_;
  Readers readers_;
  std::vector<bool> constant_;
  SumTerms terms_;
  std::vector<std::optional<TermRows>> collapsed_;  // by value: sums that are written out
  std::vector<bool> gone_;                          // by value: is not there any more
};

}  // namespace

bool collapse_sums(Program& program, PassContext& context) {
  const auto is_segment = [](const Op& op) { return op.kind() == OpKind::Segment; };
  if (std::ranges::none_of(program.ops(), is_segment) || !SourceRows::fits(program)) return false;
  const Collapser collapser(program);
  context.count("sums collapsed", collapser.collapsed());
  if (collapser.collapsed() == 0) return false;
  program = collapser.run();
  drop_unread_rows(program);
  return true;
}

}  // namespace vecc::opt
