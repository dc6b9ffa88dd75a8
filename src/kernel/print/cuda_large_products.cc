// Rows in blocks in CUDA, where several blocks share a large matrix.
#include <fmt/format.h>

#include "src/kernel/print/row_products.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {

std::string large_call(const LargeCall& call) {
  const std::string sides = fmt::format(", {}", call.sides);
  switch (call.precision) {
    case MatmulPrecision::Exact:
      return fmt::format("{}<T, {}{}>", call.exact, call.arguments, sides);
    case MatmulPrecision::Tf32x3:
      return fmt::format("{}<T, {}, {}, {}>", call.split, call.arguments, kSplitRows, kSplitWidth);
    case MatmulPrecision::Tf32:
    case MatmulPrecision::Bf16: break;
  }
  return fmt::format("{}<{}, {}{}>", call.rounded, tensor_type(call.precision), call.arguments,
                     sides);
}

// The block's part of the products: prelude/large_products.h, prelude/large_split_products.h.
void print_large_products(BodyText& out, const std::string& row) {
  const ProductSchedule& product = *out.schedule().product;
  const KernelNode& node = out.nodes().node(product.node);
  const auto [m, k, n] = product_shape(out.kernel(), node);
  const MatmulPrecision precision = out.kernel().precision;
  LargeCall call{precision, "times_large_matrix", "times_large_split_matrix",
                 "times_large_tensor_matrix"};
  call.arguments = fmt::format("{}, {}, {}, {}", m, k, node.transpose_left, product.copies_packs);
  call.sides = fmt::format("{}, {}", product.rows, kLargeSide);
  out.open(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", product.rows));
  out.line(fmt::format("{}({}, {}, smaller(end - q, {}), {}, {});", large_call(call),
                       matrix_pointer(out), out.schedule().parts > 1 ? "part" : "0", product.rows,
                       row_at(out, row, *product.columns, k), row_at(out, row, *product.store, m)));
  out.close();
}

}  // namespace vecc
