// split-products: products of parts, where entries are read apart or parts make up a column.
//
//   - slices of a product's entries, also behind maps, functions of an entry and gathers: the
//     product of a slice of the matrix. The gates of a GRU or an LSTM, the heads of an attention,
//     from 32 entries on; all that reads the product must be slices of different entries
//   - a product with a concat or a sum of multiples of columns, `W concat(x, y - x)`: a product of
//     each, where gathers repeat their rows; other passes then compute it once for each
//
//   %3 = linear %w, %x : [n, 64x1] ; %4 = transform %3 slice [0, 32, 0, 1] : [n, 32x1]
//   =>
//   %3 = transform %w slice [0, 32, 0, k] : [1, 32xk] ; %4 = linear %3, %x : [n, 32x1]
//
// The first computes each entry as before. The second adds in another order, and leaves values and
// matrices alone that may be infinite or NaN.
#include <utility>

#include "optimizer/passes/passes.h"
#include "optimizer/passes/product_parts.h"
#include "optimizer/passes/product_slices.h"
#include "optimizer/rewrite/rewriter.h"

namespace vecc::opt {
namespace {

std::uint64_t split_slices(Program& program) {
  ProductSlices slices(program);
  if (!slices.any()) return 0;
  Rewriter rewriter(program);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (slices.is_slice(id)) {
      rewriter.replace(id, slices.make(rewriter, id));
    } else {
      rewriter.copy(id);
    }
  }
  Program result = rewriter.finish();
  program = std::move(result);
  return slices.count();
}

std::uint64_t split_columns(Program& program) {
  ProductParts products(program);
  Rewriter rewriter(program);
  std::uint64_t split = 0;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const auto parts = products.parts_of(id);
    if (parts.empty()) {
      rewriter.copy(id);
    } else {
      rewriter.replace(id, products.make(rewriter, id, parts));
      ++split;
    }
  }
  if (split == 0) return 0;
  Program result = rewriter.finish();
  program = std::move(result);
  return split;
}

}  // namespace

bool split_products(Program& program, PassContext& context) {
  const std::uint64_t slices = split_slices(program);
  const std::uint64_t columns = split_columns(program);
  context.count("slices of products", slices);
  context.count("products with parts", columns);
  return slices + columns > 0;
}

}  // namespace vecc::opt
