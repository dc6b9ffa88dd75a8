// One launch for a whole stage.
#pragma once

#include <memory>
#include <vector>

#include "backends/cuda/schedule.h"
#include "backends/cuda/walk_launch.h"
#include "backends/cuda/walk_phases.h"

namespace vecc::cuda {

class WalkSchedule final : public Schedule {
 public:
  /// Compiles or loads the Plan's kernels and links them. `phases`: by launch, for Parts. Errors:
  /// those of WalkLaunch::load(). Throws DeviceError.
  [[nodiscard]] static Result<std::unique_ptr<Schedule>> load(
      std::shared_ptr<Device> device, const Plan& plan, std::vector<StageLaunches> stages,
      WalkShape shape, std::vector<LaunchPhase> phases, const DeviceCodeOptions& options,
      DeviceCodeCounts* counts);

  void bind(const Plan& plan, std::vector<LaunchArguments> arguments) override;
  void start(std::uint32_t stage) override { walk_->start(stage); }
  void start_series(const DeviceSeries& series) override {
    walk_->start_series(0, series.arguments());
  }
  void start_alone(std::uint32_t launch) override {
    walk_->start_alone(stage_of_[launch], std::span(&steps_[launch], 1));
  }
  [[nodiscard]] std::uint64_t bytes() const override { return walk_->bytes(); }

 private:
  WalkSchedule() = default;
  [[nodiscard]] WalkStep make_step(const Plan& plan, std::uint32_t launch, bool narrow) const;
  void bind_stage(const Plan& plan, std::uint32_t number,
                  const std::vector<LaunchArguments>& arguments);

  struct Unit {
    StepUnit text;
    CudaLayout layout;
    MemberLoops loops;
  };
  std::vector<StageLaunches> stages_;
  std::vector<LaunchPhase> phases_;  // by launch; none: each level is a phase of all blocks
  std::vector<Unit> units_;
  std::vector<std::size_t> unit_of_;                    // by launch
  std::vector<std::vector<std::uint32_t>> class_ends_;  // by launch, as RowLoops::ends
  std::unique_ptr<WalkLaunch> walk_;
  std::vector<WalkStep> steps_;          // by launch
  std::vector<std::uint32_t> stage_of_;  // by launch
};

}  // namespace vecc::cuda
