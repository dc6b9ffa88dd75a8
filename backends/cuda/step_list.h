// What a bound graph runs on a GPU, as bytes that are copied there at once: values, lists, what
// kernels are called with, and the steps of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/step_code.h"
#include "src/bind/recipes.h"
#include "src/bind/row_launches.h"

namespace vecc::cuda {

/// Blocks of one launch: steps of one stage and one unit.
struct StepLaunch {
  std::uint32_t unit = 0;
  std::uint32_t first = 0;  ///< step
  std::uint32_t steps = 0;
};

/// Where the parts of a graph's image lie. The memory of all vectors is kept.
class StepList {
 public:
  /// Decides how the launches run, and the image's size. All kernels must have code.
  void plan(const binding::RowLaunches& launches, const binding::RecipeBook& book,
            const StepCode& code, const Target& target);
  /// Of an image at `device` (if it is not here) with weights at `weights`; `outputs`: where
  /// kernels store the numbers of outputs.
  void write(const binding::RowLaunches& launches, std::byte* image, std::uint64_t device,
             std::uint64_t weights, std::uint64_t outputs);

  /// Whether one block runs all steps, in one launch. Else each of launches() is one.
  [[nodiscard]] bool is_walk() const { return is_walk_; }
  /// Whether it has the image in its own memory: pointers into it are numbers of bytes, and stand
  /// at these places.
  [[nodiscard]] bool is_here() const { return is_here_; }
  [[nodiscard]] bool has_weights() const { return has_weights_; }           ///< there, too
  [[nodiscard]] std::uint64_t first_place() const { return first_place_; }  ///< their list's byte
  [[nodiscard]] std::uint32_t place_count() const {
    return static_cast<std::uint32_t>(places_.size());
  }
  [[nodiscard]] std::span<const StepLaunch> launches() const { return runs_; }
  [[nodiscard]] std::uint32_t step_count() const {
    return static_cast<std::uint32_t>(steps_.size());
  }
  /// Of the image; a multiple of 16.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t first_step() const { return first_step_; }  ///< its byte
  [[nodiscard]] std::uint64_t output_numbers() const { return output_numbers_; }

 private:
  struct PlannedStep {
    std::uint32_t launch = 0;  ///< of RowLaunches; kNone: outputs are collected
    LaunchStep step;
  };

  [[nodiscard]] bool walks(const binding::RowLaunches& launches) const;
  [[nodiscard]] std::uint32_t rows_at_once(const binding::RowLaunch& launch) const;
  void place(const binding::RowLaunches& launches);
  void add_steps(const binding::RowLaunches& launches);
  void add_launch(std::uint32_t number, const binding::RowLaunch& launch, bool waits);
  void add_collection(const binding::RowLaunches& launches);
  void choose_memory(const binding::RowLaunches& launches);
  std::uint64_t write_launch(const binding::RowLaunch& launch, std::uint64_t bound,
                             std::uint64_t next, std::byte* image, std::uint64_t device,
                             std::uint64_t weights);
  void write_outputs(const binding::RowLaunches& launches, std::uint64_t next, std::byte* image,
                     std::uint64_t device, std::uint64_t outputs);
  void write_steps(std::byte* image, std::uint64_t device);
  void put_address(std::byte* image, std::uint64_t place, std::uint64_t address);

  const binding::RecipeBook* book_ = nullptr;
  const StepCode* code_ = nullptr;
  const Target* target_ = nullptr;
  bool is_walk_ = false;
  bool is_here_ = false;
  std::vector<PlannedStep> steps_;
  std::vector<StepLaunch> runs_;
  std::vector<std::uint32_t> by_unit_;  // launches of the stage at hand
  std::vector<std::uint64_t> bounds_;   // by launch of RowLaunches: the byte of its Bound
  std::uint64_t collect_ = 0;           // byte of CollectedNumbers
  std::uint64_t arrays_ = 0;            // byte of the first list
  std::uint64_t first_step_ = 0;
  std::uint64_t bound_places_ = 0;  // addresses in all Bounds, at most
  std::uint64_t most_places_ = 0;
  std::uint64_t first_place_ = 0;
  bool has_weights_ = false;  // in the image, at this byte
  std::uint64_t first_weight_ = 0;
  std::vector<std::uint32_t> places_;  // of addresses in the image, if it is here
  std::uint64_t bytes_ = 0;
  std::uint64_t output_numbers_ = 0;
};

}  // namespace vecc::cuda
