// A run of a Plan on the rows of a batch: launches that are bound, with the batch's arrays in the
// place of their own.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "backends/cpu/bound_plan.h"
#include "src/batch/batch_plan.h"
#include "src/batch/batch_rows.h"
#include "src/runtime/shared_steps.h"

namespace vecc::cpu {

class BatchWalk {
 public:
  /// `bound` is batch.plan, bound; both must outlive this. For teams of up to `threads`. Throws
  /// std::bad_alloc.
  BatchWalk(const BatchPlan& batch, const BoundPlan& bound, std::uint32_t threads);

  void run(const BatchRows& rows, ThreadTeam& team);
  [[nodiscard]] std::uint64_t bytes() const;
  /// Numbers that room is made for where a compact batch has `values`.
  [[nodiscard]] static constexpr std::uint64_t room_for(std::uint64_t values) {
    return values + values / 2;
  }
  /// Room for values of compact batches, once one has run.
  [[nodiscard]] bool has_room() const { return values_.elements() > 0; }

 private:
  // Zeros that are set, or a run of a launch.
  struct Step {
    std::uint32_t run = kNone;
    std::uint32_t first_zeros = 0;
    std::uint32_t end_zeros = 0;
    bool is_shared_out = false;
  };

  void make_room(const BatchRows& rows);
  void bind(const BatchRows& rows);
  void bind_run(const BatchRows& rows, const BatchRows::Run& run);
  void bind_places(const BatchRows& rows, const BatchRows::Run& run);
  void add_steps(const BatchRows& rows);
  [[nodiscard]] std::size_t tiles_of(const BatchRows::Run& run) const {
    return run.is_whole ? launches_[run.launch].tile_count : run.tiles;
  }
  void set_zeros(const BatchRows& rows, const Step& step) const;
  void run_tile(const BatchRows& rows, const BatchRows::Run& run, std::size_t tile,
                std::uint32_t thread) const;
  void run_step(const BatchRows& rows, const Step& step) const;

  const BatchPlan& batch_;
  const BoundPlan& bound_;
  std::vector<BoundLaunch> launches_;            // with the arrays of the batch
  std::vector<std::vector<void*>> data_;         // by launch, by access
  std::vector<std::vector<const void*>> lists_;  // by launch that drops, by access
  NativeBlock nowhere_;                          // what must not be stored goes there
  std::vector<BatchRows::Unstored> unstored_;    // what does now
  NativeBlock values_;                           // of batches, where they are compact
  std::vector<Step> steps_;
  SharedSteps progress_;                               // by step
  std::uint64_t scratch_bytes_ = 0;                    // of a thread
  std::vector<std::unique_ptr<std::byte[]>> scratch_;  // by thread
};

}  // namespace vecc::cpu
