// One launch for a whole stage: blocks that go through all kernels, level by level, and wait for
// one another between levels (src/kernel/prelude/walk.h). For programs so small that starting their
// kernels takes longer than running them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/device_block.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/device_series.h"
#include "backends/cuda/device_unit.h"
#include "backends/cuda/launch_graph.h"
#include "backends/cuda/walk_items.h"
#include "vecc/backend.h"

namespace vecc::cuda {

/// More blocks than these do not walk.
inline constexpr std::uint32_t kBlocksOfMultiprocessor = 2;

/// Which blocks walk: Grid, Cluster or Parts, and how many.
struct WalkShape {
  CudaLaunch launch = CudaLaunch::Cluster;
  std::uint32_t blocks = 1;
};

class WalkLaunch {
 public:
  /// Compiles or loads the units and links them. Errors: those of compile_device_code() and
  /// link_device_code(). Throws DeviceError.
  [[nodiscard]] static Result<std::unique_ptr<WalkLaunch>> load(std::shared_ptr<Device> device,
                                                                DType dtype, WalkShape shape,
                                                                std::span<const StepUnit> units,
                                                                const DeviceCodeOptions& options,
                                                                DeviceCodeCounts* counts);

  /// How many blocks walk: no more than can run at the same time.
  [[nodiscard]] std::uint32_t blocks() const { return shape_.blocks; }
  /// The number of a unit's function, for WalkStep.
  [[nodiscard]] std::uint32_t step(const StepUnit& unit, bool narrow) const {
    return step_numbers_.at(function_name(unit, narrow));
  }
  /// All of a stage. `arguments`: those of all steps, each at a multiple of 16 bytes. `lines`: by
  /// block addresses that it reads and nobody stores to. Throws DeviceError.
  void bind(std::uint32_t stage, std::span<const WalkStep> steps,
            std::span<const std::byte> arguments,
            const std::vector<std::vector<CUdeviceptr>>& lines);

  /// Starts a stage once. Throws DeviceError.
  void start(std::uint32_t stage);
  /// Starts a stage as often as the series says. Throws DeviceError.
  void start_series(std::uint32_t stage, const SeriesArguments& series) const;
  /// Starts these alone of a stage that is bound. Throws DeviceError.
  void start_alone(std::uint32_t stage, std::span<const WalkStep> steps);
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Stage {
    DeviceMemory memory;
    std::uint64_t bytes = 0;
    CUdeviceptr items = 0;
    CUdeviceptr lines = 0;
    CUdeviceptr arguments = 0;
    std::uint32_t argument_bytes = 0;
    std::uint32_t item_count = 0;  // of a block
    std::uint32_t line_count = 0;  // of a block
    bool has_phases = false;       // more than one
    std::unique_ptr<LaunchGraph> once;
  };

  WalkLaunch(std::shared_ptr<Device> device, WalkShape shape)
      : device_(std::move(device)), shape_(shape), arrived_(device_, sizeof(std::uint32_t)) {}
  [[nodiscard]] static std::string function_name(const StepUnit& unit, bool narrow) {
    return unit.name + (narrow ? "_16" : "_32");
  }
  void limit_blocks();
  [[nodiscard]] Stage make_stage(std::span<const WalkStep> steps,
                                 std::span<const std::byte> arguments,
                                 const std::vector<std::vector<CUdeviceptr>>& lines) const;
  [[nodiscard]] BoundLaunch bound(const Stage& stage, const SeriesArguments& series) const;

  std::shared_ptr<Device> device_;
  WalkShape shape_;
  std::uint32_t step_bytes_ = kStepBytes;  // of a block's memory: the most that a step uses
  DeviceMemory arrived_;
  std::map<std::string, std::uint32_t> step_numbers_;  // by function
  std::shared_ptr<DeviceModule> module_;
  CUfunction function_ = nullptr;
  std::map<std::uint32_t, Stage> stages_;
  Stage alone_;
};

}  // namespace vecc::cuda
