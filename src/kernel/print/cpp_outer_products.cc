// Sums of outer products in C++: columns of several members, then one product of matrices; while
// the left columns are in a cache, their sum.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "src/kernel/print/body.h"
#include "src/kernel/print/member_sums.h"
#include "src/kernel/schedule/outer_products.h"

namespace vecc {

namespace {

// The columns of some members of a sum, on one side of the products.
struct Columns {
  const char* name;
  std::uint32_t load;
  bool in_place;
};

void print_copies(BodyText& out, std::span<const Columns> sides, std::uint32_t sum) {
  const NodeText& nodes = out.nodes();
  if (std::ranges::all_of(sides, &Columns::in_place)) return;
  out.open("for (unsigned b = 0; b < count; ++b) {");
  out.line("const unsigned e = f + b;");
  for (const Columns& side : sides) {
    if (!side.in_place) print_load(out, side.load, KernelSpace::Member);
  }
  for (const Columns& side : sides) {
    if (side.in_place) continue;
    out.line(fmt::format("copy<T, {0}>(v{1}, {2}{3} + b * {0});", nodes.size(side.load), side.load,
                         side.name, sum));
  }
  out.close();
}

}  // namespace

void print_cpp_outer_products(BodyText& out, const KernelPhase& phase,
                              const PhaseSchedule& schedule) {
  const NodeText& nodes = out.nodes();
  const OuterProductSum of = *outer_product_sums(out.kernel(), phase);
  const Columns sides[] = {{"left", of.left, schedule.left_in_place},
                           {"right", of.right, schedule.right_in_place}};
  declare_reductions(out, phase);
  for (const Columns& side : sides) {
    if (side.in_place) continue;
    out.declare_array(fmt::format("{}{}", side.name, of.sum),
                      schedule.members * nodes.size(side.load));
  }
  const std::string shape = fmt::format("T, {}, {}", nodes.size(of.left), nodes.size(of.right));
  out.line(fmt::format("const bool turned{} = turns_outer_sum<{}>(end_of(r) - begin_of(r));",
                       of.sum, shape));
  out.open(fmt::format("for (unsigned f = begin_of(r), last = end_of(r); f < last; f += {}) {{",
                       schedule.members));
  out.line(
      fmt::format("const unsigned count = last - f < {0} ? last - f : {0};", schedule.members));
  print_copies(out, sides, of.sum);
  std::string rows[2];
  for (std::size_t s = 0; s < 2; ++s) {
    const std::uint32_t load = sides[s].load;
    rows[s] = sides[s].in_place ? nodes.row_pointer(nodes.node(load).access, "f", nodes.size(load))
                                : fmt::format("{}{}", sides[s].name, of.sum);
  }
  if (of.left_sum) {
    out.line(fmt::format("add_rows<T, {}>({}, count, v{});", nodes.size(of.left), rows[0],
                         *of.left_sum));
  }
  out.line(fmt::format("add_outer_sum<{}, {}>(turned{}, {}, {}, static_cast<int>(count), v{});",
                       shape, out.schedule().tile_rows, of.sum, rows[0], rows[1], of.sum));
  out.close();
  out.line(fmt::format("finish_outer_sum<{}>(turned{}, v{});", shape, of.sum, of.sum));
}

}  // namespace vecc
