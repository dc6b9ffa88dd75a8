// The launches of a training's step, and which waits for which.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/device_code.h"
#include "backends/cuda/launch_graph.h"
#include "src/kg/train/cuda/formula_step.h"
#include "src/kg/train/cuda/step_sizes.h"

namespace vecc::kg {

/// Of entities or relations: addresses of keys as a step writes them, and of those that are sorted.
struct StepKeys {
  std::uint64_t written = 0;
  std::array<std::uint64_t, 2> sorted{};
};

struct LaunchTime {
  std::string kernel;
  std::uint64_t blocks = 0;
  double seconds = 0;
};

class StepLaunches {
 public:
  /// `arguments`: complete but for the keys. `formula`: of a user's score, with its functions; else
  /// null. What throws throws cuda::DeviceError.
  StepLaunches(const cuda::DeviceModule& code, const StepKinds& kinds, const StepGrids& grids,
               const device::Arguments& arguments, const StepKeys& entities,
               const StepKeys& relations, const FormulaStep* formula);

  [[nodiscard]] std::unique_ptr<cuda::LaunchGraph> make_graph(
      const std::shared_ptr<cuda::Device>& device) const;
  /// Each alone, `runs` times, in order: what a kernel reads is there.
  [[nodiscard]] std::vector<LaunchTime> time(const std::shared_ptr<cuda::Device>& device,
                                             std::uint32_t runs) const;

 private:
  using Number = std::uint32_t;  ///< of a launch
  Number add(const char* kernel, std::uint64_t blocks, std::uint32_t threads,
             std::vector<Number> before);
  Number add_sort(const StepGrids& grids, Number begin);
  std::vector<Number> add_phase(FormulaPhase phase, const std::vector<Number>& before);
  std::vector<Number> add_formula_scores(const StepGrids& grids, Number begin);
  std::vector<Number> add_formula_gradients(const StepGrids& grids, Number begin, Number losses);
  std::vector<Number> add_spaces(const StepGrids& grids, std::vector<Number>& read);
  std::vector<Number> add_space_gradients(const StepGrids& grids, Number losses, Number gradients);
  void add_moves(const StepGrids& grids, std::vector<Number> derived, Number judged, Number sorted);

  const cuda::DeviceModule& code_;
  StepKinds kinds_;
  device::Arguments arguments_;
  StepKeys entities_;
  StepKeys relations_;
  const FormulaStep* formula_;
  std::vector<Number> number_of_;  ///< by the formula's launches
  Number segments_ = 0;            ///< rescal, transr
  std::vector<cuda::BoundLaunch> launches_;
  std::vector<std::string> names_;  ///< of their kernels
  std::vector<std::vector<Number>> before_;
};

}  // namespace vecc::kg
