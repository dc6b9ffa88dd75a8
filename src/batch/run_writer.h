// Runs of launches, as their kernels take them.
#pragma once

#include <cstdint>
#include <vector>

#include "src/batch/batch_plan.h"
#include "src/batch/batch_rows.h"
#include "src/batch/launch_rows.h"

namespace vecc {

class RunWriter {
 public:
  /// The plan must outlive this.
  explicit RunWriter(const BatchPlan& plan);

  /// Appends the run of a launch on `of`, which has rows; they may be sorted by type.
  void add(std::uint32_t number, LaunchRows& of, BatchRows& to);

 private:
  void add_lists(const BatchLaunch& launch, const LaunchRows& of, BatchRows::Run& run,
                 BatchRows& to);
  [[nodiscard]] std::uint32_t add_list(const BatchLaunch& launch, const BatchAccess& access,
                                       const LaunchRows& of, BatchRows& to);
  void add_tiles(const BatchLaunch& launch, const std::vector<std::uint32_t>& rows,
                 BatchRows::Run& run, BatchRows& to) const;

  const BatchPlan& plan_;
  // A list of rows, or of members, that was added for the launch at hand.
  struct Added {
    const void* list;
    KernelSpace space;
    std::uint32_t place;
  };
  std::vector<std::uint32_t> numbers_;  // 0, 1, ...
  std::vector<Added> added_;
};

}  // namespace vecc
