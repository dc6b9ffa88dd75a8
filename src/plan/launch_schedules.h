// How the launches of a Plan run on its GPU.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "src/kernel/schedule/choose_loops.h"
#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/plan.h"

namespace vecc {

/// How a kernel's launch runs on a GPU.
struct LaunchSchedule {
  std::shared_ptr<const KernelSchedule> schedule;  ///< launches of one kernel may have the same
  std::vector<std::uint32_t> ends;  ///< by class, the launch's first row (in its order) behind it
  Cycles cycles{};                  ///< what its rows take, by the model
};

/// The rows of a launch, and the members of their segments: several classes if the long rows come
/// first.
[[nodiscard]] RowSizes row_sizes(const Plan& plan, const Launch& launch);

/// schedule_kernel() of each launch; those of one kernel that have the same loops have one
/// schedule.
class LaunchSchedules {
 public:
  explicit LaunchSchedules(const Plan& plan, std::uint32_t fewest_threads = kNarrowThreads)
      : plan_(plan), fewest_threads_(fewest_threads) {}
  /// `typical`: by launch, the rows that it usually runs, of one class; empty: all.
  LaunchSchedules(const Plan& plan, std::span<const RowSizes> typical)
      : plan_(plan), fewest_threads_(kNarrowThreads), typical_(typical) {}

  /// `launch`: one of the Plan's.
  [[nodiscard]] LaunchSchedule of(const Launch& launch);

 private:
  const Plan& plan_;
  std::uint32_t fewest_threads_;
  std::span<const RowSizes> typical_;
  std::map<std::pair<std::uint32_t, MemberLoops>, std::shared_ptr<const KernelSchedule>> schedules_;
};

}  // namespace vecc
