// Runs of launches, as their kernels take them.
#pragma once

#include <cstdint>
#include <vector>

#include "src/batch/batch_plan.h"
#include "src/batch/batch_rows.h"
#include "src/batch/launch_rows.h"
#include "src/batch/reach_numbers.h"

namespace vecc {

class RunWriter {
 public:
  /// `numbers`: what says which launches have the same rows or members; null: none have. The plan
  /// must outlive this.
  RunWriter(const BatchPlan& plan, const ReachNumbers* numbers);

  /// Arrays of a launch, by numbers: launches that have equal ones share them. kNone: it has no
  /// such array.
  struct Slots {
    std::uint32_t order = kNone;
    std::uint32_t offsets = kNone;
    std::vector<std::uint32_t> lists;  ///< by access
  };
  [[nodiscard]] const Slots& slots(std::uint32_t launch) const { return slots_[launch]; }
  /// How many numbers there are.
  [[nodiscard]] std::size_t slot_count() const { return places_.size(); }

  /// A batch begins: arrays of the one before are not its own.
  void begin();
  /// Appends the run of a launch on `of`, which has rows; they may be sorted by type.
  void add(std::uint32_t number, LaunchRows& of, BatchRows& to);

 private:
  class SlotTable;

  void add_lists(std::uint32_t number, const LaunchRows& of, BatchRows::Run& run, BatchRows& to);
  [[nodiscard]] std::uint32_t add_list(const BatchLaunch& launch, const BatchAccess& access,
                                       const LaunchRows& of, BatchRows& to) const;
  void add_tiles(const BatchLaunch& launch, const NumberList& rows, BatchRows::Run& run,
                 BatchRows& to) const;

  const BatchPlan& plan_;
  std::vector<Slots> slots_;           // by launch
  std::vector<std::uint32_t> places_;  // by slot; kNone: the batch at hand has none yet
};

}  // namespace vecc
