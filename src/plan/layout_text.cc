#include <fmt/format.h>

#include "src/plan/launch_layout.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

// "8 lanes a row, 4 slots of 8 members", for each class of rows.
std::string loops_text(const Kernel& kernel, const RowLoops& rows, const CudaLayout& layout) {
  if (layout.flat) return "a thread an entry";
  std::string text = fmt::format("{} {} a row", layout.lanes, layout.lanes == 1 ? "lane" : "lanes");
  if (layout.block_rows > 0) text += fmt::format(", {} rows a block", layout.block_rows);
  if (layout.parts > 1) text += fmt::format(", {} parts", layout.parts);
  if (kernel.segments == KernelSegments::None) return text;
  std::uint32_t begin = 0;
  for (std::size_t c = 0; c < rows.ends.size(); ++c) {
    const MemberLoop& loop = rows.loops.of_class[c];
    text += fmt::format(", rows [{}:{}] in {} {} of {} {} at once", begin, rows.ends[c], loop.slots,
                        loop.slots == 1 ? "slot" : "slots", loop.batch,
                        loop.batch == 1 ? "member" : "members");
    begin = rows.ends[c];
  }
  return text;
}

}  // namespace

std::string text_of_layout(const Plan& plan) {
  std::string text = fmt::format(
      "target {}: compute capability {}, {} multiprocessors\n", escape_terminal(plan.target.name),
      capability_text(plan.target.capability), plan.target.multiprocessors);
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const Launch& launch = plan.launches[l];
    const Kernel& kernel = plan.kernels[launch.kernel];
    const RowLoops rows = choose_row_loops(plan, launch);
    const CudaLayout layout = cuda_layout(kernel, rows.loops.lanes, rows.loops.threads);
    const std::size_t blocks = cut_blocks(plan, launch, layout, rows).size();
    text += fmt::format("launch {}: {} {} of {} threads, {}\n", l, blocks,
                        blocks == 1 ? "block" : "blocks", layout.threads,
                        loops_text(kernel, rows, layout));
  }
  return text;
}

}  // namespace vecc
