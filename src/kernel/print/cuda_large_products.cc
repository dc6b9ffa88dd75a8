// Rows in blocks in CUDA, where several blocks share a large matrix.
#include <fmt/format.h>

#include "src/kernel/print/row_products.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {

// The block's part of the products: prelude/large_products.h.
void print_large_products(BodyText& out, const std::string& row) {
  const ProductSchedule& product = *out.schedule().product;
  const KernelNode& node = out.nodes().node(product.node);
  const auto [m, k, n] = product_shape(out.kernel(), node);
  out.open(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", product.rows));
  const MatmulPrecision precision = out.kernel().precision;
  const std::string call =
      precision == MatmulPrecision::Exact
          ? "times_large_matrix<T"
          : fmt::format("times_large_tensor_matrix<{}", tensor_type(precision));
  out.line(fmt::format("{}, {}, {}, {}, {}, {}, {}>({}, {}, smaller(end - q, {}), {}, {});", call,
                       m, k, node.transpose_left, product.copies_packs, product.rows, kLargeSide,
                       matrix_pointer(out), out.schedule().parts > 1 ? "part" : "0", product.rows,
                       row_at(out, row, *product.columns, k), row_at(out, row, *product.store, m)));
  out.close();
}

}  // namespace vecc
