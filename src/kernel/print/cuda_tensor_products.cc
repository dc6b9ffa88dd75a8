#include <fmt/format.h>

#include "src/kernel/print/row_products.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {

const char* tensor_type(MatmulPrecision precision) {
  return precision == MatmulPrecision::Bf16 ? "Bf16" : "Tf32";
}

// prelude/matrix_units.h.
void print_tensor_products(BodyText& out, const std::string& row) {
  const ProductSchedule& product = *out.schedule().product;
  const KernelNode& node = out.nodes().node(product.node);
  const auto [m, k, n] = product_shape(out.kernel(), node);
  const char* type = tensor_type(out.kernel().precision);
  const bool keeps_products = !product.store;
  out.line(fmt::format("const T* matrix = {};", matrix_pointer(out)));
  out.line(fmt::format("using Units = UnitProducts<{}, {}, {}, {}, {}, {}>;", type, m, k,
                       product.rows, product.depth, keeps_products));
  out.line(fmt::format("static_assert(sizeof(Units) == {}, \"as the host has it\");",
                       out.schedule().shared_bytes));
  out.line("Units& units = unit_memory<Units>();");
  out.line("auto& columns = units.columns;");
  if (keeps_products) out.line("auto& products = units.products;");
  out.line(fmt::format("pad_columns<{}, {}>(columns);", k, product.rows));
  print_block_loop(out, row, "load_unit_columns<",
                   fmt::format("times_unit_block<{}, {}, {}, {}, {}>(matrix, units", type, m, k,
                               product.depth, node.transpose_left));
}

}  // namespace vecc
