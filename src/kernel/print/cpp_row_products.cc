// Rows in blocks in C++, and what stands before and after their product on both.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "src/kernel/print/body.h"
#include "src/kernel/print/fetch_rows.h"
#include "src/kernel/print/row_products.h"
#include "src/kernel/print/variables.h"
#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/row_products.h"

namespace vecc {

namespace {

// The columns of a block's rows, one behind the other: computed there, or copied.
void print_columns(BodyText& out, const std::string& row, std::uint32_t k) {
  const std::uint32_t column = out.nodes().node(out.schedule().product->node).operands[1];
  const std::string place = fmt::format("columns + b * {}", k);
  out.open("for (unsigned b = 0; b < count; ++b) {");
  print_fetches(out, "q + b", row_text(out.kernel(), "ahead"));
  out.line(fmt::format("const unsigned r = {};", row));
  const bool is_computed = makes_columns(out.kernel(), *out.schedule().product);
  if (is_computed) out.place_array(fmt::format("v{}", column), place);
  print_steps_before(out);
  if (!is_computed) {
    out.line(fmt::format("copy<T, {}>({}, {});", k, out.nodes().pointer(column), place));
  }
  out.close();
}

// What stands after the products, of the same rows.
void print_products(BodyText& out, const std::string& row, std::uint32_t m) {
  out.open("for (unsigned b = 0; b < count; ++b) {");
  out.line(fmt::format("const unsigned r = {};", row));
  out.line(fmt::format("const T* v{} = products + b * {};", out.schedule().product->node, m));
  print_steps_after(out);
  out.close();
}

std::string rows_of_array(const char* array, std::uint32_t entries) {
  return fmt::format("[&](unsigned b) {{ return {} + b * {}; }}", array, entries);
}

}  // namespace

void print_cpp_row_products(BodyText& out, const std::string& row) {
  const ProductSchedule& product = *out.schedule().product;
  const KernelNode& node = out.nodes().node(product.node);
  const auto [m, k, n] = product_shape(out.kernel(), node);
  const bool packs = product.packs_matrix;
  out.line(fmt::format("const T* matrix = {};", matrix_pointer(out)));
  if (packs) {
    out.declare_array("packed", std::uint64_t{m} * k);
    out.line(fmt::format("transp<T, {}, {}>(matrix, packed);", m, k));
  }
  if (!product.columns) out.declare_array("columns", std::uint64_t{product.rows} * k);
  if (!product.store) out.declare_array("products", std::uint64_t{product.rows} * m);
  out.open(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", product.rows));
  out.line(fmt::format("const unsigned count = end - q < {0} ? end - q : {0};", product.rows));
  if (!product.columns) {
    print_columns(out, row, k);
  } else if (!out.schedule().fetched.empty()) {
    out.open("for (unsigned b = 0; b < count; ++b) {");
    print_fetches(out, "q + b", row_text(out.kernel(), "ahead"));
    out.close();
  }
  const bool is_transpose = packs || node.transpose_left;
  const std::string function =
      is_transpose ? fmt::format("times_matrix<T, {}, {}, {}>", k, m, out.schedule().tile_rows)
                   : fmt::format("times_matrix_rows<T, {}, {}>", k, m);
  out.line(fmt::format("{}({}, count,", function, packs ? "packed" : "matrix"));
  out.line("    " +
           (product.columns ? row_at(out, row, *product.columns, k) : rows_of_array("columns", k)) +
           ",");
  out.line("    " +
           (product.store ? row_at(out, row, *product.store, m) : rows_of_array("products", m)) +
           ");");
  if (!product.store) print_products(out, row, m);
  out.close();
}

void print_steps_before(BodyText& out) {
  const ProductSchedule& product = *out.schedule().product;
  const Kernel& kernel = out.kernel();
  std::vector<std::vector<KernelStep>> phases;
  for (std::size_t p = 0; p <= product.phase; ++p) phases.push_back(kernel.phases[p].steps);
  phases.back().resize(product.step);
  // The matrix itself is not the rows', but where they have another use for it.
  const std::uint32_t matrix = kernel.nodes[product.node].operands[0];
  const auto reads = [&](const KernelStep& step) {
    return step.store ? kernel.stores[step.number].value == matrix
                      : std::ranges::count(kernel.nodes[step.number].operands, matrix) > 0;
  };
  const bool is_read = std::ranges::any_of(
      phases, [&](const auto& steps) { return std::ranges::any_of(steps, reads); });
  for (std::size_t p = 0; p < phases.size(); ++p) {
    if (!is_read) {
      std::erase_if(phases[p],
                    [&](const KernelStep& step) { return !step.store && step.number == matrix; });
    }
    print_phase(out, p, phases[p]);
  }
}

void print_steps_after(BodyText& out) {
  const ProductSchedule& product = *out.schedule().product;
  for (const std::uint32_t number : product.repeated) print_step(out, {false, number}, {});
  for (std::size_t p = product.phase; p < out.kernel().phases.size(); ++p) {
    const std::span steps(out.kernel().phases[p].steps);
    print_phase(out, p, p == product.phase ? steps.subspan(product.step + 1) : steps);
  }
}

std::string row_at(const BodyText& out, const std::string& row, std::uint32_t access,
                   std::uint64_t entries) {
  return fmt::format("[&](unsigned b) {{ [[maybe_unused]] const unsigned r = {}; return {}; }}",
                     row, out.nodes().row_pointer(access, "r", entries));
}

std::string matrix_pointer(const BodyText& out) {
  const NodeText& of = out.nodes();
  const std::uint32_t left = of.node(out.schedule().product->node).operands[0];
  return of.row_pointer(of.node(left).access, "0", of.size(left));
}

}  // namespace vecc
