// The rules of reorder-linear: each finds, for one op, another order that takes less counted work.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "optimizer/passes/reorder_linear_view.h"
#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"

namespace vecc::opt {

/// Another way to compute one op.
struct Reordering {
  const char* rule;  ///< as the pass counts it
  double saved;      ///< in multiply-adds (reorder_linear_work.h); above 0
  ValueId op;        ///< what is computed in another way
  /// The ops below it whose work changes with it.
  std::vector<ValueId> inner;
  /// Replaces `op` by what has the same rows.
  std::function<void(Rewriter&)> apply;
  /// Later ops that are reordered with it, or none of them all is.
  std::vector<Reordering> others = {};
};

/// `W x + W y` => `W (x + y)`: of a sum or mean of products, the side that members share. A mean
/// only if all members of each segment share it.
[[nodiscard]] std::optional<Reordering> factor_out_of_sums(const ProductView& view,
                                                           ValueId segment);
/// `W x + b - W y` => `W (x - y) + b`: of a sum in which products that share a side stand beside
/// other rows, or times scalars.
[[nodiscard]] std::optional<Reordering> factor_out_of_scaled_sums(const ProductView& view,
                                                                  const Readers& readers,
                                                                  ValueId segment);
/// `(W h)' x + (W k)' y` => `W' (h x^T + k y^T)`: of a sum or mean of products with matrices that
/// are products themselves, reshaped.
[[nodiscard]] std::optional<Reordering> factor_out_of_matrices(const ProductView& view,
                                                               const Readers& readers,
                                                               ValueId segment);
/// `W (x + y)` => `W x + W y`: a linear of a sum or mean.
[[nodiscard]] std::optional<Reordering> distribute_over_sums(const ProductView& view,
                                                             ValueId linear);
/// `W (V x + b)` => `(W V) x + W b`: a linear of sums of which a part is a product.
[[nodiscard]] std::optional<Reordering> carry_through_sums(const ProductView& view,
                                                           const Readers& readers, ValueId linear);
/// `y + sum y` with y = V x + b => `V (x + sum x) + n b`: of a sum of rows of one product and of
/// single rows, such as sums of members that have a bias.
[[nodiscard]] std::optional<Reordering> factor_out_of_nested_sums(const ProductView& view,
                                                                  const Readers& readers,
                                                                  ValueId sum);
/// `A (B x)` => `(A B) x`, and every other order of three factors that has the same value.
[[nodiscard]] std::optional<Reordering> reassociate(const ProductView& view, ValueId linear);
/// `A (W x)`, `B (W x)` => `(A W) x`, `(B W) x`: of all readers of a product, or of a sum of its
/// rows.
[[nodiscard]] std::optional<Reordering> multiply_matrices_of_readers(const ProductView& view,
                                                                     const Readers& readers,
                                                                     ValueId read);
/// `((A B) C) x` => `A (B (C x))`, and every other order of four factors or more: of all products
/// of products. Linear in the Program.
[[nodiscard]] std::vector<Reordering> reorder_chains(const ProductView& view);

}  // namespace vecc::opt
