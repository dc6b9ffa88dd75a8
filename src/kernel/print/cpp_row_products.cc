#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "src/kernel/print/body.h"
#include "src/kernel/print/row_products.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {

void print_cpp_row_products(BodyText& out, const std::string& row) {
  const ProductSchedule& product = *out.schedule().product;
  const NodeText& of = out.nodes();
  const KernelNode& node = of.node(product.node);
  const std::uint32_t right = node.operands[1];
  const auto [m, k, n] = product_shape(out.kernel(), node);
  const bool packs = product.packs_matrix;
  out.line(fmt::format("const T* matrix = {};", matrix_pointer(out)));
  if (packs) {
    out.declare_array("packed", std::uint64_t{m} * k);
    out.line(fmt::format("transp<T, {}, {}>(matrix, packed);", m, k));
  }
  out.declare_array("columns", std::uint64_t{product.rows} * k, true);
  out.declare_array("products", std::uint64_t{product.rows} * m);
  out.open(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", product.rows));
  out.line(fmt::format("const unsigned count = end - q < {0} ? end - q : {0};", product.rows));
  out.open("for (unsigned b = 0; b < count; ++b) {");
  out.line(fmt::format("const unsigned r = {};", row));
  print_steps_before(out);
  out.line(fmt::format("copy<T, {0}>({1}, columns + b * {0});", k, of.pointer(right)));
  out.close();
  out.line(fmt::format("times<T, {}, {}, {}, false, {}>(columns, {}, products);", product.rows, k,
                       m, !packs && !node.transpose_left, packs ? "packed" : "matrix"));
  out.open("for (unsigned b = 0; b < count; ++b) {");
  out.line(fmt::format("const unsigned r = {};", row));
  out.line(fmt::format("const T* v{} = products + b * {};", product.node, m));
  print_steps_after(out);
  out.close();
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

std::string matrix_pointer(const BodyText& out) {
  const NodeText& of = out.nodes();
  const std::uint32_t left = of.node(out.schedule().product->node).operands[0];
  return of.row_pointer(of.node(left).access, "0", of.size(left));
}

}  // namespace vecc
