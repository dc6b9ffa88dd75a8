// Members of a sum as reorder-linear looks at them: products, some of them times a scalar, among
// other rows, through gathers and concats.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "optimizer/passes/reorder_linear_view.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"

namespace vecc::opt {

/// A row of a Program by its number (source_rows.h), or of a value that is made only now.
using RowNumber = std::uint64_t;
using RowNumbers = std::vector<RowNumber>;

/// A member that is a product.
struct ScaledTerm {
  ValueId product = 0;
  std::uint32_t row = 0;
  bool is_scaled = false;
  std::uint32_t scale = 0;  ///< number of the scalar
};

class ScaledTerms {
 public:
  /// More values than this below a sum are left alone, so that a round is linear in the Program.
  static constexpr std::size_t kMost = 32;

  /// `view` must outlive this.
  ScaledTerms(const ProductView& view, const Readers& readers, ValueId segment);

  /// Whether there is a product, and not all members are rows of one: then another rule looks.
  [[nodiscard]] bool has_products() const { return has_products_; }
  /// Numbers from this one on are no rows of the Program.
  [[nodiscard]] RowNumber first_made() const { return view_.number_count(); }
  /// The member of that number; none if it is no product, or not of the shapes of the first one.
  [[nodiscard]] std::optional<ScaledTerm> of(std::uint32_t number) const;
  /// Number of the row that a product has on one side.
  [[nodiscard]] std::uint32_t factor(const ScaledTerm& term, std::size_t side) const;
  /// All products are ones of this kind and of these shapes (after transposes).
  [[nodiscard]] const LinearOp& linear() const { return linear_; }
  [[nodiscard]] std::pair<Shape, Shape> shapes() const { return {left_, right_}; }
  /// The products, by matrices and by scalars, that the members are rows of.
  [[nodiscard]] std::vector<ValueId> linears() const;
  [[nodiscard]] bool are_constant(const RowNumbers& rows) const;

  /// Counted work of the products that nothing reads once the members `gone` do not and those that
  /// stay do; what is times scalars costs nothing beside its reader.
  [[nodiscard]] double work_of(const RowNumbers& gone, const RowNumbers& stay,
                               std::size_t shared_side) const;
  /// Rows of the Program's values, and from first_made() on rows of `made`, in order.
  [[nodiscard]] ValueId rows_of(Rewriter& rewriter, const RowNumbers& rows, ValueId made) const;

 private:
  enum class Kind : std::uint8_t { Rest, Product, Scaled };
  struct Source {
    Kind kind = Kind::Rest;
    std::size_t carried = 0;  // of a scaled one: the side that is no scalar
    std::array<Factor, 2> sides;
    bool is_only_here = false;  // no op but those below the segment reads it
  };

  [[nodiscard]] bool collect(const Readers& readers, ValueId value);
  [[nodiscard]] Source source_of(ValueId value) const;
  [[nodiscard]] bool is_only_read_here(const Readers& readers, ValueId value) const;
  [[nodiscard]] bool fits(ValueId product) const;
  [[nodiscard]] std::uint32_t number_at(const Factor& side, std::uint32_t row) const {
    return view_.numbers(side.source)[side.rows[row]];
  }

  const ProductView& view_;
  ValueId segment_;
  bool has_products_ = false;
  LinearOp linear_;
  Shape left_;
  Shape right_;
  boost::unordered_flat_map<ValueId, Source> sources_;  // of all that is below the segment
};

}  // namespace vecc::opt
