// Rows in blocks in CUDA, by tensor cores.
#include <fmt/format.h>

#include "src/kernel/print/row_products.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {

const char* tensor_type(MatmulPrecision precision) {
  return precision == MatmulPrecision::Bf16 ? "Bf16" : "Tf32";
}

// prelude/tensor_core_products.h.
void print_tensor_products(BodyText& out, const std::string& row) {
  const ProductSchedule& product = *out.schedule().product;
  const KernelNode& node = out.nodes().node(product.node);
  const auto [m, k, n] = product_shape(out.kernel(), node);
  const char* type = tensor_type(out.kernel().precision);
  const bool keeps_products = !product.store;
  out.line(fmt::format("const T* matrix = {};", matrix_pointer(out)));
  out.line(fmt::format("using Memory = TensorProducts<{}, {}, {}, {}, {}, {}>;", type, m, k,
                       product.rows, product.depth, keeps_products));
  out.line(fmt::format("static_assert(sizeof(Memory) == {}, \"as the host has it\");",
                       out.schedule().shared_bytes));
  out.line("Memory& memory = tensor_memory<Memory>();");
  out.line("auto& columns = memory.columns;");
  if (keeps_products) out.line("auto& products = memory.products;");
  out.line(fmt::format("pad_columns<{}, {}>(columns);", k, product.rows));
  print_block_loop(out, row, "load_tensor_columns<",
                   fmt::format("times_tensor_block<{}, {}, {}, {}, {}>(matrix, memory", type, m, k,
                               product.depth, node.transpose_left));
}

}  // namespace vecc
