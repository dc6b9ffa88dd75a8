// The last part of --emit=plan: which blocks run each launch, and the schedules of kernels.
#include <fmt/format.h>

#include <map>

#include "src/kernel/schedule/schedule_kernel.h"
#include "src/kernel/schedule/schedule_text.h"
#include "src/plan/launch_layout.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

// "8 lanes a row, 4 slots of 8 members", for each class of rows.
std::string loops_text(const Kernel& kernel, const LaunchSchedule& rows) {
  const KernelSchedule& schedule = *rows.schedule;
  if (schedule.loop == RowLoop::Numbers) return "a thread an entry";
  const std::uint32_t lanes = schedule.lanes();
  std::string text = fmt::format("{} {} a row", lanes, lanes == 1 ? "lane" : "lanes");
  if (schedule.product) text += fmt::format(", {} rows a block", schedule.product->rows);
  if (schedule.parts > 1) text += fmt::format(", {} parts", schedule.parts);
  if (kernel.segments == KernelSegments::None) return text;
  std::uint32_t begin = 0;
  for (std::size_t c = 0; c < rows.ends.size(); ++c) {
    const MemberLoop& loop = schedule.members.of_class[c];
    text += fmt::format(", rows [{}:{}] in {} {} of {} {} at once", begin, rows.ends[c], loop.slots,
                        loop.slots == 1 ? "slot" : "slots", loop.batch,
                        loop.batch == 1 ? "member" : "members");
    begin = rows.ends[c];
  }
  return text;
}

std::string gpu_text(const Plan& plan) {
  std::string text = fmt::format(
      "target {}: compute capability {}, {} multiprocessors\n", escape_terminal(plan.target.name),
      capability_text(plan.target.capability), plan.target.multiprocessors);
  std::string schedule_lines;
  std::map<const KernelSchedule*, std::size_t> numbers;
  LaunchSchedules schedules(plan);
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const Launch& launch = plan.launches[l];
    const LaunchSchedule rows = schedules.of(launch);
    const auto [found, is_new] = numbers.try_emplace(rows.schedule.get(), numbers.size());
    if (is_new) {
      schedule_lines += fmt::format("schedule {} of kernel {}: {}\n", found->second, launch.kernel,
                                    text_of(*rows.schedule));
    }
    const std::size_t blocks = cut_blocks(plan, launch, rows).size();
    text += fmt::format("launch {} by schedule {}: {} {} of {} threads, {}\n", l, found->second,
                        blocks, blocks == 1 ? "block" : "blocks", rows.schedule->members.threads,
                        loops_text(plan.kernels[launch.kernel], rows));
  }
  return text + schedule_lines;
}

}  // namespace

std::string text_of_layout(const Plan& plan) {
  if (plan.target.has_shared_memory()) return gpu_text(plan);
  std::string text;
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    text += fmt::format("schedule of kernel {}: {}\n", k,
                        text_of(schedule_for_cpp(plan.kernels[k], plan.target)));
  }
  return text;
}

}  // namespace vecc
