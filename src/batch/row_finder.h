// From a batch to the rows of every launch: forwards, what is not 0; backwards, what is needed.
#pragma once

#include <cstdint>
#include <vector>

#include "src/batch/batch_plan.h"
#include "src/batch/launch_rows.h"
#include "src/batch/row_set.h"

namespace vecc {

/// What takes the rows that are found, launch by launch in another order than theirs.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// A launch runs, once, on these; they may be sorted.
  virtual void run(std::uint32_t launch, LaunchRows& rows) = 0;
  /// Row `row` of a store is read, and no row that runs stores it: it is 0, or infinite.
  virtual void set_at_rest(std::uint32_t launch, std::uint32_t access, std::uint32_t row) = 0;
};

/// How the rows of a launch are found. A launch is pure if all that it stores is 0 without a batch.
/// Of a pure one, the rows that are not 0 are computed: they are known forwards. Of others, those
/// that something reads: they are known backwards.
struct LaunchTraits {
  bool is_pure = false;
  bool has_rows_by_members = false;  ///< pure: a row runs if a member does
  bool reads_zeros = false;          ///< a row that runs may load what is 0
};
/// By launch.
[[nodiscard]] std::vector<LaunchTraits> launch_traits(const BatchPlan& plan);

/// Searches one batch after another. Takes time linear in the rows and members that a batch
/// reaches, and in the number of launches, and allocates nothing.
///
/// Of all but what is at rest, each row is found by one row before it (one weight, or one sample
/// whose output is asked for, in the end):
/// what several weights reach is what each of them does.
class RowFinder {
 public:
  /// The plan must outlive this.
  explicit RowFinder(const BatchPlan& plan);

  /// The batch has rows of its parameters only, rising.
  void find(const Batch& batch, RowSink& sink);
  // Of the last batch:
  /// By BatchPlan::groups: whether its updates run.
  [[nodiscard]] const std::vector<char>& groups() const { return runs_; }
  /// Whether a launch that is not pure has a member that is not 0, of a row that does not run. It
  /// is kept where another weight reaches the row.
  [[nodiscard]] bool has_live_alone() const { return has_live_alone_; }
  /// Own sets.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void find_live(const Batch& batch, RowSink& sink);
  void run_live(std::uint32_t number, RowSink& sink);
  template <class Visit>
  bool for_each_live_reader(const BatchAccess& access, Visit&& visit);
  void find_live_load(std::uint32_t number, std::uint32_t load, const BatchSources& sources);
  bool find_live_members(const BatchLaunch& launch, const BatchAccess& access);
  bool find_live_rows(const BatchLaunch& launch, const BatchAccess& access,
                      const BatchSources& sources);
  void mark_live(std::uint32_t number, const BatchSources& sources);
  void take_rows_at_hand(const BatchLaunch& launch);
  void mark_store(const BatchLaunch& launch, const BatchAccess& access);

  void find_groups(const Batch& batch);
  [[nodiscard]] bool runs(const BatchUpdate& update) const {
    return update.group == kNone || runs_[update.group] != 0;
  }

  void need_outputs(const Batch& batch);
  void find_needed(std::uint32_t number, RowSink& sink);
  void need_updates(std::uint32_t number);
  void need_stores(std::uint32_t number);
  void note_zeros(std::uint32_t number, RowSink& sink) const;
  void take_row_set(const BatchLaunch& launch);
  void run(std::uint32_t number, RowSink& sink);
  void need_load(const BatchLaunch& launch, const BatchAccess& access);

  const BatchPlan& plan_;
  std::vector<LaunchTraits> traits_;         // by launch
  std::vector<RowSet> live_;                 // by buffer, units that need not be 0
  std::vector<RowSet> needed_;               // by buffer, units that a launch reads; of what is
                                             // 0 but for a batch, those that are not live
  std::vector<RowSet> members_;              // by launch that drops and is not pure: not 0
  std::vector<std::vector<char>> has_live_;  // by launch, by access: it reads a live row
  std::vector<char> runs_;                   // by group
  std::vector<const std::vector<std::uint32_t>*> touched_;  // by group, with lists_touched
  bool has_live_alone_ = false;
  // Of the launch at hand.
  RowSet row_set_;
  RowSet member_set_;                   // of one that drops: members that are not 0
  LaunchRows found_;                    // that it computes
  std::vector<std::uint64_t> zeros_;    // access and row that it stores and that is 0
  std::vector<std::uint32_t> entries_;  // of a list
};

}  // namespace vecc
