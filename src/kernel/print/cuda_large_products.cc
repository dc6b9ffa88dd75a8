// Rows in blocks in CUDA, where several blocks share a large matrix.
#include <fmt/format.h>

#include "src/kernel/print/row_products.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {

std::string large_call(const Kernel& kernel, const char* exact, const char* rounded) {
  if (kernel.precision == MatmulPrecision::Exact) return fmt::format("{}<T", exact);
  return fmt::format("{}<{}", rounded, tensor_type(kernel.precision));
}

// The block's part of the products: prelude/large_products.h.
void print_large_products(BodyText& out, const std::string& row) {
  const ProductSchedule& product = *out.schedule().product;
  const KernelNode& node = out.nodes().node(product.node);
  const auto [m, k, n] = product_shape(out.kernel(), node);
  out.open(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", product.rows));
  const std::string call =
      large_call(out.kernel(), "times_large_matrix", "times_large_tensor_matrix");
  out.line(fmt::format("{}, {}, {}, {}, {}, {}, {}>({}, {}, smaller(end - q, {}), {}, {});", call,
                       m, k, node.transpose_left, product.copies_packs, product.rows, kLargeSide,
                       matrix_pointer(out), out.schedule().parts > 1 ? "part" : "0", product.rows,
                       row_at(out, row, *product.columns, k), row_at(out, row, *product.store, m)));
  out.close();
}

}  // namespace vecc
