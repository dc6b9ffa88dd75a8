#include <fmt/format.h>

#include <utility>

#include "src/kernel/print/body.h"
#include "src/kernel/print/member_sums.h"
#include "src/kernel/schedule/outer_products.h"

namespace vecc {

void print_cpp_outer_products(BodyText& out, const KernelPhase& phase,
                              const PhaseSchedule& schedule) {
  const NodeText& nodes = out.nodes();
  const OuterProductSum of = *outer_product_sum(out.kernel(), phase);
  const std::pair<const char*, std::uint32_t> columns[] = {{"left", of.left}, {"right", of.right}};
  declare_reductions(out, phase);
  for (const auto& [name, number] : columns) {
    out.declare_array(fmt::format("{}{}", name, of.sum), schedule.members * nodes.size(number));
  }
  out.open(fmt::format("for (unsigned f = begin_of(r), last = end_of(r); f < last; f += {}) {{",
                       schedule.members));
  out.line(
      fmt::format("const unsigned count = last - f < {0} ? last - f : {0};", schedule.members));
  out.open("for (unsigned b = 0; b < count; ++b) {");
  out.line("const unsigned e = f + b;");
  for (const auto& [name, number] : columns) print_load(out, number, KernelSpace::Member);
  for (const auto& [name, number] : columns) {
    out.line(fmt::format("copy<T, {0}>(v{1}, {2}{3} + b * {0});", nodes.size(number), number, name,
                         of.sum));
  }
  out.close();
  out.line(fmt::format(
      "add_outer_sum<T, {0}, {1}, {3}>(left{2}, right{2}, static_cast<int>(count), v{2});",
      nodes.size(of.left), nodes.size(of.right), of.sum, out.schedule().tile_rows));
  out.close();
}

}  // namespace vecc
