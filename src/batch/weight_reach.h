// What each row of a batch's weights reaches, found once: batches are unions of some of them.
//
// RowFinder finds each row by one before it, so a batch runs what its weights' rows, each as a
// batch of its own, run. A union is read in the order in which it lies in memory, where a search
// waits for one index array after another.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/batch/batch_loops.h"
#include "src/batch/batch_plan.h"
#include "src/batch/launch_rows.h"
#include "src/batch/reach_numbers.h"
#include "src/batch/row_finder.h"
#include "src/batch/row_set.h"
#include "src/batch/word_sets.h"
#include "vecc/batch.h"

namespace vecc {

class WeightReach {
 public:
  /// Null where batches are searched: those of a plan without BatchPlan::mixes_samples, with
  /// lists_touched or with outputs, those that are not the unions of their weights' rows (a member
  /// that is not 0 alone would be kept with others), and where it would take more than
  /// `most_bytes`, which is told from some rows first.
  [[nodiscard]] static std::unique_ptr<const WeightReach> make(const BatchPlan& plan,
                                                               std::uint64_t most_bytes);
  /// As much as is worth its time: twice the plan's own index arrays, at least 16 MB and at most
  /// 256.
  [[nodiscard]] static std::uint64_t most_bytes(const BatchPlan& plan);

  /// For what a batch reaches.
  [[nodiscard]] RowSet empty_set() const { return RowSet(numbers_.count()); }
  /// Adds what a batch reaches to an empty set.
  void insert(const Batch& batch, RowSet& to) const;

  // `set`: what a batch reaches.
  /// Sets `to` to what runs of a launch. Whether anything does.
  [[nodiscard]] bool take(std::uint32_t launch, const RowSet& set, LaunchRows& to) const;
  /// Whether the updates of a group run.
  [[nodiscard]] bool runs(std::uint32_t group, const RowSet& set) const {
    return set.contains(numbers_.groups() + group);
  }
  /// Calls visit(access, row) for rows of a launch's stores that are read and that nothing stores.
  template <class Visit>
  void for_each_at_rest(std::uint32_t launch, const RowSet& set, Visit&& visit) const {
    for (const ReachNumbers::Rests& rests : numbers_.places(launch).rests) {
      const BatchAccess& access = plan_.launches[launch].accesses[rests.access];
      set.for_each(rests.first, rests.first + access.rows, [&](std::uint64_t number) {
        const auto row = static_cast<std::uint32_t>(number - rests.first);
        if (!is_stored(launch, access, row, set)) visit(rests.access, row);
      });
    }
  }

  /// Which numbers stand for what: launches that always have the same rows, or members, share
  /// them.
  [[nodiscard]] const ReachNumbers& numbers() const { return numbers_; }
  /// That of nothing, then one by row of weights: a batch reaches the first and its rows'.
  [[nodiscard]] const WordSets& sets() const { return sets_; }
  [[nodiscard]] std::uint64_t set_of(std::size_t weights, std::uint32_t row) const {
    return first_of_weights_[weights] + row + 1;
  }

  [[nodiscard]] std::uint64_t bytes() const { return sets_.bytes(); }

 private:
  class Recorder;

  explicit WeightReach(const BatchPlan& plan);
  [[nodiscard]] bool find_all(std::uint64_t most_bytes);
  void share_numbers();
  [[nodiscard]] std::vector<bool> find_whole() const;
  [[nodiscard]] bool is_larger_than(std::uint64_t most_bytes, Recorder& recorder) const;
  [[nodiscard]] bool runs_row(std::uint32_t launch, std::uint32_t row, const RowSet& set) const;
  [[nodiscard]] bool is_stored(std::uint32_t launch, const BatchAccess& access, std::uint32_t row,
                               const RowSet& set) const;

  const BatchPlan& plan_;
  ReachNumbers numbers_;
  std::uint64_t weight_rows_ = 0;
  std::vector<std::uint64_t> first_of_weights_;  // by BatchOptions::weights: of sets_, less one
  WordSets sets_;  // of each row of weights, and before them of a batch of nothing
};

}  // namespace vecc
