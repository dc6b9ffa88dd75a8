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
// it; by anything where the outer sum only takes the members of sums that go in their rows' place,
// since each of these rows is then a write and a read less and nothing else changes. Few distinct
// rows make it so, as iso-compress leaves them; on a graph of a million nodes terms only multiply,
// and writing them ends once those so far are more work than may remain.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <numeric>
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
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

// Rows of values of the new Program, all of one shape, as one value: a gather, of a concat if they
// are of several. Piece p lists row_at(p, i), i = 0 .. sizes[p]-1; there is at least one row.
template <class RowAt>
ValueId read_rows(Rewriter& rewriter, const std::vector<std::size_t>& sizes, const RowAt& row_at,
                  const Note& note) {
  std::vector<std::size_t> begins(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), std::size_t{0});
  std::vector<std::vector<ValueId>> met(sizes.size());  // by piece: its values, as they first come
  ListThreads::for_pieces(sizes.size(), [&](std::size_t p) {
    boost::unordered_flat_set<ValueId> seen;
    for (std::size_t i = 0; i < sizes[p]; ++i) {
      const ValueId value = row_at(p, i).value;
      const bool again = !met[p].empty() && met[p].back() == value;
      if (!again && seen.insert(value).second) met[p].push_back(value);
    }
  });
  std::vector<ValueId> parts;
  boost::unordered_flat_map<ValueId, std::uint32_t> first;  // by value, in the concat
  std::uint32_t rows = 0;
  for (const std::vector<ValueId>& values : met) {
    for (const ValueId value : values) {
      if (!first.try_emplace(value, rows).second) continue;
      rows += rewriter.to().op(value).rows;
      parts.push_back(value);
    }
  }
  VECC_CHECK(!parts.empty(), "a list of no rows");
  std::vector<std::uint32_t> list(begins.back() + sizes.back());
  ListThreads::for_pieces(sizes.size(), [&](std::size_t p) {
    for (std::size_t i = 0; i < sizes[p]; ++i) {
      const auto [value, row] = row_at(p, i);
      list[begins[p] + i] = first.find(value)->second + row;
    }
  });
  return rewriter.gather(rewriter.to().concat(parts, note), Index::compact(std::move(list)), note);
}

