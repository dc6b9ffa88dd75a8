// The loop of a kernel that sums the members of segments, in C++. In CUDA it is a loop over members
// (cuda_member_loops.cc), whose lanes join their sums (reductions.cc).
#include <fmt/format.h>

#include "src/kernel/print/member_sums.h"
#include "src/kernel/print/reductions.h"
#include "src/kernel/schedule/segment_sum.h"

namespace vecc {

void print_segment_sum(BodyText& out, const KernelPhase& phase) {
  const NodeText& nodes = out.nodes();
  const SegmentSum of = *segment_sum(out.kernel(), phase);
  const std::uint32_t access = nodes.node(of.row).access;
  out.declare(of.sum);
  out.line(fmt::format("sum_members<T, {}>(begin_of(r), end_of(r),", nodes.size(of.sum)));
  out.line(fmt::format("    [=](unsigned e) {{ return d{} + size_t({}) * {}; }},", access,
                       nodes.row_of(access, "e"), nodes.size(of.row)));
  if (of.factor == kNoOperand) {
    out.line("    [](auto x, auto sum, unsigned) { return sum + x; },");
  } else {
    const std::uint32_t factor = nodes.node(of.factor).access;
    out.line(fmt::format(
        "    [=](auto x, auto sum, unsigned e) {{ return madd(d{}[{}] - decltype(x){{}}, "
        "x, sum); }},",
        factor, nodes.row_of(factor, "e")));
  }
  out.line(fmt::format("    v{});", of.sum));
  finish_reductions(out, phase, {KernelSpace::Member});
}

}  // namespace vecc
