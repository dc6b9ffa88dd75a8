// Sums of outer products in CUDA: by warps, blocks or tensor cores.
#include <fmt/format.h>

#include "src/kernel/print/member_sums.h"
#include "src/kernel/print/reductions.h"
#include "src/kernel/print/row_products.h"
#include "src/kernel/schedule/outer_products.h"

namespace vecc {
namespace {

// A function from a member to its column.
std::string column_text(const NodeText& of, std::uint32_t load) {
  return fmt::format("[&](unsigned e) {{ return {}; }}",
                     of.row_pointer(of.node(load).access, "e", of.size(load)));
}

// Of a whole block, or of a row's slots: all threads get the sum of all members.
std::string call_text(const Kernel& kernel, const PhaseSchedule& schedule, std::uint64_t m,
                      std::uint64_t n) {
  if (schedule.loop == PhaseLoop::TensorTiles) {
    return fmt::format("sum_tensor_outer_products<{}, {}, {}>", tensor_type(kernel.precision), m,
                       n);
  }
  if (schedule.loop == PhaseLoop::BlockTiles) {
    return fmt::format("sum_outer_products<T, {}, {}>", m, n);
  }
  return fmt::format("sum_short_outer_products<T, {}, {}, {}, {}, G, Slots>", m, n, schedule.down,
                     schedule.across);
}

}  // namespace

void print_cuda_outer_products(BodyText& out, const KernelPhase& phase,
                               const PhaseSchedule& schedule) {
  const NodeText& nodes = out.nodes();
  const OuterProductSum of = *outer_product_sum(out.kernel(), phase);
  declare_reductions(out, phase);
  out.line(fmt::format("{}(begin_of(r), end_of(r), {}, {}, v{});",
                       call_text(out.kernel(), schedule, nodes.size(of.left), nodes.size(of.right)),
                       column_text(nodes, of.left), column_text(nodes, of.right), of.sum));
}

void print_large_sums(BodyText& out, const std::string& row) {
  const NodeText& nodes = out.nodes();
  const OuterProductSum of = *outer_product_sum(out.kernel(), out.kernel().phases[0]);
  const Shape shape = nodes.node(of.sum).shape;
  out.open("for (unsigned q = begin; q < end; ++q) {");
  out.line(fmt::format("const unsigned r = {};", row));
  LargeCall call{out.kernel().precision, "sum_large_products", "sum_large_split_products",
                 "sum_large_tensor_products"};
  call.arguments = fmt::format("{}, {}", shape.rows(), shape.cols());
  call.sides = std::to_string(kLargeSide);
  out.line(fmt::format("{}(part, begin_of(r), end_of(r), {}, {}, {});", large_call(call),
                       column_text(nodes, of.left), column_text(nodes, of.right),
                       nodes.row_pointer(*only_large_sum(out.kernel()), "r", shape.size())));
  out.close();
}

}  // namespace vecc
