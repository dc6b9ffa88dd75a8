// Values that are added up to a value: what rules of reorder-linear carry products through.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "optimizer/passes/reorder_linear_view.h"
#include "optimizer/rewrite/readers.h"

namespace vecc::opt {

enum class AddendKind : std::uint8_t {
  Rest,      ///< any other
  Sum,       ///< map that adds up values of its own shape
  Members,   ///< segment sum or mean
  Gathered,  ///< gather
  Scaled,    ///< linear of a scalar and operand `carried`
  Product,   ///< linear of one matrix, the left operand, and several rows
};

struct Addend {
  AddendKind kind = AddendKind::Rest;
  std::size_t carried = 0;
  bool all = false;  ///< all rows are made, and gathered where they are read; else those of `rows`
  Index rows;
};

/// By value, readers behind what they read.
using Addends = std::map<ValueId, Addend>;

class AddendTree {
 public:
  /// More values than this below one are left alone, so that a round is linear in the Program.
  static constexpr std::size_t kMost = 32;

  /// `row_by_row`: all values but those that are read twice, members and single rows are made in
  /// the rows of `top`, each for one of them, however often that makes one.
  AddendTree(const ProductView& view, const Readers& readers, bool row_by_row = false)
      : view_(view), readers_(readers), row_by_row_(row_by_row) {}

  /// `top` and what it adds up, down to products and the rest. More than kMost: not all of them.
  [[nodiscard]] Addends collect(ValueId top) const;
  [[nodiscard]] std::vector<ValueId> carried_operands(ValueId id, const Addend& addend) const;
  /// Rows of the value itself.
  [[nodiscard]] Index made_rows(ValueId id, const Addend& addend) const;
  [[nodiscard]] std::uint32_t row_count(ValueId id, const Addend& addend) const;
  /// The rows of an operand that the rows of `id` that are made read.
  [[nodiscard]] Index rows_of(ValueId id, const Addend& addend, ValueId operand) const;
  /// Those but the rest that nothing reads if `reader` does not.
  [[nodiscard]] std::vector<ValueId> find_gone(const Addends& found, ValueId reader) const;
  /// Counted work of a value in so many rows of a shape; `left`: the matrix of products.
  [[nodiscard]] double work_of(ValueId id, const Addend& addend, Shape shape, std::uint32_t rows,
                               Shape left) const;
  [[nodiscard]] bool is_one_row(const Factor& factor) const;

 private:
  struct Kind {
    AddendKind kind = AddendKind::Rest;
    std::size_t carried = 0;
  };
  [[nodiscard]] const Op& op(ValueId id) const { return view_.program().op(id); }
  [[nodiscard]] Kind kind_of(ValueId id) const;
  [[nodiscard]] Kind kind_of_linear(ValueId id, const LinearOp& linear) const;
  void reach(Addends& found, ValueId id, bool all, Index rows) const;

  const ProductView& view_;
  const Readers& readers_;
  bool row_by_row_;
};

}  // namespace vecc::opt
