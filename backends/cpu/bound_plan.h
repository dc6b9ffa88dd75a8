// A Plan with its code and its memory: what a run walks.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/cpu/kernel_interpreter.h"
#include "backends/cpu/load_kernels.h"
#include "backends/cpu/native_arrays.h"
#include "backends/cpu/native_block.h"
#include "backends/cpu/number_steps.h"
#include "backends/cpu/ordered_walk.h"
#include "backends/cpu/table_files.h"
#include "src/runtime/tile_walk.h"
#include "src/support/thread_team.h"
#include "vecc/plan.h"

namespace vecc::cpu {

/// Whether compiling the kernels of a Plan takes less time than `runs` runs (0: many) of its
/// interpreted launches take longer. It depends on the Plan alone, not on what was compiled before:
/// numbers are the same every time. Few kernels always are.
[[nodiscard]] bool is_worth_compiling(const Plan& plan, std::uint64_t runs);

class BoundPlan {
 public:
  /// Compiles or loads the kernels; they are interpreted where there is no compiler, or where
  /// is_worth_compiling() says no for `runs`. Of each kernel what launches run is compiled: for
  /// lists of 16 or 32 bits, for rows in an order or not; `in_batches`: with and without an order.
  /// `files`: of the Plan's tables. Errors: the others of load_code().
  [[nodiscard]] static Result<std::unique_ptr<BoundPlan>> make(Plan plan, const TableFiles& files,
                                                               std::uint64_t runs, bool in_batches,
                                                               const LoadOptions& load,
                                                               CodeCounts* counts);

  /// The memory of a buffer that is not this plan's own: a parameter, a state.
  void set_block(BufferIndex buffer, NativeBlock block) { blocks_[buffer] = std::move(block); }
  /// When all buffers have their memory; `threads`: of the team that run() is given. Throws
  /// std::bad_alloc.
  void bind(std::uint32_t threads);

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] bool is_interpreted() const { return !interpreters_.empty(); }
  [[nodiscard]] const NativeBlock& block(BufferIndex buffer) const { return blocks_[buffer]; }
  [[nodiscard]] const NativeBlock& arena() const { return arena_; }
  /// The element of block() where a buffer begins.
  [[nodiscard]] std::uint64_t first(BufferIndex buffer) const {
    return plan_.buffers[buffer].kind == PlanBuffer::Kind::Arena ? plan_.buffers[buffer].offset : 0;
  }
  /// When bound: by launch.
  [[nodiscard]] const std::vector<BoundLaunch>& launches() const { return walk_.launches(); }
  /// All launches of a stage, on the team's threads. Errors: RowNumber, DifferentRows, before
  /// parameters and states are stored.
  [[nodiscard]] Result<void> run(std::uint32_t stage, ThreadTeam& team);
  /// The same, launches on one thread, with the seconds of each; then those of number steps.
  [[nodiscard]] Result<void> run_timed(std::uint32_t stage, std::vector<double>& seconds,
                                       ThreadTeam& team);
  /// Own memory: arena, constants, indices, the threads' scratch.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  /// What the arguments of launches point to, one launch after another.
  struct ArgumentArrays {
    std::vector<void*> data;
    std::vector<const void*> lists;
    std::vector<const unsigned*> words;
  };

  BoundPlan(Plan plan, const TableFiles& files);
  void interpret();
  [[nodiscard]] std::vector<WantedKernel> wanted_kernels(bool in_batches) const;
  /// Whether its lists and its order have entries of 16 bits.
  [[nodiscard]] bool is_narrow(const Launch& launch) const;
  [[nodiscard]] KernelFunction function_of(std::uint32_t kernel, bool narrow) const;
  void reserve_arguments();
  [[nodiscard]] bool only_updates(const Launch& launch) const;
  [[nodiscard]] std::vector<TileOrder> order_stages(std::uint32_t threads) const;
  [[nodiscard]] BoundLaunch bind_launch(const Launch& launch);
  void bind_number_steps();
  /// Calls run_launches(first, last) and run_step(number) in the order of the stage.
  template <class RunLaunches, class RunStep>
  [[nodiscard]] Result<void> run_parts(std::uint32_t stage, const RunLaunches& run_launches,
                                       const RunStep& run_step);

  Plan plan_;
  bool in_batches_ = false;  // what is run are batches, each of its own rows
  NativeArrays arrays_;
  NativeBlock arena_;
  std::vector<NativeBlock> blocks_;              // by buffer
  std::vector<LoadedKernel> code_;               // by kernel
  std::vector<std::uint64_t> scratch_bytes_;     // by kernel
  std::vector<KernelInterpreter> interpreters_;  // by kernel, in place of code
  ArgumentArrays arguments_;
  TileWalk walk_;
  std::vector<OrderedWalk> orders_;  // by stage
  std::vector<BoundNumberStep> number_steps_;
};

}  // namespace vecc::cpu
