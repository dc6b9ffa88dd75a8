// The row kernels of a template as code of a GPU: several kernels a unit
// (src/kernel/print_steps.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/device_code.h"
#include "src/bind/recipes.h"
#include "src/kernel/print_steps.h"
#include "src/kernel/schedule/kernel_schedule.h"

namespace vecc::cuda {

/// A compile unit that is loaded.
struct StepUnit {
  std::shared_ptr<DeviceModule> code;
  CUfunction walk = nullptr;  ///< all steps, by one block
  CUfunction here = nullptr;  ///< the same in its own memory; null: kernels take that
  CUfunction run = nullptr;   ///< a step a block
  std::uint32_t kernels = 0;  ///< the number of what collects
};

/// A kernel of the book.
struct StepKernelCode {
  std::uint32_t unit = 0;
  std::uint32_t number = 0;  ///< in the unit
  KernelSchedule schedule;
  double cycles = 0;  ///< of a block for the rows that it has at once, by the Target's model
};

/// Kernels of the book from number `first` on, and the units that have them: one at least.
struct StepUnits {
  std::vector<StepKernelCode> kernels;
  std::vector<std::string> texts;    ///< by unit
  std::vector<std::uint32_t> sizes;  ///< by unit, its kernels
  std::vector<bool> walk_here;       ///< by unit: print_steps.h's walks_here()
};
/// Error: BackendUnsupported (rows that threads have no memory for).
[[nodiscard]] Result<StepUnits> print_step_units(const binding::RecipeBook& book, std::size_t first,
                                                 const Target& target);

class StepCode {
 public:
  explicit StepCode(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  /// Compiles the kernels of the book that it has no code of, or finds them in the code cache: in
  /// units of their own. Errors: those of print_step_units() and compile_device_code(). Throws
  /// DeviceError.
  [[nodiscard]] Result<void> add(const binding::RecipeBook& book);

  [[nodiscard]] const StepKernelCode& kernel(std::uint32_t number) const {
    return kernels_[number];
  }
  [[nodiscard]] const StepUnit& unit(std::uint32_t number) const { return units_[number]; }
  [[nodiscard]] std::uint32_t kernel_count() const {
    return static_cast<std::uint32_t>(kernels_.size());
  }
  /// Kernels that no cache had.
  [[nodiscard]] std::uint32_t compiled() const { return compiled_; }

 private:
  std::shared_ptr<Device> device_;
  std::vector<StepKernelCode> kernels_;
  std::vector<StepUnit> units_;
  std::uint32_t compiled_ = 0;
};

}  // namespace vecc::cuda
