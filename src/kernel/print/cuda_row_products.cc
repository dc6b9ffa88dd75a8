// Rows in blocks in CUDA, in a block's shared memory or from memory to memory.
#include <fmt/format.h>

#include "src/kernel/print/body.h"
#include "src/kernel/print/row_products.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

// prelude/block_products.h.
void print_matrix_blocks(BodyText& out, const std::string& row) {
  const ProductSchedule& product = *out.schedule().product;
  const KernelNode& node = out.nodes().node(product.node);
  const auto [m, k, n] = product_shape(out.kernel(), node);
  out.line(fmt::format("const T* matrix = {};", matrix_pointer(out)));
  out.line(fmt::format("__shared__ __align__(16) T columns[{}][row_step<{}>];", product.rows, k));
  if (!product.store) {
    out.line(
        fmt::format("__shared__ __align__(16) T products[{}][row_step<{}>];", product.rows, m));
  }
  print_block_loop(out, row, "load_columns<T, ",
                   fmt::format("times_block<T, {}, {}, {}, {}, {}>(matrix, columns", m, k,
                               product.rows, product.depth, node.transpose_left));
}

// prelude/row_products.h.
void print_memory_rows(BodyText& out, const std::string& row) {
  const ProductSchedule& product = *out.schedule().product;
  const KernelNode& node = out.nodes().node(product.node);
  const auto [m, k, n] = product_shape(out.kernel(), node);
  out.open(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", product.rows));
  out.line(
      fmt::format("times_rows_of_memory<T, {}, {}, {}>({}, d{}, smaller(end - q, {}), {}, {});", m,
                  k, node.transpose_left, matrix_pointer(out), *product.columns, product.rows,
                  row_at(out, row, *product.columns, k), row_at(out, row, *product.store, m)));
  out.close();
}

// The columns of rows q .. q + count - 1.
void print_columns(BodyText& out, const std::string& row, const std::string& load) {
  const ProductSchedule& product = *out.schedule().product;
  const KernelNode& node = out.nodes().node(product.node);
  const std::uint32_t k = product_shape(out.kernel(), node).k;
  if (product.columns) {
    out.open(fmt::format("{}{}, {}>(d{}, count, [&](unsigned b) {{", load, k, product.rows,
                         *product.columns));
    out.line(fmt::format("[[maybe_unused]] const unsigned r = {};", row));
    out.line(fmt::format("return {};", out.nodes().row_pointer(*product.columns, "r", k)));
    return out.close("}, columns);");
  }
  out.open("for (unsigned b = group; b < count; b += groups) {");
  out.line(fmt::format("const unsigned r = {};", row));
  print_steps_before(out);
  out.line(fmt::format("{} columns[b][i] = {};", out.entry_loop(k),
                       out.nodes().entry(node.operands[1])));
  out.close();
}

// What stands after the product, of the same rows.
void print_products(BodyText& out, const std::string& row) {
  const std::uint32_t product = out.schedule().product->node;
  out.line("__syncthreads();");
  out.open("for (unsigned b = group; b < count; b += groups) {");
  out.line(fmt::format("const unsigned r = {};", row));
  out.declare(product);
  out.line(fmt::format("{} v{}[j] = products[b][i];", out.entry_loop(out.nodes().size(product)),
                       product));
  print_steps_after(out);
  out.close();
}

}  // namespace

void print_cuda_row_products(BodyText& out, const std::string& row) {
  switch (out.schedule().loop) {
    case RowLoop::TensorCores: return print_tensor_products(out, row);
    case RowLoop::MemoryRows: return print_memory_rows(out, row);
    case RowLoop::LargeMatrix: return print_large_products(out, row);
    case RowLoop::MatrixBlocks: return print_matrix_blocks(out, row);
    case RowLoop::Numbers:
    case RowLoop::Rows:
    case RowLoop::LargeSum: break;
  }
  fail_check("rows in blocks", __FILE__, __LINE__, std::to_string(out.schedule().product->node));
}

void print_block_loop(BodyText& out, const std::string& row, const std::string& load,
                      const std::string& call) {
  const ProductSchedule& product = *out.schedule().product;
  const KernelNode& node = out.nodes().node(product.node);
  out.line("const unsigned group = threadIdx.x / (G * Slots);");
  out.line("constexpr unsigned groups = kThreads / (G * Slots);");
  out.open(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", product.rows));
  out.line(fmt::format("const unsigned count = end - q < {0} ? end - q : {0};", product.rows));
  print_columns(out, row, load);
  out.open(call + ", count, [&](unsigned b) {");
  if (product.store) {
    out.line(fmt::format("const unsigned r = {};", row));
    out.line(
        fmt::format("return {};", out.nodes().row_pointer(*product.store, "r", node.shape.size())));
  } else {
    out.line("return products[b];");
  }
  out.close("});");
  if (!product.store) print_products(out, row);
  out.line("__syncthreads();");
  out.close();
}

}  // namespace vecc