std::vector<double> factors_of(const TermRows& rows) {
  std::vector<double> factors(rows.term_count());
  std::vector<std::size_t> begins{0};
  for (const TermList& list : rows.lists) begins.push_back(begins.back() + list.size());
  ListThreads::for_pieces(rows.lists.size(), [&](std::size_t k) {
    std::ranges::transform(rows.lists[k], factors.begin() + static_cast<std::ptrdiff_t>(begins[k]),
                           &Term::factor);
  });
  return factors;
}

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
    double most_saved = 0;
    const auto least_saved = [&](bool is_flat) {
      return is_flat ? most_saved : std::max(most_saved, kLeastSaved * all_work);
    };
    const auto pays = [&](const TermCounts& counts) {
      return may_pay(root, counts, all_work - least_saved(has_plain_terms(counts)));
    };
    std::vector<ValueId> gone;
    for (const bool through_products : {false, true}) {
      if (!terms_.is_nested(root, through_products)) continue;
      std::optional<TermRows> rows = terms_.write_out(root, reached, through_products, pays);
      if (!rows || rows->term_count() == 0) break;  // through products there are no fewer
      const bool is_all = !rows->leaves_products;
      std::vector<ValueId> unread = unread_without(root, rows->opened);
      const double saved = work_of(root, unread) - work_of(root, *rows);
      if (saved > least_saved(only_flattens(root, *rows, unread))) {
        most_saved = saved;
        gone = std::move(unread);
        collapsed_[root] = std::move(rows);
      }
      if (is_all) break;
    }
    for (const ValueId id : gone) gone_[id] = true;
  }

  [[nodiscard]] static bool has_plain_terms(const TermCounts& counts) {
    return !counts.has_factors && counts.products.empty();
  }

  // Whether members of sums, all of which go, stand in the place of these sums' rows, with nothing
  // new to multiply: each row that goes is a read less (and a write), and equal terms stay as many.
  [[nodiscard]] bool only_flattens(ValueId root, const TermRows& rows,
                                   const std::vector<ValueId>& unread) const {
    if (!has_plain_terms(rows.counts()) || unread.size() != rows.opened.size()) return false;
    std::uint64_t members = program_.op(program_.op(root).operands[0]).rows;
    std::uint64_t sums = 0;
    for (const ValueId id : unread) {
      const Op& op = program_.op(id);
      if (op.kind() != OpKind::Segment) return false;
      members += program_.op(op.operands[0]).rows;
      sums += op.rows;
    }
    return rows.term_count() + sums <= members;
  }

  // Whether all terms may be less work than `most`, by those of the first rows. Rows differ: it
  // takes some of them, and twice the work, to say no.
  [[nodiscard]] bool may_pay(ValueId root, const TermCounts& counts, double most) const {
    constexpr double kLeastShare = 1.0 / 32;
    const double share =
        static_cast<double>(counts.rows) / static_cast<double>(program_.op(root).rows);
    const double of_rows = least_work_of(root, {});  // whatever their terms are
    const double of_terms = least_work_of(root, counts) - of_rows;
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
  void add_terms(WorkEstimate& work, ValueId root, const TermCounts& counts) const {
    const Op& op = program_.op(root);
    for (const auto& [id, products] : counts.products) {
      const Op& linear = program_.op(id);
      work.products(side_shape(linear, 0), side_shape(linear, 1), products);
    }
    if (counts.has_factors) work.products(Shape::scalar(), op.shape, counts.terms);
    work.segment(op.shape, counts.terms, op.rows, Combination::Sum);
  }
  [[nodiscard]] double least_work_of(ValueId root, const TermCounts& counts) const {
    WorkEstimate work(program_.dtype());
    add_terms(work, root, counts);
    return work.total();
  }

  [[nodiscard]] double work_of(ValueId root, const TermRows& rows) const {
    WorkEstimate work(program_.dtype());
    add_terms(work, root, rows.counts());
    for (const ProductTable& table : rows.products) {
      const Op& linear = program_.op(table.linear);
      work.launch();
      add_reads(work, linear.operands[0], table.left);
      add_reads(work, linear.operands[1], table.right);
    }
    if (rows.has_factors) work.launch();
    return work.total();
  }

  // Where a source row is in the new Program.
  [[nodiscard]] SourceRows::Source place_of(const Rewriter& rewriter, std::uint32_t number) const {
    const auto [value, row] = sources_.source(number);
    return {rewriter.at(value), row};
  }
  // The rows of the Program that `numbers` are.
  ValueId read(Rewriter& rewriter, const std::vector<std::uint32_t>& numbers,
               const Note& note) const {
    const std::size_t pieces = ListThreads::ranges_of(numbers.size());
    const auto begin_of = [&](std::size_t p) { return numbers.size() * p / pieces; };
    std::vector<std::size_t> sizes;
    for (std::size_t p = 0; p < pieces; ++p) sizes.push_back(begin_of(p + 1) - begin_of(p));
    const auto row_at = [&](std::size_t p, std::size_t i) {
      return place_of(rewriter, numbers[begin_of(p) + i]);
    };
    return read_rows(rewriter, sizes, row_at, note);
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
    std::vector<std::size_t> sizes;
    for (const TermList& list : rows.lists) sizes.push_back(list.size());
    const Op& op = program_.op(root);
    ValueId members = read_rows(
        rewriter, sizes,
        [&](std::size_t p, std::size_t i) {
          const Term& term = rows.lists[p][i];
          return term.table > 0 ? SourceRows::Source{tables[term.table - 1], term.row}
                                : place_of(rewriter, term.row);
        },
        program_.op(op.operands[0]).note);
    if (rows.has_factors) {
      std::vector<double> factors = factors_of(rows);
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
