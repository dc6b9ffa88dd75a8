// From a batch to the rows of every launch: forwards, what is not 0; backwards, what is needed.
#pragma once

#include <cstdint>
#include <vector>

#include "src/batch/batch_plan.h"
#include "src/batch/batch_rows.h"
#include "src/batch/row_set.h"

namespace vecc {

/// Binds one batch after another. Takes time linear in the rows and members that a batch reaches,
/// and in the number of launches; beside the result, it allocates nothing.
///
///   launch 4: gradient[e] = weight[e] * ...                      row 7 alone is not 0
///   launch 5: g[r] = sum of gradient[e] over its readers e       of row 2: readers 3, 7, 9
///   =>
///   launch 4: rows [7]
///   launch 5: rows [2], offsets [0, 1], members [7]
///
/// A launch is pure if all that it stores is 0 without a batch. Of a pure one, the rows that are
/// not 0 are computed: they are known forwards. Of others, those that something reads: they are
/// known backwards.
class BatchBinder {
 public:
  /// The plan must outlive this.
  explicit BatchBinder(const BatchPlan& plan);

  /// Replaces `result`. The batch has rows of its parameters only, rising.
  void bind(const Batch& batch, BatchRows& result);
  /// Own sets.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void find_live(const Batch& batch, BatchRows& result);
  void run_live(std::uint32_t number, BatchRows& result);
  template <class Visit>
  void for_each_live_reader(const BatchAccess& access, Visit&& visit);
  bool find_live_members(std::uint32_t number, const BatchAccess& access);
  bool find_live_rows(const BatchLaunch& launch, const BatchAccess& access,
                      const BatchSources& sources);
  void mark_store(const BatchLaunch& launch, const BatchAccess& access);

  void find_groups(const Batch& batch);
  [[nodiscard]] bool runs(const BatchUpdate& update) const;

  void find_needed(std::uint32_t number, BatchRows& result);
  void need_updates(std::uint32_t number);
  void need_stores(std::uint32_t number);
  void note_zeros(std::uint32_t number, BatchRows& result) const;

  void take_rows(const BatchLaunch& launch);
  void take_members(const BatchLaunch& launch);
  void add_rows(std::uint32_t number, BatchRows& result);
  void keep_members(const BatchLaunch& launch, const RowSet& members);
  void need_load(const BatchLaunch& launch, const BatchAccess& access);

  void add_run(std::uint32_t number, BatchRows& result);
  void add_lists(const BatchLaunch& launch, BatchRows::Run& run, BatchRows& result);
  void add_tiles(const BatchLaunch& launch, BatchRows::Run& run, BatchRows& result) const;
  void sort_by_type(const BatchLaunch& launch);

  const BatchPlan& plan_;
  std::vector<bool> is_pure_;                // by launch
  std::vector<bool> has_rows_by_members_;    // by launch: pure, a row runs if a member does
  std::vector<bool> reads_zeros_;            // by launch: a row that runs may load what is 0
  std::vector<RowSet> live_;                 // by buffer, units that need not be 0
  std::vector<RowSet> needed_;               // by buffer, units that a launch reads; of what is
                                             // 0 but for a batch, those that are not live
  std::vector<RowSet> members_;              // by launch that drops and is not pure: not 0
  std::vector<std::vector<char>> has_live_;  // by launch, by access: it reads a live row
  std::vector<char> runs_;                   // by group
  std::vector<const std::vector<std::uint32_t>*> touched_;  // by group, with lists_touched
  // Of the launch at hand.
  RowSet row_set_;
  RowSet member_set_;                   // of a pure one that drops: members that are not 0
  std::vector<std::uint32_t> rows_;     // that it computes, rising (by type)
  std::vector<std::uint64_t> zeros_;    // access and row that it stores and that is 0
  std::vector<std::uint32_t> offsets_;  // of a launch that drops, by its rows
  std::vector<std::uint32_t> kept_;     // its members
  std::vector<std::uint32_t> entries_;  // of a list
};

}  // namespace vecc
