// How the launches of a Plan run on its GPU.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "src/kernel/schedule/schedule_kernel.h"
#include "vecc/plan.h"

namespace vecc {

/// The rows of a launch, and the members of their segments: several classes if the long rows come
/// first.
[[nodiscard]] RowSizes row_sizes(const Plan& plan, const Launch& launch);

/// schedule_kernel() of each launch; those of one kernel that have the same loops have one
/// schedule.
class LaunchSchedules {
 public:
  explicit LaunchSchedules(const Plan& plan, std::uint32_t fewest_threads = kNarrowThreads)
      : plan_(plan), fewest_threads_(fewest_threads) {}
  /// Of launches that run about this share of their rows, and of the members of one row: one class
  /// of rows each.
  LaunchSchedules(const Plan& plan, std::optional<double> share)
      : plan_(plan), fewest_threads_(kNarrowThreads), share_(share) {}

  [[nodiscard]] LaunchSchedule of(const Launch& launch);

 private:
  const Plan& plan_;
  std::uint32_t fewest_threads_;
  std::optional<double> share_;
  std::map<std::pair<std::uint32_t, MemberLoops>, std::shared_ptr<const KernelSchedule>> schedules_;
};

}  // namespace vecc
